package layout

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseIndex(t *testing.T) {
	full := IndexItem{Step: 1}
	for spec, want := range map[string][]IndexItem{
		":":                      {full},
		" : , :: ":               {full, full},
		"2:, 3, ::-1, ..., None": {{Step: 1, Begin: 2, HasBegin: true}, {Kind: PointIndex, At: 3}, {Step: -1}, {Kind: Ellipsis}, {Kind: NewAxis}},
		"-4:-1:+2":               {{Begin: -4, End: -1, Step: 2, HasBegin: true, HasEnd: true}},
		"None:None:None,newaxis": {full, {Kind: NewAxis}},
		"0:0":                    {{Step: 1, HasBegin: true, HasEnd: true}},
		" -1, ":                  {{Kind: PointIndex, At: -1}},
	} {
		got, err := ParseIndex(spec)
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", spec)
	}
}

func TestParseIndexErrors(t *testing.T) {
	const notItem = `not an integer, a range "begin:end:step", "...", "None" or "newaxis"`
	for spec, want := range map[string]string{
		"":                                 `"" at column 1: an item is missing; use : for a whole axis`,
		",":                                `"" at column 1: an item is missing; use : for a whole axis`,
		"1,,2":                             `"" at column 3: an item is missing; use : for a whole axis`,
		"1,,":                              `"" at column 3: an item is missing; use : for a whole axis`,
		" 2:, x y":                         `"x y" at column 6: ` + notItem,
		"1:b:2":                            `"b" at column 3: ` + notItem,
		"[:, 0]":                           `leave out the brackets: ":, 0"`,
		" [ 0":                             `leave out the brackets: "0"`,
		"1.5":                              `"1.5" at column 1: ` + notItem,
		"....":                             `"...." at column 1: ` + notItem,
		"..., 1, ...":                      `"..." at column 9: a second ellipsis; one is allowed`,
		":, 1: 9 : 0 ":                     `"0" at column 11: the step of a range must not be 0`,
		"1:2:3:4":                          `"1:2:3:4" at column 1: a range has at most three parts, begin:end:step`,
		"0, 1:1" + "000000000000000000000": `"1000000000000000000000" at column 6: the number passes int`,
	} {
		_, err := ParseIndex(spec)
		require.EqualError(t, err, fmt.Sprintf("index %q: %s", spec, want))
	}
}

// TestParseIndexTotal: no text panics, and what prints in the notation parses.
func TestParseIndexTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _ = ParseIndex(rapid.String().Draw(t, "text"))
		_, _ = ParseIndex(rapid.StringOf(rapid.SampledFrom([]rune(" ,.:-+019Nonewaxis\u00a0é"))).Draw(t, "near"))

		items := rapid.SliceOfN(anyItem, 1, 5).Draw(t, "items")
		texts := make([]string, len(items))
		for k, it := range items {
			texts[k] = itemText(it)
		}
		space := rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "space")
		got, err := ParseIndex(space + strings.Join(texts, space+","+space) + space)
		require.NoError(t, err)
		require.Equal(t, items, got)
	})
}

var anyItem = rapid.Custom(func(t *rapid.T) IndexItem {
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		return IndexItem{Kind: PointIndex, At: wild.Draw(t, "at")}
	case 1:
		return IndexItem{Kind: NewAxis}
	}
	it := IndexItem{Step: wild.Filter(func(s int) bool { return s != 0 }).Draw(t, "step")}
	if it.HasBegin = rapid.Bool().Draw(t, "has begin"); it.HasBegin {
		it.Begin = wild.Draw(t, "begin")
	}
	if it.HasEnd = rapid.Bool().Draw(t, "has end"); it.HasEnd {
		it.End = wild.Draw(t, "end")
	}
	return it
})

func itemText(it IndexItem) string {
	switch it.Kind {
	case PointIndex:
		return strconv.Itoa(it.At)
	case NewAxis:
		return "None"
	}
	begin, end := "", ""
	if it.HasBegin {
		begin = strconv.Itoa(it.Begin)
	}
	if it.HasEnd {
		end = strconv.Itoa(it.End)
	}
	return fmt.Sprintf("%s:%s:%d", begin, end, it.Step)
}

// pythonSlice lists the indices of range(n)[it] by asking of each index whether
// Python's definition of s[i:j:k] takes it.
func pythonSlice(it IndexItem, n int) []int {
	fromEnd := func(bound int) int {
		if bound < 0 {
			return bound + n
		}
		return bound
	}
	taken := []int{}
	if it.Step > 0 {
		first := 0
		if it.HasBegin {
			first = max(fromEnd(it.Begin), 0)
		}
		for x := 0; x < n; x++ {
			if x >= first && (x-first)%it.Step == 0 && (!it.HasEnd || x < fromEnd(it.End)) {
				taken = append(taken, x)
			}
		}
		return taken
	}
	first := n - 1
	if it.HasBegin {
		first = min(fromEnd(it.Begin), n-1)
	}
	for x := n - 1; x >= 0; x-- {
		if x <= first && (first-x)%it.Step == 0 && (!it.HasEnd || x > fromEnd(it.End)) {
			taken = append(taken, x)
		}
	}
	return taken
}

func requirePythonSlice(t require.TestingT, it IndexItem, n int) {
	begin, count, step := it.Resolve(n)
	got := []int{}
	for k := range count {
		got = append(got, begin+k*step)
	}
	if want := pythonSlice(it, n); len(want) != len(got) || len(want) > 0 && fmt.Sprint(want) != fmt.Sprint(got) {
		require.Equal(t, want, got, "%s of %d", itemText(it), n)
	}
	_, err := RowMajor(n).Slice(0, begin, count, step)
	require.NoError(t, err)
}

func TestResolve(t *testing.T) {
	for n := range 6 {
		for begin := -8; begin <= 8; begin++ {
			for end := -8; end <= 8; end++ {
				for _, step := range []int{-7, -3, -2, -1, 1, 2, 3, 7} {
					for has := range 4 {
						requirePythonSlice(t, IndexItem{Begin: begin, End: end, Step: step, HasBegin: has&1 != 0, HasEnd: has&2 != 0}, n)
					}
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		it := anyItem.Filter(func(it IndexItem) bool { return it.Kind == RangeIndex }).Draw(t, "item")
		requirePythonSlice(t, it, rapid.IntRange(0, 20).Draw(t, "n"))
		begin, count, step := it.Resolve(math.MaxInt)
		require.True(t, InsideSlice(begin, count, step, math.MaxInt))
	})
	begin, count, step := IndexItem{}.Resolve(4)
	require.Equal(t, [3]int{0, 4, 1}, [3]int{begin, count, step}, "the zero item is :")
	_, count, _ = IndexItem{Step: -1}.Resolve(-3)
	require.Zero(t, count)
}

func TestPlaceIndex(t *testing.T) {
	for _, c := range []struct {
		spec string
		rank int
		want []int
	}{
		{"1:", 3, []int{0}},
		{"0, 0, 0", 3, []int{0, 0, 0}},
		{":, 0, ::2", 3, []int{0, 1, 1}},
		{"0, ..., 1:", 4, []int{0, 0, 2}},
		{"..., None", 2, []int{0, 2}},
		{"None, :, 1, None, ..., None, 2:", 5, []int{0, 1, 2, 2, 3, 5, 6}},
		{"...", 0, []int{0}},
		{"None, None", 0, []int{0, 1}},
	} {
		items, err := ParseIndex(c.spec)
		require.NoError(t, err)
		axes, err := PlaceIndex(items, c.rank)
		require.NoError(t, err)
		require.Equal(t, c.want, axes, c.spec)
	}
	_, err := PlaceIndex([]IndexItem{{}, {Kind: NewAxis}, {Kind: PointIndex}}, 1)
	require.EqualError(t, err, "items for 2 axes, and there are 1")
}
