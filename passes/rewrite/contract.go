package rewrite

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Contract gives contractions one form: products of matrices with at least two rows, columns and pairs, or one row and a
// matrix of 8-bit integers. A pair is one term of an element's sum.
//
//   - A product with one row or one column becomes a reduction of elementwise products. It reads each element of the
//     other operand once.
//   - A product with a single pair becomes an elementwise multiplication.
//   - A convolution becomes the product of its weights and its windows, a view of the operand (contract_convolution.go).
//   - A convolution of taps (ir/conv.go) stays, but in its compute type.
//
// Contract also chooses the left operand of each product: A B is the transpose of the product of the transposes, with
// the same sums in the same order. The choice decides which operand is packed and which axis of the result is last in
// memory.
//
// Requires: all sizes bound.
// Ensures: every dot has at least two rows (dotbytes: one), columns and pairs, and reads no cast that has more elements than a view
// below it; every convolution is of taps; the types of both have arithmetic of their own.
func Contract(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op.IsProduct() || v.Attr.Conv != nil }) {
		return nil
	}
	c := &contractor{s: s, last: channelsLast(s.Func), pooled: map[*ir.Value]bool{}, depthwise: map[*ir.Value]bool{}, joined: map[*ir.Value][]*ir.Value{}}
	c.uses()
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		switch {
		case v.Attr.Conv != nil:
			return c.convolution(v)
		case !v.Op.IsProduct():
			return v, nil
		}
		p, err := c.widened(v)
		if err != nil {
			return nil, err
		}
		y, why := p, c.swaps(p)
		if why != "" {
			y, err = c.swapped(p, why)
		} else {
			y, err = c.dot(p)
		}
		a := adder{f: s.Func, v: v, err: err}
		return a.cast(y, v.Type.DType), a.err
	})
}

// widened returns a product in the compute type of v. Repeated elements are cast once: windows of a float16 image
// become windows of a float32 image.
func (c *contractor) widened(v *ir.Value) (*ir.Value, error) {
	if v.Op == ir.OpDotBytes || !widens(v) && !repeatsCast(v) {
		return v, nil
	}
	a, args := adder{f: c.s.Func, v: v}, slices.Clone(v.Args)
	for i, x := range args {
		args[i] = a.castOnce(a.cast(x, x.Type.DType.Compute()))
	}
	p := a.add(v.Op, *v.Attr, args...)
	c.pooled[p], c.depthwise[p], c.joined[p] = c.pooled[v], c.depthwise[v], c.joined[v]
	return p, a.err
}

// CheckContract returns an error unless the graph is as Contract ensures.
func CheckContract(s *State) error {
	for _, v := range s.Func.Body {
		switch {
		case v.Attr.Conv != nil && !(isTapped(v) && v.Type.DType.Native()):
			return fmt.Errorf("%%%d is a %s of %s that has no taps", v.ID, v.Op, v.Type.DType)
		case !v.Op.IsProduct():
		case DotOf(v).degenerate(v.Op):
			return fmt.Errorf("%%%d is a product of one row, one column or one pair", v.ID)
		case v.Op != ir.OpDotBytes && (widens(v) || repeatsCast(v)):
			return fmt.Errorf("%%%d is a product of %s, or reads a cast of a view that repeats elements", v.ID, v.Type.DType)
		}
	}
	return nil
}

// contracts reports whether v is a product of matrices or a convolution that becomes one.
func contracts(v *ir.Value) bool { return v.Op.IsProduct() || v.Attr.Conv != nil && !isTapped(v) }

// isTapped reports whether v is a convolution of taps: one channel per group, and small windows (ir.Conv.Tapped).
func isTapped(v *ir.Value) bool {
	return v.Attr.Conv != nil && v.Attr.Conv.Tapped(v.Args[1].Type.Shape)
}

// contractor holds what Contract knows of the contractions of a graph from their readers.
type contractor struct {
	s    *State
	last map[*ir.Value]bool // convolutions whose channels stay last in memory
	// pooled holds contractions whose results are combined elementwise to a quarter of the elements or fewer, as by
	// pooling. If such a result must be transposed, Orders does so after the pooling.
	pooled map[*ir.Value]bool
	// depthwise holds contractions whose result is the operand of a convolution of taps that reads it faster with
	// channels last in memory: the windows have steps, or they are few and their lines are short.
	depthwise map[*ir.Value]bool
	joined    map[*ir.Value][]*ir.Value // by contraction: others combined with it elementwise, as in a sum of two
}

// extentsOfDot holds the extents of the matrices of a product: rows x pairs times pairs x cols.
type extentsOfDot struct{ Rows, Pairs, Cols int }

// degenerate reports whether a product by op becomes a reduction, an elementwise multiplication or a constant. One row is
// multiplied by a matrix of 8-bit integers as it is: the kernel reads these as they are.
func (d extentsOfDot) degenerate(op ir.Op) bool {
	return d.Rows < 2 && op != ir.OpDotBytes || d.Rows == 0 || d.Cols < 2 || d.Pairs < 2
}

// DotOf returns the extents of a product. For a convolution it returns those of the product of weights and windows
// that each image and group needs.
func DotOf(v *ir.Value) extentsOfDot {
	if c := v.Attr.Conv; c != nil {
		w := v.Args[1].Type.Shape
		return extentsOfDot{Extents(v.Args[1])[0] / c.Groups, Size(w[1:]), Size(v.Type.Shape[2:])}
	}
	return extentsOfDot{Extent(v.Args[0], 2), Extent(v.Args[0], 1), Extent(v.Args[1], 1)}
}

// uses sets pooled, depthwise and joined from the readers of contractions.
func (c *contractor) uses() {
	of, depthwise := NewValueMap[*ir.Value](c.s.Func), c.s.OfTaps() // of: by value, the contraction it is computed from
	for _, v := range c.s.Func.Body {
		switch {
		case contracts(v):
			*of.At(v) = v
		case v.Op.IsView():
			*of.At(v) = *of.At(v.Args[0])
		case v.Op == ir.OpConcat: // a padded value
			for _, a := range v.Args {
				if p := *of.At(a); p != nil {
					*of.At(v) = p
				}
			}
		case v.Op.IsElementwise() || isTapped(v):
			for _, a := range v.Args {
				p := *of.At(a)
				if p == nil || Size(a.Type.Shape) < Size(v.Type.Shape) && !isTapped(v) {
					continue
				}
				if q := *of.At(v); q != nil && q != p {
					c.joined[p], c.joined[q] = append(c.joined[p], q), append(c.joined[q], p)
				}
				*of.At(v) = p
				fewer := 4*Size(v.Type.Shape) <= Size(p.Type.Shape)
				switch {
				case *depthwise.At(v):
					c.depthwise[p] = c.depthwise[p] || fewer || Size(v.Type.Shape) <= swappedWindows*DotOf(p).Rows
				case fewer:
					c.pooled[p] = true
				}
			}
		}
	}
}

// swaps returns why the operands of a product change sides, or "".
func (c *contractor) swaps(v *ir.Value) (why string) {
	d := DotOf(v)
	large := c.s.Eager || d.Pairs*d.Cols*v.Type.DType.Size() > swappedBytes
	switch {
	case d.degenerate(v.Op) || v.Op == ir.OpDotBytes:
	case v.Op.IsProduct() && d.Rows <= swappedRows && 2*d.Rows <= d.Cols && large && transposed(v.Args[1]) && !c.s.frozenBelow(v.Args[1]):
		return "a product of few rows and a transposed matrix is the transpose of the product of that and few columns: the few are packed"
	case c.weighs(v) && c.fillsVectors(v, d):
		return "a product of weights that never change and windows is the transpose of the product of the windows and the weights: these are packed once, and channels lie in vectors"
	}
	return ""
}

// weighs reports whether a contraction multiplies frozen weights by windows. If windows repeat no elements and must
// be cast, the cast is an array, not windows.
func (c *contractor) weighs(v *ir.Value) bool {
	if o := v.Attr.Conv; o != nil {
		d := DotOf(v)
		repeat := Extents(v)[0]*o.Groups*d.Pairs*d.Cols > Size(v.Args[0].Type.Shape)
		return !c.last[v] && (repeat || v.Type.DType.Native()) && c.s.frozenBelow(v.Args[1])
	}
	return viewsBy(v.Args[1], ir.OpWindow) && c.s.frozenBelow(v.Args[0])
}

// fillsVectors reports whether windows should become the left operand of a product, so that channels lie in vectors.
// This pays if the channels fill the vectors or the windows are few, and the windows are long, the result is pooled,
// or a depthwise convolution reads it. Short windows count as long if the result is joined with one of long windows.
func (c *contractor) fillsVectors(v *ir.Value, d extentsOfDot) bool {
	in := v.Type.DType.Compute() // type in which a convolution is multiplied
	width, bytes := kernel.DotColumns(in), d.Rows*d.Cols*in.Size()
	lanes := (d.Rows + width - 1) / width * width
	fills := (lanes-d.Rows)*swappedIdle <= d.Rows || d.Cols <= swappedWindows
	long := func(v *ir.Value) bool { return DotOf(v).Pairs >= swappedPairs && c.weighs(v) }
	gains := fills && (long(v) || slices.ContainsFunc(c.joined[v], long)) || c.depthwise[v] || c.pooled[v] && bytes <= pooledBytes
	return in == ir.Float32 && (gains && d.Rows >= swappedChannels || c.s.Eager)
}

// transposed reports whether y is the transpose, in its last two axes, of a value stored row by row.
func transposed(y *ir.Value) bool {
	rank := len(y.Type.Shape)
	if y.Op != ir.OpPermute || y.Args[0].Op.IsView() || y.Attr.Axes[rank-1] != rank-2 || y.Attr.Axes[rank-2] != rank-1 {
		return false
	}
	at := y.Args[0].Attr
	return at == nil || at.At == nil || at.At.Strides[rank-1] == 1
}

// swapped returns a product with its operands exchanged, using x yT = (y xT)T. A product packs its right matrix.
func (c *contractor) swapped(v *ir.Value, why string) (*ir.Value, error) {
	a := adder{f: c.s.Func, v: v}
	p := a.add(v.Op, ir.Attr{}, a.transpose(v.Args[1]), a.transpose(v.Args[0]))
	y := a.transpose(p)
	return y, c.done(&a, p, why)
}

// done records in the ledger why the value of an adder is computed as w. It returns the adder's error.
func (c *contractor) done(a *adder, w *ir.Value, why string) error {
	if a.err == nil {
		c.s.Ledger.add(plan.Decision{Kind: plan.Rewritten, Op: a.v.Op, Pos: a.v.Pos, Reason: why}, w)
	}
	return a.err
}

// transpose returns x with its last two axes exchanged. If a reshape merges several axes into each of the two, as for
// windows, transpose permutes the axes before the reshape. That stays a view in more cases.
func (a *adder) transpose(x *ir.Value) *ir.Value {
	if a.err != nil {
		return nil
	}
	e := Extents(x)
	rank := len(e)
	shape := slices.Concat(x.Type.Shape[:rank-2], ir.Shape{x.Type.Shape[rank-1], x.Type.Shape[rank-2]})
	rows, cols := rank-2, rank-1
	if x.Op == ir.OpReshape {
		if r, m, ok := splitOf(Extents(x.Args[0]), e[rank-2], e[rank-1]); ok {
			x, rows, cols = x.Args[0], r, m
		}
	}
	return a.reshaped(a.add(ir.OpPermute, ir.Attr{Axes: slices.Concat(axesFrom(0, rows), axesFrom(cols, len(x.Type.Shape)), axesFrom(rows, cols))}, x), shape)
}

// axesFrom returns the numbers first, first+1, ..., end-1.
func axesFrom(first, end int) (axes []int) {
	for k := first; k < end; k++ {
		axes = append(axes, k)
	}
	return axes
}

// splitOf finds the trailing extents whose products are cols and, before these, rows. It returns the first axis of
// each.
func splitOf(e []int, rows, cols int) (firstRow, firstCol int, ok bool) {
	at := len(e)
	for _, n := range []int{cols, rows} {
		for ; n > 1 && at > 0 && n%e[at-1] == 0; at-- {
			n /= e[at-1]
		}
		if n != 1 {
			return 0, 0, false
		}
		firstRow, firstCol = at, firstRow
	}
	return firstRow, firstCol, true
}

// dot returns a product unchanged, or its replacement if it is degenerate.
func (c *contractor) dot(v *ir.Value) (*ir.Value, error) {
	switch d := DotOf(v); {
	case Size(v.Type.Shape) == 0 || d.Pairs == 0:
		a := adder{f: c.s.Func, v: v}
		return a.constant(v, 0), a.err
	case !d.degenerate(v.Op):
		return v, nil
	case v.Op == ir.OpDotBytes:
		a := adder{f: c.s.Func, v: v}
		h := a.add(ir.OpDotHalves, ir.Attr{}, v.Args[0], a.add(ir.OpHalves, ir.Attr{}, a.cast(v.Args[1], ir.Int32)))
		if a.err != nil {
			return nil, a.err
		}
		return c.dot(h)
	case d.Rows == 1 || d.Cols == 1:
		return c.reduction(v)
	}
	return c.outer(v)
}

// reduction returns a product of one row or one column as a sum of elementwise products.
func (c *contractor) reduction(v *ir.Value) (*ir.Value, error) {
	rank := len(v.Args[1].Type.Shape)
	a := adder{f: c.s.Func, v: v}
	y := a.add(ir.OpPermute, ir.Attr{Axes: append(axesFrom(0, rank-2), rank-1, rank-2)}, v.Args[1])
	p := a.add(v.Op.Info().By, ir.Attr{}, v.Args[0], y) // the one row or column is repeated
	sum := a.add(ir.OpReshape, ir.Attr{Shape: v.Type.Shape}, a.add(ir.OpSum, ir.Attr{Axes: []int{rank - 1}}, p))
	return sum, c.done(&a, p, "a product of one row or one column is a reduction: its terms are added as they are computed")
}

// outer returns a product of one pair as an elementwise multiplication. Floats are added to +0, because a sum starts
// from +0.
func (c *contractor) outer(v *ir.Value) (*ir.Value, error) {
	a, op, args := adder{f: c.s.Func, v: v}, v.Op.Info().By, v.Args
	if ir.Floats.Has(v.Type.DType) {
		op, args = ir.OpFMA, append(slices.Clone(args), a.add(ir.OpConst, ir.Attr{DType: v.Type.DType}))
	}
	p := a.add(op, ir.Attr{}, args...)
	return p, c.done(&a, p, "a product of one pair an element is elementwise")
}
