package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// What follows arranges elements by views, or by comparisons of indices: nothing is
// copied where an operation reads the result, and a result of a program is stored once.

// Tile returns x repeated reps[k] times along axis k, as NumPy's tile: reps are aligned
// with the last axis, and x has new axes in front for the repeats that it has no axis
// for. A repeat of 0 leaves no elements.
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

// Repeat returns x with each element repeated that many times along an axis, as NumPy's
// repeat: [1 2] becomes [1 1 2 2].
func (x Node) Repeat(axis any, times int) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	k, err := n.axis(axis)
	switch {
	case err != nil:
		return fail("%w", err)
	case times < 0:
		return fail("%d times: give 0 or more", times)
	}
	over := slices.Insert(slices.Clone(n.typ.Shape), k+1, ir.Fixed(times))
	merged := slices.Clone(n.typ.Shape)
	merged[k] = merged[k].Mul(ir.Fixed(times))
	return x.Unsqueeze(k + 1).BroadcastTo(over).Reshape(merged)
}

// repeated returns a list of n times v, an empty one for n < 0.
func repeated[E any](v E, n int) []E { return slices.Repeat([]E{v}, max(n, 0)) }

// Meshgrid returns for vectors of n0, n1, ... elements as many arrays of shape
// [n0, n1, ...], of which number k has the elements of vector k along axis k and repeats
// them along the others: NumPy's meshgrid with indexing="ij". They are views. After a
// mistake they are as many poisoned Nodes.
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

// Triu returns x, whose last two axes are matrices, with 0 below diagonal k: NumPy's
// triu. Diagonal 0 is the main one, 1 the one above it.
func (x Node) Triu(k int) Node {
	return x.triangle(k, Node.Ge)
}

// Tril returns x, whose last two axes are matrices, with 0, of bools false, above diagonal k: NumPy's tril. Diagonal 0 is
// the main one, 1 the one above it. A causal mask of n positions is Fill(Bool, true, n, n).Tril(0).
func (x Node) Tril(k int) Node {
	return x.triangle(k, Node.Le)
}

// triangle keeps the elements whose columns compare with those of diagonal k, and makes the others 0. The diagonal is at most 2^62
// away, so that no sum of it and a row passes int64.
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

// EyeLike returns an array of x's shape and of a type with 1 on diagonal k of its last
// two axes and 0 elsewhere.
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

// matrixIndices returns the row numbers of n's matrices, as a column, and their column
// numbers.
func (n *node) matrixIndices() (rows, cols Node, err error) {
	rank := len(n.typ.Shape)
	if rank < 2 {
		return rows, cols, fmt.Errorf("%s has no matrices: it takes two axes or more", n.text())
	}
	return Iota(Int64, n.typ.Shape[rank-2]).Unsqueeze(1), Iota(Int64, n.typ.Shape[rank-1]), nil
}

// OneHot returns an array of type dt that has a new axis of extent depth, where the
// element at the index that x has is 1 and the others are 0. x is of integers; -depth to
// -1 count from the end, and any other index outside gives zeros alone. The new axis is
// axis of the result.
func (x Node) OneHot(dt DType, depth, axis int) Node {
	n := x.get()
	switch {
	case n.err != nil:
		return x
	case !ir.Ints.Has(n.typ.DType):
		return fail("does not take %s: Cast to an integer type", n.typ.DType)
	case depth < 0:
		return fail("a depth of %d: give 0 or more", depth)
	}
	k, err := wrapAxis(axis, len(n.typ.Shape)+1)
	if err != nil {
		return fail("%w", err)
	}
	wide := x.Cast(Int64)
	wide = Where(wide.Lt(0), wide.Add(depth), wide).Unsqueeze(k)
	ones := make([]int, len(n.typ.Shape)+1)
	for i := range ones {
		ones[i] = 1
	}
	ones[k] = depth
	return wide.Eq(Iota(Int64, depth).Reshape(ones)).Cast(dt)
}

// Range returns the numbers begin, begin+step, ... before end, as Python's range: NumPy's
// arange, with the elements and the errors that the tensor Arange has. No memory holds them.
func Range(dt DType, begin, end, step float64) Node {
	r, err := ir.NewRange(dt, begin, end, step)
	if err != nil {
		return fail("%w", err)
	}
	wide := Int32 // integers wrap, so what fits dt is exact in any type of as many bits
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

// Unstack returns the slices of x along an axis, which must have a known extent of at most 65,536, without
// that axis. After a mistake it is one poisoned Node.
func (x Node) Unstack(axis any) Nodes {
	n := x.get()
	if n.err != nil {
		return Nodes{x}
	}
	k, extent, err := n.knownAxis(axis)
	if err != nil {
		return Nodes{fail("%w", err)}
	}
	if extent > mostBuilt {
		return Nodes{fail("axis %d of %s has %d slices: up to %d are made", k, n.text(), extent, mostBuilt)}
	}
	out := make(Nodes, extent)
	for i := range out {
		out[i] = x.Index(k, i)
	}
	return out
}

// Split returns x cut along an axis into parts of the given sizes, which add up to its
// extent. They are views. After a mistake they are a poisoned Node for each size, and one if
// no sizes are given.
func (x Node) Split(axis any, sizes ...int) Nodes {
	n := x.get()
	poisoned := func(x Node) Nodes { return repeated(x, max(1, len(sizes))) }
	if n.err != nil {
		return poisoned(x)
	}
	k, extent, err := n.knownAxis(axis)
	if err != nil {
		return poisoned(fail("%w", err))
	}
	begin, out := 0, Nodes{}
	for _, size := range sizes {
		if size < 0 || size > extent-begin {
			return poisoned(fail("sizes %v of axis %d of %s, which has %d elements", sizes, k, n.text(), extent))
		}
		out = append(out, x.SliceAxis(k, begin, begin+size, 1))
		begin += size
	}
	if begin != extent {
		return poisoned(fail("sizes %v add up to %d, and axis %d of %s has %d elements", sizes, begin, k, n.text(), extent))
	}
	return out
}

// Chunk returns x cut along an axis into parts of equal size; the last one may be smaller. An axis with fewer
// elements than parts has fewer parts. The extent of the axis must be known before the program runs, and parts
// is at most 65,536. On error Chunk returns parts poisoned Nodes, at least 1 and at most 65,536.
func (x Node) Chunk(axis any, parts int) Nodes {
	n := x.get()
	poisoned := func(x Node) Nodes { return repeated(x, min(max(1, parts), mostBuilt)) }
	if n.err != nil {
		return poisoned(x)
	}
	k, extent, err := n.knownAxis(axis)
	switch {
	case err != nil:
		return poisoned(fail("%w", err))
	case parts < 1:
		return Nodes{fail("%d parts: give 1 or more", parts)}
	}
	size := max(1, (extent-1)/parts+1)
	if extent/size > mostBuilt {
		return poisoned(fail("axis %d of %s in parts of %d: up to %d are made", k, n.text(), size, mostBuilt))
	}
	var sizes []int
	for left := extent; left > 0; left -= size {
		sizes = append(sizes, min(size, left))
	}
	return x.Split(k, sizes...)
}

// knownAxis returns an axis and its extent, which must be a number.
func (n *node) knownAxis(axis any) (k, extent int, err error) {
	if k, err = n.axis(axis); err != nil {
		return 0, 0, err
	}
	extent, known := n.typ.Shape[k].Int()
	if !known {
		return 0, 0, fmt.Errorf("the extent of axis %d of %s is not known before the program runs", k, n.text())
	}
	return k, extent, nil
}
