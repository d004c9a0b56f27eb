package arrow

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/stridefuse/stridefuse/graph"
)

// This file makes arrays for results. Input: an allocator, a type and a number of rows. Output: an array and a tensor
// over the same memory, which a program writes with RunInto.

// New returns an array of n rows and a tensor over its values, both zeros. Fill the tensor with Program.RunInto before
// anyone else reads the array, and Release the array when it is not needed any more: the tensor may not be used then. If
// like is not nil, the array has n rows and the nulls of like, whose bits are copied. Types that are not numbers or
// times are an error.
func New(mem memory.Allocator, t arrow.DataType, n int, like arrow.Array) (arrow.Array, *graph.Tensor, error) {
	if mem == nil || t == nil {
		return nil, nil, errors.New("the allocator or the type of a new array is nil")
	}
	c, ok := columns[t.ID()]
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("an array of type %s: want numbers or times", t)
	case n < 0 || n > math.MaxInt32/c.dtype.Size():
		return nil, nil, fmt.Errorf("an array of %d rows: want 0 to %d, which have 2 GiB", n, math.MaxInt32/c.dtype.Size())
	case like != nil && like.Len() != n:
		return nil, nil, fmt.Errorf("an array of %d rows with the nulls of one of %d", n, like.Len())
	}
	values := memory.NewResizableBuffer(mem)
	defer values.Release()
	values.Resize(n * c.dtype.Size())
	clear(values.Bytes())
	buffers, nulls := []*memory.Buffer{nil, values}, 0
	all := like != nil && like.DataType().ID() == arrow.NULL // it has no bits
	if like != nil && like.NullN() > 0 && (all || like.Data().Buffers()[0] != nil) {
		bits := memory.NewResizableBuffer(mem)
		defer bits.Release()
		bits.Resize(int(bitutil.BytesForBits(int64(n))))
		clear(bits.Bytes())
		if !all {
			bitutil.CopyBitmap(like.Data().Buffers()[0].Bytes(), like.Data().Offset(), n, bits.Bytes(), 0)
		}
		buffers[0], nulls = bits, like.NullN()
	}
	data := array.NewData(t, n, buffers, nil, nulls, 0)
	defer data.Release()
	a := array.MakeFromData(data)
	tensor, err := Tensor(a)
	if err != nil {
		a.Release()
		return nil, nil, err
	}
	return a, tensor, nil
}
