package kernel

import "github.com/stridefuse/stridefuse/ir"

// ParseCode reads the text of a kernel or a micro-kernel, as Signature writes it, and
// verifies it. Errors are *ir.ParseError.
func ParseCode(text string) (Code, error) {
	s := ir.NewScanner(text)
	s.EmptyLines()
	c := ScanCode(s)
	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// ScanCode reads a kernel or a micro-kernel, and verifies it.
func ScanCode(s *ir.Scanner) Code {
	at := s.Blanks()
	name := s.Word("kernel, or the name of a micro-kernel")
	if name == "kernel" || s.Bad != nil {
		s.Pos = at
		return Scan(s)
	}
	row, ok := microByName(name)
	if !ok {
		s.Refuse(at, "no micro-kernel has the name %.40q", name)
	}
	m := (&scanner{s}).micro(row)
	if s.Bad != nil {
		return m
	}
	if err := m.Verify(); err != nil {
		s.Refuse(at, "%v", err)
	}
	return m
}

// micro reads the parts of a micro-kernel behind its name.
func (s *scanner) micro(row MicroKind) *Micro {
	m, has := &Micro{Kind: row}, micros[row].has
	if has.combine {
		m.Combine = []ir.Op{}
		s.List("[]", MaxOperands, func() {
			by := ir.OpInvalid
			if !s.Accept("_") {
				by = s.Op()
			}
			m.Combine = append(m.Combine, by)
		})
	}
	if has.op {
		m.Op = s.Op()
	}
	if has.dtype || row == NoMicro { // a name that is not known, overlooked
		m.Type = s.Dtype()
	}
	if has.carry {
		m.Carry = s.Accept("carry")
	}
	if has.body {
		m.Body = s.kernel()
	}
	return m
}
