package graph_test

import (
	"flag"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

var long = flag.Bool("long", false, "all numbers, sizes and random cases, and what takes minutes: docs/adding.md")

// TestFewBits rounds float32 numbers to 16, 8 and 4 bits on both engines: all of them with -long. A run of numbers with
// equal results is compared with the definition at its ends only, because the definition is monotonic (tested in
// package ir).
func TestFewBits(t *testing.T) {
	const chunk = 1 << 16
	step := uint64(1021 * chunk)
	if *long {
		step = chunk
	}
	x := graph.Input("x", graph.Float32, chunk)
	types := (ir.Minifloats | ir.SetOf(ir.Float16, ir.BFloat16)).List()
	for _, engine := range [][]graph.Item{nil, {graph.WithDebug(graph.Portable)}} {
		items := engine
		for _, d := range types {
			items = append(items, x.Cast(d).Bitcast(map[int]graph.DType{1: graph.Uint8, 2: graph.Uint16}[d.Size()]).Cast(graph.Uint16))
		}
		p, err := graph.Compile(items...)
		require.NoError(t, err)
		numbers := make([]float32, chunk)
		for from := uint64(0); from < 1<<32; from += step {
			for i := range numbers {
				numbers[i] = math.Float32frombits(uint32(from) + uint32(i))
			}
			outs, err := p.RunAll(t.Context(), graph.Of(numbers))
			require.NoError(t, err)
			for k, d := range types {
				got, err := graph.Data[uint16](outs[k])
				require.NoError(t, err)
				for i, bits := range got {
					if i == 0 || i == chunk-1 || bits != got[i-1] || bits != got[i+1] {
						want := ir.FromFloat(d, float64(numbers[i]))
						if got := uint64(bits); want != got && !(ir.IsNaN(d, want) && ir.IsNaN(d, got)) {
							require.Failf(t, "differs", "%v to %s: %#x, want %#x", numbers[i], d, bits, want)
						}
					}
				}
			}
		}
	}
}

// TestStored converts all elements of the stored types to all types, on both engines, and moves them.
func TestStored(t *testing.T) {
	for _, d := range ir.Stored.List() {
		all := make([]uint8, 1<<d.Bits())
		for i := range all {
			all[i] = uint8(ir.Wrap(d, int64(i)))
		}
		in := graph.Of(all).Bitcast(d)
		x := graph.Input("x", d, len(all))
		for _, to := range ir.AllTypes.List() {
			for _, engine := range [][]graph.Item{nil, {graph.WithDebug(graph.Portable)}} {
				p, err := graph.Compile(append(engine, x.Cast(to))...)
				require.NoError(t, err)
				y, err := p.Run(t.Context(), in)
				require.NoError(t, err)
				for i, got := range toArray(t, y).Data {
					got = ir.Wrap(to, int64(got))
					want := ir.RefCast(d, to, [3]uint64{ir.Wrap(d, int64(i))})
					require.True(t, want == got || ir.IsNaN(to, want) && ir.IsNaN(to, got), "%s %#x to %s: %#x, want %#x", d, i, to, got, want)
				}
			}
		}
		moved := graph.Concat(0, x.Flip(0), graph.Where(x.Cast(graph.Int32).Gt(0), x, x.Flip(0)).Slice("1:2"))
		p, err := graph.Compile(moved.Bitcast(graph.Uint8))
		require.NoError(t, err)
		y, err := p.Run(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, []int{len(all) + 1}, y.Shape())
		v, err := graph.At[uint8](y, 0)
		require.NoError(t, err)
		require.Equal(t, all[len(all)-1], v)
	}
	_, err := graph.Compile(graph.Input("x", graph.Int4, 3).Add(1))
	require.ErrorContains(t, err, "add: does not take int4: Cast to one of ")
	_, err = graph.Compile(graph.Input("x", graph.Float8E5M2, 3).Sum())
	require.ErrorContains(t, err, "does not take float8e5m2")
}
