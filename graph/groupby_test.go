package graph_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestGroupBy compares statistics of groups with loops: keys of two columns, one of floats with NaNs, and values with NaNs
// in one or two columns.
func TestGroupBy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, width := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.IntRange(1, 2).Draw(t, "columns")
		some := rapid.SliceOfN(rapid.IntRange(-3, 3), n, n)
		cities, halves := some.Draw(t, "cities"), some.Draw(t, "halves")
		years := make([]float64, n)
		for i, h := range halves {
			if years[i] = float64(h) / 2; h == 3 {
				years[i] = math.NaN()
			}
		}
		dt := rapid.SampledFrom([]graph.DType{graph.Float64, graph.Float32, graph.Int16}).Draw(t, "dtype")
		values := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}), rapid.Map(rapid.IntRange(-9, 9), func(v int) float64 { return float64(v) + 1e4 })), n*width, n*width).Draw(t, "values")
		if dt == graph.Int16 {
			for i, v := range values {
				if values[i] = max(v, 0); v-v != 0 { // NaN and infinities
					values[i] = 7
				}
			}
		}
		ddof := rapid.IntRange(0, 2).Draw(t, "ddof")

		type key struct {
			city int
			year float64
		}
		rows := map[key][]int{}
		for i := range n {
			if years[i] == years[i] {
				rows[key{cities[i], years[i]}] = append(rows[key{cities[i], years[i]}], i)
			}
		}
		var keys []key
		for k := range rows {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b key) int {
			if a.city != b.city {
				return a.city - b.city
			}
			return int(2 * (a.year - b.year))
		})
		wide := make([]int64, n)
		for i, c := range cities {
			wide[i] = int64(c)
		}
		f, err := graph.Factorize(t.Context(), graph.Of(wide), graph.Of(years))
		require.NoError(t, err)
		require.Equal(t, len(keys), f.Len())
		for i, k := range keys {
			city, err := graph.At[int64](f.Values[0], i)
			require.NoError(t, err)
			year, err := graph.At[float64](f.Values[1], i)
			require.NoError(t, err)
			require.Equal(t, k, key{int(city), year})
			count, err := graph.At[int64](f.Counts, i)
			require.NoError(t, err)
			require.Equal(t, len(rows[k]), int(count))
		}

		count := any(f.Len())
		x := graph.Input("x", dt, graph.Dim("n"), width)
		codes := graph.Input("codes", graph.Int64, graph.Dim("n"))
		g := x.GroupBy(codes, count)
		p, err := graph.Compile(g.Count(), g.Sum(), g.Mean(), g.Min(), g.Max(), g.Var(ddof), g.Std(ddof), g.Size(), graph.WithInputs(x, codes))
		require.NoError(t, err)
		in := run(t, graph.Const(graph.Of(values, n, width)).Cast(dt))
		outs, err := p.RunAll(t.Context(), in, f.Codes)
		require.NoError(t, err)
		for i, k := range keys {
			size, err := graph.At[int64](outs[7], i)
			require.NoError(t, err)
			require.Equal(t, len(rows[k]), int(size))
			for c := range width {
				var numbers []float64
				sum, squares := 0., 0.
				for _, r := range rows[k] {
					if v := values[r*width+c]; v == v {
						numbers, sum = append(numbers, v), sum+v
					}
				}
				m := float64(len(numbers))
				for _, v := range numbers {
					squares += (v - sum/m) * (v - sum/m)
				}
				nan := math.NaN()
				want := []float64{m, sum, sum / m, nan, nan, nan, nan}
				if m > 0 {
					want[3], want[4] = slices.Min(numbers), slices.Max(numbers)
				}
				if int(m) > ddof {
					want[5], want[6] = squares/(m-float64(ddof)), math.Sqrt(squares/(m-float64(ddof)))
				}
				for s, w := range want {
					got, err := graph.At[float64](run(t, graph.Const(outs[s]).Cast(graph.Float64)), i, c)
					require.NoError(t, err)
					if w-w != 0 {
						require.True(t, got == w || got != got && w != w, "statistic %d of %v: %v", s, k, got)
						continue
					}
					require.InDelta(t, w, got, 1e-3, "statistic %d of %v", s, k)
				}
			}
		}
	})
}

func TestGroupByMistakes(t *testing.T) {
	x, codes := graph.Input("x", graph.Float32, 5), graph.Input("c", graph.Int64, 5)
	require.ErrorContains(t, x.GroupBy(codes.Cast(graph.Float32), 2).Sum().Err(), "groupby: codes float32[5]: they must be integers")
	require.ErrorContains(t, graph.Input("x", graph.Float32).GroupBy(codes, 2).Mean().Err(), "codes are a vector")
	require.ErrorContains(t, x.GroupBy(graph.Input("c", graph.Int64, 4), 2).Max().Err(), "groupby: float32[5] and codes int64[4]: give one code for each slice along the first axis")
	require.ErrorContains(t, x.GroupBy([]int64{0}, 2).Size().Err(), "groupby: ")
	_, err := graph.Factorize(t.Context())
	require.ErrorContains(t, err, "factorize: no columns")
	_, err = graph.Factorize(t.Context(), graph.Of([]int64{1}), graph.Of([]int64{1, 2}))
	require.ErrorContains(t, err, "column 1 has shape [2]")
	p, err := graph.Compile(x.GroupBy(codes, 2).Sum())
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.New(graph.Float32, 5), graph.Of([]int64{0, 1, 2, -1, 0}))
	require.ErrorContains(t, err, "run: groups: 2 at [2] of c int64[5] is outside -1 to 1: GroupBy takes more groups")
	err = p.RunInto(t.Context(), []*graph.Tensor{graph.Zeros(graph.Float32, 2)}, graph.New(graph.Float32, 5), graph.Of([]int64{0, 1, 2, -1, 0}))
	require.ErrorContains(t, err, "run: groups: 2 at [2] of c int64[5] is outside -1 to 1: GroupBy takes more groups")
}

// TestGroupByCodesOfAnyType: codes beyond the groups are errors in all integer types, also those that int64 lacks.
func TestGroupByCodesOfAnyType(t *testing.T) {
	x, codes := graph.Const(graph.Of([]float32{1, 2})), graph.Input("c", graph.Uint64, 2)
	p, err := graph.Compile(x.GroupBy(codes, 2).Sum())
	require.NoError(t, err)
	sums, err := p.Run(t.Context(), graph.Of([]uint64{1, 0}))
	require.NoError(t, err)
	require.Equal(t, "float32[2] [2. 1.]", shown(sums))
	for _, c := range []uint64{2, math.MaxInt64 - 1, math.MaxInt64, 1 << 63, math.MaxUint64} {
		_, err = p.Run(t.Context(), graph.Of([]uint64{1, c}))
		name := "c "
		if c >= math.MaxInt64-1 { // or greater
			name = ""
		}
		require.ErrorContains(t, err, fmt.Sprintf("groups: %d at [1] of %suint64[2] is outside -1 to 1", min(c, math.MaxInt64-1), name))
	}
	p, err = graph.Compile(x.GroupBy(graph.Input("c", graph.Int64, 2), 2).Sum())
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]int64{1, math.MaxInt64}))
	require.ErrorContains(t, err, "groups: 9223372036854775807 at [1] of c int64[2] is outside -1 to 1")
	symbolic := graph.Input("x", graph.Float32, graph.Dim("n"))
	require.ErrorContains(t, symbolic.GroupBy(graph.Of([]int64{0, 1}), 2).Mean().Err(), "make the codes an Input of [n]")
	p, err = graph.Compile(symbolic.GroupBy(graph.Input("c", graph.Int64, graph.Dim("n")), 2).Mean())
	require.NoError(t, err)
	means, err := p.Run(t.Context(), graph.Of([]float32{1, 2, 4}), graph.Of([]int64{1, 0, 1}))
	require.NoError(t, err)
	require.Equal(t, "float32[2] [2. 2.5]", shown(means))
	_, err = p.Run(t.Context(), graph.Of([]float32{1, 2, 4}), graph.Of([]int64{1, 0, 7}))
	require.ErrorContains(t, err, "groups: 7 at [2] of c int64[3] is outside -1 to 1")
}

// TestGroupByVarOfLarge: squares that overflow make the variance +Inf, as those of Var do.
func TestGroupByVarOfLarge(t *testing.T) {
	x := graph.Const(graph.Of([]float64{1e200, -1e200, 3e200}))
	require.Equal(t, "float64[1] [inf]", shown(run(t, x.GroupBy(graph.Const(graph.Of([]int64{0, 0, 0})), 1).Var(1))))
}
