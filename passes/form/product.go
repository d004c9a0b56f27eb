package form

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// The step of a matrix product. Its axes have four parts: the batch, the contracted pairs, the rows and the columns.
// Each part has the fewest axes for which all operands and the result have strides.

// matrices divides the layout of a batch of matrices into the batch axes (lead), the rows and the columns. Each part
// may have several axes.
type matrices struct{ lead, rows, cols layout.Layout }

// matricesOf returns the parts of an operand of a product. They use memory of space.
func matricesOf(space *layout.Space, a *ir.Value) matrices {
	return matricesIn(rewrite.LayoutIn(space, a), rewrite.Extent(a, 2), rewrite.Extent(a, 1))
}

// matricesIn returns the parts of a layout whose matrices have the given numbers of rows and columns.
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

// dot appends the step of the product v.
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
	s.Body, s.In = l.product(v, AllZero(left.Strides), AllZero(right.Strides)), []plan.Access{left, right} // unlike other steps, not in canonical order: the left matrix is first
	s.Out = []plan.Output{{Access: out, Combine: ir.OpAdd}}
	l.s.Plan.Steps = append(l.s.Plan.Steps, s)
}

// productAxes returns the axes of a product and sets the strides of its left operand, right operand and result along
// them. parts has the layouts of these three for the batch, the contracted pairs, the rows and the columns, in this
// order.
func productAxes(space *layout.Space, access [3]*plan.Access, parts [4][3]layout.Layout) []plan.Axis {
	var refined [len(parts)][]layout.Layout
	rank := 0
	for k := range parts {
		ok := false
		if refined[k], ok = space.Refine(parts[k][:]...); !ok {
			panic("BUG: passes: the matrices of a product have no common axes")
		}
		if k > 0 && len(refined[k][0].Shape) == 0 { // a single row
			refined[k] = []layout.Layout{still(1), still(1), still(1)}
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

// product returns the body of the step of the product v. Most products of a graph have the same body, so the last body
// is reused.
func (l *looper) product(v *ir.Value, left, right bool) *kernel.Kernel {
	x, y := kernel.Operand{DType: v.Args[0].Type.DType, Splat: left}, kernel.Operand{DType: v.Args[1].Type.DType, Splat: right}
	if k := l.multiply; k == nil || k.In[0] != x || k.In[1] != y || kernel.ProductOf(k) != v.Op {
		l.multiply = kernel.ProductBody(v.Op, x, y)
	}
	return l.multiply
}

// mergeLeft moves the last batch axes into the rows if all their left matrices are multiplied by one right matrix, so
// that one large product replaces several small ones. It stops when the rows of the left operand or of the result would
// no longer have one stride.
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

// behind returns the layout m with an axis of l put in front.
func behind(l layout.Layout, axis int, m layout.Layout) layout.Layout {
	return layout.Layout{Shape: append([]int{l.Shape[axis]}, m.Shape...), Strides: append([]int{l.Strides[axis]}, m.Strides...)}
}

// still returns the layout of an axis of n indices along which an operand does not move.
func still(n int) layout.Layout {
	return layout.Layout{Shape: []int{n}, Strides: []int{0}}
}

// placeProducts stores a product directly in the buffer of a copy that permutes its axes, if that copy is the only
// reader and keeps the rows contiguous. Then the copy needs no step. The copy may be a segment of a concatenation.
func placeProducts(s *State) {
	if !rewrite.Multiplies(s.Func) {
		return
	}
	uses := s.countUses()
	s.byProduct = map[*ir.Value]bool{}
	for _, g := range s.groups {
		u := g.values[0]
		if len(g.values) > 1 || u.Op != ir.OpCopy || u.Args[0].Op != ir.OpAccess {
			continue
		}
		a := u.Args[0]
		v := a.Args[0]
		if !v.Op.IsProduct() || s.placed[v].in != nil || *uses.At(v) > 1 || *uses.At(a) > 1 || rewrite.Size(u.Type.Shape) != rewrite.Size(v.Type.Shape) {
			continue
		}
		to, whole := s.placed[u], *a.Attr.At
		if to.in == nil {
			to = location{u, rewrite.LayoutOf(u)}
		}
		copied, ok := to.at.Reshape(whole.Shape...)
		if !ok {
			continue
		}
		if strides, ok := permutedStrides(v, whole, copied); ok {
			if s.placed == nil {
				s.placed = map[*ir.Value]location{}
			}
			s.placed[v] = location{to.in, layout.Layout{Shape: rewrite.Extents(v), Strides: strides, Offset: copied.Offset}}
			s.byProduct[u] = true
		}
	}
	s.Ledger.Remove(s.byProduct)
}

// permutedStrides returns the strides that v's axes have in a copy of l, which reads v's buffer. The copy has the layout
// copied, over the axes of l. It reports false unless l permutes the axes of v and the rows of the copy are contiguous.
func permutedStrides(v *ir.Value, l, copied layout.Layout) (strides []int, ok bool) {
	own := rewrite.LayoutOf(v)
	for k, n := range own.Shape {
		at := -1
		for j, m := range l.Shape {
			if m == n && l.Strides[j] == own.Strides[k] {
				at = j
			}
		}
		switch {
		case n == 1:
			strides = append(strides, 0)
		case at < 0:
			return nil, false
		default:
			strides = append(strides, copied.Strides[at])
		}
	}
	return strides, l.Offset == 0 && strides[len(strides)-1] == 1
}
