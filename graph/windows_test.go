package graph_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// anyWindows has windows over an operand, and everything that may be wrong with them.
type anyWindows struct {
	extents, size []int
	o             graph.ConvOptions
	ceil, count   bool
}

// drawWindows draws options at the limits and beyond. Most options of a draw are valid, so that one mistake at a time
// is met.
func drawWindows(t *rapid.T) (w anyWindows) {
	odd := func(name string, lo, hi int, more ...int) int {
		if rapid.IntRange(0, 79).Draw(t, "odd") == 0 {
			return rapid.SampledFrom(more).Draw(t, name)
		}
		return rapid.IntRange(lo, hi).Draw(t, name)
	}
	for range rapid.IntRange(1, 3).Draw(t, "axes") {
		w.extents = append(w.extents, odd("extent", 3, 6, 0, 1, 2))
		w.size = append(w.size, odd("size", 1, 3, 0, 7, 8))
		w.o.Strides = append(w.o.Strides, odd("stride", 1, 3, 0, -1, 1<<30, 5))
		w.o.Dilations = append(w.o.Dilations, odd("dilation", 1, 2, 0, -1, 1<<30, 3))
		w.o.Before = append(w.o.Before, odd("before", 0, 2, -1, -2, -3, math.MinInt))
		w.o.After = append(w.o.After, odd("after", 0, 2, -1, -3, math.MaxInt))
		w.o.Extra = append(w.o.Extra, odd("extra", 0, 1, -1, math.MinInt))
	}
	w.o.Groups = odd("groups", 1, 3, 0, -1, 1<<30)
	w.o.ChannelsLast = rapid.Bool().Draw(t, "last")
	w.ceil, w.count = rapid.Bool().Draw(t, "ceil"), rapid.Bool().Draw(t, "count")
	return w
}

// groups returns the number of groups; 0 stands for 1.
func (w anyWindows) groups() int {
	if w.o.Groups == 0 {
		return 1
	}
	return w.o.Groups
}

// valid reports whether the options are valid by themselves.
func (w anyWindows) valid() bool {
	const most = 1 << 28
	for i := range w.size {
		if min(w.size[i], w.o.Strides[i], w.o.Dilations[i]) < 1 || max(w.o.Strides[i], w.o.Dilations[i]) > most {
			return false
		}
		for _, n := range []int{w.o.Before[i], w.o.After[i], w.o.Extra[i]} {
			if n < -most || n > most {
				return false
			}
		}
	}
	return w.groups() >= 1 && w.groups() <= most
}

// windows returns the number of windows along each axis; ok is false if an axis is too short for one.
func (w anyWindows) windows() (out []int, ok bool) {
	for i, n := range w.extents {
		before, after := w.o.Before[i], w.o.After[i]
		room := n + before + after - 1 - (w.size[i]-1)*w.o.Dilations[i]
		if max(0, -before)+max(0, -after) > n || room < 0 {
			return nil, false
		}
		out = append(out, room/w.o.Strides[i]+1)
	}
	return out, true
}

// element returns the spatial index of element at of window to.
func (w anyWindows) element(to, at []int) (from []int) {
	for i, j := range at {
		from = append(from, to[i]*w.o.Strides[i]+j*w.o.Dilations[i]-w.o.Before[i])
	}
	return from
}

// requireSame compares a graph on all engines with the elements of a definition. want is nil if the definition says
// that the arguments are a mistake.
func requireSame(t *rapid.T, y graph.Node, shape []int, want []int32) {
	if want == nil {
		require.Error(t, y.Err())
		return
	}
	require.NoError(t, y.Err())
	if y.DType() != graph.Int32 {
		y = y.Cast(graph.Int32)
	}
	for _, how := range []graph.Debug{graph.Verify, graph.Portable | graph.NoFusion} {
		p, err := graph.Compile(y, graph.WithDebug(how))
		require.NoError(t, err)
		out, err := p.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, shape, out.Shape())
		require.Equal(t, want, ints(t, out))
	}
}

// lastIf moves the channels of a grid to the end.
func (w anyWindows) lastIf(x graph.Node) graph.Node {
	if w.o.ChannelsLast {
		return x.MoveAxis(1, -1)
	}
	return x
}

// firstIf moves the channels of a result to the second axis.
func (w anyWindows) firstIf(x graph.Node) graph.Node {
	if w.o.ChannelsLast && x.Err() == nil {
		return x.MoveAxis(-1, 1)
	}
	return x
}

// TestAnyConv compares convolutions of any operands and options with their definitions: valid ones give the same sum on
// all engines, others are errors. Elements are small integers, whose sums are exact in any order.
func TestAnyConv(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindows(t)
		few := func(name string) int { return rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3, 0}).Draw(t, name) }
		n, c, m, g := few("n"), few("c"), few("m"), max(1, min(w.groups(), 5))
		in, out := c*g, m*g
		if rapid.IntRange(0, 9).Draw(t, "mismatch") == 0 {
			in, out = rapid.IntRange(0, 6).Draw(t, "in"), rapid.IntRange(0, 6).Draw(t, "out")
		}
		x := drawGrid(t, "x", append([]int{n, in}, w.extents...)...)
		k := drawGrid(t, "k", append([]int{out, c}, w.size...)...)
		var shape []int
		var want []int32
		if windows, ok := w.windowsIf(w.valid() && in == c*w.groups() && out%w.groups() == 0); ok {
			shape, want = append([]int{n, out}, windows...), []int32{}
			every(shape, func(to []int) {
				sum := int32(0)
				every(k.shape[1:], func(at []int) {
					from := append([]int{to[0], to[1]/(out/w.groups())*c + at[0]}, w.element(to[2:], at[1:])...)
					sum += x.at(0, from...) * k.at(0, append([]int{to[1]}, at...)...)
				})
				want = append(want, sum)
			})
		}
		xs, ks := w.lastIf(graph.Const(x.tensor())), graph.Const(k.tensor())
		requireSame(t, w.firstIf(xs.Conv(ks, w.o)), shape, want)
		requireSame(t, w.firstIf(xs.Cast(graph.Float32).Conv(ks.Cast(graph.Float32), w.o)), shape, want)
		requireSame(t, w.firstIf(xs.Cast(graph.Int8).ConvInteger(ks.Cast(graph.Int8), nil, nil, w.o)), shape, want)
	})
}

// windowsIf returns windows if ok is true.
func (w anyWindows) windowsIf(ok bool) ([]int, bool) {
	if !ok {
		return nil, false
	}
	return w.windows()
}

// TestAnyConvTranspose is TestAnyConv for transposed convolutions.
func TestAnyConvTranspose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindows(t)
		few := func(name string) int { return rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3, 0}).Draw(t, name) }
		n, c, m, g := few("n"), few("c"), few("m"), max(1, min(w.groups(), 5))
		in, channels := c*g, c*g
		if rapid.IntRange(0, 9).Draw(t, "mismatch") == 0 {
			in, channels = rapid.IntRange(0, 6).Draw(t, "in"), rapid.IntRange(0, 6).Draw(t, "channels")
		}
		x := drawGrid(t, "x", append([]int{n, in}, w.extents...)...)
		k := drawGrid(t, "k", append([]int{channels, m}, w.size...)...)
		shape := []int{n, m * w.groups()}
		ok := w.valid() && in == channels && channels%w.groups() == 0
		for i, d := range w.extents {
			if ok {
				shape = append(shape, (d-1)*w.o.Strides[i]+(w.size[i]-1)*w.o.Dilations[i]+1-w.o.Before[i]-w.o.After[i]+w.o.Extra[i])
				ok = w.o.Strides[i] <= 4096 && shape[2+i] > 0
			}
		}
		xs, ks := w.lastIf(graph.Const(x.tensor())), graph.Const(k.tensor())
		y, z := w.firstIf(xs.ConvTranspose(ks, w.o)), w.firstIf(xs.Cast(graph.Float32).ConvTranspose(ks.Cast(graph.Float32), w.o))
		if !ok {
			require.Error(t, y.Err())
			require.Error(t, z.Err())
			return
		}
		elements, err := layout.NumElems(shape)
		require.NoError(t, err)
		want := make([]int32, elements)
		every(x.shape, func(from []int) {
			every(k.shape[1:], func(at []int) {
				to := []int{from[0], from[1]/(channels/w.groups())*m + at[0]}
				for i, j := range at[1:] {
					to = append(to, from[2+i]*w.o.Strides[i]+j*w.o.Dilations[i]-w.o.Before[i])
				}
				if k0, err := layout.Ravel(shape, to...); err == nil {
					want[k0] += x.at(0, from...) * k.at(0, append([]int{from[1]}, at...)...)
				}
			})
		})
		requireSame(t, y, shape, want)
		requireSame(t, z, shape, want)
	})
}

// TestAnyPool compares poolings of any options with their definitions.
func TestAnyPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWindows(t)
		o := graph.PoolOptions{Size: w.size, Strides: w.o.Strides, Dilations: w.o.Dilations, Before: w.o.Before, After: w.o.After, Ceil: w.ceil, CountPadding: w.count}
		w.o.Groups, w.o.Extra = 1, make([]int, len(w.size))
		x := drawGrid(t, "x", append([]int{rapid.IntRange(0, 2).Draw(t, "n"), rapid.IntRange(0, 2).Draw(t, "c")}, w.extents...)...)
		windows, ok := w.windowsIf(w.valid() && min(slices.Min(o.Before), slices.Min(o.After)) >= 0)
		var shape []int
		var greatest, places, sums []int32
		var means []float64
		if ok {
			shape, greatest, places, sums, means = append(x.shape[:2:2], windows...), []int32{}, []int32{}, []int32{}, []float64{}
			for i, n := range w.extents {
				if room := n + o.Before[i] + o.After[i] - 1 - (w.size[i]-1)*o.Dilations[i]; w.ceil && room%o.Strides[i] != 0 && windows[i]*o.Strides[i] < n+o.Before[i] {
					shape[2+i]++
				}
			}
			every(shape, func(to []int) {
				best, place, sum, count := int32(math.MinInt32), int32(0), int32(0), 0.0
				every(w.size, func(at []int) {
					from := append([]int{to[0], to[1]}, w.element(to[2:], at)...)
					counts := w.count
					for i, k := range from[2:] {
						counts = counts && -o.Before[i] <= k && k < w.extents[i]+o.After[i]
					}
					k, err := layout.Ravel(x.shape, from...)
					if err == nil {
						if sum += x.data[k]; x.data[k] > best {
							best, place = x.data[k], int32(k)
						}
					}
					if err == nil || counts {
						count++
					}
				})
				greatest, places, sums, means = append(greatest, best), append(places, place), append(sums, sum), append(means, float64(sum)/count)
			})
		}
		in := graph.Const(x.tensor())
		requireSame(t, in.MaxPool(o), shape, greatest)
		requireSame(t, in.MaxPoolIndices(o), shape, places)
		if !ok {
			require.Error(t, in.Cast(graph.Float64).AvgPool(o).Err())
			require.Error(t, in.Cast(graph.Float64).LpPool(2, o).Err())
			return
		}
		require.NoError(t, in.Cast(graph.Float64).LpPool(2, o).Err())
		got, err := graph.Data[float64](run(t, in.Cast(graph.Float64).AvgPool(o)))
		require.NoError(t, err)
		for i := range means { // the counts of several axes are divided by one after the other
			require.True(t, math.Abs(got[i]-means[i]) <= 1e-12 || got[i] != got[i] && means[i] != means[i], "%v %v", got, means)
		}
	})
}
