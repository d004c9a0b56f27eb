package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"pgregory.net/rapid"
)

// TestRandomRoundTrip runs the dumps of random programs at every stage, and compares the bits
// with those of the program that wrote them.
func TestRandomRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Reductions: true, Products: 12})
		p, err := graph.CompileFunc(f)
		require.NoError(t, err)
		ins := tensorsOf(inputs)
		want, err := p.RunAll(t.Context(), ins...)
		require.NoError(t, err)
		for _, stage := range graph.Stages() {
			if stage == "kernels" {
				continue // not a program
			}
			var dump strings.Builder
			require.NoError(t, p.Dump(&dump, stage))
			got := runDump(t, dump.String(), ins)
			diff := irtest.Diff(arrays(want), got)
			require.Empty(t, diff, "stage %s:\n%s", stage, dump.String())
		}
	})
}

// runDump computes the outputs of a text, with inputs in the order of its graph.
func runDump(t *rapid.T, text string, ins []*graph.Tensor) []eval.Array {
	tool := &tool{stdin: strings.NewReader(text), stderr: io.Discard}
	tool.arg, tool.workers = "-", 2
	p, err := tool.load()
	require.NoError(t, err, text)
	outs, err := p.RunAll(t.Context(), ins...)
	require.NoError(t, err, text)
	return arrays(outs)
}

func tensorsOf(list []eval.Array) []*graph.Tensor {
	out := make([]*graph.Tensor, len(list))
	for i, a := range list {
		out[i] = tensorOf(a)
	}
	return out
}

// TestDumpIsTheProgramThatRan: the graph of a dump, with the constants in it, becomes the schedule that the program ran.
func TestDumpIsTheProgramThatRan(t *testing.T) {
	for name, e := range examples() {
		p, err := graph.Compile(e.outs, graph.WithName(name))
		require.NoError(t, err)
		want, err := p.RunAll(t.Context(), e.ins...)
		require.NoError(t, err)
		var dump strings.Builder
		require.NoError(t, p.Dump(&dump, ""))
		tool := &tool{stdin: strings.NewReader(dump.String()), stderr: io.Discard}
		tool.arg = "-"
		loaded, err := tool.load()
		require.NoError(t, err, name)
		got, err := loaded.RunAll(t.Context(), e.ins...)
		require.NoError(t, err, name)
		require.Empty(t, irtest.Diff(arrays(want), arrays(got)), name)
		require.Equal(t, scheduleOf(t, p), scheduleOf(t, loaded.(*graph.Program)), name)
	}
}

// scheduleOf returns the schedule of the last run, without captured tensors and the names of outputs.
func scheduleOf(t *testing.T, p *graph.Program) string {
	var text strings.Builder
	require.NoError(t, p.Dump(&text, "schedule"))
	return regexp.MustCompile(`(?m)^// (constant|variable) .*\n| result \S+ +`).ReplaceAllString(text.String(), "")
}

// TestLargeConstants: a dump has a checksum in place of a large constant, and a file must have the same elements.
func TestLargeConstants(t *testing.T) {
	dir := t.TempDir()
	w := graph.Uniform(graph.Float32, 1, -1, 1, 300, 300)
	p, err := graph.Compile(graph.Input("x", graph.Float32, 300).Mul(graph.Const(w)).Sum(0))
	require.NoError(t, err)
	var dump strings.Builder
	require.NoError(t, p.Dump(&dump, ""))
	require.Contains(t, dump.String(), "// constant const0 : f32[300,300] sum ")
	args := []string{"run", "-", "-in", "x=" + save(t, dir, "x", graph.Ones(graph.Float32, 300)), "-in"}
	want, err := p.Run(t.Context(), graph.Ones(graph.Float32, 300))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintln(want), runCommand(t, dump.String(), append(args, "const0="+save(t, dir, "w", w))...))
	o := tryCommand(t.Context(), dump.String(), nil, append(args, "const0="+save(t, dir, "v", graph.Ones(graph.Float32, 300, 300)))...)
	require.Contains(t, o.err, "v.npy has other elements than the dump's const0")
	o = tryCommand(t.Context(), "// constant w : f32[2] = 1 2 3\n"+half, nil, "run", "-")
	require.Contains(t, o.err, "-:1:17: 3 elements for f32[2]\n\t// constant w : f32[2] = 1 2 3\n\t                ^")
}
