package ir

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// attribute is a field of Attr in text: name=value behind the operands. An op's row lists its attributes, without those that the
// printed type determines.
type attribute struct {
	name     string
	optional bool // omitted if print returns ""
	print    func(a *Attr) string
	parse    func(s *Scanner, a *Attr)
}

var (
	attrAxes = &attribute{
		name:  "axes",
		print: func(a *Attr) string { return Bracketed(a.Axes) },
		parse: func(s *Scanner, a *Attr) { a.Axes = s.Integers("[]") },
	}
	attrAxis = &attribute{
		name:  "axis",
		print: func(a *Attr) string { return strconv.Itoa(a.Axis) },
		parse: func(s *Scanner, a *Attr) { a.Axis = s.Integer() },
	}
	attrBegin = &attribute{
		name:  "begin",
		print: func(a *Attr) string { return a.Begin.String() },
		parse: func(s *Scanner, a *Attr) { a.Begin = s.Extent() },
	}
	attrAt = &attribute{
		name:  "at",
		print: func(a *Attr) string { return a.Begin.String() },
		parse: func(s *Scanner, a *Attr) { a.Begin = s.Extent() },
	}
	attrFirst = &attribute{
		name:  "first",
		print: func(a *Attr) string { return a.Len.String() },
		parse: func(s *Scanner, a *Attr) { a.Len = s.Extent() },
	}
	attrStep = &attribute{
		name:  "step",
		print: func(a *Attr) string { return strconv.Itoa(a.Step) },
		parse: func(s *Scanner, a *Attr) { a.Step = s.Integer() },
	}
	attrSize = &attribute{
		name:  "size",
		print: func(a *Attr) string { return strconv.Itoa(a.Size) },
		parse: func(s *Scanner, a *Attr) { a.Size = s.Integer() },
	}
	attrDilation = &attribute{
		name:  "dilation",
		print: func(a *Attr) string { return strconv.Itoa(a.Dilation) },
		parse: func(s *Scanner, a *Attr) { a.Dilation = s.Integer() },
	}
	attrK = &attribute{
		name:  "k",
		print: func(a *Attr) string { return strconv.Itoa(a.Step) },
		parse: func(s *Scanner, a *Attr) { a.Step = s.Integer() },
	}
	attrLayout = &attribute{ // printed without its name
		name:  "layout",
		print: func(a *Attr) string { return layoutText(a.At) },
		parse: func(s *Scanner, a *Attr) { a.At = s.Layout() },
	}
	attrBy = &attribute{
		name:  "by",
		print: func(a *Attr) string { return a.By.String() },
		parse: func(s *Scanner, a *Attr) { a.By = s.Op() },
	}
	attrExclusive = toggle("exclusive", func(a *Attr) *bool { return &a.Exclusive })
	attrClip      = toggle("clip", func(a *Attr) *bool { return &a.Clip })
	attrNote      = &attribute{
		name:     "note",
		optional: true,
		print:    func(a *Attr) string { return unlessEmpty(a.Note) },
		parse:    func(s *Scanner, a *Attr) { a.Note = s.Quoted() },
	}
)

// toggle returns an attribute that is 1 or left out.
func toggle(name string, of func(a *Attr) *bool) *attribute {
	return &attribute{
		name:     name,
		optional: true,
		print: func(a *Attr) string {
			if *of(a) {
				return "1"
			}
			return ""
		},
		parse: func(s *Scanner, a *Attr) { *of(a) = s.Integer() != 0 },
	}
}

// convAttrs are the attributes of convolutions.
var convAttrs = []*attribute{
	{
		name:  "groups",
		print: func(a *Attr) string { return strconv.Itoa(a.Conv.Groups) },
		parse: func(s *Scanner, a *Attr) { a.conv().Groups = s.Integer() },
	},
	listOf("strides", func(c *Conv) *[]int { return &c.Strides }),
	listOf("dilations", func(c *Conv) *[]int { return &c.Dilations }),
	listOf("before", func(c *Conv) *[]int { return &c.Before }),
	listOf("after", func(c *Conv) *[]int { return &c.After }),
}

// listOf returns a convolution's attribute that is a list of numbers.
func listOf(name string, of func(c *Conv) *[]int) *attribute {
	return &attribute{
		name:  name,
		print: func(a *Attr) string { return Bracketed(*of(a.Conv)) },
		parse: func(s *Scanner, a *Attr) { *of(a.conv()) = s.Integers("[]") },
	}
}

// conv returns the attributes of a convolution that is being parsed.
func (a *Attr) conv() *Conv {
	if a.Conv == nil {
		a.Conv = new(Conv)
	}
	return a.Conv
}

// attributes holds every attribute of the op table by its name.
var attributes = map[string]*attribute{}

func shapeFromType(a *Attr, t Type) { a.Shape = t.Shape }
func dtypeFromType(a *Attr, t Type) { a.DType = t.DType }
func constFromType(a *Attr, t Type) { a.DType, a.Shape = t.DType, t.Shape }

func lenFromType(a *Attr, t Type) {
	if 0 <= a.Axis && a.Axis < len(t.Shape) {
		a.Len = t.Shape[a.Axis]
	}
}

// attrText returns the attributes of a value, each behind a space. A layout is printed without its name.
func attrText(op Op, a *Attr) string {
	var b bytes.Buffer
	for _, attr := range op.Info().attrs {
		text := attr.print(a)
		switch {
		case attr.optional && text == "":
		case attr == attrLayout:
			b.WriteString(" " + text)
		default:
			b.WriteString(" " + attr.name + "=" + text)
		}
	}
	return b.String()
}

// attrs reads attributes up to the type, each at most once.
func (s *Scanner) attrs(op Op, a *Attr) {
	from := s.Blanks()
	seen := map[*attribute]bool{}
	has := op.Info().attrs
	for s.Bad == nil && s.Next() != ':' {
		at, name := s.Blanks(), attrLayout.name
		if s.Next() != '{' {
			name = s.Word("an attribute or a type")
			s.Want("=")
		}
		attr := attributes[name]
		switch {
		case s.Bad != nil:
			return
		case attr == nil:
			s.report(at, true, "no attribute has the name "+strconv.Quote(name))
			return
		case seen[attr]:
			s.Refuse(at, "%s is given twice", name)
		}
		seen[attr] = true
		attr.parse(s, a)
		if !slices.Contains(has, attr) {
			s.Refuse(from, "%s has no attribute %s", op, name)
		}
	}
	for _, attr := range has {
		if !seen[attr] && !attr.optional {
			s.Refuse(from, "%s wants the attribute %s", op, attr.name)
		}
	}
}

// Layout reads {shape}:{strides}+offset.
func (s *Scanner) Layout() *layout.Layout {
	from := s.Blanks()
	l := &layout.Layout{Shape: s.Integers("{}")}
	s.Want(":")
	l.Strides = s.Integers("{}")
	l.Offset = s.Offset()
	if len(l.Shape) != len(l.Strides) {
		s.Refuse(from, "a layout of %d extents and %d strides", len(l.Shape), len(l.Strides))
	}
	return l
}

func layoutText(l *layout.Layout) string {
	if l == nil {
		return "{}:{}+0"
	}
	return l.String()
}

func Bracketed(xs []int) string {
	text := layout.Braced(xs)
	return "[" + text[1:len(text)-1] + "]"
}

// NameText returns a name in text: as a word, or in quotes if it is not one.
func NameText(name string) string {
	if IsName(name) {
		return name
	}
	return strconv.Quote(name)
}

func unlessEmpty(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}
