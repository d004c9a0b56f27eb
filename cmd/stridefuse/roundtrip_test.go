package main

import (
	"io"
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
