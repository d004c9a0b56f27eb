package nest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawAxes returns axes, some of them those of others with other extents.
func drawAxes(t *rapid.T, others []axis) (axes []axis) {
	for range rapid.IntRange(0, 3).Draw(t, "rank") {
		axes = append(axes, axis{rapid.IntRange(1, 4).Draw(t, "n"), rapid.SampledFrom([]int{-12, -3, -1, 0, 1, 2, 3, 4, 6, 8, 12, 16, 24}).Draw(t, "stride")})
	}
	if others != nil && rapid.Bool().Draw(t, "alike") {
		axes = slices.Clone(others)
		k := rapid.IntRange(0, len(axes)-1).Draw(t, "axis")
		axes[k].n = rapid.IntRange(1, 4).Draw(t, "n")
	}
	return axes
}

// drawRegion returns a region of axes and its bytes, each as often as it is there.
func drawRegion(t *rapid.T, axes []axis) (region, map[int]int) {
	var c checked
	places := []int{0}
	for _, a := range axes {
		var more []int
		for _, at := range places {
			for i := range a.n {
				more = append(more, at+i*a.stride)
			}
		}
		places = more
	}
	lo := rapid.IntRange(0, 40).Draw(t, "lo")
	bytes := map[int]int{}
	for _, at := range places {
		bytes[lo+at]++
	}
	r := newRegion(&c, lo, axes)
	require.False(t, c.bad)
	return r, bytes
}

// TestRegions compares what regions say with what their bytes say.
func TestRegions(t *testing.T) {
	told := map[string]int{}
	check := func(t *rapid.T) {
		axes := drawAxes(t, nil)
		r, rBytes := drawRegion(t, axes)
		s, sBytes := drawRegion(t, drawAxes(t, axes))
		common, outside := 0, 0
		for at, n := range sBytes {
			require.LessOrEqual(t, s.lo, at)
			require.Less(t, at, s.hi)
			if s.injective() {
				told["injective"]++
				require.Equal(t, 1, n)
			}
			if rBytes[at] > 0 {
				common++
			} else {
				outside++
			}
		}
		if r.apart(&s) {
			told["apart"]++
			require.Zero(t, common)
		}
		if r.contains(&s) {
			told["contains"]++
			require.Zero(t, outside)
		}
		var c checked
		wide := r.widen(&c, &s)
		for _, bytes := range []map[int]int{rBytes, sBytes} {
			for at := range bytes {
				require.True(t, wide.has(at), "%d", at)
			}
		}
		if union, ok := r.join(&c, &s); ok && common == 0 {
			told["join"]++
			for at := min(r.lo, s.lo); at < max(r.hi, s.hi); at++ {
				require.Equal(t, rBytes[at]+sBytes[at] > 0, union.has(at))
			}
		}
	}
	for range 20 {
		rapid.Check(t, check)
	}
	require.Len(t, told, 4, "%v", told)
}

// TestBoxAround puts a box around all of two rows and a part of each: it is the rows.
func TestBoxAround(t *testing.T) {
	var c checked
	rows, parts := newRegion(&c, 0, []axis{{2, 36}, {36, 1}}), newRegion(&c, 0, []axis{{2, 36}, {32, 1}})
	require.Equal(t, rows, boxAround(&c, []region{parts, rows}))
}

// has reports whether a byte is in a region, by looking at all of it.
func (r *region) has(at int) bool {
	if len(r.axes) == 0 {
		return at == r.lo
	}
	rest := *r
	rest.axes = r.axes[1:]
	for i := range r.axes[0].n {
		if rest.has(at - i*r.axes[0].stride) {
			return true
		}
	}
	return false
}
