package layout

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// factorisations returns every shape of extents > 1 with that size; of size 0
// there is {0} only.
func factorisations(size int) [][]int {
	if size == 0 {
		return [][]int{{0}}
	}
	if size == 1 {
		return [][]int{{}}
	}
	var shapes [][]int
	for n := 2; n <= size; n++ {
		if size%n == 0 {
			for _, rest := range factorisations(size / n) {
				shapes = append(shapes, append([]int{n}, rest...))
			}
		}
	}
	return shapes
}

// affine reports whether strides exist under which shape enumerates locs: they
// can only be the differences one step along each axis makes.
func affine(locs, shape []int) bool {
	all := indices(shape)
	if len(all) != len(locs) {
		return false
	}
	if len(locs) == 0 {
		return true
	}
	strides := make([]int, len(shape))
	for p, index := range all {
		for k := range index {
			unit := make([]int, len(shape))
			unit[k] = 1
			if slices.Equal(index, unit) {
				strides[k] = locs[p] - locs[0]
			}
		}
	}
	return slices.Equal(locs, locations(Layout{shape, strides, locs[0]}))
}

// modest keeps the brute force fast.
var modest = anyLayout.Filter(func(l Layout) bool { return l.Size() <= 96 })

func TestCollapse(t *testing.T) {
	for _, c := range []struct{ l, want Layout }{
		{RowMajor(2, 1, 3), Layout{[]int{6}, []int{1}, 0}},
		{ColMajor(2, 3), Layout{[]int{2, 3}, []int{1, 2}, 0}},
		{Layout{[]int{2, 3}, []int{-3, -1}, 5}, Layout{[]int{6}, []int{-1}, 5}},
		{Layout{[]int{4, 5, 3}, []int{0, 0, 2}, 0}, Layout{[]int{20, 3}, []int{0, 2}, 0}},
		{Layout{[]int{1, 1}, []int{7, -7}, 3}, Layout{[]int{}, []int{}, 3}},
		{Layout{[]int{2, 0}, []int{7, 7}, 3}, Layout{[]int{0}, []int{1}, 3}},
	} {
		require.Equal(t, c.want, c.l.Collapse(), "%v", c.l)
	}
	rapid.Check(t, func(t *rapid.T) {
		l := modest.Draw(t, "l")
		f := l.Collapse()
		locs := locations(l)
		require.Equal(t, locs, locations(f))
		require.Equal(t, f, f.Collapse())
		for _, shape := range factorisations(l.Size()) {
			if len(shape) < f.Rank() {
				require.False(t, affine(locs, shape), "%v collapses further, to %v", l, shape)
			}
		}
		cuts := appendCuts(nil, l)
		require.Len(t, cuts, max(f.Rank()-1, 0))
		require.True(t, slices.IsSorted(cuts))
	})
}

func TestReshape(t *testing.T) {
	views, copies := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := modest.Draw(t, "l")
		locs := locations(l)
		shape := slices.Clone(rapid.SampledFrom(factorisations(l.Size())).Draw(t, "shape"))
		for range rapid.IntRange(0, 2).Draw(t, "ones") {
			shape = slices.Insert(shape, rapid.IntRange(0, len(shape)).Draw(t, "at"), 1)
		}
		v, ok := l.Reshape(shape...)
		require.Equal(t, affine(locs, shape), ok, "%v to %v", l, shape)
		if !ok {
			copies++
			return
		}
		views++
		require.Equal(t, shape, v.Shape)
		require.Equal(t, l.Offset, v.Offset)
		require.Equal(t, locs, locations(v))
		if l.Offset == 0 && l.IsRowMajor() {
			require.Equal(t, RowMajor(shape...), v)
		}
	})
	require.True(t, views > 10 && copies > 0, "%d views, %d copies", views, copies)
}

func TestReshapeRefuses(t *testing.T) {
	for _, shape := range [][]int{{}, {5}, {7}, {-2, -3}, {6, -1}, {0}, {math.MaxInt/2 + 1, math.MaxInt/2 + 1}, {math.MinInt, 6}} {
		_, ok := RowMajor(2, 3).Reshape(shape...)
		require.False(t, ok, "%v", shape)
	}
	_, ok := Layout{[]int{-1}, []int{1}, 0}.Reshape(0)
	require.False(t, ok, "a negative extent has no views")
}

// sameSize draws two or three layouts of one size: permuted, flipped, sliced
// and repeated axes of random factorisations of it.
var sameSize = rapid.Custom(func(t *rapid.T) []Layout {
	size := rapid.SampledFrom([]int{1, 2, 7, 8, 9, 12, 24, 30, 36, 48, 56, 63, 72}).Draw(t, "size")
	shapes := factorisations(size)
	ls := make([]Layout, rapid.IntRange(1, 3).Draw(t, "operands"))
	for i := range ls {
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")
		axes := drawPermutation(t, len(shape))
		inner := slices.Clone(shape)
		for to, from := range axes {
			inner[to] = shape[from]
		}
		l, err := RowMajor(inner...).Permute(axes...)
		require.NoError(t, err)
		for k := range l.Strides {
			l.Strides[k] *= rapid.SampledFrom([]int{1, 1, 1, 1, 1, -1, 0, 2}).Draw(t, "factor")
		}
		ls[i] = l
	}
	return ls
})

func TestRefine(t *testing.T) {
	chains, broken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		ls := sameSize.Draw(t, "ls")
		var common [][]int // every shape on which all the operands are affine
		for _, shape := range factorisations(ls[0].Size()) {
			if !slices.ContainsFunc(ls, func(l Layout) bool { return !affine(locations(l), shape) }) {
				common = append(common, shape)
			}
		}
		out, ok := Refine(ls...)
		require.Equal(t, len(common) > 0, ok, "%v", ls)
		if !ok {
			broken++
			return
		}
		chains++
		require.Len(t, out, len(ls))
		for i, l := range ls {
			require.Equal(t, out[0].Shape, out[i].Shape)
			require.Equal(t, locations(l), locations(out[i]))
		}
		for _, shape := range common { // the coarsest, and alone in that
			require.True(t, len(shape) > out[0].Rank() || slices.Equal(shape, out[0].Shape), "%v beats %v", shape, out)
		}
	})
	require.True(t, chains > 10 && broken > 0, "%d chains, %d broken", chains, broken)
}

// A transpose reshaped to one axis is no view, yet it walks along with a
// row-major vector without a copy.
func TestRefineTransposeWithVector(t *testing.T) {
	xT := ColMajor(4, 3)
	_, ok := xT.Reshape(12)
	require.False(t, ok)
	out, ok := Refine(xT, RowMajor(12))
	require.True(t, ok)
	require.Equal(t, []Layout{xT, RowMajor(4, 3)}, out)
}

func TestRefineEdges(t *testing.T) {
	out, ok := Refine()
	require.True(t, ok)
	require.Empty(t, out)

	_, ok = Refine(RowMajor(6), RowMajor(5))
	require.False(t, ok, "sizes differ")
	_, ok = Refine(ColMajor(2, 3), ColMajor(3, 2))
	require.False(t, ok, "cuts 3 and 2")

	out, ok = Refine(RowMajor(2, 0), RowMajor(0))
	require.True(t, ok)
	require.Equal(t, []Layout{RowMajor(0), RowMajor(0)}, out)
	out, ok = Refine(RowMajor(1, 1), RowMajor())
	require.True(t, ok)
	require.Equal(t, []Layout{RowMajor(), RowMajor()}, out)
}

func ExampleRefine() {
	xT := ColMajor(4, 3) // the transpose of a row-major {3,4}
	y := RowMajor(12)
	_, view := xT.Reshape(12)
	fmt.Println("x.T.reshape(12) is a view:", view)
	out, ok := Refine(xT, y)
	fmt.Println(ok, out[0], out[1])
	// Output:
	// x.T.reshape(12) is a view: false
	// true {4,3}:{1,4}+0 {4,3}:{3,1}+0
}
