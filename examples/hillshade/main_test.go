package main

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/examples/hillshade/shade"
	"github.com/stridefuse/stridefuse/graph"
)

func TestRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "relief.png")
	var stdout strings.Builder
	require.NoError(t, run([]string{"-out", out}, &stdout))
	require.Contains(t, stdout.String(), "672 x 464 pixels from 87 x 61 elevations, copies = 0")
	f, err := os.Open(out)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, 672, img.Bounds().Dx())
}

// TestAgainstLoops compares every pixel with plain loops in float64.
func TestAgainstLoops(t *testing.T) {
	grid, err := load("")
	require.NoError(t, err)
	p, err := shade.Relief()
	require.NoError(t, err)
	require.Zero(t, p.Copies())
	got, err := render(p, grid, 10)
	require.NoError(t, err)
	require.Empty(t, p.Missing(), "each loop is one kernel, for the turned map too")
	img := picture(got)
	off := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			want := reference(grid, x, y)
			r := float64(img.NRGBAAt(x, y).R)
			require.InDelta(t, want, r, 1, "pixel %d,%d", x, y)
			if math.Round(want) != r {
				off++
			}
		}
	}
	require.Less(t, off, 100, "float32 rounds a pixel in a thousand the other way at most")
}

// reference computes the red of a pixel from the definition of the picture.
func reference(grid *graph.Tensor, x, y int) float64 {
	z := func(i, j int) float64 {
		v, err := graph.At[float32](grid, i, j)
		if err != nil {
			panic(err)
		}
		return float64(v)
	}
	light := func(i, j int) float64 { // at the inner point i, j
		i, j = i+1, j+1
		e := (z(i-1, j+1) + 2*z(i, j+1) + z(i+1, j+1) - z(i-1, j-1) - 2*z(i, j-1) - z(i+1, j-1)) / 80
		s := (z(i+1, j-1) + 2*z(i+1, j) + z(i+1, j+1) - z(i-1, j-1) - 2*z(i-1, j) - z(i-1, j+1)) / 80
		return max(0, (math.Sqrt(0.5)+0.5*e+0.5*s)/math.Sqrt(1+e*e+s*s))
	}
	lerp := func(a, b, t float64) float64 { return a + t*(b-a) }
	at := func(f func(i, j int) float64) float64 {
		i, j := y/shade.Zoom, x/shade.Zoom
		v, u := (float64(y%shade.Zoom)+0.5)/shade.Zoom, (float64(x%shade.Zoom)+0.5)/shade.Zoom
		return lerp(lerp(f(i, j), f(i, j+1), u), lerp(f(i+1, j), f(i+1, j+1), u), v)
	}
	lo, hi := 94.0, 195.0
	height := (at(func(i, j int) float64 { return z(i+1, j+1) }) - lo) / (hi - lo)
	return 255 * min(1, lerp(0.30, 0.98, height)*(0.25+0.75*at(light)))
}

func TestBadGrids(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	cases := []struct{ in, want string }{
		{file("hole.csv", "1,2,3,4\n1,,3,4\n"), "hole.csv:2: column 2: a hole: fill the value in or drop the row"},
		{file("small.csv", "1,2\n3,4\n"), "2 x 2 points: a relief needs 4 x 4"},
		{filepath.Join(dir, "none.csv"), "no such file"},
	}
	for _, c := range cases {
		require.ErrorContains(t, run([]string{"-in", c.in, "-out", filepath.Join(dir, "x.png")}, &strings.Builder{}), c.want)
	}
}
