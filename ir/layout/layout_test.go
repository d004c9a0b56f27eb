package layout

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// indices returns every index of a shape in row-major order, by nested loops.
func indices(shape []int) [][]int {
	if len(shape) == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for i := 0; i < shape[0]; i++ {
		for _, rest := range indices(shape[1:]) {
			all = append(all, append([]int{i}, rest...))
		}
	}
	return all
}

// locations materialises a layout from its definition.
func locations(l Layout) []int {
	locs := []int{}
	for _, index := range indices(l.Shape) {
		at := l.Offset
		for k, i := range index {
			at += i * l.Strides[k]
		}
		locs = append(locs, at)
	}
	return locs
}

// requireView checks that v has the shape and, at every index, l's element at
// source(index).
func requireView(t require.TestingT, l, v Layout, shape []int, source func(index []int) []int) {
	require.Equal(t, shape, v.Shape)
	require.Len(t, v.Strides, len(shape))
	for _, index := range indices(shape) {
		require.Equal(t, l.At(source(index)...), v.At(index...), "%v of %v, index %v", v, l, index)
	}
	if v.Size() == 0 {
		require.Equal(t, l.Offset, v.Offset, "an empty view keeps the offset")
	}
}

var (
	anyExtent = rapid.SampledFrom([]int{0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9})
	anyShape  = rapid.SliceOfN(anyExtent, 0, 4)
	// wild holds the ints that break careless arithmetic.
	wild = rapid.OneOf(rapid.IntRange(-10, 10), rapid.Int(), rapid.SampledFrom(
		[]int{math.MinInt, math.MinInt + 1, math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, math.MaxInt>>31 + 1}))
)

// anyLayout draws dense layouts, layouts of arbitrary small strides, and views
// of views of both: slices of slices, diagonals, reshapes after permutes.
var anyLayout = rapid.Custom(func(t *rapid.T) Layout {
	l := RowMajor(anyShape.Draw(t, "shape")...)
	switch rapid.IntRange(0, 2).Draw(t, "base") {
	case 0:
		l = ColMajor(l.Shape...)
	case 1:
		l.Strides = rapid.SliceOfN(rapid.IntRange(-9, 9), l.Rank(), l.Rank()).Draw(t, "strides")
	}
	l.Offset = rapid.IntRange(-5, 50).Draw(t, "offset")
	for range rapid.IntRange(0, 4).Draw(t, "views") {
		l = drawView(t, l)
	}
	return l
})

func drawView(t *rapid.T, l Layout) Layout {
	var v Layout
	var err error
	axis := rapid.IntRange(0, max(l.Rank()-1, 0)).Draw(t, "axis")
	switch op := rapid.IntRange(0, 6).Draw(t, "op"); {
	case op == 0:
		v, err = l.Permute(drawPermutation(t, l.Rank())...)
	case op == 1:
		v, err = l.Unsqueeze(axis)
	case op == 2 && l.Size() < 100:
		v, err = l.Expand(append([]int{rapid.IntRange(1, 3).Draw(t, "lead")}, l.Shape...)...)
	case op == 3 && l.Rank() > 1:
		v, err = l.Diagonal(axis, (axis+1)%l.Rank(), rapid.IntRange(-2, 2).Draw(t, "k"))
	case op == 4 && l.Rank() > 0:
		v, err = l.Flip(axis)
	case op == 5 && l.Rank() > 0:
		v, err = l.Slice(drawSlice(t, l, axis))
	default:
		shapes := factorisations(l.Size())
		v = l
		if r, ok := l.Reshape(rapid.SampledFrom(shapes).Draw(t, "reshape")...); ok {
			v = r
		}
	}
	require.NoError(t, err)
	return v
}

func drawPermutation(t *rapid.T, rank int) []int {
	axes := make([]int, rank)
	for k := range axes {
		axes[k] = k
	}
	return rapid.Permutation(axes).Draw(t, "axes")
}

// drawSlice draws a valid slice of an axis, the arguments of Layout.Slice.
func drawSlice(t *rapid.T, l Layout, axis int) (a, begin, n, step int) {
	extent := l.Shape[axis]
	step = rapid.SampledFrom([]int{1, 1, 2, 3, -1, -2, 7}).Draw(t, "step")
	if extent == 0 {
		return axis, 0, 0, step
	}
	begin = rapid.IntRange(0, extent-1).Draw(t, "begin")
	most := 0
	for i := begin; i >= 0 && i < extent; i += step {
		most++
	}
	return axis, begin, rapid.IntRange(0, most).Draw(t, "n"), step
}

func TestLayoutDense(t *testing.T) {
	require.Equal(t, Layout{[]int{2, 1, 3}, []int{3, 3, 1}, 0}, RowMajor(2, 1, 3))
	require.Equal(t, Layout{[]int{2, 1, 3}, []int{1, 2, 2}, 0}, ColMajor(2, 1, 3))
	require.Equal(t, Layout{[]int{2, 0, 3}, []int{3, 3, 1}, 0}, RowMajor(2, 0, 3))
	require.Equal(t, "{4,3}:{1,4}+0", ColMajor(4, 3).String())
	require.Equal(t, "{}:{}-7", Layout{Offset: -7}.String())
	rapid.Check(t, func(t *rapid.T) {
		shape := anyShape.Draw(t, "shape")
		row, col := RowMajor(shape...), ColMajor(shape...)
		require.True(t, row.IsRowMajor())
		for k, at := range locations(row) {
			require.Equal(t, k, at)
		}
		reversed := slices.Clone(shape)
		slices.Reverse(reversed)
		for _, index := range indices(shape) {
			at := col.At(index...)
			slices.Reverse(index)
			require.Equal(t, RowMajor(reversed...).At(index...), at)
		}
	})
}

func TestLayoutFacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout.Draw(t, "l")
		locs := locations(l)
		require.Equal(t, len(locs), l.Size())
		require.Equal(t, locs, append([]int{}, slices.Collect(l.All())...))
		require.True(t, l.Equal(l.clone()))

		lo, hi := l.Bounds()
		if len(locs) == 0 {
			require.Greater(t, lo, hi)
			require.Zero(t, l.Span())
			require.True(t, l.IsRowMajor())
			return
		}
		require.Equal(t, slices.Min(locs), lo)
		require.Equal(t, slices.Max(locs), hi)
		require.Equal(t, hi-lo+1, l.Span())

		ascending := true
		for k, at := range locs {
			ascending = ascending && at == locs[0]+k
		}
		require.Equal(t, ascending, l.IsRowMajor())
		for range l.All() {
			break // an early stop is obeyed
		}
	})
}

func TestNumElems(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  int
		err   string
	}{
		{nil, 1, ""},
		{[]int{2, 3, 4}, 24, ""},
		{[]int{0, 5}, 0, ""},
		{[]int{math.MaxInt}, math.MaxInt, ""},
		{[]int{2, -1}, 0, "shape [2 -1]: extent -1 of axis 1 is negative"},
		{[]int{0, math.MinInt}, 0, "negative"},
		{[]int{math.MaxInt, 2}, 0, fmt.Sprintf("shape [%d 2]: the product of its extents passes", math.MaxInt)},
		{[]int{math.MaxInt, 2}, 0, "passes"},
		{[]int{math.MaxInt/2 + 1, 4}, 0, "passes"},
		{[]int{math.MaxInt, 0, 3}, 0, "passes"}, // as NumPy
	} {
		n, err := NumElems(c.shape)
		require.Equal(t, c.want, n, "%v", c.shape)
		if c.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
}

func TestLayoutBoundsSaturate(t *testing.T) {
	lo, hi := Layout{[]int{3, 3}, []int{math.MaxInt, math.MinInt}, 5}.Bounds()
	require.Equal(t, [2]int{math.MinInt, math.MaxInt}, [2]int{lo, hi})
	require.Equal(t, math.MaxInt, Layout{[]int{3}, []int{math.MaxInt}, 0}.Span())
	require.Equal(t, math.MaxInt, Layout{[]int{2}, []int{math.MaxInt}, 0}.Span())
	require.Equal(t, math.MaxInt, Layout{[]int{2}, []int{math.MaxInt - 1}, 0}.Span())
	require.Equal(t, math.MaxInt-1, Layout{[]int{2}, []int{2 - math.MaxInt}, math.MaxInt}.Span())
	lo, hi = Layout{[]int{2}, []int{math.MinInt}, 0}.Bounds()
	require.Equal(t, [2]int{math.MinInt, 0}, [2]int{lo, hi})
	lo, hi = Layout{[]int{1}, []int{math.MinInt}, math.MinInt}.Bounds()
	require.Equal(t, [2]int{math.MinInt, math.MinInt}, [2]int{lo, hi})
	lo, _ = Layout{[]int{2}, []int{-1}, math.MinInt}.Bounds()
	require.Equal(t, math.MinInt, lo)
	_, hi = Layout{[]int{2}, []int{1}, math.MaxInt}.Bounds()
	require.Equal(t, math.MaxInt, hi)
	lo, hi = Layout{[]int{3}, []int{math.MaxInt}, math.MinInt}.Bounds()
	require.Equal(t, [2]int{math.MinInt, math.MaxInt - 1}, [2]int{lo, hi})
}

func TestRavel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := anyShape.Draw(t, "shape")
		for k, index := range indices(shape) {
			at, err := Ravel(shape, index...)
			require.NoError(t, err)
			require.Equal(t, k, at)
			back, err := Unravel(shape, k)
			require.NoError(t, err)
			require.Equal(t, index, back)
		}
	})
	for _, index := range [][]int{{2, 0}, {0, -1}, {0}, {0, 0, 0}, {0, 3}} {
		_, err := Ravel([]int{2, 3}, index...)
		require.Error(t, err)
	}
	for _, k := range []int{-1, 6, math.MaxInt, math.MinInt} {
		_, err := Unravel([]int{2, 3}, k)
		require.ErrorContains(t, err, "allowed is [0, 6)")
	}
	_, err := Unravel([]int{2, 0}, 0)
	require.Error(t, err)
}

func TestLayoutViews(t *testing.T) {
	insert := func(index []int, k, i int) []int { return slices.Insert(slices.Clone(index), k, i) }
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout.Draw(t, "l")
		original := l.clone()
		rank := l.Rank()

		axes := drawPermutation(t, rank)
		v, err := l.Permute(axes...)
		require.NoError(t, err)
		shape := make([]int, rank)
		for to, from := range axes {
			shape[to] = l.Shape[from]
		}
		requireView(t, l, v, shape, func(index []int) []int {
			source := make([]int, rank)
			for to, from := range axes {
				source[from] = index[to]
			}
			return source
		})

		// Unsqueeze then Squeeze of the same axes is the identity.
		at := rapid.IntRange(0, rank).Draw(t, "at")
		v, err = l.Unsqueeze(at)
		require.NoError(t, err)
		requireView(t, l, v, insert(l.Shape, at, 1), func(index []int) []int { return slices.Delete(slices.Clone(index), at, at+1) })
		back, err := v.Squeeze(at - rank - 1)
		require.NoError(t, err)
		require.Equal(t, l, back)

		v, err = l.Squeeze()
		require.NoError(t, err)
		require.NotContains(t, v.Shape, 1)
		require.Equal(t, locations(l), locations(v))

		if rank == 0 {
			return
		}
		axis := rapid.IntRange(0, rank-1).Draw(t, "axis")
		extent := l.Shape[axis]

		v, err = l.Flip(axis - rank)
		require.NoError(t, err)
		requireView(t, l, v, l.Shape, func(index []int) []int {
			source := slices.Clone(index)
			source[axis] = extent - 1 - index[axis]
			return source
		})

		_, begin, n, step := drawSlice(t, l, axis)
		v, err = l.Slice(axis, begin, n, step)
		require.NoError(t, err)
		shape = slices.Clone(l.Shape)
		shape[axis] = n
		requireView(t, l, v, shape, func(index []int) []int {
			source := slices.Clone(index)
			source[axis] = begin + index[axis]*step
			return source
		})

		if extent > 0 {
			i := rapid.IntRange(-extent, extent-1).Draw(t, "i")
			v, err = l.Index(axis, i)
			require.NoError(t, err)
			requireView(t, l, v, slices.Delete(slices.Clone(l.Shape), axis, axis+1), func(index []int) []int {
				return insert(index, axis, (i+extent)%extent)
			})
		}
		require.Equal(t, original, l, "no view changes its layout")
	})
}

// Slice grants exactly the progressions that stay on the axis.
func TestLayoutSliceGrants(t *testing.T) {
	for extent := range 5 {
		for begin := -1; begin <= 5; begin++ {
			for n := -1; n <= 6; n++ {
				for step := -6; step <= 6; step++ {
					fits := step != 0 && n >= 0
					for k := range n {
						at := begin + k*step
						fits = fits && at >= 0 && at < extent
					}
					_, err := RowMajor(extent).Slice(0, begin, n, step)
					require.Equal(t, fits, err == nil, "%d: %d indices from %d by %d", extent, n, begin, step)
				}
			}
		}
	}
}

func TestLayoutDiagonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout.Filter(func(l Layout) bool { return l.Rank() >= 2 }).Draw(t, "l")
		axes := drawPermutation(t, l.Rank())
		a, b, k := axes[0], axes[1], rapid.IntRange(-10, 10).Draw(t, "k")
		v, err := l.Diagonal(a, b-l.Rank(), k)
		require.NoError(t, err)
		n := 0 // count the pairs on the diagonal
		for i := range l.Shape[a] {
			for j := range l.Shape[b] {
				if j-i == k {
					n++
				}
			}
		}
		lo, hi := min(a, b), max(a, b)
		shape := slices.Delete(slices.Delete(slices.Clone(l.Shape), hi, hi+1), lo, lo+1)
		requireView(t, l, v, append(shape, n), func(index []int) []int {
			d := index[len(index)-1]
			source := slices.Clone(index[:len(index)-1])
			source = slices.Insert(source, lo, 0)
			source = slices.Insert(source, hi, 0)
			source[a], source[b] = d+max(-k, 0), d+max(k, 0)
			return source
		})
	})
}

func TestLayoutExpand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout.Filter(func(l Layout) bool { return l.Size() < 300 }).Draw(t, "l")
		lead := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 2).Draw(t, "lead")
		shape := append(slices.Clone(lead), l.Shape...)
		for k, n := range shape[len(lead):] {
			if n == 1 {
				shape[len(lead)+k] = rapid.IntRange(0, 3).Draw(t, "n")
			}
		}
		v, err := l.Expand(shape...)
		require.NoError(t, err)
		requireView(t, l, v, shape, func(index []int) []int {
			source := slices.Clone(index[len(lead):])
			for k, n := range l.Shape {
				if n == 1 {
					source[k] = 0
				}
			}
			return source
		})
	})
}

func TestLayoutViewErrors(t *testing.T) {
	l := RowMajor(2, 1, 3)
	fail := func(want string) func(Layout, error) {
		return func(v Layout, err error) { t.Helper(); require.EqualError(t, err, want); require.Equal(t, Layout{}, v) }
	}
	fail("permute: 2 axes [0 1] for shape [2 1 3] of rank 3; give each axis once")(l.Permute(0, 1))
	fail("permute: shape [2 1 3]: axis 0 is named twice")(l.Permute(0, 1, -3))
	fail("permute: shape [2 1 3]: axis 3 is outside rank 3: allowed are -3 to 2")(l.Permute(0, 1, 3))
	fail("slice: axis 2 of shape [2 1 3]: step 0; it must be positive or negative")(l.Slice(-1, 0, 1, 0))
	fail("slice: axis 2 of shape [2 1 3]: 2 indices from 1 by 2; they must lie in [0, 3)")(l.Slice(2, 1, 2, 2))
	fail("slice: axis 2 of shape [2 1 3]: -1 indices from 0 by 1; they must lie in [0, 3)")(l.Slice(2, 0, -1, 1))
	fail("index: -4 is outside axis 2 of shape [2 1 3]; allowed is [-3, 3)")(l.Index(2, -4))
	fail("flip: shape [2 1 3]: axis -4 is outside rank 3: allowed are -3 to 2")(l.Flip(-4))
	fail("flip: shape []: axis 0 of a scalar: it has none")(RowMajor().Flip(0))
	fail("expand: shape [2 1 3] to shape [1 4 3]: axis 0 cannot go from 2 to 1; only extents of 1 stretch")(l.Expand(1, 4, 3))
	fail("expand: shape [2 1 3] of rank 3 to shape [3] of rank 1; the rank may grow, not shrink")(l.Expand(3))
	fail("expand: shape [-1 2 1 3]: extent -1 of axis 0 is negative")(l.Expand(-1, 2, 1, 3))
	fail("diagonal: shape [2 1 3]: axis 0 is named twice")(l.Diagonal(0, -3, 0))
	fail("squeeze: axis 2 of shape [2 1 3] (rank 3) has extent 3; only extents of 1 can go")(l.Squeeze(1, -1))
	fail("unsqueeze: shape [2 1 3]: axis 5 is outside rank 5: allowed are -5 to 4")(l.Unsqueeze(0, 5))
	_, err := l.Expand(math.MaxInt/2+1, 2, 1, 3)
	require.ErrorContains(t, err, "passes")
}

// TestLayoutTotal calls everything with ints that break careless arithmetic;
// nothing may panic, and a view that is granted keeps to its layout's bounds.
func TestLayoutTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOfN(wild, 0, 4)
		shape := ints.Draw(t, "shape")
		l := RowMajor(shape...)
		if rapid.Bool().Draw(t, "strided") {
			l.Strides = rapid.SliceOfN(wild, len(shape), len(shape)).Draw(t, "strides")
			l.Offset = wild.Draw(t, "offset")
		}
		_ = ColMajor(shape...)
		_, _ = l.Span(), l.String()
		_, _ = l.IsRowMajor(), l.At(ints.Draw(t, "at")...)
		_, _ = l.Bounds()
		for range l.All() {
			break
		}
		axes, more := ints.Draw(t, "axes"), ints.Draw(t, "more")
		a, b, c, d := wild.Draw(t, "a"), wild.Draw(t, "b"), wild.Draw(t, "c"), wild.Draw(t, "d")
		_, _ = Ravel(shape, axes...)
		_, _ = Unravel(shape, a)
		_, _ = l.Reshape(more...)
		_ = l.Collapse()
		_, _ = Refine(l, RowMajor(more...))
		_, _, _ = IndexItem{Begin: a, End: b, Step: c, HasBegin: true, HasEnd: true}.Resolve(d)
		_, _ = l.Permute(axes...)
		_, _ = l.Squeeze(axes...)
		_, _ = l.Unsqueeze(axes...)
		_, _ = l.Flip(axes...)
		_, _ = l.Expand(more...)
		_, _ = l.Index(a, b)
		_, _ = l.Diagonal(a, b, c)
		_, _ = l.Slice(a, b, c, d)

		small := RowMajor(rapid.SliceOfN(anyExtent, 0, 3).Draw(t, "small")...)
		lo, hi := small.Bounds()
		inside := func(v Layout, err error) {
			if vlo, vhi := v.Bounds(); err == nil && v.Size() > 0 {
				require.True(t, lo <= vlo && vhi <= hi, "%v of %v", v, small)
			}
		}
		a, b = rapid.IntRange(-3, 3).Draw(t, "small a"), rapid.IntRange(-3, 3).Draw(t, "small b")
		inside(small.Slice(a, b, c, d))
		inside(small.Slice(a, b, rapid.IntRange(0, 9).Draw(t, "n"), d))
		inside(small.Index(a, b))
		inside(small.Diagonal(a, b, c))
	})
}

func ExampleLayout_Permute() {
	x := RowMajor(3, 4)
	transposed, _ := x.Permute(1, 0)
	fmt.Println(x)
	fmt.Println(transposed)
	// Output:
	// {3,4}:{4,1}+0
	// {4,3}:{1,4}+0
}
