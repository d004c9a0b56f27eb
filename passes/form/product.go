package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

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

// matricesOf returns the parts of an operand of a product, in memory of a space.
func matricesOf(space *layout.Space, a *ir.Value) matrices {
	return matricesIn(rewrite.LayoutIn(space, a), rewrite.Extent(a, 2), rewrite.Extent(a, 1))
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

// dot appends the step of a product.
func (l *looper) dot(v *ir.Value) {
	d := rewrite.DotOf(v)
	space := &l.s.space.Space
	space.Reset()
	left := plan.Access{Buffer: l.of(base(v.Args[0])), Offset: rewrite.LayoutIn(space, v.Args[0]).Offset}
	right := plan.Access{Buffer: l.of(base(v.Args[1])), Offset: rewrite.LayoutIn(space, v.Args[1]).Offset}
	x, y := matricesOf(space, v.Args[0]), matricesOf(space, v.Args[1])
	buffer, at := l.stored(space, v)
	to := matricesIn(at, d.Rows, d.Cols)
	mergeLeft(space, &x, &y, &to)
	out := plan.Access{Buffer: buffer, Offset: at.Offset}
	s := plan.Step{Pos: v.Pos}
	s.Axes = productAxes(space, [...]*plan.Access{&left, &right, &out}, [...][3]layout.Layout{
		{x.lead, y.lead, to.lead},
		{x.cols, y.rows, still(d.Pairs)},
		{x.rows, still(x.rows.Size()), to.rows},
		{still(d.Cols), y.cols, to.cols},
	})
	s.Body, s.In = l.product(v, AllZero(left.Strides), AllZero(right.Strides)), []plan.Access{left, right} // not ordered: the left matrix is first
	s.Out = []plan.Output{{Access: out, Combine: ir.OpAdd}}
	l.s.Plan.Steps = append(l.s.Plan.Steps, s)
}

// productAxes returns the axes of a product, and gives its operands and its result their strides along
// them, part by part: what counts the matrices, the pairs, which are contracted, the rows and the columns.
func productAxes(space *layout.Space, access [3]*plan.Access, parts [4][3]layout.Layout) []plan.Axis {
	var refined [len(parts)][]layout.Layout
	rank := 0
	for k := range parts {
		ok := false
		if refined[k], ok = space.Refine(parts[k][:]...); !ok {
			panic("BUG: passes: the matrices of a product have no common axes")
		}
		rank += len(refined[k][0].Shape)
	}
	axes, strides := make([]plan.Axis, 0, rank), make([]int, len(access)*rank)
	for i, a := range access {
		a.Strides = strides[i*rank : i*rank : (i+1)*rank]
	}
	roles := [len(parts)]plan.Role{plan.Parallel, plan.Contract, plan.Parallel, plan.Parallel}
	for k, ls := range refined {
		role := roles[k]
		for _, n := range ls[0].Shape {
			axes = append(axes, plan.Axis{Extent: n, Role: role})
		}
		for i, a := range access {
			a.Strides = append(a.Strides, ls[i].Strides...)
		}
	}
	return axes
}

// product returns the body of the step of a product. Most products of a graph have one: the last is kept.
func (l *looper) product(v *ir.Value, left, right bool) *kernel.Kernel {
	x, y := kernel.Operand{DType: v.Type.DType, Splat: left}, kernel.Operand{DType: v.Type.DType, Splat: right}
	if k, by := l.multiply, v.Op.Info().By; k == nil || k.In[0] != x || k.In[1] != y || k.Body[0].Op != by {
		l.multiply = ProductBody(by, x, y)
	}
	return l.multiply
}

func ProductBody(by ir.Op, x, y kernel.Operand) *kernel.Kernel {
	b := kernel.NewBuilder(x, y)
	b.Store(b.Op(by, 0, 1))
	return b.Kernel()
}

// mergeLeft makes one left matrix of those that one right matrix multiplies, as far as their
// rows, and those of the product, have one stride then.
func mergeLeft(space *layout.Space, x, y, to *matrices) {
	lead, ok := space.Refine(x.lead, y.lead, to.lead)
	for ok && len(lead[0].Shape) > 0 {
		last := len(lead[0].Shape) - 1
		if lead[1].Strides[last] != 0 {
			return
		}
		rows, fine := space.Refine(behind(lead[0], last, x.rows), behind(lead[2], last, to.rows))
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
