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
	s.Pos = at
	if name == "kernel" || s.Bad != nil {
		return Scan(s)
	}
	s.Word("the name of a micro-kernel")
	row, ok := RowByName(name)
	if !ok {
		s.Refuse(at, "no micro-kernel has the name %.40q", name)
	}
	m := &Micro{Row: row, Type: s.Dtype()}
	if err := m.Verify(); err != nil && s.Bad == nil {
		s.Refuse(at, "%v", err)
	}
	return m
}
