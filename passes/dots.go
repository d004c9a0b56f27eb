package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Products of matrices read each operand many times, so each is a loop of its own
// between buffers; a row group hands its rows on to others through the cache.

// packs reports whether a product packs its right operand. One that never changes is
// packed once, so the number of rows does not matter.
func (s *State) packs(v *ir.Value) bool {
	d := dotOf(v)
	return s.eager || (d.rows >= s.machine.PackedRows || inner(v.Args[1]) != 1 || s.frozenBelow(v.Args[1])) && d.pairs*d.cols*v.Type.DType.Size() > s.machine.PackedBytes
}

// multiplies reports whether a graph has products.
func multiplies(f *ir.Func) bool {
	return slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op == ir.OpDot })
}

// alone reports whether v is computed apart from all other values: it is not elementwise,
// nor combined at the end of a loop of elementwise values.
func alone(v *ir.Value) bool {
	return v.Op.IsComputed() && !v.Op.IsElementwise() && v.Op.Info().Kind != ir.Reduce
}

// keepFactors notes the values that products read in more ways than one, as x - mean
// in the covariances of x, or repeat: each is stored once, and its views read that.
// A view that was pushed through would be stored as well, however cheap the value is.
func (w *viewer) keepFactors() {
	as := map[*ir.Value]*ir.Value{} // the operand as which a value is read
	for _, v := range w.Func.Body {
		if v.Op != ir.OpDot {
			continue
		}
		for _, a := range v.Args {
			x := a
			for x.Op.IsView() {
				x = x.Args[0]
			}
			if !x.Op.IsElementwise() {
				continue
			}
			if as[x] == nil {
				as[x] = a
			}
			if as[x] != a || size(a.Type.Shape) > size(x.Type.Shape) {
				w.store(x, "a product reads it in more ways than one, or repeats it")
			}
		}
	}
}

// whole makes sure that operand i of v, which is computed alone, has strides along
// its axes.
func (w *viewer) whole(v *ir.Value, i int) error {
	a := v.Args[i]
	if a.Op != ir.OpAccess || slices.Equal(a.Attr.At.Shape, extents(a)) {
		return nil
	}
	l, ok := a.Attr.At.Reshape(extents(a)...)
	if ok {
		b, attr := *a, *a.Attr
		attr.At, b.Attr = &l, &attr
		v.Args[i] = w.Func.Append(b)
		return nil
	}
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the reshape to %s is no view of %s, and a %s needs its axes", a.Type.Shape, a.Attr.At, v.Op))
	v.Args[i] = c
	return err
}

// dot makes sure that the operands of v have strides along their axes, and that
// the rows of a right one that is not packed are contiguous.
func (w *viewer) dot(v *ir.Value) error {
	for i := range v.Args {
		if err := w.whole(v, i); err != nil {
			return err
		}
	}
	right := v.Args[1]
	if inner(right) == 1 || w.packs(v) {
		return nil
	}
	c, err := w.copyOf(right, right.Pos, "its rows are not contiguous, and it is too small to be packed")
	v.Args[1] = c
	return err
}

// inner returns the stride of a value's last axis.
func inner(v *ir.Value) int {
	s := layoutOf(v).Strides
	return s[len(s)-1]
}

// dot appends the steps of a product: one or two that pack its right operand, if
// it is packed, and the product.
func (l *looper) dot(v *ir.Value) {
	d := dotOf(v)
	x, y := layoutOf(v.Args[0]), layoutOf(v.Args[1])
	left := plan.Access{Buffer: l.of(base(v.Args[0])), Offset: x.Offset}
	right, packed := plan.Access{Offset: y.Offset}, l.packs(v)
	if packed {
		right, y = l.pack(v)
	} else {
		right.Buffer = l.of(base(v.Args[1]))
	}
	rank := len(x.Shape)
	lead := func(m layout.Layout) layout.Layout { return subLayout(m, 0, rank-2) }
	buffer, to := l.stored(v)
	batch, ok := layout.Refine(lead(x), lead(y), lead(to))
	if !ok {
		panic("the matrices of a product have no common axes")
	}
	s := plan.Step{Pos: v.Pos, Axes: parallel(append(slices.Clone(batch[0].Shape), d.pairs, d.rows, d.cols))}
	s.Axes[len(s.Axes)-3].Role = plan.Contract
	left.Strides = append(slices.Clone(batch[0].Strides), x.Strides[rank-1], x.Strides[rank-2], 0)
	right.Strides = append(slices.Clone(batch[1].Strides), y.Strides[rank-2], 0, y.Strides[rank-1])
	if packed {
		width := kernel.DotColumns(v.Type.DType)
		right.Panel = &plan.Panel{Axis: len(s.Axes) - 1, Size: width, Stride: d.pairs * width}
	}
	out := plan.Access{Buffer: buffer, Offset: to.Offset, Strides: append(slices.Clone(batch[2].Strides), 0, to.Strides[rank-2], 1)}
	b := kernel.NewBuilder(kernel.Operand{DType: v.Type.DType, Splat: allZero(left.Strides)}, kernel.Operand{DType: v.Type.DType, Splat: allZero(right.Strides)})
	b.Store(b.Op(ir.OpMul, 0, 1))
	s.Body, s.In = b.Kernel(), []plan.Access{left, right} // not ordered: the left matrix is first
	s.Out = []plan.Output{{Access: out, Combine: ir.OpAdd}}
	l.Plan.Steps = append(l.Plan.Steps, s)
}
