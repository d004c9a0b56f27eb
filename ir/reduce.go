package ir

import (
	"errors"
	"fmt"

	"slices"
)

// Reductions. A line is the elements along the reduced axes, in row-major order
// of those. It is folded by one tree, whatever the machine, the layout and the
// number of threads:
//
//   - the line is cut into chunks of FoldChunk elements, the last maybe shorter;
//   - in a chunk, element i belongs to lane i mod FoldLanes; each lane is folded
//     from its first element to its last; then lane b takes in lane b+16, for b
//     below 16, then b+8, +4, +2, +1 (FoldRow);
//   - the chunks' results are a line of their own, of float64 where the elements
//     are float32 and are added or multiplied, which is folded in the same way
//     until one element is left; that is rounded back.
//
// So the error of a float32 sum of n elements is at most 36 roundings of float32
// relative to the sum of magnitudes, whatever n, and those of float64 above the
// first level: see Reduction error in package graph.
const (
	FoldChunk = 1024
	FoldLanes = 32
)

// FoldRow folds one chunk, of at least one element.
func FoldRow(by Op, d DType, x []uint64) uint64 {
	ref := by.Info().Ref
	lanes := slices.Clone(x[:min(len(x), FoldLanes)])
	for i := FoldLanes; i < len(x); i++ {
		b := i % FoldLanes
		lanes[b] = ref(d, d, [3]uint64{lanes[b], x[i]})
	}
	for half := FoldLanes / 2; half > 0; half /= 2 {
		for b := half; b < min(len(lanes), 2*half); b++ {
			lanes[b-half] = ref(d, d, [3]uint64{lanes[b-half], lanes[b]})
		}
		lanes = lanes[:min(len(lanes), half)]
	}
	return lanes[0]
}

// PartialType is the element type of the chunks' results on the way up.
func PartialType(by Op, d DType) DType {
	if d == Float32 && (by == OpAdd || by == OpMul) {
		return Float64
	}
	return d
}

// FoldLine folds a line by the whole tree.
func FoldLine(by Op, d DType, x []uint64) uint64 {
	if len(x) == 0 {
		return EmptyFold(by, d)
	}
	at := d
	for {
		var partial []uint64
		for chunk := range slices.Chunk(x, FoldChunk) {
			partial = append(partial, FoldRow(by, at, chunk))
		}
		if len(partial) == 1 {
			return refCast(at, d, [3]uint64{partial[0]})
		}
		if up := PartialType(by, d); up != at {
			for i, p := range partial {
				partial[i] = refCast(at, up, [3]uint64{p})
			}
			at = up
		}
		x = partial
	}
}

// EmptyFold is the result of a line without elements. A sum is +0.
func EmptyFold(by Op, d DType) uint64 {
	if by == OpAdd {
		return 0
	}
	bits, _ := by.Info().Identity(d)
	return bits
}

// inferAlong returns the type of a reduction or a scan.
func inferAlong(op Op, a Attr, x Type) (Type, error) {
	info := op.Info()
	if !info.Domain.Has(x.DType) {
		return Type{}, fmt.Errorf("does not take %s: Cast to one of %s", x.DType, info.Domain&Running)
	}
	if op == OpFold {
		return inferFold(a, x)
	}
	if info.Kind == Scan {
		return x, checkAxes([]int{a.Axis}, 0, len(x.Shape))
	}
	if err := checkAxes(a.Axes, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	shape := Shape{}
	for i, n := range x.Shape {
		if !slices.Contains(a.Axes, i) {
			shape = append(shape, n)
			continue
		}
		if e, ok := n.Int(); ok && e == 0 && (op == OpAMin || op == OpAMax) {
			return Type{}, fmt.Errorf("axis %d of shape %s has no elements, and no value is the least or greatest of none", i, x.Shape)
		}
	}
	return Type{x.DType, shape}, nil
}

func inferFold(a Attr, x Type) (Type, error) {
	if !a.By.IsElementwise() || a.By.Info().Identity == nil || !a.By.Info().Commutative {
		return Type{}, fmt.Errorf("nothing folds by %s", a.By)
	}
	switch d, err := a.By.ResultType(Invalid, x.DType, x.DType); {
	case err != nil:
		return Type{}, fmt.Errorf("by %s: %w", a.By, err)
	case d != x.DType:
		return Type{}, fmt.Errorf("by %s: %s becomes %s", a.By, x.DType, d)
	}
	if len(x.Shape) == 0 {
		return Type{}, errors.New("a scalar has no axis")
	}
	last := len(x.Shape) - 1
	n, ok := x.Shape[last].Int()
	if !ok || n == 0 {
		return Type{}, fmt.Errorf("the last axis of %s is not a number above 0", x.Shape)
	}
	if n <= FoldChunk {
		return Type{x.DType, x.Shape[:last:last]}, nil
	}
	return Type{x.DType, append(Shape{Fixed(Chunks(n))}, x.Shape[:last]...)}, nil
}

// Chunks returns how many chunks a line of n elements has.
func Chunks(n int) int { return (n + FoldChunk - 1) / FoldChunk }

func evalReduce(v *Value, out Array, x Array) (Array, error) {
	l := RowMajor(x.Shape...)
	rank := len(x.Shape)
	var order, kept []int
	along := v.Attr.Axes
	if v.Op == OpFold {
		along = []int{rank - 1}
	}
	n := 1
	for i := range rank {
		if !slices.Contains(along, i) {
			order = append(order, i)
			kept = append(kept, x.Shape[i])
		}
	}
	for i := range rank {
		if slices.Contains(along, i) {
			order = append(order, i)
			n *= x.Shape[i]
		}
	}
	l, err := l.Permute(order...)
	if err != nil {
		return out, err
	}
	lines, err := NumElems(kept)
	if err != nil {
		return out, err
	}
	data := make([]uint64, 0, len(x.Data))
	for at := range l.All() {
		data = append(data, x.Data[at])
	}
	if v.Op == OpFold {
		out.Data = make([]uint64, Chunks(n)*lines)
		for i := range lines {
			for c := range Chunks(n) {
				end := min(n, (c+1)*FoldChunk)
				out.Data[c*lines+i] = FoldRow(v.Attr.By, x.DType, data[i*n+c*FoldChunk:i*n+end])
			}
		}
		return out, nil
	}
	for i := range lines {
		out.Data = append(out.Data, FoldLine(v.Op.Info().By, x.DType, data[i*n:(i+1)*n]))
	}
	return out, nil
}

// ElementOf returns a size as an element of a type.
func ElementOf(d DType, n int) uint64 {
	if Floats.Has(d) {
		return fromFloat(d, float64(n))
	}
	return wrap(d, int64(n))
}
