package ir

import (
	"slices"
	"strconv"
)

// ParsePlan reads the text of a plan, as String writes it. It checks each line,
// not the plan as a whole, which is Plan.Verify's. Errors are *ParseError.
func ParsePlan(text string) (*Plan, error) {
	s := &scanner{text: text}
	p := &Plan{}
	s.emptyLines()
	s.plan(p)
	s.end()
	if err := s.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func (s *scanner) plan(p *Plan) {
	s.want("plan")
	p.Name = s.name("the name of the plan")
	p.Arena = s.field("arena")
	s.want("{")
	s.endLine()
	for s.bad == nil && s.next() == '%' {
		s.buffer(p)
	}
	for s.bad == nil && s.accept("step") {
		s.step(p)
	}
	for s.bad == nil && s.accept("rows") {
		g := RowGroup{First: s.field("first"), Last: s.field("last")}
		s.want("outer")
		s.want("=")
		g.Outer = s.integers("[]")
		s.want("along")
		s.want("=")
		g.Along = s.integers("[]")
		g.Block, g.Scratch = s.field("block"), s.field("scratch")
		s.endLine()
		p.Rows = append(p.Rows, g)
	}
	for s.bad == nil && s.accept("#") {
		p.Ledger = append(p.Ledger, s.decision())
	}
	s.want("}")
}

// field reads name=number.
func (s *scanner) field(name string) int {
	s.want(name)
	s.want("=")
	return s.integer()
}

// oneOf reads a word of a list and returns its index.
func (s *scanner) oneOf(what string, words []string) int {
	at := s.blanks()
	i := slices.Index(words, s.word(what))
	if i < 0 && s.bad == nil {
		s.pos = at
		s.syntax(what)
	}
	return max(i, 0)
}

// buffer reads %2 = temp 128 : f32[4,3].
func (s *scanner) buffer(p *Plan) {
	s.numbered("%", len(p.Buffers))
	s.want("=")
	b := Buffer{Kind: BufferKind(s.oneOf("param, result, const, temp, scratch or iota", bufferKinds[:]))}
	at, text := s.blanks(), ""
	switch b.Kind {
	case ConstBuffer:
		text = s.constant()
	case TempBuffer, ScratchBuffer:
		b.Offset = s.integer()
	case IotaBuffer:
	default:
		b.Name = s.name("the name of a buffer")
		b.Index = s.integer()
	}
	s.want(":")
	typeAt := s.blanks()
	t := s.typ()
	if s.next() == '{' {
		b.At = s.layout()
	}
	s.endLine()
	if s.bad != nil {
		return
	}
	shape, known := t.Shape.Ints()
	if err := t.check(); err != nil || !known {
		s.refuse(typeAt, "%s is no type of a buffer: numbers are wanted, with a product within int", t)
		return
	}
	b.DType, b.Shape = t.DType, shape
	if b.Kind == ConstBuffer {
		bits, err := parseConst(t.DType, text)
		if err != nil {
			s.refuse(at, "%v", err)
			return
		}
		b.Bits = bits
	}
	p.Buffers = append(p.Buffers, b)
}

// numbered reads a mark and the number that must follow it.
func (s *scanner) numbered(mark string, want int) {
	at := s.blanks()
	if mark != "" {
		s.want(mark)
	}
	s.blanks()
	if n := s.run(isDigit); n == "" {
		s.syntax("a number")
	} else if n != strconv.Itoa(want) {
		s.refuse(at, "found %s%.40s, want %[1]s%[3]d: lines are numbered in their order", mark, n, want)
	}
}

// step reads a step after its first word: three lines.
func (s *scanner) step(p *Plan) {
	s.numbered("", len(p.Steps))
	var st Step
	st.Extents = s.integers("[]")
	s.want("block")
	s.want("=")
	at := s.blanks()
	block := s.integers("[]")
	if len(block) != 2 && s.bad == nil {
		s.refuse(at, "a block has rows and columns")
	}
	st.Down = s.accept("down")
	switch {
	case s.accept("scan-exclusive"):
		st.Scan = Exclusive
	case s.accept("scan"):
		st.Scan = Inclusive
	}
	st.Panels = s.accept("panels")
	st.Pos = s.endLine()
	st.Kernel = s.kernel()
	s.endLine()
	at = s.blanks()
	for s.bad == nil && s.next() == '%' {
		st.Operands = append(st.Operands, s.access())
	}
	inputs := len(st.Operands)
	s.want("->")
	for s.bad == nil && s.next() == '%' {
		st.Operands = append(st.Operands, s.access())
	}
	s.endLine()
	if s.bad != nil {
		return
	}
	if want := len(st.Kernel.In); inputs != want {
		s.refuse(at, "%d inputs, the kernel has %d", inputs, want)
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
	s.want("%")
	a := Access{Buffer: s.integer()}
	a.Strides = s.integers("{}")
	a.Offset = s.offset()
	return a
}

// decision reads an entry of the ledger after its mark.
func (s *scanner) decision() Decision {
	d := Decision{Kind: DecisionKind(s.oneOf("fused, materialized, copied, staged, recomputed or rewritten", decisionKinds[:]))}
	at := s.blanks()
	name := s.word("the name of an operation")
	op, ok := OpByName(name)
	if !ok && name != OpInvalid.String() && s.bad == nil {
		s.refuse(at, "no operation has the name %.40q", name)
	}
	d.Op = op
	d.Step = s.field("step")
	d.Bytes = s.field("bytes")
	d.Reason = s.quoted()
	d.Pos = s.endLine()
	return d
}
