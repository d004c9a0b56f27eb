package form

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// TestPartitionCheaperThanGreedy checks on large random graphs that the chosen partition costs no more than a greedy
// one, whose segments are as long as possible.
func TestPartitionCheaperThanGreedy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		nodes, reach := 50+rnd.IntN(700), 2+rnd.IntN(60)
		f := &ir.Func{Name: "f"}
		var vals []*ir.Value
		for i := range 1 + rnd.IntN(20) {
			vals = append(vals, f.Param(fmt.Sprintf("p%d", i), ir.Type{DType: ir.Int32, Shape: ir.ShapeOf(3)}, nil))
		}
		for range nodes {
			pick := func() *ir.Value { return vals[len(vals)-1-rnd.IntN(min(reach, len(vals)))] }
			v, err := f.Add([]ir.Op{ir.OpAdd, ir.OpMul, ir.OpSub, ir.OpMax}[rnd.IntN(4)], ir.Attr{}, ir.Pos{}, pick(), pick())
			require.NoError(t, err)
			vals = append(vals, v)
		}
		f.Results = []*ir.Value{vals[len(vals)-1]}
		f.Sweep()
		cheaperThanGreedy(t, f)
	})
}

// cheaperThanGreedy checks one graph, whose body is a single component, in both orders.
func cheaperThanGreedy(t *rapid.T, f *ir.Func) {
	f.Number()
	fu := &fuser{s: &State{State: rewrite.State{Func: f}}, readers: make([]int32, len(f.Body))}
	fu.count()
	c := newPartitioner(fu.s, fu.readers)
	order := c.depthFirst(f.Body)
	require.ElementsMatch(t, f.Body, order)
	done := map[*ir.Value]bool{}
	for _, v := range order {
		for _, a := range v.Args {
			require.True(t, done[a] || !a.Op.IsComputed())
		}
		done[v] = true
	}
	for _, values := range [][]*ir.Value{f.Body, order} {
		greedy := cost{}
		for rest := values; len(rest) > 0; {
			n, traffic := 0, 0
			c.scan(rest, func(k, b int) { n, traffic = k, b })
			greedy.bytes += traffic + rewrite.LoopBytes
			greedy.squares += n * n
			rest = rest[n:]
		}
		cuts, _ := c.candidates(values)
		_, got := c.cheapest(values, cuts)
		require.False(t, greedy.less(got), "%v is more than %v", got, greedy)
	}
}

// TestNestingOfCopies checks that copies into slices of one result add only one layout to a nesting, because they
// differ only by offset. So the time to add a copy does not depend on how many there are.
func TestNestingOfCopies(t *testing.T) {
	f := &ir.Func{}
	x, placed := f.Param("x", ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(3)}, nil), map[*ir.Value]location{}
	n := nesting{placed: placed, space: new(layout.Space)}
	for i := range 100 {
		v, err := f.Add(ir.OpCopy, ir.Attr{}, ir.Pos{}, x)
		require.NoError(t, err)
		placed[v] = location{x, layout.Layout{Shape: []int{3}, Strides: []int{1}, Offset: 3 * i}}
		require.True(t, n.takes(v))
	}
	require.Len(t, n.layouts, 1)
}
