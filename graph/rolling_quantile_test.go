package graph_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestRollingQuantile compares with quantiles of windows, bit for bit, along any axis, of fixed and symbolic sizes and of
// arrays that are cut into several lines.
func TestRollingQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 3, 10, 33}).Draw(t, "size")
		shape := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "shape")
		axis := rapid.IntRange(0, len(shape)).Draw(t, "axis")
		n := rapid.OneOf(rapid.IntRange(size, 3*size+2), rapid.IntRange(4090, 4110)).Draw(t, "n")
		shape = append(append(append([]int{}, shape[:axis]...), n), shape[axis:]...)
		dt := rapid.SampledFrom([]graph.DType{graph.Float64, graph.Float32, graph.Float16}).Draw(t, "dtype")
		in := run(t, graph.Const(graph.Normal(graph.Float64, rapid.Uint64().Draw(t, "seed"), 0, 3, shape...)).Cast(dt))
		extents := make([]any, len(shape))
		for k := range shape {
			extents[k] = shape[k]
		}
		if rapid.Bool().Draw(t, "symbolic") {
			extents[axis] = graph.Dim("n")
		}
		x := graph.Input("x", dt, extents...)
		if rapid.Bool().Draw(t, "with NaN and infinities") {
			x = graph.Where(x.Gt(6), math.NaN(), graph.Where(x.Lt(-5), math.Inf(-1), graph.Where(x.Gt(5), math.Inf(1), x)))
		}
		r, w := x.Rolling(axis, size), x.Window(axis, size, 1, 1)
		ints := x.Cast(graph.Int32)
		p, err := graph.Compile(r.Median(), w.Median(-1), r.Quantile(0.25), w.Quantile(0.25, -1), r.Quantile(1), w.Max(-1),
			ints.Rolling(axis, size).Median(), ints.Window(axis, size, 1, 1).Median(-1))
		require.NoError(t, err)
		outs, err := p.RunAll(t.Context(), in)
		require.NoError(t, err)
		for i := 0; i < len(outs); i += 2 {
			require.True(t, graph.Equal(outs[i], outs[i+1]), "statistic %d: %v and %v", i/2, outs[i], outs[i+1])
		}
	})
}

// TestRollingMinPeriods compares statistics without NaNs with their definition, by loops.
func TestRollingMinPeriods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 9, 64, 65, 90}).Draw(t, "size")
		least := rapid.IntRange(0, min(size, 5)).Draw(t, "least")
		data := rapid.SliceOfN(rapid.OneOf(rapid.Just(math.NaN()), rapid.Float64Range(-9, 9)), size, 3*size+4).Draw(t, "data")
		ddof, q := rapid.IntRange(0, 2).Draw(t, "ddof"), rapid.SampledFrom([]float64{0, 0.3, 0.5, 1}).Draw(t, "q")
		weights := make([]float64, size)
		for i := range weights {
			weights[i] = float64(i%4) + 1
		}
		r := graph.Const(graph.Of(data)).Rolling(0, size).MinPeriods(least)
		p, err := graph.Compile(r.Count().Cast(graph.Float64), r.Sum(), r.Mean(), r.Min(), r.Max(), r.Var(ddof), r.Std(ddof), r.Quantile(q), r.WeightedSum(graph.Of(weights)), r.WeightedMean(graph.Of(weights)))
		require.NoError(t, err)
		outs, err := p.RunAll(t.Context())
		require.NoError(t, err)
		for i := range len(data) - size + 1 {
			var numbers []float64
			sum, weighted, weight := 0., 0., 0.
			for j, v := range data[i : i+size] {
				if v == v {
					numbers, sum, weighted, weight = append(numbers, v), sum+v, weighted+weights[j]*v, weight+weights[j]
				}
			}
			n := float64(len(numbers))
			slices.Sort(numbers)
			squares := 0.
			for _, v := range numbers {
				squares += (v - sum/n) * (v - sum/n)
			}
			nan := math.NaN()
			want := []float64{n, sum, nan, nan, nan, nan, nan, nan, weighted, nan}
			if len(numbers) > 0 {
				at := q * (n - 1)
				low, high := numbers[int(at)], numbers[int(math.Ceil(at))]
				want = []float64{n, sum, sum / n, numbers[0], numbers[len(numbers)-1], nan, nan, low + (at-math.Floor(at))*(high-low), weighted, weighted / weight}
				if len(numbers) > ddof {
					want[5], want[6] = squares/(n-float64(ddof)), math.Sqrt(squares/(n-float64(ddof)))
				}
			}
			for k, out := range outs {
				if k > 0 && len(numbers) < least {
					want[k] = nan
				}
				got, err := graph.At[float64](out, i)
				require.NoError(t, err)
				if want[k] != want[k] {
					require.True(t, got != got, "statistic %d of window %d is %v, not NaN", k, i, got)
					continue
				}
				require.InDelta(t, want[k], got, 1e-6, "statistic %d of window %d", k, i)
			}
		}
	})
}

// TestExpWeighted compares with the definition: weighted sums of all elements up to each.
func TestExpWeighted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.OneOf(rapid.Just(math.NaN()), rapid.Float64Range(-9, 9)), 1, 40).Draw(t, "data")
		alpha := rapid.SampledFrom([]float64{0.1, 0.5, 0.9, 1}).Draw(t, "alpha")
		offset := rapid.SampledFrom([]float64{0, 1e6}).Draw(t, "offset")
		for i := range data {
			data[i] += offset
		}
		e := graph.Const(graph.Of(data)).ExpWeighted(0, alpha)
		p, err := graph.Compile(e.Sum(), e.Mean(), e.Var(), e.Std())
		require.NoError(t, err)
		outs, err := p.RunAll(t.Context())
		require.NoError(t, err)
		for i := range data {
			var sum, weight, second, squares float64
			each := func(f func(v, w float64)) {
				for j, v := range data[:i+1] {
					if v == v {
						f(v, math.Pow(1-alpha, float64(i-j)))
					}
				}
			}
			each(func(v, w float64) { sum, weight, second = sum+w*v, weight+w, second+w*w })
			mean := sum / weight
			each(func(v, w float64) { squares += w * (v - mean) * (v - mean) })
			variance := squares * weight / (weight*weight - second)
			want := []float64{sum, mean, variance, math.Sqrt(variance)}
			if weight == 0 {
				want[0] = math.NaN()
			}
			for k, out := range outs {
				got, err := graph.At[float64](out, i)
				require.NoError(t, err)
				switch {
				case k < 2 && (weight < 1e-9 || want[k] != want[k]), k >= 2 && weight*weight-second < 1e-6*weight*weight: // no number, or the loops know no digits
				default:
					require.InEpsilon(t, 1+math.Abs(want[k]), 1+math.Abs(got), 1e-6, "statistic %d at %d: %v, want %v", k, i, got, want[k])
				}
			}
		}
	})
}

// TestExpWeightedGaps: statistics keep their value over NaNs, also where the weights before a gap underflow. The numbers are those of
// pandas' ewm, but for the variance in a gap so long that its weights underflow, where pandas has NaN.
func TestExpWeightedGaps(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		gap   int
		alpha float64
		want  [3][6]float64 // mean, var and sum at 1, 2, the end of the gap, and the three elements after it
	}{
		{30, 0.5, [3][6]float64{
			{2.3333333333333335, 2.3333333333333335, 2.3333333333333335, 2.0000000002328306, 4.666666666123395, 4.666666666123395},
			{2, 2, 2, 0.5000000003104408, 7.999999996798579, 7.999999996798579},
			{3.5, 1.75, 3.259629011154175e-09, 2.0000000016298145, 7.000000000814907, 3.5000000004074536}}},
		{1200, 0.5, [3][6]float64{
			{2.3333333333333335, 2.3333333333333335, 2.3333333333333335, 2, 4.666666666666667, 4.666666666666667},
			{2, 2, 2, nan, 8, 8}, {3.5, 1.75, 0, 2, 7, 3.5}}},
		{1200, 1, [3][6]float64{{3, 3, 3, 2, 6, 6}, {nan, nan, nan, nan, nan, nan}, {3, 0, 0, 2, 6, 0}}},
	} {
		data := append([]float64{1, 3}, slices.Repeat([]float64{nan}, c.gap)...)
		e := graph.Const(graph.Of(append(data, 2, 6, nan))).ExpWeighted(0, c.alpha)
		p, err := graph.Compile(e.Mean(), e.Var(), e.Sum(), e.Std())
		require.NoError(t, err)
		outs, err := p.RunAll(t.Context())
		require.NoError(t, err)
		for k, want := range c.want {
			for i, at := range []int{1, 2, c.gap + 1, c.gap + 2, c.gap + 3, c.gap + 4} {
				got, err := graph.At[float64](outs[k], at)
				require.NoError(t, err)
				if want[i] != want[i] {
					require.True(t, math.IsNaN(got), "statistic %d at %d, gap %d: %v", k, at, c.gap, got)
				} else {
					require.InEpsilon(t, 1+want[i], 1+got, 1e-9, "statistic %d at %d, gap %d: %v", k, at, c.gap, got)
				}
			}
		}
	}
	x := graph.Const(graph.Of(append(append([]float32{1, 3}, slices.Repeat([]float32{float32(nan)}, 140)...), float32(nan))))
	mean := run(t, x.ExpWeighted(0, 0.5).Mean().Index(0, -1)) // the weights are subnormal in float32
	require.Equal(t, "float32[] 2.3333333", shown(mean))
}

// TestExpWeightedMistakes: an alpha out of range is an error in any Go type.
func TestExpWeightedMistakes(t *testing.T) {
	x := graph.Input("x", graph.Float32, 5)
	for _, alpha := range []any{0, 2, -1, uint8(3), 1.5, float32(1.5), math.NaN(), graph.Scalar(graph.Float32, 0)} {
		require.ErrorContains(t, x.ExpWeighted(0, alpha).Mean().Err(), "give one above 0 and at most 1", "%T %v", alpha, alpha)
	}
	require.NoError(t, x.ExpWeighted(0, 1).Mean().Err())
	require.NoError(t, x.ExpWeighted(0, float32(0.5)).Mean().Err())
}

// TestRollingQuantileOfLargeWindows: quartiles of windows whose places float32 rounds. Place 4194305.25 is a quarter of the way
// from the last 0 to the first 1.
func TestRollingQuantileOfLargeWindows(t *testing.T) {
	const size = 5592408
	data := make([]float32, size)
	for i := range data {
		data[i] = float32(i / 4194306)
	}
	require.Equal(t, "float32[1] [0.25]", shown(run(t, graph.Const(graph.Of(data)).Rolling(0, size).Quantile(0.75))))
}
