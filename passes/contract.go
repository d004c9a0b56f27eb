package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// contract writes products of matrices that are no loop of their own as what they
// are: a product with one row or one column is a reduction of the products of
// elements, as its definition says, and reads each element of the other operand
// once; one of columns and rows of a single element multiplies each by each.
//
// Requires: all sizes bound.
// Ensures: every dot has two rows, two columns and two pairs or more.
func contract(s *State) error {
	if !multiplies(s.Func) {
		return nil
	}
	c := &contractor{s, reducer{f: s.Func}, map[*ir.Value]bool{}, map[*ir.Value]bool{}, map[*ir.Value][]*ir.Value{}}
	c.uses()
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !v.Op.IsProduct() {
			return v, nil
		}
		return c.dot(v)
	})
}

func checkContract(s *State) error {
	for _, v := range s.Func.Body {
		if !v.Op.IsProduct() {
			continue
		}
		if d := dotOf(v); d.rows < 2 || d.cols < 2 || d.pairs < 2 {
			return fmt.Errorf("%%%d is a product of one row, one column or one pair", v.ID)
		}
	}
	return nil
}

type contractor struct {
	s *State
	r reducer
	// pooled are the products of which fewer elements are computed, a quarter or less, by elementwise values alone:
	// those of convolutions that are pooled. The pass orders computes these before they are transposed.
	pooled map[*ir.Value]bool
	// depthwise are the products whose result is the operand of a depthwise convolution, which reads it faster
	// where channels are the last axis in memory: its windows have steps, or they are few and their lines short.
	depthwise map[*ir.Value]bool
	joined    map[*ir.Value][]*ir.Value // the products that elementwise values read beside one, as sums of two convolutions do
}

// extentsOfDot are the extents of the matrices of a product: rows x pairs times
// pairs x cols.
type extentsOfDot struct{ rows, pairs, cols int }

func dotOf(v *ir.Value) extentsOfDot {
	return extentsOfDot{extent(v.Args[0], 2), extent(v.Args[0], 1), extent(v.Args[1], 1)}
}

// dot returns v or what stands for it.
func (c *contractor) dot(v *ir.Value) (*ir.Value, error) {
	d := dotOf(v)
	switch {
	case size(v.Type.Shape) == 0 || d.pairs == 0:
		return c.r.constant(v, 0)
	case d.rows == 1 || d.cols == 1:
		return c.reduction(v)
	case d.pairs == 1:
		return c.outer(v)
	}
	if why := c.swaps(v, d); why != "" {
		return c.swapped(v, why)
	}
	return v, nil
}

// swaps returns why a product is computed as the transpose of the product of the transposes, or
// nothing.
func (c *contractor) swaps(v *ir.Value, d extentsOfDot) (why string) {
	large := c.s.eager || d.pairs*d.cols*v.Type.DType.Size() > swappedBytes
	switch {
	case d.rows <= swappedRows && 2*d.rows <= d.cols && large && transposed(v.Args[1]) && !c.s.frozenBelow(v.Args[1]):
		return "a product of few rows and a transposed matrix is the transpose of the product of that and few columns: the few are packed"
	case c.weighs(v) && c.fillsVectors(v, d):
		return "a product of weights that never change and windows is the transpose of the product of the windows and the weights: these are packed once, and channels lie in vectors"
	}
	return ""
}

// weighs reports whether a product multiplies windows by weights that never change.
func (c *contractor) weighs(v *ir.Value) bool {
	return ofWindows(v.Args[1]) && c.s.frozenBelow(v.Args[0])
}

// fillsVectors reports whether the windows that a product multiplies are better its left operand: the
// channels of its result lie in vectors then, and fill them or are pooled, or the windows are few. Short windows
// are if the result is joined with that of long ones.
func (c *contractor) fillsVectors(v *ir.Value, d extentsOfDot) bool {
	width, bytes := kernel.DotColumns(v.Type.DType), d.rows*d.cols*v.Type.DType.Size()
	lanes := (d.rows + width - 1) / width * width
	fills := (lanes-d.rows)*swappedIdle <= d.rows || d.cols <= swappedWindows
	long := func(v *ir.Value) bool { return dotOf(v).pairs >= swappedPairs && c.weighs(v) }
	gains := fills && (long(v) || slices.ContainsFunc(c.joined[v], long)) || c.depthwise[v] || c.pooled[v] && bytes <= pooledBytes
	return v.Type.DType == ir.Float32 && (gains && d.rows >= swappedChannels || c.s.eager)
}

// ofWindows reports whether a factor is a view of windows.
func ofWindows(y *ir.Value) bool {
	for y.Op.IsView() && y.Op != ir.OpWindow {
		y = y.Args[0]
	}
	return y.Op == ir.OpWindow
}

// transposed reports whether a factor exchanges the last two axes of memory.
func transposed(y *ir.Value) bool {
	rank := len(y.Type.Shape)
	if y.Op != ir.OpPermute || y.Args[0].Op.IsView() || y.Attr.Axes[rank-1] != rank-2 || y.Attr.Axes[rank-2] != rank-1 {
		return false
	}
	at := y.Args[0].Attr
	return at == nil || at.At == nil || at.At.Strides[rank-1] == 1
}

// swapped returns the transpose of the product of the transposes: x yT = (y xT)T. Each of its
// elements is the same sum, in the same order. A product packs its right matrix.
func (c *contractor) swapped(v *ir.Value, why string) (*ir.Value, error) {
	left, err := c.transpose(v.Args[1])
	if err != nil {
		return nil, err
	}
	right, err := c.transpose(v.Args[0])
	if err != nil {
		return nil, err
	}
	p, err := c.r.f.Add(v.Op, ir.Attr{}, v.Pos, left, right)
	if err != nil {
		return nil, err
	}
	c.record(v, p, why)
	return c.transpose(p)
}

// transpose returns x with its last two axes exchanged. Where a reshape makes these of several
// axes each, as of those of windows, it exchanges the axes before: the result may be a view where
// x is none.
func (c *contractor) transpose(x *ir.Value) (*ir.Value, error) {
	e := extents(x)
	rank := len(e)
	shape := slices.Concat(x.Type.Shape[:rank-2], ir.Shape{x.Type.Shape[rank-1], x.Type.Shape[rank-2]})
	from, rows, cols := x, rank-2, rank-1
	if x.Op == ir.OpReshape {
		if r, m, ok := splitOf(extents(x.Args[0]), e[rank-2], e[rank-1]); ok {
			from, rows, cols = x.Args[0], r, m
		}
	}
	y, err := c.r.f.Add(ir.OpPermute, ir.Attr{Axes: slices.Concat(axesFrom(0, rows), axesFrom(cols, len(from.Type.Shape)), axesFrom(rows, cols))}, x.Pos, from)
	if err != nil || from == x {
		return y, err
	}
	return c.r.f.Add(ir.OpReshape, ir.Attr{Shape: shape}, x.Pos, y)
}

// axesFrom returns the axes from first to before end.
func axesFrom(first, end int) (axes []int) {
	for k := first; k < end; k++ {
		axes = append(axes, k)
	}
	return axes
}

// splitOf returns the first axes that make up so many rows and so many columns, the last ones of
// some extents.
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

// record notes that v is computed as w.
func (c *contractor) record(v, w *ir.Value, why string) {
	c.s.ledger.add(plan.Decision{Kind: plan.Rewritten, Op: v.Op, Pos: v.Pos, Reason: why}, w)
}

// reduction returns the sum of the products of elements.
func (c *contractor) reduction(v *ir.Value) (*ir.Value, error) {
	x, y := v.Args[0], v.Args[1]
	rank := len(y.Type.Shape)
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	axes[rank-2], axes[rank-1] = rank-1, rank-2
	y, err := c.r.f.Add(ir.OpPermute, ir.Attr{Axes: axes}, v.Pos, y)
	if err != nil {
		return nil, err
	}
	p, err := c.r.f.Add(v.Op.Info().By, ir.Attr{}, v.Pos, x, y) // one row or column repeats
	if err != nil {
		return nil, err
	}
	c.record(v, p, "a product of one row or one column is a reduction: its terms are added as they are computed")
	sum, err := c.r.f.Add(ir.OpSum, ir.Attr{Axes: []int{rank - 1}}, v.Pos, p)
	if err != nil {
		return nil, err
	}
	return c.r.f.Add(ir.OpReshape, ir.Attr{Shape: v.Type.Shape}, v.Pos, sum)
}

// outer returns the products of one pair, of floats added to +0 as the first pair
// of a sum is.
func (c *contractor) outer(v *ir.Value) (*ir.Value, error) {
	op, args := v.Op.Info().By, v.Args
	if ir.Floats.Has(v.Type.DType) {
		zero, err := c.r.f.Add(ir.OpConst, ir.Attr{DType: v.Type.DType}, v.Pos)
		if err != nil {
			return nil, err
		}
		op, args = ir.OpFMA, append(slices.Clone(args), zero)
	}
	p, err := c.r.f.Add(op, ir.Attr{}, v.Pos, args...)
	if err == nil {
		c.record(v, p, "a product of one pair an element is elementwise")
	}
	return p, err
}
