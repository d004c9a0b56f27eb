package graph_test

import (
	"context"
	"fmt"
	"io"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// growing has formulas of about n ops, each with many instances of something that a pass looks at.
var growing = []struct {
	name  string
	nodes func(n int) []graph.Item
}{
	{"chain", func(n int) []graph.Item {
		y := f32("x", 1000)
		for i := range n / 2 {
			y = y.Mul(2).Add(float64(i))
		}
		return []graph.Item{y}
	}},
	{"diamonds", func(n int) []graph.Item {
		y := f32("x", 1000)
		for range n / 2 {
			y = y.Add(y.Mul(1.5))
		}
		return []graph.Item{y}
	}},
	{"outputs", func(n int) []graph.Item {
		x := f32("x", 1000)
		var out []graph.Item
		for i := range n {
			out = append(out, x.Mul(float64(i)+0.5))
		}
		return out
	}},
	{"shared", func(n int) []graph.Item { // one value that all loops recompute
		x := f32("x", 30, 40).Add(1)
		var out []graph.Item
		for i := range n {
			out = append(out, x.Mul(float64(i)+0.5))
		}
		return out
	}},
	{"params", func(n int) []graph.Item {
		y := f32("x", 100)
		for i := range n {
			y = y.Add(f32(fmt.Sprint("p", i), 100))
		}
		return []graph.Item{y}
	}},
	{"captured", func(n int) []graph.Item {
		y := f32("x", 10)
		for range n {
			y = y.Add(graph.Ones(graph.Float32, 10))
		}
		return []graph.Item{y}
	}},
	{"views", func(n int) []graph.Item {
		y := f32("x", 40, 40)
		for i := range n / 5 {
			y = y.T().Add(y.Slice("::-1")).Reshape(1600).Reshape(40, 40).Mul(float64(i))
		}
		return []graph.Item{y}
	}},
	{"shifts", func(n int) []graph.Item {
		x := f32("x", 100000)
		y := x.Slice("0:10")
		for i := range n / 2 {
			y = y.Add(x.Slice(fmt.Sprintf("%d:%d", i%99990, i%99990+10)))
		}
		return []graph.Item{y}
	}},
	{"broadcasts", func(n int) []graph.Item {
		y, row, col := f32("x", 30, 20), f32("row", 20), f32("col", 30, 1)
		for i := range n / 4 {
			y = y.Add(row.Mul(float64(i))).Mul(col.Add(float64(i)))
		}
		return []graph.Item{y}
	}},
	{"sums", func(n int) []graph.Item {
		y := f32("x", 100, 50)
		for range n / 3 {
			y = y.Sub(y.Sum(1, graph.KeepDims)).Mul(0.5)
		}
		return []graph.Item{y}
	}},
	{"softmax", func(n int) []graph.Item {
		y := f32("x", 64, 128)
		for range n / 8 {
			y = y.Softmax(1)
		}
		return []graph.Item{y}
	}},
	{"products", func(n int) []graph.Item {
		y, w := f32("x", 128, 64), f32("w", 64, 64)
		for range n / 3 {
			y = y.MatMul(w).Add(1).Maximum(0)
		}
		return []graph.Item{y}
	}},
	{"reductions", func(n int) []graph.Item {
		x := f32("x", 100, 50)
		var out []graph.Item
		for i := range n / 2 {
			out = append(out, x.Mul(float64(i)+0.5).Sum(1))
		}
		return out
	}},
	{"tree", func(n int) []graph.Item {
		var leaves []graph.Node
		x := f32("x", 1000)
		for i := range n / 2 {
			leaves = append(leaves, x.Mul(float64(i)+0.5))
		}
		for len(leaves) > 1 {
			var next []graph.Node
			for i := 0; i+1 < len(leaves); i += 2 {
				next = append(next, leaves[i].Add(leaves[i+1]))
			}
			if len(leaves)%2 > 0 {
				next = append(next, leaves[len(leaves)-1])
			}
			leaves = next
		}
		return []graph.Item{leaves[0]}
	}},
	{"crossed", func(n int) []graph.Item { // every value has near and distant readers
		x := f32("x", 1000)
		all := []graph.Node{x, x.Add(1)}
		for i := 2; i < n; i++ {
			all = append(all, all[i-1].Add(all[i*7919%i]))
		}
		return []graph.Item{all[len(all)-1]}
	}},
	{"scans", func(n int) []graph.Item {
		y := f32("x", 100, 50)
		for range n / 2 {
			y = y.CumSum(1).Mul(0.5)
		}
		return []graph.Item{y}
	}},
	{"training", func(n int) []graph.Item { return training(max(1, n/trainingOps)) }},
	{"sized", func(n int) []graph.Item { // many symbolic sizes
		var out []graph.Item
		for i := range n {
			out = append(out, graph.Input(fmt.Sprint("x", i), graph.Float32, graph.Dim(fmt.Sprint("n", i))).Add(1))
		}
		return out
	}},
}

// trainingOps is about the number of ops per layer of training.
const trainingOps = 44

// training returns a step of Adam for a network: forward, the gradients, and the new parameters and moments of each
// layer.
func training(layers int) []graph.Item {
	const batch, width = 32, 64
	x, target := f32("x", batch, width), f32("target", batch, width)
	weights, biases, values := make([]graph.Node, layers), make([]graph.Node, layers), []graph.Node{x}
	for i := range layers {
		weights[i], biases[i] = f32(fmt.Sprint("w", i), width, width), f32(fmt.Sprint("b", i), width)
		x = x.MatMul(weights[i]).Add(biases[i]).Maximum(0)
		values = append(values, x)
	}
	var out []graph.Item
	adam := func(name string, p, g graph.Node, dims ...any) {
		m, v := f32("m"+name, dims...), f32("v"+name, dims...)
		m = m.Mul(0.9).Add(g.Mul(0.1))
		v = v.Mul(0.999).Add(g.Mul(g).Mul(0.001))
		out = append(out, p.Sub(m.Mul(0.01).Div(v.Sqrt().Add(1e-8))), m, v)
	}
	diff := x.Sub(target)
	out = append(out, diff.Mul(diff).Mean())
	g := diff.Mul(2)
	for i := layers - 1; i >= 0; i-- {
		g = g.Mul(values[i+1].Gt(0).Cast(graph.Float32))
		adam(fmt.Sprint("w", i), weights[i], values[i].T().MatMul(g), width, width)
		adam(fmt.Sprint("b", i), biases[i], g.Sum(0), width)
		g = g.MatMul(weights[i].T())
	}
	return out
}

// footprint compiles and returns how many bytes that allocates, and how many remain.
func footprint(tb testing.TB, items []graph.Item) (objects, bytes, live int) {
	var before, after, kept goruntime.MemStats
	for range 3 { // the second collection clears pools
		goruntime.GC()
	}
	goruntime.ReadMemStats(&before)
	p, err := graph.Compile(items...)
	require.NoError(tb, err)
	goruntime.ReadMemStats(&after)
	goruntime.GC()
	goruntime.ReadMemStats(&kept)
	goruntime.KeepAlive(p)
	goruntime.KeepAlive(items)
	return int(after.Mallocs - before.Mallocs), int(after.TotalAlloc - before.TotalAlloc), int(kept.HeapAlloc) - int(before.HeapAlloc)
}

// The bytes that Compile allocates per node do not grow with the number of nodes: no pass keeps more for each node or
// copies all nodes repeatedly. The programs share no schedules, which would count. With -long they are three times as large.
func TestCompileAllocatesLinearly(t *testing.T) {
	const times = 8
	nodes := 300
	if *long {
		nodes = 1000
	}
	for _, g := range growing {
		var few, many [3]int
		measure := func(n int, most *[3]int) {
			for k, v := range measured(footprint(t, append(g.nodes(n), graph.WithWorkers(2)))) {
				most[k] = max(most[k], v)
			}
		}
		for turn := 0; ; turn++ {
			measure(nodes, &few)
			measure(times*nodes, &many)
			wrong := ""
			for k, what := range []string{"objects", "bytes", "bytes that stay"} {
				if float64(many[k]) >= 1.2*times*float64(few[k]) {
					wrong = fmt.Sprintf("%s: %d, and %d of %d times as many nodes", what, few[k], many[k], times)
				}
			}
			if wrong == "" {
				break
			}
			require.Less(t, turn, 2, "%s: %s", g.name, wrong) // memory of other tests may have been freed meanwhile
		}
	}
}

// The bytes that a first run, and all texts and pages, allocate per node do not grow with the number of nodes either.
// Comparing all outputs with all steps would show, because it makes texts or regions. -long tries all formulas, of more nodes.
func TestInspectAllocatesLinearly(t *testing.T) {
	const times = 4
	nodes := 100
	if *long {
		nodes = 250
	}
	uses := []struct {
		name string
		use  func(p *graph.Program) error
	}{
		{"run", func(p *graph.Program) error {
			var ins []*graph.Tensor
			for _, in := range p.Inputs() {
				shape, err := in.Shape.Bind(map[string]int{})
				if err != nil {
					return nil // the sizes don't fit
				}
				extents, _ := shape.Ints()
				ins = append(ins, graph.Ones(in.DType, extents...))
			}
			_, err := p.RunAll(context.Background(), ins...)
			return err
		}},
		{"Explain", func(p *graph.Program) error { _ = p.Explain(); return nil }},
		{"Dump", func(p *graph.Program) error { return p.Dump(io.Discard, "") }},
		{"WriteHTML", func(p *graph.Program) error { return p.WriteHTML(io.Discard) }},
		{"WriteDOT", func(p *graph.Program) error { return p.WriteDOT(io.Discard) }},
	}
	for _, g := range growing {
		if !*long && !slices.Contains([]string{"outputs", "shared", "params", "reductions"}, g.name) {
			continue
		}
		of := func(n int) []int {
			p, err := graph.Compile(append(g.nodes(n), graph.WithWorkers(1))...)
			require.NoError(t, err)
			objects := make([]int, len(uses))
			for i, u := range uses {
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				require.NoError(t, u.use(p))
				goruntime.ReadMemStats(&after)
				objects[i] = int(after.Mallocs - before.Mallocs)
			}
			return objects
		}
		few, many := of(nodes), of(times*nodes)
		for i, u := range uses {
			require.Less(t, float64(many[i]), 1.3*times*float64(few[i])+1000, "%s: %s", g.name, u.name)
		}
	}
}

// TestCompileOfFewOperations: a few operations take few objects. What only the passes need is memory of the graph before, which pools
// drop under the race detector.
func TestCompileOfFewOperations(t *testing.T) {
	if raceEnabled {
		t.Skip("pools drop memory")
	}
	items := growing[0].nodes(10)
	require.Equal(t, "chain", growing[0].name)
	require.LessOrEqual(t, irtest.Allocations(100, func() {
		_, err := graph.Compile(items...)
		require.NoError(t, err)
	}), 75.0)
}

// TestCompileAtOnce compiles graphs of all kinds on several goroutines, which share pooled memory. The plans are the
// same as when compiled alone.
func TestCompileAtOnce(t *testing.T) {
	plans := func(k int) string {
		var text strings.Builder
		for _, n := range []int{8, 40, 16} {
			p, err := graph.Compile(growing[k].nodes(n)...)
			if err == nil {
				err = p.Dump(&text, "schedule")
			}
			if err != nil {
				return err.Error()
			}
		}
		return text.String()
	}
	want := make([]string, len(growing))
	for k := range growing {
		want[k] = plans(k)
		require.Contains(t, want[k], "%", growing[k].name)
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range growing {
				k := (i*(g+1) + g) % len(growing)
				if plans(k) != want[k] {
					t.Errorf("%s has another plan beside others", growing[k].name)
				}
			}
		})
	}
	all.Wait()
}

func measured(objects, bytes, live int) [3]int { return [3]int{objects, bytes, live} }

func BenchmarkCompileShapes(b *testing.B) {
	for _, g := range growing {
		for _, n := range []int{10, 100, 1000, 2500, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", g.name, n), func(b *testing.B) {
				items := g.nodes(n)
				objects, bytes, live := footprint(b, items)
				for b.Loop() {
					if _, err := graph.Compile(items...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
				b.ReportMetric(float64(bytes)/float64(n), "B/node")
				b.ReportMetric(float64(live)/float64(n), "live/node")
				b.ReportMetric(float64(objects)/float64(n), "objects/node")
			})
		}
	}
}
