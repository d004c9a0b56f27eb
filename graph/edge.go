package graph

import "context"

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

// Unique returns the distinct elements of t. +0 and -0 count as one value; each NaN counts separately.
func Unique(ctx context.Context, t *Tensor) (*Distinct, error) {
	none := Of([]int64{})
	if t.Err() == nil && t.Size() == 0 {
		return &Distinct{New(t.DType(), 0), none, New(Int64, t.Shape()...), none}, nil
	}
	x := Const(t).Flatten()
	sorted := x.Sort(0)
	begins := Concat(0, Fill(Bool, true, 1), sorted.Slice("1:").Ne(sorted.Slice(":-1")))
	p, err := Compile(sorted, x.ArgSort(0), begins)
	if err != nil {
		return nil, err
	}
	outs, err := p.RunAll(ctx)
	if err != nil {
		return nil, err
	}
	at, err := Data[int64](outs[1])
	if err != nil {
		return nil, err
	}
	d := &Distinct{}
	if d.Values, err = Compress(ctx, outs[0], outs[2], 0); err != nil {
		return nil, err
	}
	from, err := truePlaces(ctx, outs[2])
	first, counts, places := make([]int64, len(from)), make([]int64, len(from)), make([]int64, len(at))
	for k, begin := range from {
		end := int64(len(at))
		if k+1 < len(from) {
			end = from[k+1]
		}
		first[k], counts[k] = at[begin], end-begin
		for _, place := range at[begin:end] {
			places[place] = int64(k)
		}
	}
	d.First, d.Places, d.Counts = Of(first), Of(places, t.Shape()...), Of(counts)
	return d, err
}
