package graph

import (
	"context"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Functions whose results have as many elements as the data says, which no program can know before it runs. They take
// tensors and belong at the edge of a program: what they return is the input of the next program, with a Dim as its
// extent.

// NonZero returns the indices of the elements of t that are not 0 (or are true), in row-major order, as NumPy and ONNX
// do: an Int64 tensor with a row for each axis and a column for each such element.
func NonZero(ctx context.Context, t *Tensor) (*Tensor, error) {
	places, err := truePlaces(ctx, t)
	if err != nil {
		return nil, err
	}
	rank := t.Rank()
	out := make([]int64, rank*len(places))
	for j, place := range places {
		index, err := t.UnravelIndex(int(place))
		if err != nil {
			return nil, err
		}
		for k, i := range index {
			out[k*len(places)+j] = int64(i)
		}
	}
	return Of(out, rank, len(places)), nil
}

// truePlaces returns the row-major indices of the elements that are not 0.
func truePlaces(ctx context.Context, t *Tensor) ([]int64, error) {
	p, err := Compile(Const(t).truth())
	if err != nil {
		return nil, err
	}
	mask, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	flags, err := Data[bool](mask)
	var out []int64
	for i, is := range flags {
		if is {
			out = append(out, int64(i))
		}
	}
	return out, err
}

// Compress returns the slices of t along an axis at which the vector mask is not 0, as NumPy and ONNX do. The mask may
// be shorter than the axis.
func Compress(ctx context.Context, t, mask *Tensor, axis int) (*Tensor, error) {
	if mask.Err() == nil && mask.Rank() != 1 {
		return nil, misuse("compress", "the mask has %d axes: it must be a vector", mask.Rank())
	}
	places, err := truePlaces(ctx, mask)
	if err != nil {
		return nil, err
	}
	p, err := Compile(Const(t).Take(axis, Of(places)))
	if err != nil {
		return nil, err
	}
	return p.Run(ctx)
}

// Distinct is the result of Unique.
type Distinct struct {
	Values *Tensor // each distinct element once, in ascending order, NaNs last
	First  *Tensor // Int64: the row-major index of each value's first element
	Places *Tensor // Int64, with the operand's shape: the index in Values of each element
	Counts *Tensor // Int64: how often each value occurs
}

// Unique returns the distinct elements of t. +0 and -0 count as one value; each NaN counts separately. Integers that lie
// close together are counted in a table, other elements are sorted.
func Unique(ctx context.Context, t *Tensor) (*Distinct, error) {
	none := Of([]int64{})
	if t.Err() == nil && t.Size() == 0 {
		return &Distinct{New(t.DType(), 0), none, New(Int64, t.Shape()...), none}, nil
	}
	if t.Err() == nil && ir.Ints.Has(t.DType()) && t.DType() != Uint64 {
		if d, err := uniqueIntegers(ctx, t); d != nil || err != nil {
			return d, err
		}
	}
	x := Const(t).Flatten()
	order := x.ArgSort(0)
	sorted := x.Take(0, order)
	begins := Concat(0, Fill(Bool, true, 1), sorted.Slice("1:").Ne(sorted.Slice(":-1")))
	outs, err := runAll(ctx, sorted, order, begins)
	if err != nil {
		return nil, err
	}
	at, err := Data[int64](outs[1])
	if err != nil {
		return nil, err
	}
	begin, err := Data[bool](outs[2])
	if err != nil {
		return nil, err
	}
	first, from, places := []int64{}, []int64{}, make([]int64, len(at))
	for i, place := range at {
		if begin[i] {
			first, from = append(first, place), append(from, int64(i))
		}
		places[place] = int64(len(first) - 1)
	}
	values, err := runAll(ctx, Const(outs[0]).Take(0, Of(from)))
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(from))
	for k := range from {
		end := int64(len(at))
		if k+1 < len(from) {
			end = from[k+1]
		}
		counts[k] = end - from[k]
	}
	return &Distinct{values[0], Of(first), Of(places, t.Shape()...), Of(counts)}, nil
}

// uniqueIntegers is Unique by a table of all integers from the least to the greatest one. It returns nil if that would be
// longer than twice the number of elements, and than few.
func uniqueIntegers(ctx context.Context, t *Tensor) (*Distinct, error) {
	const few = 1 << 16
	x := Const(t).Flatten().Cast(Int64)
	outs, err := runAll(ctx, x, x.Min(), x.Max())
	if err != nil {
		return nil, err
	}
	all, err := Data[int64](outs[0])
	if err != nil {
		return nil, err
	}
	least, err := At[int64](outs[1])
	if err != nil {
		return nil, err
	}
	greatest, err := At[int64](outs[2])
	if err != nil {
		return nil, err
	}
	width := uint64(greatest) - uint64(least)
	if width >= uint64(max(2*len(all), few)) {
		return nil, nil
	}
	numbers := make([]int64, width+1) // of each integer: how often it occurs, and then its index in the result
	for _, v := range all {
		numbers[v-least]++
	}
	values, counts := []int64{}, []int64{}
	for i, count := range numbers {
		if numbers[i] = int64(len(values)); count > 0 {
			values, counts = append(values, least+int64(i)), append(counts, count)
		}
	}
	first, places := slices.Repeat([]int64{-1}, len(values)), make([]int64, len(all))
	for i, v := range all {
		k := numbers[v-least]
		if places[i] = k; first[k] < 0 {
			first[k] = int64(i)
		}
	}
	typed, err := runAll(ctx, Const(Of(values)).Cast(t.DType()))
	if err != nil {
		return nil, err
	}
	return &Distinct{typed[0], Of(first), Of(places, t.Shape()...), Of(counts)}, nil
}

// runAll compiles and runs nodes without inputs.
func runAll(ctx context.Context, nodes ...Node) ([]*Tensor, error) {
	items := make([]Item, len(nodes))
	for i, n := range nodes {
		items[i] = n
	}
	p, err := Compile(items...)
	if err != nil {
		return nil, err
	}
	return p.RunAll(ctx)
}
