//go:build unix

package graph_test

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// guarded is memory between pages without access.
type guarded []byte

func newGuarded(t *testing.T, n int) guarded {
	page := os.Getpagesize()
	n = (n + page - 1) / page * page
	region, err := unix.Mmap(-1, 0, n+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(region)) })
	require.NoError(t, unix.Mprotect(region[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(region[page+n:], unix.PROT_NONE))
	return guarded(region[page : page+n])
}

// tensor returns a tensor at the beginning of the memory, or at its end.
func (g guarded) tensor(dt graph.DType, shape []int, atEnd bool) *graph.Tensor {
	l := layout.RowMajor(shape...)
	n := l.Size() * dt.Size()
	if atEnd {
		return tensor.OfMemory(dt, l, g[len(g)-n:])
	}
	return tensor.OfMemory(dt, l, g[:n])
}

// TestIndicesBetweenPages runs every operation that takes indices with operands and results beside pages without
// access. On every engine an index outside its axis is an error and touches nothing.
func TestIndicesBetweenPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const rows, cols, most = 37, 9, 40
	xs, is, us, outs := newGuarded(t, rows*cols*4), newGuarded(t, most*2*8), newGuarded(t, most*cols*4), newGuarded(t, 1<<16)
	type operation struct {
		extent int // extent of the axis
		width  int // number of indices in a tuple
		of     func(x, i, u graph.Node) graph.Node
	}
	operations := map[string]operation{
		"take":         {rows, 1, func(x, i, _ graph.Node) graph.Node { return x.Take(0, i) }},
		"take, fused":  {rows, 1, func(x, i, u graph.Node) graph.Node { return x.Take(0, i).Mul(u).Exp() }},
		"take, summed": {rows, 1, func(x, i, u graph.Node) graph.Node { return x.Take(0, i).Sum(0) }},
		"columns":      {cols, 1, func(x, i, _ graph.Node) graph.Node { return x.Take(1, i) }},
		"of a view":    {rows, 1, func(x, i, _ graph.Node) graph.Node { return x.T().Flip(1).Take(1, i) }},
		"along": {rows, 1, func(x, i, _ graph.Node) graph.Node {
			return x.TakeAlong(0, i.Unsqueeze(1).BroadcastTo(i.Shape()[0], cols))
		}},
		"tuples":       {cols, 2, func(x, i, _ graph.Node) graph.Node { return x.GatherND(i, 0) }},
		"segment sum":  {rows, 1, func(_, i, u graph.Node) graph.Node { return u.SegmentSum(i, rows) }},
		"segment max":  {rows, 1, func(_, i, u graph.Node) graph.Node { return u.SegmentMax(i, rows) }},
		"counts":       {rows, 1, func(_, i, _ graph.Node) graph.Node { return i.BinCount(rows) }},
		"scatter rows": {rows, 1, func(x, i, u graph.Node) graph.Node { return x.ScatterND(i.Unsqueeze(1), u, graph.ScatterSet) }},
		"scatter by tuples": {cols, 2, func(x, i, u graph.Node) graph.Node {
			return x.ScatterND(i, u.Index(1, 0), graph.ScatterMin)
		}},
	}
	for op := graph.ScatterSet; op <= graph.ScatterMax; op++ {
		operations["scatter "+string('0'+rune(op))] = operation{rows, 1, func(x, i, u graph.Node) graph.Node {
			return x.Scatter(0, i.Unsqueeze(1).BroadcastTo(i.Shape()[0], cols), u, op)
		}}
	}
	outside := []int64{-1, -2, math.MinInt64, math.MaxInt64, 1 << 40, 1 << 61, 1<<61 + 3, -1 << 60}
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				n, atEnd := rapid.IntRange(1, most).Draw(r, "n"), rapid.Bool().Draw(r, "at the end")
				debugs := rapid.SampledFrom([]graph.Debug{0, graph.Portable, graph.TilingOnly, graph.NoFusion, graph.AVX2}).Draw(r, "engine")
				shape := []int{n}
				if op.width > 1 {
					shape = append(shape, op.width)
				}
				ins := graph.Feeds{"x": xs.tensor(graph.Float32, []int{rows, cols}, atEnd), "i": is.tensor(graph.Int64, shape, atEnd), "u": us.tensor(graph.Float32, []int{n, cols}, atEnd)}
				indices := unsafe.Slice((*int64)(unsafe.Pointer(&is[0])), len(is)/8)
				if atEnd {
					indices = indices[len(indices)-n*op.width:]
				}
				for k := range indices[:n*op.width] {
					indices[k] = rapid.Int64Range(0, int64(op.extent-1)).Draw(r, "index")
				}
				bad := rapid.Bool().Draw(r, "bad")
				if bad {
					wrong := rapid.SampledFrom(append(outside, rows, -rows)).Draw(r, "outside")
					indices[rapid.IntRange(0, n*op.width-1).Draw(r, "at")] = wrong
				}
				y := op.of(graph.Input("x", graph.Float32, rows, cols), graph.Input("i", graph.Int64, shape), graph.Input("u", graph.Float32, n, cols))
				p, err := graph.Compile(y, graph.WithDebug(debugs), graph.WithWorkers(rapid.IntRange(1, 3).Draw(r, "workers")))
				require.NoError(r, err)
				out, _ := y.Shape().Ints()
				var of []*graph.Tensor
				for _, in := range p.Inputs() {
					of = append(of, ins[in.Name])
				}
				err = p.RunInto(context.Background(), []*graph.Tensor{outs.tensor(y.DType(), out, atEnd)}, of...)
				if bad {
					require.ErrorContains(r, err, "index")
				} else {
					require.NoError(r, err)
				}
			})
		})
	}
}
