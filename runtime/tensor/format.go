package tensor

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Text of tensors, in NumPy's style.

const (
	lineWidth    = 75     // characters in a line of elements, as in NumPy
	fullPrint    = 1000   // the most elements that are all printed
	mostElements = 10_000 // the most elements shown of a larger tensor
)

// String prints dtype, shape and elements as NumPy does: columns are aligned, elements have the shortest digits that
// distinguish them, at most 8 after the point, and exponents if magnitudes differ much. Beyond 1000 elements only the
// first and last three along each axis are shown. From rank 3 on a blank line separates slices. For a failed tensor it
// prints the error.
func (t *Tensor) String() string {
	switch {
	case t == nil:
		return "<nil>"
	case !t.Valid():
		return "failed tensor: " + t.Err().Error()
	case t.Size() == 0:
		return t.typeText() + " []"
	case t.Rank() == 0:
		return t.typeText() + " " + scalarText(loadAny(t.dtype, t.Pointer()))
	}
	p := tensorPrinter{t: t, edge: newPrintEdge(t.layout)}
	values := []any{}
	p.each(0, t.layout.Offset, func(at int) { values = append(values, loadAny(t.dtype, t.addr(at))) })
	p.word = columnFormat(t.dtype, values)
	p.out.WriteString(t.typeText() + "\n")
	p.axis(0, t.layout.Offset, " ", lineWidth)
	return p.out.String()
}

// printEdge is the number of first and last elements shown of an axis that is longer than both together. Zeros show
// all.
type printEdge struct{ first, last int }

// newPrintEdge returns the widest edge that keeps the output small. With many axes even an edge of three is too wide.
func newPrintEdge(l layout.Layout) printEdge {
	if l.Size() <= fullPrint {
		return printEdge{}
	}
	for _, e := range []printEdge{{3, 3}, {1, 1}} {
		shown := 1
		for _, n := range l.Shape {
			if e.cuts(n) {
				n = e.first + e.last
			}
			if shown *= n; shown > mostElements {
				break
			}
		}
		if shown <= mostElements {
			return e
		}
	}
	return printEdge{1, 0}
}

func (e printEdge) cuts(n int) bool { return e != (printEdge{}) && n > e.first+e.last }

type tensorPrinter struct {
	t    *Tensor
	edge printEdge
	word func(v any) string
	out  strings.Builder
}

// parts calls show for each shown index of an axis, and with -1 for the gap.
func (p *tensorPrinter) parts(axis int, show func(i int)) {
	n := p.t.layout.Shape[axis]
	from := 0
	if p.edge.cuts(n) {
		for i := range p.edge.first {
			show(i)
		}
		show(-1)
		from = n - p.edge.last
	}
	for i := from; i < n; i++ {
		show(i)
	}
}

// each calls f with the location of each shown element, from an axis on.
func (p *tensorPrinter) each(axis, at int, f func(at int)) {
	if axis == p.t.layout.Rank() {
		f(at)
		return
	}
	p.parts(axis, func(i int) {
		if i >= 0 {
			p.each(axis+1, at+i*p.t.layout.Strides[axis], f)
		}
	})
}

// axis prints the elements from an axis on, in brackets. Lines after the first start with indent. width is the length
// of a line.
func (p *tensorPrinter) axis(axis, at int, indent string, width int) {
	p.out.WriteByte('[')
	inner := p.t.layout.Rank() - 1 - axis // number of axes further in
	step := p.t.layout.Strides[axis]
	if inner == 0 {
		p.row(at, step, indent, width-1)
	} else {
		started := false
		p.parts(axis, func(i int) {
			if started {
				p.out.WriteString(strings.Repeat("\n", inner) + indent)
			}
			started = true
			if i < 0 {
				p.out.WriteString("...")
			} else {
				p.axis(axis+1, at+i*step, indent+" ", width-1)
			}
		})
	}
	p.out.WriteByte(']')
}

// row prints the elements of the last axis, wrapped.
func (p *tensorPrinter) row(at, step int, indent string, width int) {
	line := ""
	p.parts(p.t.layout.Rank()-1, func(i int) {
		word := "..."
		if i >= 0 {
			word = p.word(loadAny(p.t.dtype, p.t.addr(at+i*step)))
		}
		switch {
		case line != "" && len(indent)+len(line)+1+len(word) > width:
			p.out.WriteString(strings.TrimRight(line, " ") + "\n" + indent)
			line = ""
		case line != "":
			line += " "
		}
		line += word
	})
	p.out.WriteString(line)
}

// columnFormat returns a function that prints the shown elements with equal width.
func columnFormat(dt ir.DType, values []any) func(v any) string {
	if ir.Fractions.Has(dt) {
		return floatColumn(dt, values)
	}
	width := 0
	for _, v := range values {
		width = max(width, len(scalarText(v)))
	}
	return func(v any) string { return padLeft(scalarText(v), width) }
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-len(s), 0)) + s
}

// scalarText prints a single element with as many digits as identify it.
func scalarText(v any) string {
	switch v := v.(type) {
	case Half:
		return floatText(ir.Float16, asFloat(v))
	case BFloat:
		return floatText(ir.BFloat16, asFloat(v))
	case Fixed:
		return floatText(ir.Fixed16x16, asFloat(v))
	case float32:
		return floatText(ir.Float32, asFloat(v))
	case float64:
		return floatText(ir.Float64, v)
	}
	return fmt.Sprint(v) // a bool or an integer
}
