package tensor

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// viewModel is an array the slow way: a function from index to element.
type viewModel struct {
	shape []int
	at    func(index []int) int32
}

// values lists the elements in row-major order.
func (m viewModel) values() []int32 {
	out, index := []int32{}, make([]int, len(m.shape))
	var walk func(axis int)
	walk = func(axis int) {
		if axis == len(m.shape) {
			out = append(out, m.at(index))
			return
		}
		for index[axis] = 0; index[axis] < m.shape[axis]; index[axis]++ {
			walk(axis + 1)
		}
	}
	walk(0)
	return out
}

// on returns the model of a view whose elements are m's at f(index).
func (m viewModel) on(shape []int, f func(index []int) []int) viewModel {
	return viewModel{shape, func(index []int) int32 { return m.at(f(index)) }}
}

func removeAxis(xs []int, k int) []int { return append(append([]int{}, xs[:k]...), xs[k+1:]...) }
func insertAxis(xs []int, k, x int) []int {
	return append(append(append([]int{}, xs[:k]...), x), xs[k:]...)
}

// drawView draws one view and returns it with its model.
func drawView(r *rapid.T, x *Tensor, m viewModel) (*Tensor, viewModel) {
	rank := len(m.shape)
	if rank == 0 {
		y := x.Unsqueeze(0)
		return y, m.on([]int{1}, func([]int) []int { return nil })
	}
	k := rapid.IntRange(0, rank-1).Draw(r, "axis")
	n := m.shape[k]
	axis := k - rapid.SampledFrom([]int{0, rank}).Draw(r, "from the end")
	switch rapid.SampledFrom([]string{"permute", "slice", "index", "flip", "expand", "diagonal", "squeeze", "unsqueeze", "reshape", "clone"}).Draw(r, "view") {
	case "permute":
		axes := rapid.Permutation(firstInts(rank)).Draw(r, "axes")
		shape := make([]int, rank)
		for to, from := range axes {
			shape[to] = m.shape[from]
		}
		y := x.Permute(axes...)
		return y, m.on(shape, func(index []int) []int {
			from := make([]int, rank)
			for to, a := range axes {
				from[a] = index[to]
			}
			return from
		})
	case "slice":
		begin, end := rapid.IntRange(-n-2, n+2).Draw(r, "begin"), rapid.IntRange(-n-2, n+2).Draw(r, "end")
		by := rapid.SampledFrom([]int{-3, -2, -1, 1, 2, 3}).Draw(r, "by")
		kept := pythonRange(begin, end, by, n)
		y := x.SliceAxis(axis, begin, end, by)
		return y, m.on(insertAxis(removeAxis(m.shape, k), k, len(kept)), func(index []int) []int {
			return insertAxis(removeAxis(index, k), k, kept[index[k]])
		})
	case "index":
		if n == 0 {
			break
		}
		i := rapid.IntRange(-n, n-1).Draw(r, "i")
		y := x.Index(axis, i)
		return y, m.on(removeAxis(m.shape, k), func(index []int) []int { return insertAxis(index, k, (i+n)%n) })
	case "flip":
		y := x.Flip(axis)
		return y, m.on(m.shape, func(index []int) []int { return insertAxis(removeAxis(index, k), k, n-1-index[k]) })
	case "expand":
		shape := append([]int{2}, m.shape...)
		if n == 1 {
			shape[k+1] = 3
		}
		y := x.Expand(shape...)
		return y, m.on(shape, func(index []int) []int {
			from := append([]int{}, index[1:]...)
			if n == 1 {
				from[k] = 0
			}
			return from
		})
	case "diagonal":
		b := rapid.IntRange(0, rank-1).Draw(r, "b")
		if b == k {
			break
		}
		off := rapid.IntRange(-4, 4).Draw(r, "off")
		length := 0
		for i := range n {
			if 0 <= i+off && i+off < m.shape[b] {
				length++
			}
		}
		shape := append(removeAxis(removeAxis(m.shape, max(k, b)), min(k, b)), length)
		y := x.Diagonal(off, axis, b)
		return y, m.on(shape, func(index []int) []int {
			i := index[len(index)-1]
			at := map[int]int{k: i + max(-off, 0), b: i + max(off, 0)}
			from := append([]int{}, index[:len(index)-1]...)
			from = insertAxis(from, min(k, b), at[min(k, b)])
			return insertAxis(from, max(k, b), at[max(k, b)])
		})
	case "squeeze":
		if n != 1 {
			break
		}
		y := x.Squeeze(axis)
		return y, m.on(removeAxis(m.shape, k), func(index []int) []int { return insertAxis(index, k, 0) })
	case "unsqueeze":
		y := x.Unsqueeze(k)
		return y, m.on(insertAxis(m.shape, k, 1), func(index []int) []int { return removeAxis(index, k) })
	case "reshape":
		flat, shape := m.values(), []int{-1}
		if k > 0 && m.shape[0] > 0 {
			shape = []int{m.shape[0], -1}
		}
		y := x.Reshape(shape...)
		if err := y.Err(); err != nil {
			require.ErrorContains(r, err, "call Contiguous first")
			y = x.Contiguous().Reshape(shape...)
		}
		shape[len(shape)-1] = len(flat) / max(1, productOf(shape[:len(shape)-1]))
		return y, viewModel{shape, func(index []int) int32 {
			at := 0
			for a, i := range index {
				at = at*shape[a] + i
			}
			return flat[at]
		}}
	}
	y := x.Clone()
	return y, m
}

func firstInts(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func productOf(xs []int) int {
	p := 1
	for _, x := range xs {
		p *= x
	}
	return p
}

// pythonRange lists list(range(n))[begin:end:by] from the definition in Python's
// reference: each bound below 0 counts from the end, then indices run from begin
// and stop before end, and those outside are not there.
func pythonRange(begin, end, by, n int) []int {
	if begin < 0 {
		begin = max(begin+n, -1)
		if by > 0 {
			begin = max(begin, 0)
		}
	}
	if end < 0 {
		end = max(end+n, -1)
	}
	kept := []int{}
	if by < 0 {
		begin = min(begin, n-1)
	}
	for i := begin; by > 0 && i < end || by < 0 && i > end; i += by {
		if 0 <= i && i < n {
			kept = append(kept, i)
		}
	}
	return kept
}

func TestViewsMatchModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 4).Draw(r, "shape")
		x := countedTensor(r, shape...)
		data := x.base
		next := int32(0)
		flat := (viewModel{shape, func([]int) int32 { next++; return next - 1 }}).values()
		m := viewModel{shape, func(index []int) int32 { return flat[sure(layout.Ravel(shape, index...))(r)] }}
		for range rapid.IntRange(1, 4).Draw(r, "steps") {
			if productOf(m.shape) > 2000 {
				break
			}
			x, m = drawView(r, x, m)
			require.NoError(r, x.Err())
			require.Equal(r, m.shape, x.Shape())
			require.Equal(r, m.values(), elementsOf[int32](r, x))
			c := x.Clone()
			require.Equal(r, m.values(), sure(Data[int32](c))(r))
			require.True(r, Equal(x, c) && Equal(c, x))
			if lo, hi := x.layout.Bounds(); x.base == data && x.Size() > 0 {
				require.True(r, 0 <= lo && hi < len(flat), "the view leaves its container")
			}
		}
	})
}

func TestSliceSpec(t *testing.T) {
	x := countedTensor(t, 2, 3, 4)
	for _, c := range []struct {
		spec string
		want string
	}{
		{"1, 2, 3", "int32[] 23"},
		{"..., 1", "int32[2,3]\n[[ 1  5  9]\n [13 17 21]]"},
		{"1, ..., ::-2", "int32[3,2]\n[[15 13]\n [19 17]\n [23 21]]"},
		{"0, 1, None", "int32[1,4]\n[[4 5 6 7]]"},
		{":, 5:, :", "int32[2,0,4] []"},
		{"-1, -1", "int32[4]\n[20 21 22 23]"},
		{"None, ..., 0, 0, 0, None", "int32[1,1]\n[[0]]"},
	} {
		require.Equal(t, c.want, x.Slice(c.spec).String(), c.spec)
	}
	require.Equal(t, `slice: "0,0,0,0" of int32[2,3,4]: items for 4 axes, and there are 3`, whyNot(t, x.Slice("0,0,0,0")))
	require.ErrorContains(t, x.Slice("2").Err(), "outside axis 0")
	require.ErrorContains(t, x.Slice("1;2").Err(), "index \"1;2\"")
	require.ErrorContains(t, x.SliceAxis(0, 0, 1, 0).Err(), "step 0")
	require.Equal(t, []int{2, 3, 2}, x.SliceAxis(-1, math.MaxInt, math.MinInt, -2).Shape())
}

func TestReshapeSaysWhy(t *testing.T) {
	x := countedTensor(t, 2, 3, 4)
	y := x.Permute(0, 2, 1)
	require.Equal(t, "reshape: int32[2,4,3] with strides [12 1 4] to [2,12] needs a copy: it joins axes 1 and 2, but stride 1 is not 3 times stride 4: call Contiguous first",
		whyNot(t, y.Reshape(2, -1)))
	require.Equal(t, []int{2, 2, 2, 3}, y.Reshape(2, 2, 2, 3).Shape())
	for want, err := range map[string]error{
		"only one extent may be -1":                      x.Reshape(-1, -1).Err(),
		"extent -2 of axis 0 is negative":                x.Reshape(-2, -1).Err(),
		"24 elements do not fit a shape of 5":            x.Reshape(5).Err(),
		"24 elements do not fit a shape of 7":            x.Reshape(-1, 7).Err(),
		"24 elements do not fit a shape of 0":            x.Reshape(-1, 0).Err(),
		"beside an extent of 0, -1 may be any number":    countedTensor(t, 0).Reshape(-1, 0).Err(),
		"reshape: int32[2,3,4] to []: 24 elements do no": x.Reshape().Err(),
	} {
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, []int{24}, x.Flatten().Shape())
	require.Zero(t, countedTensor(t, 1, 1).Reshape().Rank())
	require.Equal(t, []int{0, 5}, countedTensor(t, 3, 0).Reshape(-1, 5).Shape())
}

func TestExpandShares(t *testing.T) {
	x := Of([]float32{1, 2, 3}, 3, 1)
	y := x.BroadcastTo(2, 3, 2)
	require.Equal(t, []int{0, 1, 0}, y.Strides())
	require.NoError(t, y.Set(9, 0, 1, 0))
	require.Equal(t, "float32[2,3,2]\n[[[1. 1.]\n  [9. 9.]\n  [3. 3.]]\n\n [[1. 1.]\n  [9. 9.]\n  [3. 3.]]]", y.String())
	require.ErrorContains(t, x.Expand(2, 4, 2).Err(), "axis 0 cannot go from 3 to 4")
}

func TestBitcast(t *testing.T) {
	x := Of([]float32{1, -2, 0, 3}, 2, 2)
	bits := x.Bitcast(ir.Uint32)
	require.Equal(t, []uint32{0x3f800000, 0xc0000000, 0, 0x40400000}, elementsOf[uint32](t, bits))
	require.NoError(t, bits.Set(0x40000000, 0, 0))
	require.EqualValues(t, 2, sure(At[float32](x, 0, 0))(t))

	raw := x.Bitcast(ir.Uint8)
	require.Equal(t, []int{2, 8}, raw.Shape())
	require.EqualValues(t, 0x40000000, binary.NativeEndian.Uint32(elementsOf[uint8](t, raw)))
	require.True(t, Equal(x, raw.Bitcast(ir.Float32)))
	wide := x.Flip(0).Bitcast(ir.Int64)
	require.Equal(t, []int{2, 1}, wide.Shape())
	pair := func(a, b uint32) int64 {
		bytes := binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, a), b)
		return int64(binary.NativeEndian.Uint64(bytes))
	}
	require.Equal(t, []int64{pair(0, 0x40400000), pair(0x40000000, 0xc0000000)}, elementsOf[int64](t, wide))

	tail := Of([]uint8{9, 9, 9, 9, 1, 0, 1, 0}).Slice("4:")
	require.EqualValues(t, binary.NativeEndian.Uint32([]byte{1, 0, 1, 0}), sure(tail.Bitcast(ir.Int32).At(0))(t))
	require.Equal(t, []bool{true, false, true, false}, elementsOf[bool](t, tail.Bitcast(ir.Bool)))

	for want, err := range map[string]error{
		"call Contiguous first":                      x.T().Bitcast(ir.Int64).Err(),
		"the last axis has 2 times 4 bytes":          errOf(countedTensor(t, 2, 2).Bitcast(ir.Float32).rescaled(ir.Int64, 4, 16)),
		"axis 0 has stride 3, 12 bytes":              countedTensor(t, 2, 3).Slice(":, :2").Bitcast(ir.Int64).Err(),
		"a scalar has no axis to rescale":            countedTensor(t).Bitcast(ir.Int64).Err(),
		"does not lie on a multiple of 4: call Clon": raw.Slice("0, 1:5").Bitcast(ir.Int32).Err(),
		"neither 0 nor 1":                            raw.Bitcast(ir.Bool).Err(),
		"dtype 200 does not exist":                   x.Bitcast(200).Err(),
	} {
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, []int{0, 8}, countedTensor(t, 0, 2).Bitcast(ir.Uint8).Shape())
}
