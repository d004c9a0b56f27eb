package ir

import (
	"strconv"
)

// Parse reads the text of a Func, as String writes it. Each value's type is
// inferred anew and must be the one in the text. Errors are *ParseError.
func Parse(text string) (*Func, error) {
	p := &parser{scanner: scanner{text: text}, f: &Func{}, values: map[string]*Value{}}
	p.emptyLines()
	p.parseFunc()
	p.end()
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.f, nil
}

// parser reads a Func. values holds those that the next line can use, by the
// names that they have in text.
type parser struct {
	scanner
	f      *Func
	values map[string]*Value
}

// end refuses anything but empty lines.
func (s *scanner) end() {
	s.emptyLines()
	if s.next() != 0 {
		s.syntax("the end of the text")
	}
}

func (p *parser) parseFunc() {
	p.want("func")
	if p.next() != '(' {
		p.f.Name = p.name("a name or (")
	}
	p.list("()", 1<<20, p.param)
	p.f.Fast = p.accept("fast")
	p.want("{")
	p.endLine()
	for p.bad == nil && p.next() == '%' {
		p.node()
	}
	p.want("return")
	if p.next() == '%' {
		p.f.Results = p.operands(1 << 20)
	}
	p.endLine()
	p.want("}")
}

func (p *parser) param() {
	from := p.blanks()
	p.want("%")
	name := p.scanner.name("the name of a parameter")
	p.want(":")
	at := p.blanks()
	t := p.typ()
	var l *Layout
	if p.next() == '{' {
		l = p.layout()
	}
	key := paramName(name)
	switch err := t.check(); {
	case p.bad != nil:
		return
	case p.values[key] != nil:
		p.refuse(from, "the parameter %s exists already", key)
		return
	case err != nil:
		p.refuse(at, "%v", err)
		return
	}
	p.values[key] = p.f.Param(name, t, l)
}

// check returns an error for a type that no value can have.
func (t Type) check() error {
	if err := t.DType.CheckRuns(); err != nil {
		return err
	}
	return t.Shape.Check()
}

// typ reads f32[n,3].
func (s *scanner) typ() Type {
	t := Type{DType: s.dtype(), Shape: Shape{}}
	s.list("[]", MaxRank, func() { t.Shape = append(t.Shape, s.extent()) })
	return t
}

// node reads a line of the body.
func (p *parser) node() {
	from := p.blanks()
	name := p.reference()
	if want := "%" + strconv.Itoa(len(p.f.Body)); name != want && p.bad == nil {
		p.refuse(from, "found value %.40s, want %s: values are numbered in their order", name, want)
	}
	p.want("=")
	at := p.blanks()
	op := p.op()
	var (
		args []*Value
		attr Attr
		text string // of a constant
	)
	switch {
	case op == OpConst:
		text = p.constant()
	case p.next() == '%':
		args = p.operands(maxArity)
	}
	p.attrs(op, &attr)
	p.want(":")
	typeAt := p.blanks()
	t := p.typ()
	pos := p.endLine()
	if p.bad != nil {
		return
	}
	if fill := op.Info().fromType; fill != nil {
		fill(&attr, t)
	}
	if op == OpConst {
		bits, err := parseConst(t.DType, text)
		if err != nil {
			p.refuse(at, "%v", err)
			return
		}
		attr.Bits = bits
	}
	p.add(at, typeAt, name, op, attr, t, pos, args)
}

// maxArity is how many operands an op has at most.
const maxArity = len(Inst{}.Args)

// add appends a value whose type must be t.
func (p *parser) add(at, typeAt int, name string, op Op, attr Attr, t Type, pos Pos, args []*Value) {
	v, err := p.f.Add(op, attr, Pos{}, args...)
	switch {
	case err != nil:
		p.refuse(at, "%v", err)
	case !v.Type.Equal(t):
		p.refuse(typeAt, "the type is %s, want %s, which follows from the operands", t, v.Type)
	default:
		v.Pos = pos
		p.values[name] = v
	}
}

// op reads the name of an operation.
func (s *scanner) op() Op {
	from := s.blanks()
	name := s.word("the name of an operation")
	op, ok := OpByName(name)
	if (!ok || op == OpParam) && s.bad == nil {
		s.refuse(from, "no operation has the name %.40q", name)
	}
	return op
}

// reference reads %name and returns it as values are known by.
func (s *scanner) reference() string {
	s.want("%")
	if isDigit(s.next()) {
		return "%" + s.run(isDigit)
	}
	return paramName(s.name("the name of a value"))
}

// operands reads references to known values.
func (p *parser) operands(limit int) []*Value {
	var out []*Value
	for p.bad == nil {
		from := p.blanks()
		v := p.values[p.reference()]
		switch {
		case p.bad != nil:
		case v == nil:
			p.refuse(from, "%.40s is not a value that is known here: a parameter or an earlier line", p.text[from:p.pos])
		case len(out) == limit:
			p.refuse(from, "more than %d operands", limit)
		default:
			out = append(out, v)
		}
		if !p.accept(",") {
			break
		}
	}
	return out
}
