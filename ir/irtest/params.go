package irtest

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// extents are numbers at which loops tend to fail: 0, 1, primes, and numbers around one, two and four vector widths.
var extents = []int{2, 3, 1, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 65, 128, 0}

// params draws one to four parameters with elements. Their shapes derive from one shape, so that many of them
// broadcast.
func (g *gen) params() []eval.Array {
	base := g.baseShape()
	inputs := make([]eval.Array, g.int("params", 1, 4))
	for i := range inputs {
		dt := oneOf(g, "dtype", g.DTypes.List())
		if i > 0 && g.chance("same dtype", 2) {
			dt = inputs[0].DType
		}
		t := ir.Type{DType: dt, Shape: g.relative(base)}
		shape := g.shape(t.Shape)
		var at *layout.Layout
		if g.Layouts && g.sizes == nil && g.chance("layout", 2) {
			at = g.layout(shape)
		}
		p := g.f.Param(fmt.Sprintf("p%d", i), t, at)
		inputs[i] = Array(g.T, p.Type.DType, shape...)
		if at != nil && len(shape) > 0 && g.chance("repeats", 4) {
			axis := g.int("repeated", 0, len(shape)-1)
			at.Strides[axis] = 0
			repeat(inputs[i], axis)
		}
	}
	return inputs
}

// repeat makes the elements the same along an axis.
func repeat(a eval.Array, axis int) {
	inner, n := 1, a.Shape[axis]
	for _, e := range a.Shape[axis+1:] {
		inner *= e
	}
	for i := range a.Data {
		a.Data[i] = a.Data[i-i/inner%n*inner]
	}
}

func (g *gen) baseShape() ir.Shape {
	var s ir.Shape
	for range oneOf(g, "rank", []int{1, 2, 3, 4, 0, 2, 3}) {
		d := ir.Fixed(oneOf(g, "extent", extents))
		switch {
		case g.Batch && len(s) == 0:
			d = ir.Sym("n")
		case g.sizes != nil && !g.Batch && g.chance("named", 2):
			d = ir.Sym(oneOf(g, "size", []string{"n", "m", "k"}))
		}
		if longer := append(slices.Clone(s), d); g.fits(longer) {
			s = longer
		}
	}
	return s
}

// relative returns a shape that broadcasts with base, usually.
func (g *gen) relative(base ir.Shape) ir.Shape {
	s := append(ir.Shape{}, base...)
	relation := g.int("relation", 0, 5)
	if g.Batch && len(s) > 0 { // a batch axis is first, or missing
		if relation == 0 {
			return s[g.int("dropped", 1, len(s)):]
		}
		return append(s[:1:1], g.ones(s[1:])...)
	}
	switch relation {
	case 0:
		s = s[g.int("dropped", 0, len(s)):]
	case 1, 2:
		s = g.ones(s)
	case 3:
		s = rapid.Permutation(s).Draw(g.T, "permuted")
	}
	if !g.fits(s) { // base has an extent of 0 and s does not
		return base
	}
	return s
}

// ones replaces some extents by 1.
func (g *gen) ones(s ir.Shape) ir.Shape {
	s = slices.Clone(s)
	for i := range s {
		if g.chance("one", 2) {
			s[i] = ir.Fixed(1)
		}
	}
	return s
}

// layout returns a layout: axes in any order, gaps, flips.
func (g *gen) layout(shape []int) *layout.Layout {
	l := layout.RowMajor(shape...)
	order := rapid.Permutation(l.Strides).Draw(g.T, "order")
	step := g.int("gap", 1, 3)
	for _, s := range order {
		k := slices.Index(l.Strides, s)
		l.Strides[k], step = -step, step*max(shape[k], 1)+g.int("pad", 0, 2)
	}
	for k, n := range shape {
		if l.Strides[k] = -l.Strides[k]; g.chance("flip", 3) && n > 0 {
			l.Offset += (n - 1) * l.Strides[k]
			l.Strides[k] = -l.Strides[k]
		}
	}
	l.Offset += g.int("offset", 0, 5)
	return &l
}

// Array draws elements, many of them special.
func Array(t *rapid.T, dt ir.DType, shape ...int) eval.Array {
	n, err := layout.NumElems(shape)
	if err != nil {
		t.Fatalf("irtest: %v", err)
	}
	// Draws few elements and repeats them in a cycle.
	pool := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint64 { return Element(t, dt) }), min(n, 8), min(n, 24)).Draw(t, "elements")
	a := eval.Array{DType: dt, Shape: shape, Data: make([]uint64, n)}
	for i := range a.Data {
		a.Data[i] = pool[(i+i/len(pool))%len(pool)]
	}
	return a
}

// Element draws the bits of one element.
func Element(t *rapid.T, dt ir.DType) uint64 {
	switch special := rapid.IntRange(0, 2).Draw(t, "special") == 0; {
	case dt == ir.Bool:
		return uint64(rapid.IntRange(0, 1).Draw(t, "bool"))
	case special:
		return rapid.SampledFrom(eval.Specials(dt)).Draw(t, "element")
	case ir.Fractions.Has(dt):
		return ir.FromFloat(dt, float64(rapid.IntRange(-800, 800).Draw(t, "eighths"))/8)
	}
	return ir.Wrap(dt, int64(rapid.IntRange(-20, 20).Draw(t, "small")))
}

// Diff describes the differences between two lists of arrays, or returns "". All NaNs are equal.
func Diff(want, got []eval.Array) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d arrays, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if w.DType != g.DType || !slices.Equal(w.Shape, g.Shape) || len(w.Data) != len(g.Data) {
			return fmt.Sprintf("array %d is %s%v of %d, want %s%v of %d", i, g.DType, g.Shape, len(g.Data), w.DType, w.Shape, len(w.Data))
		}
		for j, bits := range w.Data {
			if bits != g.Data[j] && !(ir.IsNaN(w.DType, bits) && ir.IsNaN(g.DType, g.Data[j])) {
				return fmt.Sprintf("array %d, element %d of %s%v: %#x, want %#x", i, j, w.DType, w.Shape, g.Data[j], bits)
			}
		}
	}
	return ""
}
