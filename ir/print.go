package ir

import (
	"bytes"
	"fmt"
	"text/tabwriter"
)

// String returns f as text that Parse reads back, one value a line:
//
//	func normalize(%x: f32[n,3]) {
//	  %0 = const 1.5  : f32[]    // main.go:12
//	  %1 = sub %x, %0 : f32[n,3] // main.go:12
//	  return y=%1
//	}
//
// Only results with names of their own have them.
// The grammar is in grammar.ebnf. A value that is not of f prints as %?.
func (f *Func) String() string {
	p := newPrinter(f)
	var b bytes.Buffer
	b.WriteString("func ")
	if f.Name != "" {
		b.WriteString(NameText(f.Name))
	}
	b.WriteByte('(')
	for i, v := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.param(v))
	}
	b.WriteString(") ")
	if f.Fast {
		b.WriteString("fast ")
	}
	b.WriteString("{\n")
	w := Columns(&b)
	for _, v := range f.Body {
		p.line(w, v)
	}
	w.Flush()
	b.WriteString("  return")
	b.WriteString(p.results(f))
	b.WriteString("\n}\n")
	return b.String()
}

// Columns returns a writer that aligns cells, each of which ends with a tab.
func Columns(b *bytes.Buffer) *tabwriter.Writer {
	return tabwriter.NewWriter(b, 0, 0, 1, ' ', 0)
}

// printer holds the names of a Func's values.
type printer struct{ names map[*Value]string }

func newPrinter(f *Func) printer {
	p := printer{make(map[*Value]string, len(f.Params)+len(f.Body))}
	labels := f.labels()
	for i, v := range f.Body {
		n := i
		if labels != nil {
			n = labels[i] - 1
		}
		p.names[v] = fmt.Sprintf("%%%d", n)
	}
	for _, v := range f.Params {
		if v != nil {
			p.names[v] = paramName(v.Name())
		}
	}
	return p
}

// labels returns the labels of the values of the body, or nil if they have none. A value without a label, or with one that a value
// before it has, gets one that no value has, as Label would give it.
func (f *Func) labels() (labels []int) {
	last := f.named
	for _, v := range f.Body {
		if v != nil {
			last = max(last, v.label)
		}
	}
	if last == 0 {
		return nil
	}
	met := make(map[int]bool, len(f.Body))
	for _, v := range f.Body {
		label := 0
		if v != nil {
			label = v.label
		}
		if label == 0 || met[label] {
			last++
			label = last
		}
		met[label] = true
		labels = append(labels, label)
	}
	return labels
}

func paramName(name string) string { return "%" + NameText(name) }

// Names returns a function that returns the name of a value in the text of f.
func (f *Func) Names() func(v *Value) string { return newPrinter(f).name }

func (p printer) name(v *Value) string {
	if name := p.names[v]; v != nil && name != "" {
		return name
	}
	return "%?"
}

// param returns a parameter as in the head of a Func.
func (p printer) param(v *Value) string {
	if v == nil {
		return "%?"
	}
	text := paramName(v.Name()) + ": " + v.Type.String()
	if at := v.attr().At; at != nil {
		text += " " + at.String()
	}
	return text
}

// results returns the results behind their names, the first one behind a space.
func (p printer) results(f *Func) string {
	if len(f.Outputs) != len(f.Results) {
		return p.operands(f.Results)
	}
	var b bytes.Buffer
	for i, v := range f.Results {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		if name := f.Outputs[i]; name != "" {
			b.WriteString(NameText(name) + "=")
		}
		b.WriteString(p.name(v))
	}
	return b.String()
}

// operands returns names, the first one behind a space.
func (p printer) operands(vs []*Value) string {
	var b bytes.Buffer
	for i, v := range vs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(p.name(v))
	}
	return b.String()
}

// widestHead is the longest head of a value, in bytes, that other lines are aligned with: a value of many operands, such as a
// concatenation, would pad each line to its length.
const widestHead = 1000

// line writes a value of the body in three columns, or in none if its head is long.
func (p printer) line(w *tabwriter.Writer, v *Value) {
	if v == nil {
		fmt.Fprintf(w, "  %%? = nil\n")
		return
	}
	head, tab := p.head(v), "\t"
	if len(head) > widestHead {
		tab = " "
	}
	fmt.Fprintf(w, "  %s%s: %s", head, tab, v.Type)
	if c := v.Pos.Comment(); c != "" {
		fmt.Fprintf(w, "%s%s", tab, c)
	}
	w.Write([]byte{'\n'})
}

// head returns the text of a value without its type: %1 = sub %x, %0.
func (p printer) head(v *Value) string {
	text := p.name(v) + " = " + v.Op.String()
	if v.Op == OpConst {
		return text + " " + ConstText(v.attr().DType, v.attr().Bits)
	}
	return text + p.operands(v.Args) + attrText(v.Op, v.attr())
}

// value returns a value on one line, for messages.
func (p printer) value(v *Value) string {
	if v == nil {
		return "a nil value"
	}
	return p.head(v) + " : " + v.Type.String()
}
