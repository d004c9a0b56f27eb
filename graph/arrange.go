package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Ops that rearrange elements by views or index comparisons. An operation that reads the result reads the views; a
// result of a program is stored once.

// Tile returns x repeated reps[k] times along axis k, as NumPy's tile. Reps are aligned with the last axis; x gets new
// leading axes if there are more reps than axes. A repeat of 0 leaves no elements.
func (x Node) Tile(reps ...int) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	for _, r := range reps {
		if r < 0 {
			return fail("%d repeats: give 0 or more", r)
		}
	}
	shape := append(repeated(ir.Fixed(1), len(reps)-len(n.typ.Shape)), n.typ.Shape...)
	reps = append(repeated(1, len(shape)-len(reps)), reps...)
	var apart, over, merged Shape
	for k, d := range shape {
		apart = append(apart, ir.Fixed(1), d)
		over = append(over, ir.Fixed(reps[k]), d)
		merged = append(merged, d.Mul(ir.Fixed(reps[k])))
	}
	return x.Reshape(apart).BroadcastTo(over).Reshape(merged)
}

// Repeat returns x with each element repeated along an axis, as NumPy's repeat: with times 2, [1 2] becomes [1 1 2 2].
// Times is an int, or a []int with a number for each element of the axis: with []int{3, 1}, [1 2] becomes [1 1 1 2].
func (x Node) Repeat(axis, times any) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	k, err := n.axis(axis)
	if err != nil {
		return fail("%w", err)
	}
	switch times := times.(type) {
	case int:
		return x.repeatAll(k, times)
	case []int:
		return x.repeatEach(k, times)
	}
	return fail("times are %T: give an int, or a []int with one for each element", times)
}

func (x Node) repeatAll(k, times int) Node {
	if times < 0 {
		return fail("%d times: give 0 or more", times)
	}
	shape := x.get().typ.Shape
	over := slices.Insert(slices.Clone(shape), k+1, ir.Fixed(times))
	merged := slices.Clone(shape)
	merged[k] = merged[k].Mul(ir.Fixed(times))
	return x.Unsqueeze(k + 1).BroadcastTo(over).Reshape(merged)
}

// mostIndices bounds the memory for the indices of repeated elements.
const mostIndices = 1 << 28

// repeatEach takes each element as often as its number says.
func (x Node) repeatEach(k int, times []int) Node {
	_, extent, err := x.get().knownAxis(k)
	switch {
	case err != nil:
		return fail("%w", err)
	case extent != len(times):
		return fail("%d numbers of times for the %d elements of axis %d: give one for each", len(times), extent, k)
	}
	total := 0
	for i, n := range times {
		switch {
		case n < 0:
			return fail("%d times for element %d: give 0 or more", n, i)
		case n > mostIndices-total:
			return fail("%d times for element %d, after %d: give at most %d in all", n, i, total, mostIndices)
		}
		total += n
	}
	indices := make([]int64, 0, total)
	for i, n := range times {
		for range n {
			indices = append(indices, int64(i))
		}
	}
	return x.Take(k, Of(indices))
}

// repeated returns a list of n copies of v, an empty one for n < 0.
func repeated[E any](v E, n int) []E { return slices.Repeat([]E{v}, max(n, 0)) }

// Meshgrid returns coordinate arrays as NumPy's meshgrid with indexing="ij". For k vectors of n0, n1, ... elements it
// returns k views of shape [n0, n1, ...]: array i has the elements of vector i along axis i and repeats them along the
// others. On error it returns as many poisoned Nodes.
func Meshgrid(vectors ...Node) Nodes {
	shape := make(Shape, len(vectors))
	for k, v := range vectors {
		n := v.get()
		switch {
		case n.err != nil:
			return repeated(v, len(vectors))
		case len(n.typ.Shape) != 1:
			return repeated(fail("operand %d is %s: it must have one axis", k, n.text()), len(vectors))
		}
		shape[k] = n.typ.Shape[0]
	}
	out := make(Nodes, len(vectors))
	for k, v := range vectors {
		lined := repeated(ir.Fixed(1), len(shape))
		lined[k] = shape[k]
		out[k] = v.Reshape(Shape(lined)).BroadcastTo(shape)
	}
	return out
}

// Triu returns x with the elements below diagonal k of its matrices (the last two axes) set to 0, as NumPy's triu.
// Diagonal 0 is the main one, 1 the one above it.
func (x Node) Triu(k int) Node {
	return x.triangle(k, Node.Ge)
}

// Tril returns x with the elements above diagonal k of its matrices (the last two axes) set to 0 or false, as NumPy's
// tril. Diagonal 0 is the main one, 1 the one above it. A causal mask of n positions is Fill(Bool, true, n, n).Tril(0).
func (x Node) Tril(k int) Node {
	return x.triangle(k, Node.Le)
}

// triangle keeps the elements on one side of diagonal k and sets the others to 0. It bounds k by 2^62, so that k plus a
// row number does not overflow int64.
func (x Node) triangle(k int, compare func(x Node, y any) Node) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	rows, cols, err := n.matrixIndices()
	if err != nil {
		return fail("%w", err)
	}
	const far = 1 << 62
	keeps := compare(cols, rows.Add(min(max(int64(k), -far), far)))
	if n.typ.DType == Bool {
		return keeps.And(x)
	}
	return Where(keeps, x, 0)
}

// EyeLike returns an array of x's shape and type dt, with 1 on diagonal k of its last two axes and 0 elsewhere.
func (x Node) EyeLike(dt DType, k int) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	rows, cols, err := n.matrixIndices()
	if err != nil {
		return fail("%w", err)
	}
	return cols.Sub(rows).Eq(k).Cast(dt).BroadcastTo(n.typ.Shape)
}

// matrixIndices returns the row numbers of n's matrices as a column, and their column numbers as a row.
func (n *node) matrixIndices() (rows, cols Node, err error) {
	rank := len(n.typ.Shape)
	if rank < 2 {
		return rows, cols, fmt.Errorf("%s has no matrices: it takes two axes or more", n.text())
	}
	return Iota(Int64, n.typ.Shape[rank-2]).Unsqueeze(1), Iota(Int64, n.typ.Shape[rank-1]), nil
}

// OneHot returns an array of type dt with a new axis of extent depth: 1 at the index that x gives and 0 elsewhere. x
// has integers; -depth to -1 count from the end, and other indices out of range give only zeros. The new axis has
// number axis in the result.
func (x Node) OneHot(dt DType, depth int, axis any) Node {
	n := x.get()
	switch {
	case n.err != nil:
		return x
	case !ir.Ints.Has(n.typ.DType):
		return fail("does not take %s: Cast to an integer type", n.typ.DType)
	case depth < 0:
		return fail("a depth of %d: give 0 or more", depth)
	}
	added, err := addedAxes(len(n.typ.Shape), axis)
	if err != nil {
		return fail("%w", err)
	}
	k := added[0]
	wide := x.Cast(Int64)
	wide = Where(wide.Lt(0), wide.Add(depth), wide).Unsqueeze(k)
	ones := make([]int, len(n.typ.Shape)+1)
	for i := range ones {
		ones[i] = 1
	}
	ones[k] = depth
	return wide.Eq(Iota(Int64, depth).Reshape(ones)).Cast(dt)
}

// Range returns the numbers begin, begin+step, ... before end, as NumPy's arange. Elements and errors are those of the
// tensor function Arange, but the array is computed where it is read and never stored.
func Range(dt DType, begin, end, step float64) Node {
	r, err := ir.NewRange(dt, begin, end, step)
	if err != nil {
		return fail("%w", err)
	}
	wide := Int32 // integers wrap, so a number that fits dt is exact in any type of the same width
	if r.Len > math.MaxInt32 || dt.Bits() > 32 {
		wide = Int64
	}
	i := Iota(wide, r.Len)
	if ir.Fractions.Has(dt) {
		return i.Cast(Float64).FMA(r.Step, r.Start).Cast(dt)
	}
	start, by := r.Bits(wide)
	constant := func(bits uint64) Node { return apply(ir.OpConst, ir.Attr{DType: wide, Bits: bits}) }
	return i.Mul(constant(by)).Add(constant(start)).Cast(dt)
}
