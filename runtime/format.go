package runtime

import (
	"math"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

const (
	lineWidth    = 75   // columns of a line of elements, as in NumPy
	fullPrint    = 1000 // elements up to which all are printed
	mostDigits   = 8    // digits after the point
	mostElements = 10_000
)

// String prints dtype, shape and elements as NumPy does: columns aligned, the
// shortest digits that tell the elements apart, at most 8 after the point,
// exponents when magnitudes differ much. Beyond 1000 elements only the first and
// last three of an axis are shown. From rank 3 on a blank line separates slices.
func (t *Tensor) String() string {
	switch {
	case t == nil:
		return "<nil>"
	case !t.valid():
		return "invalid tensor"
	case t.Size() == 0:
		return t.typeText() + " []"
	case t.Rank() == 0:
		return t.typeText() + " " + scalarText(loadAny(t.dtype, t.Pointer()))
	}
	p := printer{t: t, edge: newEdge(t.layout)}
	values := []any{}
	p.each(0, t.layout.Offset, func(at int) { values = append(values, loadAny(t.dtype, t.addr(at))) })
	p.word = columnFormat(t.dtype, values)
	p.out.WriteString(t.typeText() + "\n")
	p.axis(0, t.layout.Offset, " ", lineWidth)
	return p.out.String()
}

// edge says how many of an axis's first and last elements are shown when it is
// longer than both together. Zero for both shows all.
type edge struct{ first, last int }

// newEdge returns the widest edge that keeps the output small: even one of three
// shows too much when there are many axes.
func newEdge(l ir.Layout) edge {
	if l.Size() <= fullPrint {
		return edge{}
	}
	for _, e := range []edge{{3, 3}, {1, 1}} {
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
	return edge{1, 0}
}

func (e edge) cuts(n int) bool { return e != edge{} && n > e.first+e.last }

type printer struct {
	t    *Tensor
	edge edge
	word func(v any) string
	out  strings.Builder
}

// parts calls show for each shown index of an axis, and with -1 for the gap.
func (p *printer) parts(axis int, show func(i int)) {
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
func (p *printer) each(axis, at int, f func(at int)) {
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

// axis prints the elements from an axis on, in brackets. Lines after the first
// start with indent. width is what a line may hold.
func (p *printer) axis(axis, at int, indent string, width int) {
	p.out.WriteByte('[')
	inner := p.t.layout.Rank() - 1 - axis // axes further in
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
func (p *printer) row(at, step int, indent string, width int) {
	column, started := len(indent), false
	p.parts(p.t.layout.Rank()-1, func(i int) {
		word := "..."
		if i >= 0 {
			word = p.word(loadAny(p.t.dtype, p.t.addr(at+i*step)))
		}
		switch {
		case started && column+1+len(word) > width:
			p.out.WriteString("\n" + indent)
			column = len(indent)
		case started:
			p.out.WriteByte(' ')
			column++
		}
		started = true
		p.out.WriteString(word)
		column += len(word)
	})
}

// columnFormat returns how to print each of the shown elements, so that all have
// one width.
func columnFormat(dt ir.DType, values []any) func(v any) string {
	if dt == ir.Float32 || dt == ir.Float64 {
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

// floatColumn chooses exponents and digits for all shown elements together, as
// NumPy 2's FloatingFormat does.
func floatColumn(dt ir.DType, values []any) func(v any) string {
	bits := 8 * dt.Size()
	format, largest := byte('f'), 1e8
	if dt == ir.Float32 {
		largest = 1e6
	}
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if f := math.Abs(float(v)); f != 0 && !math.IsInf(f, 0) && !math.IsNaN(f) {
			least, most = min(least, f), max(most, f)
		}
	}
	if most >= largest || most > 0 && (least < 1e-4 || most/least > 1000) {
		format = 'e'
	}
	whole, digits, tail, special := 0, 0, 0, 0 // the longest of each part
	for _, v := range values {
		if f := float(v); math.IsInf(f, 0) || math.IsNaN(f) {
			special = max(special, len(nonFinite(f)))
			continue
		}
		w, d, e := floatParts(float(v), format, bits, mostDigits)
		whole, digits, tail = max(whole, len(w)), max(digits, len(d)), max(tail, len(e))
	}
	width := whole + 1 + digits + tail
	if whole == 0 {
		width = 0 // nothing finite
	}
	width = max(width, special)
	return func(v any) string {
		f := float(v)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return padLeft(nonFinite(f), width)
		}
		w, d, e := floatParts(f, format, bits, mostDigits)
		fill := " " // positional numbers end where they end; mantissas all have the same digits
		if format == 'e' {
			fill = "0"
			e = "e" + e[1:2] + strings.Repeat("0", tail-len(e)) + e[2:]
		}
		return padLeft(w+"."+d+strings.Repeat(fill, digits-len(d))+e, width)
	}
}

// floatParts splits the shortest digits of f, cut to limit after the point when
// limit >= 0, into "-12", "5" and, in format 'e', "e+03".
func floatParts(f float64, format byte, bits, limit int) (whole, digits, exponent string) {
	split := func(precision int) {
		text := strconv.FormatFloat(f, format, precision, bits)
		if k := strings.IndexByte(text, 'e'); k >= 0 {
			text, exponent = text[:k], text[k:]
		}
		whole, digits, _ = strings.Cut(text, ".")
	}
	if split(-1); limit >= 0 && len(digits) > limit {
		split(limit)
		digits = strings.TrimRight(digits, "0")
	}
	return whole, digits, exponent
}

// scalarText prints an element on its own, with all the digits that tell it.
func scalarText(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case uint8:
		return strconv.FormatUint(uint64(v), 10)
	case int32:
		return strconv.FormatInt(int64(v), 10)
	case uint32:
		return strconv.FormatUint(uint64(v), 10)
	case int64:
		return strconv.FormatInt(v, 10)
	case float32:
		return floatText(float64(v), 32)
	default:
		return floatText(float(v), 64)
	}
}

func floatText(f float64, bits int) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nonFinite(f)
	}
	format := byte('f')
	if f != 0 && (math.Abs(f) < 1e-4 || math.Abs(f) >= 1e16) {
		format = 'e'
	}
	whole, digits, exponent := floatParts(f, format, bits, -1)
	if digits == "" && format == 'f' {
		digits = "0"
	}
	if digits != "" {
		digits = "." + digits
	}
	return whole + digits + exponent
}

func float(v any) float64 {
	if f, ok := v.(float32); ok {
		return float64(f)
	}
	f, _ := v.(float64)
	return f
}

func nonFinite(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case f > 0:
		return "inf"
	}
	return "-inf"
}
