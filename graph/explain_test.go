package graph_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// explained returns the lines of Explain that begin with a word.
func explained(t *testing.T, about string, outputs ...graph.Item) (lines []string) {
	t.Helper()
	p, err := graph.Compile(outputs...)
	require.NoError(t, err)
	for l := range strings.Lines(p.Explain()) {
		if l, ok := strings.CutPrefix(l, "  "+about); ok {
			l, _, _ = strings.Cut(strings.TrimSpace(l), " // ")
			lines = append(lines, strings.TrimSpace(l))
		}
	}
	return lines
}

// TestExplainJoined: segments of a concatenation are computed in place, which is no copy; their bytes are written once.
func TestExplainJoined(t *testing.T) {
	x := f32("x", 100, 64)
	const part = "step 0 stores it: it is computed in its place of a concatenation, and not copied there"
	const read = "step 0 stores it for step 1 (sort): it is computed in its place of a concatenation, and not copied there"
	require.Equal(t, []string{"exp, 25 KiB: " + part, "sqrt, 25 KiB: " + part},
		explained(t, "materialized", graph.Concat(0, x.Exp(), graph.Concat(0, x.Sqrt()))))
	require.Equal(t, []string{"concat, 50 KiB: its parts are stored side by side in one array, which another loop reads", "exp, 25 KiB: " + read},
		explained(t, "materialized", graph.Concat(0, x.Exp(), x).Sort(1)))
}

// TestExplainReaders: a line about one result of a step does not name the readers of the step's other results. Here step 2
// reads only the sums of the rows. Reductions that another loop reads have lines too.
func TestExplainReaders(t *testing.T) {
	lines := explained(t, "materialized", f32("x", 512, 1000).Softmax(1).Sum(0), graph.WithWorkers(1))
	require.Len(t, lines, 2)
	require.Regexp(t, `^exp, 3.91 MiB: step 1 stores it for step 3 \(add\): `, lines[0])
	require.Regexp(t, `^reciprocal, 4 KiB: step 2 stores it for step 3 \(add\): `, lines[1])
	const why = ": a reduction is complete only at the end of its loop, and another loop reads it"
	require.Equal(t, []string{"max, 4 KiB: step 0 stores it for step 1 (add)" + why, "add, 4 KiB: step 1 stores it for step 2 (reciprocal)" + why},
		explained(t, "staged", f32("x", 512, 1000).Softmax(1).Sum(0), graph.WithWorkers(1)))
	require.Equal(t, []string{"add, 8 KiB: step 0 stores it for step 1 (sort)" + why}, explained(t, "materialized", f32("x", 100, 1024).Sum(0).Sort(0)))
}

// TestExplainReadersOfEach: two results of one step with the same op have readers of their own.
func TestExplainReadersOfEach(t *testing.T) {
	x, y := f32("x", 64, 64), f32("y", 64, 64)
	a, b := x.Add(y).Exp(), x.Sub(y).Exp()
	lines := strings.Join(explained(t, "materialized", a.Sort(1), b.ArgSort(1), a.Mul(b)), "\n")
	require.Contains(t, lines, "step 0 stores it for step 1 (")
	require.Contains(t, lines, "step 0 stores it for step 2 (")
	require.NotContains(t, lines, " and step ")
}

// TestExplainParted: what several steps store is the result of them all, and a step names its own part so.
func TestExplainParted(t *testing.T) {
	x := f32("x", 100, 64)
	p, err := graph.Compile(graph.Concat(0, x.Exp(), x.T().Reshape(100, 64).Sqrt()).Sort(1))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^  reads   the result of steps 0 and 1 `, p.ExplainStep(2))
	require.Regexp(t, `(?m)^  stores  its result, read by step 2 \(sort\) `, p.ExplainStep(0))
}

// TestExplainKernels: the kernels of Explain have the names by which the schedule calls them.
func TestExplainKernels(t *testing.T) {
	p, err := graph.Compile(f32("x", 100, 64).T().Add(f32("y", 64, 100)).Tanh().Sum(0), graph.WithDebug(graph.TilingOnly))
	require.NoError(t, err)
	var dump strings.Builder
	require.NoError(t, p.Dump(&dump, "schedule"))
	text, called := p.Explain(), 0
	for l := range strings.Lines(dump.String()) {
		if k, ok := strings.CutPrefix(strings.TrimSpace(l), "call "); ok {
			called++
			require.Regexp(t, "calls (.*, )?"+regexp.QuoteMeta(k)+"(\n|, )", text)
		}
	}
	require.Greater(t, called, 1)
}

// TestExplainParts: a step that computes a part of an array names the part.
func TestExplainParts(t *testing.T) {
	x := f32("x", 1000, 1000)
	steps := strings.Join(explained(t, "step ", graph.Output("next", x.Roll(1, 0).Add(x.Roll(1, 1)))), "\n")
	for _, part := range []string{"next[:,:1]", "next[:,1:]"} {
		require.Contains(t, steps, " into "+part+":")
	}
	steps = strings.Join(explained(t, "step ", graph.Concat(0, x.Exp(), x.Sqrt()).Sort(1)), "\n")
	require.Contains(t, steps, " into [:1000,:] and [1000:,:] of a temporary [2000,1000]: ")
	require.NotContains(t, strings.Join(explained(t, "step ", x.Exp(), x.Sum(0)), "\n"), " into ")
}

// TestExplainMoves: elements of an input that a program does not read are not counted as moved, and a packed constant
// counts with its packed size.
func TestExplainMoves(t *testing.T) {
	w := graph.Const(graph.Uniform(graph.Float32, 1, 0, 1, 200, 300))
	for _, c := range []struct {
		out          graph.Node
		moved, least int
	}{
		{f32("x", 100, 200).Slice("::2, 5").Exp(), 2 * 50 * 4, 2 * 50 * 4},
		{f32("a", 100, 200).MatMul(w), 4 * (100*200 + 200*300 + 100*300), 4 * (100*200 + 200*300 + 100*300)},
		{f32("x", 100, 200).Exp().Sort(1), 4 * 4 * 100 * 200, 2 * 4 * 100 * 200},
		{f32("x", 100, 200).Softmax(1), 2 * 4 * 100 * 200, 2 * 4 * 100 * 200}, // two steps of a block read x
	} {
		p, err := graph.Compile(c.out)
		require.NoError(t, err)
		moved, least := p.Traffic()
		require.Equal(t, c.moved, moved)
		require.Equal(t, c.least, least)
	}
}

// TestExplainOtherSteps: strategies for other ops are not listed.
func TestExplainOtherSteps(t *testing.T) {
	x, i := f32("x", 100, 100), graph.Input("i", graph.Int64, 10)
	for _, out := range []graph.Node{x.Take(0, i), x.Sort(1), x.Exp()} {
		p, err := graph.Compile(out)
		require.NoError(t, err)
		require.NotRegexp(t, regexp.MustCompile("not (search|scatter:|recurrence|window-quantile|ragged|elementwise/interleaved|table|gather-reduction)"), p.Explain())
	}
}

// TestExplainUnchanging: the hint to capture an input does not name one that the program updates.
func TestExplainUnchanging(t *testing.T) {
	x, w := graph.Input("x", graph.Float32, 64, 128), graph.Input("w", graph.Float32, 128, 32)
	y := x.MatMul(w.Exp())
	require.Contains(t, strings.Join(explained(t, "hint", y), "\n"), "depends on w only")
	step := w.Sub(x.Transpose().MatMul(y))
	require.NotContains(t, strings.Join(explained(t, "hint", y, step), "\n"), "depends on w only")
}
