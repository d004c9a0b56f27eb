package graph_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// sample is a program in which values are fused, stored and copied.
func sample(t *testing.T, options ...graph.Item) *graph.Program {
	n := graph.Dim("n")
	x := f32("x", n, 4)
	col := x.Index(1, 0).Exp().Unsqueeze(1)
	p, err := graph.Compile(append(options, x.Mul(col).Add(1), x.T(), graph.WithName("a/b"))...)
	require.NoError(t, err)
	return p
}

func TestDump(t *testing.T) {
	p := sample(t)
	var whole strings.Builder
	require.NoError(t, p.Dump(&whole, ""))
	require.Equal(t, 1, strings.Count(whole.String(), "// input x : f32[n,4] // errors_test.go:"))
	withoutInputs := func(text string) string { return regexp.MustCompile(`(?m)^// input .*\n`).ReplaceAllString(text, "") }
	all := withoutInputs(whole.String())
	last := ""
	for _, stage := range graph.Stages() {
		var one bytes.Buffer
		require.NoError(t, p.Dump(&one, stage), stage)
		require.NotZero(t, one.Len(), stage)
		text := strings.TrimRight(withoutInputs(one.String()), "\n")
		if text == last {
			require.Contains(t, all, "# "+stage+"\n// nothing changed\n")
		} else {
			require.Contains(t, all, "# "+stage+"\n"+text+"\n")
		}
		last = text
		if stage == "views" {
			f, err := ir.Parse(one.String())
			require.NoError(t, err)
			require.Equal(t, withoutInputs(one.String()), f.String())
		}
	}
	f, err := ir.Parse(p.String())
	require.NoError(t, err)
	require.Equal(t, p.String(), f.String())

	err = p.Dump(io.Discard, "codegen")
	require.ErrorContains(t, err, here2(-1)+`: dump: there is no stage "codegen": the stages are graph, contract, reductions, simplify, `)
	require.ErrorContains(t, err, ", plan, schedule, kernels")
}

// TestDumpOfStrides: all levels are for the layouts of the last run.
func TestDumpOfStrides(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), graph.Dim("m"))
	p, err := graph.Compile(x.Add(1))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 6, 4).T())
	require.NoError(t, err)
	var last, plan strings.Builder
	require.NoError(t, p.Dump(&last, "buffers"))
	require.NoError(t, p.Dump(&plan, "plan"))
	require.Contains(t, last.String(), "{1,4}")
	steps, _, _ := strings.Cut(last.String(), "// decisions")
	require.Equal(t, strings.TrimSpace(plan.String()), strings.TrimSpace(steps))
}

func TestDumpEnv(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(graph.DumpEnv, dir)
	p := sample(t)
	t.Setenv(graph.DumpEnv, "")
	files, err := filepath.Glob(filepath.Join(dir, "*-a_b.txt"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	var all strings.Builder
	require.NoError(t, p.Dump(&all, ""))
	require.Equal(t, all.String(), string(text))

	t.Setenv(graph.DumpEnv, filepath.Join(dir, "missing"))
	sample(t) // a failing dump does not fail the program
}

func TestExplain(t *testing.T) {
	p := sample(t)
	text := p.Explain()
	for _, want := range []string{
		"program a/b\n", "in      x float32[n,4]", "out     out1 float32[4,n]", "sizes   for example: n=1009",
		"materialized exp, ", "copied  copy, 31.5 KiB: step 1 copies x: a result has its own memory", "moves   ", "temporaries take ",
	} {
		require.Contains(t, text, want)
	}
	require.Equal(t, 1, p.Copies())
	require.NotEmpty(t, p.Ledger())
	require.Len(t, p.Kernels(), 5)
	for i, sig := range p.Kernels() {
		if i == 0 || i == 4 { // the others interleave columns, or are used where columns are not interleaved
			require.Contains(t, text, sig)
		}
		k, err := kernel.ParseCode(sig)
		require.NoError(t, err)
		require.Equal(t, sig, k.Signature())
	}
	require.Len(t, sample(t, graph.WithDebug(graph.NoFusion)).Kernels(), 6)
}

// TestKernelsOfEachMachine: the kernels that genkernels emits on one machine serve all others, although, for example,
// the best way to reduce columns depends on the vectors.
func TestKernelsOfEachMachine(t *testing.T) {
	x, y := graph.Input("x", graph.Float32, 1024, 1024), graph.Input("y", graph.Float32, 1024, 1024)
	for name, z := range map[string]graph.Node{
		"columns":  x.Sub(y).Abs().Mul(x).Sub(y).Sum(0),
		"rows":     x.Sub(y).Abs().Mul(x).Sum(1),
		"product":  x.Mul(2).MatMul(y.T()).Tanh(),
		"few rows": x.Slice(":2").Add(1).MatMul(y.T()).Tanh(),
	} {
		best, err := graph.Compile(z)
		require.NoError(t, err)
		for _, engine := range []graph.Debug{graph.AVX2, graph.Portable} {
			p, err := graph.Compile(z, graph.WithDebug(engine))
			require.NoError(t, err)
			require.ElementsMatch(t, best.Kernels(), p.Kernels(), name)
		}
	}
}

// TestKernelsDoNotDependOnSizes compiles a formula for known and for symbolic sizes.
func TestKernelsDoNotDependOnSizes(t *testing.T) {
	build := func(extents ...any) []string {
		x, w := f32("x", extents...), f32("w", extents[len(extents)-1])
		p, err := graph.Compile(x.Sub(w).Mul(2).Tanh().Flip(0))
		require.NoError(t, err)
		return p.Kernels()
	}
	want := build(graph.Dim("n"), 3)
	require.Len(t, want, 1)
	require.Equal(t, want, build(10, 30))
	require.Equal(t, want, build(graph.Dim("n"), graph.Dim("m")))
	require.Equal(t, want, build(2, 3, graph.Dim("m")))
}

func TestOptionsChangeNoBits(t *testing.T) {
	var want []float32
	in := graph.Linspace(graph.Float32, -3, 3, 4000)
	x := in.Reshape(1000, 4)
	require.NoError(t, x.Err())
	for _, options := range [][]graph.Item{
		nil, {graph.WithDebug(graph.NoFusion)}, {graph.WithDebug(graph.Portable)}, {graph.WithWorkers(1)}, {graph.WithWorkers(7), graph.WithDebug(graph.Verify)},
	} {
		out, err := sample(t, options...).RunAll(context.Background(), x)
		require.NoError(t, err)
		data, err := graph.Data[float32](out[0])
		require.NoError(t, err)
		if want == nil {
			want = data
		}
		require.Equal(t, want, data)
	}
}

// TestExplainNamesWhatRuns compares the strategy in Explain with the linked schedule, for a step whose first possible
// strategy is not the cheapest.
func TestExplainNamesWhatRuns(t *testing.T) {
	x, v := graph.Input("x", graph.Float32, 64, 64), graph.Input("v", graph.Float32, 64)
	p, err := graph.Compile(x.Sub(v).Square().Sum(0))
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, p.Dump(&text, "schedule"))
	strategy := regexp.MustCompile(`# step 0: "?([a-z/-]+)`).FindStringSubmatch(text.String())[1]
	require.Regexp(t, `step 0 .*: `+strategy+`\b`, p.Explain())
}

// TestTraffic counts the bytes of loops, and those of inputs and outputs.
func TestTraffic(t *testing.T) {
	x := graph.Input("x", graph.Float32, 100_000)
	p, err := graph.Compile(x.Exp())
	require.NoError(t, err)
	moved, least := p.Traffic()
	require.Equal(t, [2]int{800_000, 800_000}, [2]int{moved, least})
	p, err = graph.Compile(graph.Nodes{x.Exp().Materialize().Slice("::-1")})
	require.NoError(t, err)
	moved, least = p.Traffic()
	require.Equal(t, [2]int{1_600_000, 800_000}, [2]int{moved, least})
	table, rows := graph.Input("table", graph.Float32, 1500, 2000), graph.Input("rows", graph.Int64, 3)
	p, err = graph.Compile(table.Take(0, rows))
	require.NoError(t, err)
	moved, least = p.Traffic()
	require.Equal(t, [2]int{48_024, 48_024}, [2]int{moved, least}, "three rows of the table")
}
