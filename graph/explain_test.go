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
// reads only the sums of the rows.
func TestExplainReaders(t *testing.T) {
	lines := explained(t, "materialized", f32("x", 512, 1000).Softmax(1).Sum(0), graph.WithWorkers(1))
	require.Len(t, lines, 2)
	require.Regexp(t, `^exp, 3.91 MiB: step 1 stores it for step 3 \(add\): `, lines[0])
	require.Regexp(t, `^reciprocal, 4 KiB: step 2 stores it for step 3 \(add\): `, lines[1])
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
