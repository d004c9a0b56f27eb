package ir

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Reductions. Several axes are reduced in groups, the last one first (ReduceGroups).
// Neighbours of at most ReduceWhole elements together are one group: as much as a
// cache holds. Else a group takes in the axis before it while it has fewer than
// ReduceLeast elements, so that an operand that is broadcast along one axis has a
// stride along every line. Which groups there are follows from the shape alone.
//
// A line is the elements along the axes of a group, in row-major order of those.
// It is reduced by one tree, whatever the machine, the layout and the number of
// threads:
//
//   - the line is cut into chunks of ReduceChunk elements, the last maybe shorter;
//   - in a chunk, element i belongs to lane i mod ReduceLanes; each lane is reduced
//     from its first element to its last; then lane b takes in lane b+16, for b
//     below 16, then b+8, +4, +2, +1 (ReduceRow);
//   - the chunks' results are a line of their own, which is reduced in the same way
//     until one element is left.
//
// Products of float64 have exponents beside (product.go). Else results of lines and chunks are in
// float64 where the elements are float32 and are added or multiplied; the last is rounded back.
// So an element of a float32 sum goes through at most 31 + 5 roundings of float32 in its chunk,
// then those of float64, and one back to float32: the error is less than 38 * 2^-24 times the
// sum of magnitudes, whatever n.
const (
	ReduceChunk = 1024
	ReduceLanes = 32
	ReduceWhole = 1 << 17
	ReduceLeast = 256
)

// ReduceGroups returns the axes in groups that are reduced one after the other.
func ReduceGroups(shape []int, axes []int) [][]int {
	var groups [][]int
	for end := len(shape); end > 0; end-- {
		begin := end
		for begin > 0 && slices.Contains(axes, begin-1) {
			begin--
		}
		if begin < end {
			groups = append(groups, groupRun(shape, begin, end)...)
			end = begin
		}
	}
	return groups
}

// groupRun returns the groups of the axes from begin to end, all of which are
// reduced.
func groupRun(shape []int, begin, end int) [][]int {
	all, whole := 1, true
	for _, n := range shape[begin:end] {
		all, whole = layout.MulInt(all, n)
		if whole = whole && all <= ReduceWhole; !whole {
			break
		}
	}
	var groups [][]int
	n := 0
	for i := end - 1; i >= begin; i-- {
		if n == 0 || !whole && n >= ReduceLeast {
			groups, n = append(groups, nil), 1
		}
		last := len(groups) - 1
		groups[last] = slices.Insert(groups[last], 0, i)
		n *= shape[i]
	}
	return groups
}

// ReduceRow reduces a nonempty chunk. For an arg-reduction the result is an index into the chunk.
func (f Arithmetic) ReduceRow(by Op, d DType, x []uint64) uint64 {
	if by.IsArgReduction() {
		return f.findFirst(by, d, x)
	}
	lanes := slices.Clone(x[:min(len(x), ReduceLanes)])
	for i := ReduceLanes; i < len(x); i++ {
		b := i % ReduceLanes
		lanes[b] = f.Combine(by, d, lanes[b], x[i])
	}
	LaneTree(len(lanes), func(to, from int) { lanes[to] = f.Combine(by, d, lanes[to], lanes[from]) })
	return lanes[0]
}

// LaneTree calls combine for each pair of a chunk's n lanes, at most ReduceLanes, in order: lane from is combined into lane to. At the end
// lane 0 has the result.
func LaneTree(n int, combine func(to, from int)) {
	for half := ReduceLanes / 2; half > 0; half /= 2 {
		for from := half; from < min(n, 2*half); from++ {
			combine(from-half, from)
		}
		n = min(n, half)
	}
}

// findFirst returns the index of the first NaN or, if there is none, of the first element equal to the one that the op selects. It needs no
// tree, as its result is the same however a line is divided.
func (f Arithmetic) findFirst(by Op, d DType, x []uint64) uint64 {
	found := f.ReduceRow(by.Info().By, d, x)
	i := slices.IndexFunc(x, func(e uint64) bool {
		return refEq(d, Bool, [3]uint64{e, found})|refNe(d, Bool, [3]uint64{e, e}) != 0
	})
	return uint64(i)
}

// PartialType returns the element type of the chunks' results between levels.
func PartialType(by Op, d DType) DType {
	if d == Float32 && (by == OpAdd || by == OpMul) {
		return Float64
	}
	return d
}

// ReduceLine reduces a line of type at by the whole tree, whose upper levels are of type up. It also returns the type of the
// result.
func (f Arithmetic) ReduceLine(by Op, at, up DType, x []uint64) (uint64, DType) {
	for {
		var partial []uint64
		for chunk := range slices.Chunk(x, ReduceChunk) {
			partial = append(partial, f.ReduceRow(by, at, chunk))
		}
		if len(partial) == 1 {
			return partial[0], at
		}
		f.CastAll(at, up, partial)
		x, at = partial, up
	}
}

// CastAll casts elements in place.
func (f Arithmetic) CastAll(from, to DType, x []uint64) {
	for i := range x {
		if from != to {
			x[i] = f.Cast(from, to, x[i])
		}
	}
}

// EmptyReduction returns the result of a line without elements, for ops that have one. A sum is +0.
func EmptyReduction(by Op, d DType) uint64 {
	if by == OpAdd {
		return 0
	}
	bits, _ := by.Info().Identity(d)
	return bits
}

// WideBound returns the bound of the results of a min or max of integers computed in a wider type, as an element of that type. It concerns
// exclusive scans and ragged rows: the result of no elements is the identity of the wider type, which the narrow type does
// not have.
func WideBound(op Op, a *Attr, d DType) (bits uint64, ok bool) {
	info := op.Info()
	empty := info.Kind == Scan && a.Exclusive || info.Ragged
	if empty && Ints.Has(d) && (info.By == OpMin || info.By == OpMax) {
		return info.By.Info().Identity(d)
	}
	return 0, false
}

// NoElements returns the error of an op that needs an element of an empty axis; of describes the array, and what says what the element is for.
func NoElements(axis int, of, what string) error {
	return fmt.Errorf("axis %d of %s has no elements%s: leave out empty arrays, or lengthen the axis by PadWith", axis, of, what)
}

// inferReduce returns the type of a reduction along some axes.
func inferReduce(op Op, a Attr, args []Type) (Type, error) {
	x, info := args[0], op.Info()
	if !info.Domain.Has(x.DType) {
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	if err := layout.CheckAxes(a.Axes, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	shape := Shape{}
	for i, n := range x.Shape {
		if !slices.Contains(a.Axes, i) {
			shape = append(shape, n)
		} else if e, ok := n.Int(); ok && e == 0 && (info.By == OpMin || info.By == OpMax) {
			return Type{}, NoElements(i, "shape "+x.Shape.String(), ", and no value is the least or greatest of none")
		}
	}
	return Type{x.DType, shape}, nil
}

// inferArgReduce returns the type of the indices along one axis.
func inferArgReduce(op Op, a Attr, args []Type) (Type, error) {
	t, err := inferReduce(op, a, args)
	if err != nil {
		return Type{}, err
	}
	if len(a.Axes) != 1 {
		return Type{}, fmt.Errorf("%d axes: it takes one", len(a.Axes))
	}
	if n, ok := args[0].Shape[a.Axes[0]].Int(); ok && int64(n) > findable {
		return Type{}, fmt.Errorf("a line of %d elements: it takes at most %d", n, int64(findable))
	}
	return Type{Int32, t.Shape}, nil
}

// inferReduceChunks returns the type of the chunks of the last axis, each of which is reduced to one element.
func inferReduceChunks(op Op, a Attr, args []Type) (Type, error) {
	x := args[0]
	if a.By.IsArgReduction() {
		t, err := inferReduceChunks(op, Attr{By: a.By.Info().By}, args)
		t.DType = Int32
		return t, err
	}
	if err := CheckReduce(a.By, x.DType); err != nil {
		return Type{}, err
	}
	if len(x.Shape) == 0 {
		return Type{}, errors.New("a scalar has no axis")
	}
	last := len(x.Shape) - 1
	n, ok := x.Shape[last].Int()
	if !ok || n == 0 {
		return Type{}, fmt.Errorf("the last axis of %s is not a number above 0", x.Shape)
	}
	if n <= ReduceChunk {
		return Type{x.DType, x.Shape[:last:last]}, nil
	}
	return Type{x.DType, append(Shape{Fixed(Chunks(n))}, x.Shape[:last]...)}, nil
}

// CheckReduce returns an error unless an op combines elements of a type into one, or selects one of them.
func CheckReduce(by Op, d DType) error {
	if by.IsArgReduction() {
		by = by.Info().By
	}
	if !by.IsElementwise() || by.Info().Identity == nil || !by.Info().Commutative {
		return fmt.Errorf("nothing reduces by %s", by)
	}
	switch got, err := by.ResultType(Invalid, d, d); {
	case err != nil:
		return fmt.Errorf("by %s: %w", by, err)
	case got != d:
		return fmt.Errorf("by %s: %s becomes %s", by, d, got)
	}
	return nil
}

// findable is the greatest number of elements of a line in which one is selected: indices are Int32, many of which fit into a
// vector.
const findable = 1 << 31

// Chunks returns the number of chunks of a line of n elements.
func Chunks(n int) int { return n/ReduceChunk + min(n%ReduceChunk, 1) }

// ElementOf returns a size as an element of a type.
func ElementOf(d DType, n int) uint64 {
	if Reals.Has(d) {
		return FromFloat(d, float64(n))
	}
	return Wrap(d, int64(n))
}
