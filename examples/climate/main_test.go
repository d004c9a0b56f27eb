package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestRun compares the output with examples/README.md, and requires a picture.
func TestRun(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	for _, name := range []string{"climate.png", "climate.svg", "climate.pdf"} {
		out := filepath.Join(t.TempDir(), name)
		var stdout strings.Builder
		require.NoError(t, run([]string{"-out", out}, &stdout))
		require.Contains(t, string(readme), "```\n"+stdout.String()+"```\n")
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.NotZero(t, info.Size(), name)
	}
	require.ErrorContains(t, run([]string{"-out", "climate.doc"}, &strings.Builder{}), "unsupported format")
}

// both returns the records and their programs.
func both(t *testing.T) (*compiled, []*record) {
	c, err := compile()
	require.NoError(t, err)
	air, err := read(co2, "co2.csv")
	require.NoError(t, err)
	sun, err := read(sunspots, "sunspots.csv")
	require.NoError(t, err)
	return c, []*record{air, sun, air.from(1961, 1962)}
}

func TestTrend(t *testing.T) {
	c, records := both(t)
	for _, r := range records {
		x := numbers(r.months)
		got, err := c.line(r.months)
		require.NoError(t, err)

		var mean, up, across float64
		for _, v := range x {
			mean += v / float64(len(x))
		}
		date := func(i int) float64 { return (float64(i) - float64(len(x)-1)/2) / 12 }
		for i, v := range x {
			up += date(i) * (v - mean)
			across += date(i) * date(i)
		}
		rest, season := make([]float64, len(x)), make([]float64, 12)
		for i, v := range x {
			rest[i] = v - mean - up/across*date(i)
			season[i%12] += rest[i] / float64(len(x)/12)
		}
		require.InDelta(t, up/across, got.slope, 1e-11)
		require.InDelta(t, mean, got.mean, 1e-11)
		require.InDeltaSlice(t, rest, got.rest, 1e-10)
		require.InDeltaSlice(t, season, got.season, 1e-10)
	}
	_, err := c.line(records[0].months.Slice(":-1"))
	require.ErrorContains(t, err, "series.go")
}

func TestRunningMean(t *testing.T) {
	c, records := both(t)
	for _, r := range records {
		x := numbers(r.months)
		for w, p := range map[int]*graph.Program{12: c.mean12, 13: c.mean13} {
			got, err := means(p, r.months)
			require.NoError(t, err)
			require.Len(t, got.means, len(x)-w+1)
			greatest := math.Inf(-1)
			for i, mean := range got.means {
				sum := 0.0
				for _, v := range x[i : i+w] {
					sum += v
				}
				require.InDelta(t, sum/float64(w), mean, 1e-9)
				require.InDelta(t, x[i+(w-1)/2]-mean, got.around[i], 1e-12)
				greatest = max(greatest, mean)
			}
			require.Equal(t, greatest, got.greatest)
			require.Equal(t, greatest, got.means[got.at])
		}
	}
}

func TestCorrelation(t *testing.T) {
	c, records := both(t)
	sun := records[1].months
	x := numbers(sun)
	for _, lag := range []int{0, 1, 125, 1000} {
		got, err := c.lagged(sun, 1500, lag)
		require.NoError(t, err)
		require.InDelta(t, pearson(x[:1500], x[lag:lag+1500]), got, 1e-12)
	}
	air := records[0].months
	got, err := c.correlate(air, sun.SliceAxis(0, -air.Size(), math.MaxInt, 1))
	require.NoError(t, err)
	require.InDelta(t, pearson(numbers(air), x[len(x)-air.Size():]), got, 1e-12)
	_, err = c.correlate(air, sun)
	require.ErrorContains(t, err, "2820 in axis 0 of this input and 468 in axis 0 of a")
}

func pearson(a, b []float64) float64 {
	n := float64(len(a))
	var meanA, meanB, ab, aa, bb float64
	for i := range a {
		meanA, meanB = meanA+a[i]/n, meanB+b[i]/n
	}
	for i := range a {
		ab += (a[i] - meanA) * (b[i] - meanB)
		aa += (a[i] - meanA) * (a[i] - meanA)
		bb += (b[i] - meanB) * (b[i] - meanB)
	}
	return ab / math.Sqrt(aa*bb)
}

func TestBadRecords(t *testing.T) {
	_, err := read([]byte("year,ppm\n1959,315\n"), "x.csv")
	require.ErrorContains(t, err, "x.csv: 1 lines of 2 numbers: expected whole years")
}
