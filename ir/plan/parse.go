package plan

import (
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// ParsePlan reads the text of a plan, as String writes it. It checks each line,
// not the plan as a whole, which is Plan.Verify's. Errors are *ParseError.
func ParsePlan(text string) (*Plan, error) {
	s := &scanner{ir.NewScanner(text)}
	p := &Plan{}
	s.EmptyLines()
	s.plan(p)
	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *scanner) plan(p *Plan) {
	s.Want("plan")
	p.Name = s.Name("the name of the plan")
	p.Arena = s.field("arena")
	s.Want("{")
	s.EndLine()
	p.Buffers = ScanBuffers(s.Scanner)
	for s.Bad == nil && s.Accept("step") {
		s.step(p)
	}
	for s.Bad == nil && s.Accept("rows") {
		g := RowGroup{First: s.field("first"), Last: s.field("last")}
		s.Want("outer")
		s.Want("=")
		g.Outer = s.Integers("[]")
		s.Want("along")
		s.Want("=")
		g.Along = s.Integers("[]")
		g.Block, g.Scratch = s.field("block"), s.field("scratch")
		s.EndLine()
		p.Rows = append(p.Rows, g)
	}
	p.Ledger = ScanLedger(s.Scanner)
	s.Want("}")
}

// ScanBuffers reads the lines that begin with %.
func ScanBuffers(s *ir.Scanner) []Buffer {
	p := &Plan{}
	for s.Bad == nil && s.Next() == '%' {
		(&scanner{s}).buffer(p)
	}
	return p.Buffers
}

// ScanLedger reads the lines that begin with #.
func ScanLedger(s *ir.Scanner) (ledger []Decision) {
	for s.Bad == nil && s.Accept("#") {
		ledger = append(ledger, (&scanner{s}).decision())
	}
	return ledger
}

// field reads name=number.
func (s *scanner) field(name string) int {
	s.Want(name)
	s.Want("=")
	return s.Integer()
}

// oneOf reads a word of a list and returns its index.
func (s *scanner) oneOf(what string, words []string) int {
	at := s.Blanks()
	i := slices.Index(words, s.Word(what))
	if i < 0 && s.Bad == nil {
		s.Pos = at
		s.Syntax(what)
	}
	return max(i, 0)
}

// buffer reads %2 = temp 128 : f32[4,3].
func (s *scanner) buffer(p *Plan) {
	s.numbered("%", len(p.Buffers))
	s.Want("=")
	b := Buffer{Kind: BufferKind(s.oneOf("param, result, const, temp, scratch or iota", bufferKinds[:]))}
	at, text := s.Blanks(), ""
	switch b.Kind {
	case ConstBuffer:
		text = s.Constant()
	case TempBuffer, ScratchBuffer:
		b.Offset = s.Integer()
	case IotaBuffer:
	default:
		b.Name = s.Name("the name of a buffer")
		b.Index = s.Integer()
	}
	s.Want(":")
	typeAt := s.Blanks()
	t := s.Typ()
	if s.Next() == '{' {
		b.At = s.Layout()
	}
	s.EndLine()
	if s.Bad != nil {
		return
	}
	shape, known := t.Shape.Ints()
	if err := t.Check(); err != nil || !known {
		s.Refuse(typeAt, "%s is no type of a buffer: numbers are wanted, with a product within int", t)
		return
	}
	b.DType, b.Shape = t.DType, shape
	if b.Kind == ConstBuffer {
		bits, err := ir.ParseConst(t.DType, text)
		if err != nil {
			s.Refuse(at, "%v", err)
			return
		}
		b.Bits = bits
	}
	p.Buffers = append(p.Buffers, b)
}

// numbered reads a mark and the number that must follow it.
func (s *scanner) numbered(mark string, want int) {
	at := s.Blanks()
	if mark != "" {
		s.Want(mark)
	}
	s.Blanks()
	if n := s.Run(ir.IsDigit); n == "" {
		s.Syntax("a number")
	} else if n != strconv.Itoa(want) {
		s.Refuse(at, "found %s%.40s, want %[1]s%[3]d: lines are numbered in their order", mark, n, want)
	}
}

// step reads a step after its first word: three lines.
func (s *scanner) step(p *Plan) {
	s.numbered("", len(p.Steps))
	var st FlatStep
	st.Extents = s.Integers("[]")
	s.Want("block")
	s.Want("=")
	at := s.Blanks()
	block := s.Integers("[]")
	if len(block) != 2 && s.Bad == nil {
		s.Refuse(at, "a block has rows and columns")
	}
	st.Down = s.Accept("down")
	switch {
	case s.Accept("scan-exclusive"):
		st.Scan = Exclusive
	case s.Accept("scan"):
		st.Scan = Inclusive
	}
	st.Panels = s.Accept("panels")
	st.Pos = s.EndLine()
	st.Kernel = kernel.Scan(s.Scanner)
	s.EndLine()
	at = s.Blanks()
	for s.Bad == nil && s.Next() == '%' {
		st.Operands = append(st.Operands, s.access())
	}
	inputs := len(st.Operands)
	s.Want("->")
	for s.Bad == nil && s.Next() == '%' {
		st.Operands = append(st.Operands, s.access())
	}
	s.EndLine()
	if s.Bad != nil {
		return
	}
	if want := len(st.Kernel.In); inputs != want {
		s.Refuse(at, "%d inputs, the kernel has %d", inputs, want)
		return
	}
	if len(block) != 2 {
		return
	}
	st.Rows, st.Cols = block[0], block[1]
	p.Steps = append(p.Steps, st)
}

// access reads %2{3,1}+0.
func (s *scanner) access() Access {
	s.Want("%")
	a := Access{Buffer: s.Integer()}
	a.Strides = s.Integers("{}")
	a.Offset = s.Offset()
	return a
}

// decision reads an entry of the ledger after its mark.
func (s *scanner) decision() Decision {
	d := Decision{Kind: DecisionKind(s.oneOf("fused, materialized, copied, staged, recomputed or rewritten", decisionKinds[:]))}
	at := s.Blanks()
	name := s.Word("the name of an operation")
	op, ok := ir.OpByName(name)
	if !ok && name != ir.OpInvalid.String() && s.Bad == nil {
		s.Refuse(at, "no operation has the name %.40q", name)
	}
	d.Op = op
	d.Step = s.field("step")
	d.Bytes = s.field("bytes")
	d.Reason = s.Quoted()
	d.Pos = s.EndLine()
	return d
}
