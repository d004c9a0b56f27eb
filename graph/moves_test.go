package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

// moved is a view of another array, by shape and strides.
type moved struct {
	shape, strides []int
	offset         int
}

// randomMove returns a view of an array by a few strided slices, flips, permutations and repeats, and the position of
// each of its elements.
func randomMove(r *rand.Rand, x graph.Node, m moved) (graph.Node, moved) {
	for range 1 + r.IntN(3) {
		m.shape, m.strides = slices.Clone(m.shape), slices.Clone(m.strides)
		axis := r.IntN(len(m.shape))
		if r.IntN(2) == 0 { // mostly narrow axes
			axis = len(m.shape) - 1
		}
		n := m.shape[axis]
		switch r.IntN(4) {
		case 0:
			step := []int{1, 2, 3, 4, 5, -1, -2, -3}[r.IntN(8)]
			from := r.IntN(n)
			count := n - from
			if step < 0 {
				count = from + 1
			}
			count = 1 + r.IntN((count-1)/max(step, -step)+1)
			end := fmt.Sprint(from + count*step)
			if from+count*step < 0 {
				end = ""
			}
			if step > 0 {
				end = fmt.Sprint(min(n, from+count*step))
			}
			spec := ""
			for range axis {
				spec += ":,"
			}
			x = x.Slice(fmt.Sprintf("%s%d:%s:%d", spec, from, end, step))
			m.offset += from * m.strides[axis]
			m.shape[axis], m.strides[axis] = count, m.strides[axis]*step
		case 1:
			x = x.Flip(axis)
			m.offset += (n - 1) * m.strides[axis]
			m.strides[axis] *= -1
		case 2:
			order, axes := r.Perm(len(m.shape)), []any{}
			for _, k := range order {
				axes = append(axes, k)
			}
			x = x.Permute(axes...)
			was := m
			m.shape, m.strides = nil, nil
			for _, k := range order {
				m.shape, m.strides = append(m.shape, was.shape[k]), append(m.strides, was.strides[k])
			}
		case 3:
			if len(m.shape) > 3 || slices.Contains(m.strides, 0) {
				continue
			}
			times := 1 + r.IntN(9)
			to := []any{}
			for _, e := range m.shape {
				to = append(to, e)
			}
			x = x.Unsqueeze(len(m.shape)).BroadcastTo(append(to, times)...)
			m.shape, m.strides = append(m.shape, times), append(m.strides, 0)
		}
	}
	return x, m
}

// Copies of strided, reversed or repeated elements, of all sizes, are compared with the positions of the elements.
// Memory around the result must not change.
func TestMoves(t *testing.T) {
	t.Run("u8", func(t *testing.T) { testMoves[uint8](t, graph.Uint8) })
	t.Run("u16", func(t *testing.T) { testMoves[uint16](t, graph.Uint16) })
	t.Run("u32", func(t *testing.T) { testMoves[uint32](t, graph.Uint32) })
	t.Run("u64", func(t *testing.T) { testMoves[uint64](t, graph.Uint64) })
}

func testMoves[T uint8 | uint16 | uint32 | uint64](t *testing.T, d graph.DType) {
	n := 60
	if *long {
		n = 200
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 11))
		shape := [][]int{{1 + r.IntN(5000)}, {1 + r.IntN(700), 1 + r.IntN(20)}, {1 + r.IntN(20), 1 + r.IntN(700)},
			{1 + r.IntN(40), 1 + r.IntN(40), 1 + r.IntN(8)}, {5000 + r.IntN(30000), 1 + r.IntN(9)}}[r.IntN(5)]
		elems, strides := 1, make([]int, len(shape))
		for k := len(shape) - 1; k >= 0; k-- {
			strides[k] = elems
			elems *= shape[k]
		}
		in := make([]T, elems+8)
		for i := range in {
			in[i] = T(r.Uint64())
		}
		in = in[r.IntN(8):][:elems:elems]
		extents := []any{}
		for _, e := range shape {
			extents = append(extents, e)
		}
		x := graph.Input("x", d, extents...)
		y, m := randomMove(r, x, moved{shape, strides, 0})
		want := gather(m, nil, in, 0, m.offset)
		way := []graph.Item{y.Materialize(), graph.WithWorkers(1 + r.IntN(2))}
		switch r.IntN(4) {
		case 0:
			way = append(way, graph.WithDebug(graph.Verify))
		case 1:
			way = append(way, graph.WithDebug(graph.Portable))
		}
		p, err := graph.Compile(way...)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		const guard = 64
		room := make([]T, len(want)+2*guard)
		for i := range room {
			room[i] = T(i * 5)
		}
		out := room[guard:][:len(want):len(want)]
		if err := p.RunInto(context.Background(), []*graph.Tensor{graph.Of(out, m.shape...)}, graph.Of(in, shape...)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(out, want) {
			t.Fatalf("seed %d: %v of %v moved wrong\n%s", seed, m, shape, p.Explain())
		}
		for i, v := range room {
			if (i < guard || i >= guard+len(want)) && v != T(i*5) {
				t.Fatalf("seed %d: %v of %v: element %d around the result of %d changed\n%s", seed, m, shape, i-guard, len(want), p.Explain())
			}
		}
		if slices.Equal(m.shape, shape) { // in place
			if err := p.RunInto(context.Background(), []*graph.Tensor{graph.Of(in, shape...)}, graph.Of(in, shape...)); err != nil {
				t.Fatalf("seed %d, in place: %v", seed, err)
			}
			if !slices.Equal(in, want) {
				t.Fatalf("seed %d: %v of %v moved wrong in place", seed, m, shape)
			}
		}
	}
}

// gather appends the elements of x in m, from an axis on.
func gather[T any](m moved, to, x []T, axis, at int) []T {
	if axis == len(m.shape) {
		return append(to, x[at])
	}
	for i := range m.shape[axis] {
		to = gather(m, to, x, axis+1, at+i*m.strides[axis])
	}
	return to
}
