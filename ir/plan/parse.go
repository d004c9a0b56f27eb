package plan

import (
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// ParsePlan reads the text of a plan, as String writes it. It checks each line; Plan.Verify checks the plan as a whole. Errors are
// *ParseError.
func ParsePlan(text string) (*Plan, error) {
	s := ir.NewScanner(text)
	s.EmptyLines()
	p := Read(s)
	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Read reads a plan.
func Read(s *ir.Scanner) *Plan {
	p := &Plan{}
	(&scanner{s}).plan(p)
	return p
}

func (s *scanner) plan(p *Plan) {
	s.Want("plan")
	p.Name = s.Name("the name of the plan")
	s.Mark(arenaPlace, s.Blanks())
	p.Arena = s.field("arena")
	s.Want("{")
	s.EndLine()
	p.Buffers = ScanBuffers(s.Scanner)
	for at := s.Blanks(); s.Bad == nil && s.Accept("step"); at = s.Blanks() {
		s.Mark(step(len(p.Steps)), at)
		s.step(p)
	}
	for at := s.Blanks(); s.Bad == nil && s.Accept("rows"); at = s.Blanks() {
		s.Mark(rowGroup(len(p.Rows)), at)
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
	s.Mark(buffer(len(p.Buffers)), s.Blanks())
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

// numbered reads a mark and the number that is required behind it.
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

// step reads a step behind its first word: three lines.
func (s *scanner) step(p *Plan) {
	s.numbered("", len(p.Steps))
	st := Step{Once: s.Accept("once")}
	s.List("[]", layout.MaxRank, func() {
		a := Axis{Extent: s.Integer()}
		if n := s.Next(); n != ',' && n != ']' {
			a.Role = Role(s.oneOf("reduce, scan, scan_exclusive, contract or line", roleNames()))
		}
		st.Axes = append(st.Axes, a)
	})
	st.Pos = s.EndLine()
	st.Body = kernel.Scan(s.Scanner)
	s.EndLine()
	at := s.Blanks()
	for s.Bad == nil && s.Next() == '%' {
		s.Mark(step(len(p.Steps)).in(len(st.In)), s.Pos)
		st.In = append(st.In, s.access())
	}
	s.Want("->")
	for s.Bad == nil && s.Next() != '\n' && s.Next() != 0 && s.Next() != '/' {
		s.Mark(step(len(p.Steps)).out(len(st.Out)), s.Pos)
		st.Out = append(st.Out, s.output())
	}
	s.EndLine()
	if s.Bad != nil {
		return
	}
	if in, out := len(st.Body.In), len(st.Body.Out); len(st.In) != in || len(st.Out) != out {
		s.Refuse(at, "%d inputs and %d outputs, the kernel has %d and %d", len(st.In), len(st.Out), in, out)
		return
	}
	p.Steps = append(p.Steps, st)
}

// output reads an access, behind the op that combines if there is one.
func (s *scanner) output() Output {
	var o Output
	if s.Next() != '%' {
		at := s.Blanks()
		name := s.Word("an access, or the op that combines")
		op, ok := ir.OpByName(name)
		if !ok && s.Bad == nil {
			s.Refuse(at, "no operation has the name %.40q", name)
		}
		o.Combine = op
	}
	o.Access = s.access()
	return o
}

// access reads %2{3,1}+0, optionally with a panel or a length of lines.
func (s *scanner) access() Access {
	s.Want("%")
	a := Access{Buffer: s.Integer()}
	a.Strides = s.Integers("{}")
	a.Offset = s.Offset()
	if s.Accept("panel") {
		if n := s.numbers(3); n != nil {
			a.Panel = &Panel{Axis: n[0], Size: n[1], Stride: n[2]}
		}
	}
	if s.Accept("line") {
		if n := s.numbers(1); n != nil {
			a.Line = n[0]
		}
	}
	return a
}

// numbers reads a list of n numbers.
func (s *scanner) numbers(n int) []int {
	at := s.Blanks()
	list := s.Integers("[]")
	if len(list) != n {
		if s.Bad == nil {
			s.Refuse(at, "a list of %d numbers, want %d", len(list), n)
		}
		return nil
	}
	return list
}

// decision reads an entry of the ledger behind its mark.
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
	if s.Next() == 'o' {
		d.Out = s.field("out")
	}
	d.Bytes = s.field("bytes")
	d.Reason = s.Quoted()
	d.Pos = s.EndLine()
	return d
}

// scanner reads the text of plans.
type scanner struct{ *ir.Scanner }
