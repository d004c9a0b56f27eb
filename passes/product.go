package passes

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The step of a product of matrices: its axes are those that count matrices, the pairs, the
// rows and the columns, each part with the fewest axes on which the operands agree.

// matrices are the parts of a layout of matrices: what counts them, their rows and their
// columns, each one axis or more.
type matrices struct{ lead, rows, cols layout.Layout }

// matricesOf returns the parts of an operand of a product.
func matricesOf(a *ir.Value) matrices {
	e := extents(a)
	return matricesIn(layoutOf(a), e[len(e)-2], e[len(e)-1])
}

// matricesIn returns the parts of a layout of matrices of so many rows and columns.
func matricesIn(l layout.Layout, rows, cols int) matrices {
	from := func(end, n int) int {
		for n > 1 {
			end--
			n /= l.Shape[end]
		}
		return end
	}
	last := len(l.Shape)
	c := from(last, cols)
	r := from(c, rows)
	return matrices{subLayout(l, 0, r), subLayout(l, r, c), subLayout(l, c, last)}
}

// dot appends the steps of a product: one or two that pack its right operand, if
// it is packed, and the product.
func (l *looper) dot(v *ir.Value) {
	d, width := dotOf(v), kernel.DotColumns(v.Type.DType)
	left := plan.Access{Buffer: l.of(base(v.Args[0])), Offset: layoutOf(v.Args[0]).Offset}
	x, y, packed := matricesOf(v.Args[0]), matricesOf(v.Args[1]), l.s.packs(v)
	var right plan.Access
	if packed {
		var own layout.Layout
		right, own = l.pack(v)
		y = matricesIn(own, d.pairs, d.cols)
	} else {
		right = plan.Access{Buffer: l.of(base(v.Args[1])), Offset: layoutOf(v.Args[1]).Offset}
	}
	buffer, at := l.stored(new(layout.Space), v)
	to := matricesIn(at, d.rows, d.cols)
	mergeLeft(&x, &y, &to)
	out := plan.Access{Buffer: buffer, Offset: at.Offset}
	s := plan.Step{Pos: v.Pos}
	for _, part := range []struct {
		role             plan.Role
		left, right, out layout.Layout
	}{
		{plan.Parallel, x.lead, y.lead, to.lead},
		{plan.Contract, x.cols, y.rows, still(d.pairs)},
		{plan.Parallel, x.rows, still(x.rows.Size()), to.rows},
		{plan.Parallel, still(d.cols), y.cols, to.cols},
	} {
		ls, ok := layout.Refine(part.left, part.right, part.out)
		if !ok {
			panic("BUG: passes: the matrices of a product have no common axes")
		}
		for _, n := range ls[0].Shape {
			s.Axes = append(s.Axes, plan.Axis{Extent: n, Role: part.role})
		}
		for i, a := range []*plan.Access{&left, &right, &out} {
			a.Strides = append(a.Strides, ls[i].Strides...)
		}
	}
	if packed {
		right.Panel = &plan.Panel{Axis: len(s.Axes) - 1, Size: width, Stride: d.pairs * width}
	}
	b := kernel.NewBuilder(kernel.Operand{DType: v.Type.DType, Splat: allZero(left.Strides)}, kernel.Operand{DType: v.Type.DType, Splat: allZero(right.Strides)})
	b.Store(b.Op(v.Op.Info().By, 0, 1))
	s.Body, s.In = b.Kernel(), []plan.Access{left, right} // not ordered: the left matrix is first
	s.Out = []plan.Output{{Access: out, Combine: ir.OpAdd}}
	l.s.Plan.Steps = append(l.s.Plan.Steps, s)
}

// mergeLeft makes one left matrix of those that one right matrix multiplies, as far as their
// rows, and those of the product, have one stride then.
func mergeLeft(x, y, to *matrices) {
	lead, ok := layout.Refine(x.lead, y.lead, to.lead)
	for ok && len(lead[0].Shape) > 0 {
		last := len(lead[0].Shape) - 1
		if lead[1].Strides[last] != 0 {
			return
		}
		rows, fine := layout.Refine(behind(lead[0], last, x.rows), behind(lead[2], last, to.rows))
		if !fine || len(rows[0].Shape) > 1 {
			return
		}
		for i := range lead {
			lead[i] = subLayout(lead[i], 0, last)
		}
		x.lead, y.lead, to.lead = lead[0], lead[1], lead[2]
		x.rows, to.rows = rows[0], rows[1]
	}
}

// behind returns a layout with an axis of another in front.
func behind(l layout.Layout, axis int, m layout.Layout) layout.Layout {
	return layout.Layout{Shape: append([]int{l.Shape[axis]}, m.Shape...), Strides: append([]int{l.Strides[axis]}, m.Strides...)}
}

// still is the layout of an axis of n indices along which an operand does not move.
func still(n int) layout.Layout {
	return layout.Layout{Shape: []int{n}, Strides: []int{0}}
}
