package ir

import (
	"strconv"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Parse reads the text of a Func, as String writes it. The type of each value is inferred again and must equal the one in the text.
// Errors are *ParseError.
func Parse(text string) (*Func, error) {
	s := NewScanner(text)
	s.EmptyLines()
	f := s.Func()
	s.End()
	if err := s.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// Func reads a Func.
func (s *Scanner) Func() *Func {
	p := &parser{Scanner: s, f: &Func{}, values: map[string]*Value{}}
	p.parseFunc()
	return p.f
}

// parser reads a Func. values holds the values that the next line can use, by their names in text.
type parser struct {
	*Scanner
	f      *Func
	values map[string]*Value
}

// End refuses text other than empty lines.
func (s *Scanner) End() {
	s.EmptyLines()
	if s.Next() != 0 {
		s.Syntax("the end of the text")
	}
}

func (p *parser) parseFunc() {
	p.Want("func")
	if p.Next() != '(' {
		p.f.Name = p.Name("a name or (")
	}
	p.List("()", 1<<20, p.param)
	p.f.Fast = p.Accept("fast")
	p.Want("{")
	p.EndLine()
	for p.Bad == nil && p.Next() == '%' {
		p.node()
	}
	p.Mark("return", p.Blanks())
	p.Want("return")
	if c := p.Next(); c == '%' || c == '"' || isLetter(c) {
		p.results()
	}
	p.EndLine()
	p.Want("}")
}

// results reads the results, which may have names.
func (p *parser) results() {
	named := false
	for p.Bad == nil {
		name := ""
		if p.Next() != '%' {
			name = p.Name("a result or its name")
			named = named || name != ""
			p.Want("=")
		}
		if v := p.operand(); v != nil {
			p.f.Results, p.f.Outputs = append(p.f.Results, v), append(p.f.Outputs, name)
		}
		if !p.Accept(",") {
			break
		}
	}
	if !named {
		p.f.Outputs = nil
	}
}

func (p *parser) param() {
	from := p.Blanks()
	p.Want("%")
	name := p.Scanner.Name("the name of a parameter")
	p.Want(":")
	at := p.Blanks()
	t := p.Typ()
	var l *layout.Layout
	if p.Next() == '{' {
		l = p.Layout()
	}
	key := paramName(name)
	switch err := t.Check(); {
	case p.Bad != nil:
		return
	case p.values[key] != nil:
		p.Refuse(from, "the parameter %s exists already", key)
		return
	case err != nil:
		p.Refuse(at, "%v", err)
		return
	}
	p.Mark(key, from)
	p.values[key] = p.f.Param(name, t, l)
}

// Check returns an error for a type that no value can have.
func (t Type) Check() error {
	if err := t.DType.Check(); err != nil {
		return err
	}
	return t.Shape.Check()
}

// Typ reads f32[n,3].
func (s *Scanner) Typ() Type {
	t := Type{DType: s.Dtype(), Shape: Shape{}}
	s.List("[]", layout.MaxRank, func() { t.Shape = append(t.Shape, s.Extent()) })
	return t
}

// node reads a line of the body.
func (p *parser) node() {
	from := p.Blanks()
	name := p.reference()
	number, err := strconv.Atoi(name[min(1, len(name)):])
	if p.Bad == nil && (err != nil || number < 0 || number > maxName || name != "%"+strconv.Itoa(number)) {
		p.Refuse(from, "found %.40s, want the number of a value", name)
	}
	if p.Bad == nil && p.values[name] != nil {
		p.Refuse(from, "the value %.40s exists already", name)
	}
	p.Want("=")
	at := p.Blanks()
	op := p.Op()
	var (
		args []*Value
		attr Attr
		text string // of a constant
	)
	switch {
	case op == OpConst:
		text = p.Constant()
	case p.Next() == '%':
		args = p.operands(1 << 20)
	}
	p.attrs(op, &attr)
	p.Want(":")
	typeAt := p.Blanks()
	t := p.Typ()
	pos := p.EndLine()
	if p.Bad != nil {
		return
	}
	if fill := op.Info().fromType; fill != nil {
		fill(&attr, t)
	}
	if op == OpConst {
		bits, err := ParseConst(t.DType, text)
		if err != nil {
			p.Refuse(at, "%v", err)
			return
		}
		attr.Bits = bits
	}
	p.add(at, typeAt, name, number, op, attr, t, pos, args)
}

// add appends a value whose type must be t.
func (p *parser) add(at, typeAt int, name string, number int, op Op, attr Attr, t Type, pos Pos, args []*Value) {
	v, err := p.f.Add(op, attr, Pos{}, args...)
	switch {
	case err != nil:
		p.Refuse(at, "%v", err)
	case !v.Type.Equal(t):
		p.Refuse(typeAt, "the type is %s, want %s, which follows from the operands", t, v.Type)
	default:
		v.Pos = pos
		p.Mark(name, at)
		p.values[name] = v
		p.name(v, number)
	}
}

// maxName is the greatest number that names a value in text.
const maxName = 1 << 30

// name gives the last value of the body its number as its name. Values have labels from the first one on whose number is not its
// position.
func (p *parser) name(v *Value, number int) {
	last := len(p.f.Body) - 1
	if p.f.named == 0 && number == last {
		return
	}
	if p.f.named == 0 {
		for i, w := range p.f.Body[:last] {
			w.label = i + 1
		}
		p.f.named = last
	}
	v.label = number + 1
	p.f.named = max(p.f.named, v.label)
}

// Op reads the name of an operation.
func (s *Scanner) Op() Op {
	from := s.Blanks()
	name := s.Word("the name of an operation")
	op, ok := OpByName(name)
	if (!ok || op == OpParam) && s.Bad == nil {
		s.Refuse(from, "no operation has the name %.40q", name)
	}
	return op
}

// reference reads %name and returns the name under which values are stored.
func (s *Scanner) reference() string {
	s.Want("%")
	if IsDigit(s.Next()) {
		return "%" + s.Run(IsDigit)
	}
	return paramName(s.Name("the name of a value"))
}

// operands reads references to known values.
func (p *parser) operands(limit int) []*Value {
	var out []*Value
	for p.Bad == nil {
		from := p.Blanks()
		switch v := p.operand(); {
		case v == nil:
		case len(out) == limit:
			p.Refuse(from, "more than %d operands", limit)
		default:
			out = append(out, v)
		}
		if !p.Accept(",") {
			break
		}
	}
	return out
}

// operand reads a reference to a value and returns the value. If the text before does not define it, that is a mistake, and operand returns nil.
func (p *parser) operand() *Value {
	from := p.Blanks()
	v := p.values[p.reference()]
	if v == nil && p.Bad == nil {
		p.Refuse(from, "%.40s is not a value that is known here: a parameter or an earlier line", p.Text[from:p.Pos])
	}
	return v
}

// Dtype reads the name of an element type.
func (s *Scanner) Dtype() DType {
	at := s.Blanks()
	name := s.Word("an element type")
	d, ok := ParseDType(name)
	if !ok && s.Bad == nil {
		s.Refuse(at, "no element type has the name %.40q, want one of f32, i32, bool, ...", name)
	}
	return d
}
