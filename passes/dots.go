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
	d, least := dotOf(v), s.machine.PackedRows
	if d.cols*v.Type.DType.Size() >= s.machine.Matmul.SetBytes {
		least = s.machine.PackedWideRows
	}
	return inAxes(v.Args[1]) && (s.eager || (d.rows*repeats(v.Args[1]) >= least || inner(v.Args[1]) != 1 || s.frozenBelow(v.Args[1])) && d.pairs*d.cols*v.Type.DType.Size() > s.machine.PackedBytes)
}

// repeats returns how many left matrices each of a product's right ones multiplies.
func repeats(right *ir.Value) int {
	n, lead := 1, matricesOf(right).lead
	for k, e := range lead.Shape {
		if lead.Strides[k] == 0 {
			n *= e
		}
	}
	return n
}

// inAxes reports whether the layout of a has the axes of its type. The windows of an image as
// a matrix have more: no reshape makes an axis of their rows.
func inAxes(a *ir.Value) bool {
	return a.Op != ir.OpAccess || slices.Equal(a.Attr.At.Shape, extents(a))
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
	if inAxes(a) {
		return nil
	}
	if l, ok := a.Attr.At.Reshape(extents(a)...); ok {
		v.Args[i] = w.at(a, l)
		return nil
	}
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the reshape to %s is no view of %s, and a %s needs its axes", a.Type.Shape, a.Attr.At, v.Op))
	v.Args[i] = c
	return err
}

// finer makes sure that operand i of v has strides along its axes, or along axes that make
// these up.
func (w *viewer) finer(v *ir.Value, i int) error {
	a := v.Args[i]
	if inAxes(a) {
		return nil
	}
	if _, ok := a.Attr.At.Reshape(extents(a)...); !ok {
		if ls, ok := layout.Refine(*a.Attr.At, apart(extents(a))); ok {
			v.Args[i] = w.at(a, ls[0])
			return nil
		}
	}
	return w.whole(v, i)
}

// at returns an access as a reads, whose layout has other axes.
func (w *viewer) at(a *ir.Value, l layout.Layout) *ir.Value {
	b, attr := *a, *a.Attr
	attr.At, b.Attr = &l, &attr
	return w.Func.Append(b)
}

// dot makes sure that the operands of v have strides along their axes or along finer ones,
// as windows do, with the same pairs in both, and that the rows of a right one that is
// neither are contiguous, or packed.
func (w *viewer) dot(v *ir.Value) error {
	for i := range v.Args {
		if err := w.finer(v, i); err != nil {
			return err
		}
	}
	x, y := matricesOf(v.Args[0]), matricesOf(v.Args[1])
	batch := extents(v)[:len(v.Type.Shape)-2]
	_, paired := layout.Refine(x.cols, y.rows)
	if _, ok := layout.Refine(x.lead, y.lead, apart(batch)); !ok || !paired {
		if err := w.whole(v, 1); err != nil {
			return err
		}
	}
	right := v.Args[1]
	if !inAxes(right) || inner(right) == 1 || w.packs(v) {
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
	x, y, packed := matricesOf(v.Args[0]), matricesOf(v.Args[1]), l.packs(v)
	var right plan.Access
	if packed {
		var own layout.Layout
		right, own = l.pack(v)
		y = matricesIn(own, d.pairs, d.cols)
	} else {
		right = plan.Access{Buffer: l.of(base(v.Args[1])), Offset: layoutOf(v.Args[1]).Offset}
	}
	buffer, at := l.stored(v)
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
	b.Store(b.Op(ir.OpMul, 0, 1))
	s.Body, s.In = b.Kernel(), []plan.Access{left, right} // not ordered: the left matrix is first
	s.Out = []plan.Output{{Access: out, Combine: ir.OpAdd}}
	l.Plan.Steps = append(l.Plan.Steps, s)
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
