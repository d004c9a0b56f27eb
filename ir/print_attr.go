package ir

import (
	"slices"
	"strconv"
	"strings"
)

// attrRow is an attribute of ops in text: name=value after the operands.
type attrRow struct {
	name     string
	ops      []Op
	optional bool // left out where print gives nothing
	print    func(a *Attr) string
	parse    func(s *scanner, a *Attr)
}

// attrRows says which attributes an op has in text, in the order of printing.
// What is not here follows from the type: see attrFromType.
var attrRows = []attrRow{
	{
		name:  "axes",
		ops:   []Op{OpPermute, OpFlip, OpSqueeze, OpUnsqueeze, OpDiagonal},
		print: func(a *Attr) string { return bracketed(a.Axes) },
		parse: func(s *scanner, a *Attr) { a.Axes = s.integers("[]") },
	}, {
		name:  "axis",
		ops:   []Op{OpSlice, OpIndex},
		print: func(a *Attr) string { return strconv.Itoa(a.Axis) },
		parse: func(s *scanner, a *Attr) { a.Axis = s.integer() },
	}, {
		name:  "begin",
		ops:   []Op{OpSlice},
		print: func(a *Attr) string { return a.Begin.String() },
		parse: func(s *scanner, a *Attr) { a.Begin = s.extent() },
	}, {
		name:  "at",
		ops:   []Op{OpIndex},
		print: func(a *Attr) string { return a.Begin.String() },
		parse: func(s *scanner, a *Attr) { a.Begin = s.extent() },
	}, {
		name:  "step",
		ops:   []Op{OpSlice},
		print: func(a *Attr) string { return strconv.Itoa(a.Step) },
		parse: func(s *scanner, a *Attr) { a.Step = s.integer() },
	}, {
		name:  "k",
		ops:   []Op{OpDiagonal},
		print: func(a *Attr) string { return strconv.Itoa(a.Step) },
		parse: func(s *scanner, a *Attr) { a.Step = s.integer() },
	}, {
		name:  "layout",
		ops:   []Op{OpAccess},
		print: func(a *Attr) string { return layoutText(a.At) },
		parse: func(s *scanner, a *Attr) { a.At = s.layout() },
	}, {
		name:     "note",
		ops:      []Op{OpCopy},
		optional: true,
		print:    func(a *Attr) string { return unlessEmpty(a.Note) },
		parse:    func(s *scanner, a *Attr) { a.Note = s.quoted() },
	},
}

// attrFromType fills the attributes that the printed type of a value states.
var attrFromType = map[Op]func(a *Attr, t Type){
	OpConst:   func(a *Attr, t Type) { a.DType, a.Shape = t.DType, t.Shape },
	OpReshape: func(a *Attr, t Type) { a.Shape = t.Shape },
	OpExpand:  func(a *Attr, t Type) { a.Shape = t.Shape },
	OpAccess:  func(a *Attr, t Type) { a.Shape = t.Shape },
	OpCast:    func(a *Attr, t Type) { a.DType = t.DType },
	OpBitcast: func(a *Attr, t Type) { a.DType = t.DType },
	OpSlice: func(a *Attr, t Type) {
		if 0 <= a.Axis && a.Axis < len(t.Shape) {
			a.Len = t.Shape[a.Axis]
		}
	},
	OpDiagonal: func(a *Attr, t Type) {
		if n := len(t.Shape); n > 0 {
			a.Len = t.Shape[n-1]
		}
	},
}

// attrText returns the attributes of a value, each after a space. A layout
// goes without its name.
func attrText(op Op, a *Attr) string {
	var b strings.Builder
	for _, row := range attrRows {
		if !slices.Contains(row.ops, op) {
			continue
		}
		text := row.print(a)
		switch {
		case row.optional && text == "":
		case row.name == "layout":
			b.WriteString(" " + text)
		default:
			b.WriteString(" " + row.name + "=" + text)
		}
	}
	return b.String()
}

// attrs reads attributes up to the type, each at most once.
func (s *scanner) attrs(op Op, a *Attr) {
	from := s.blanks()
	seen := map[string]bool{}
	for s.bad == nil && s.next() != ':' {
		at, name := s.blanks(), "layout"
		if s.next() != '{' {
			name = s.word("an attribute or a type")
			s.want("=")
		}
		i := slices.IndexFunc(attrRows, func(r attrRow) bool { return r.name == name })
		switch {
		case i < 0 && s.bad == nil:
			s.report(at, true, "no attribute has the name "+strconv.Quote(name))
			return
		case s.bad != nil:
			return
		case seen[name]:
			s.refuse(at, "%s is given twice", name)
		}
		seen[name] = true
		attrRows[i].parse(s, a)
	}
	for _, row := range attrRows {
		switch has := slices.Contains(row.ops, op); {
		case has && !seen[row.name] && !row.optional:
			s.refuse(from, "%s wants the attribute %s", op, row.name)
		case !has && seen[row.name]:
			s.refuse(from, "%s has no attribute %s", op, row.name)
		}
	}
}

// layout reads {shape}:{strides}+offset.
func (s *scanner) layout() *Layout {
	from := s.blanks()
	l := &Layout{Shape: s.integers("{}")}
	s.want(":")
	l.Strides = s.integers("{}")
	l.Offset = s.offset()
	if len(l.Shape) != len(l.Strides) {
		s.refuse(from, "a layout of %d extents and %d strides", len(l.Shape), len(l.Strides))
	}
	return l
}

func layoutText(l *Layout) string {
	if l == nil {
		return "{}:{}+0"
	}
	return l.String()
}

func bracketed(xs []int) string {
	text := braced(xs)
	return "[" + text[1:len(text)-1] + "]"
}

// nameText returns a name as it is in text: a word, or else in quotes.
func nameText(name string) string {
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
