package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// TestShardAndMerge computes a program of two passes in three ranges, round after round.
func TestShardAndMerge(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 4)
	p, err := graph.Compile(x.Sub(x.Mean(0)), x.Max(0))
	require.NoError(t, err)
	in := graph.Uniform(graph.Float32, 1, -1, 1, 200_000, 4)
	save(t, folder, "x", in)
	require.NoError(t, os.WriteFile(file("p.txt"), []byte(p.String()), 0o666))
	job := []string{file("p.txt"), "-in", "x=" + file("x.npy"), "-out", file("z.npy"), "-state", file("state"), "-budget", "2"}
	with := func(name string, more ...string) []string { return append(append([]string{name}, job...), more...) }
	incomplete := tryCommand(t.Context(), "", nil, with("merge", "-ranges", "3")...)
	require.Equal(t, 1, incomplete.code)
	require.Contains(t, incomplete.err, "pass 0, block 0 of range 0: blocks are not complete")
	for range 2 {
		for i := range 3 {
			runCommand(t, "", with("shard", "-range", fmt.Sprintf("%d/3", i))...)
		}
	}
	printed := runCommand(t, "", with("merge", "-ranges", "3")...)
	want, err := p.RunAll(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, want[1].String(), strings.TrimSpace(printed))
	got, err := npy.ReadFile(file("z.npy"))
	require.NoError(t, err)
	require.True(t, graph.Equal(want[0], got))
	require.Contains(t, tryCommand(t.Context(), "", nil, with("shard", "-range", "3/3")...).err, "write -range i/n")
}

// TestShardOfConstants runs the dump of a program that has values computed once from a constant.
func TestShardOfConstants(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	w := graph.Uniform(graph.Float32, 2, -1, 1, 4, 3)
	p, err := graph.Compile(graph.Input("x", graph.Float32, graph.Dim("n"), 4).MatMul(graph.Const(w).Exp()))
	require.NoError(t, err)
	in := graph.Uniform(graph.Float32, 1, -1, 1, 1000, 4)
	var dump strings.Builder
	require.NoError(t, p.Dump(&dump, ""))
	args := []string{"-", "-in", "x=" + save(t, folder, "x", in), "-out", file("z.npy")}
	without := regexp.MustCompile("(?m)^// constant .*\n").ReplaceAllLiteralString(dump.String(), "")
	require.NotEqual(t, dump.String(), without)
	o := tryCommand(t.Context(), without, nil, append([]string{"shard", "-range", "0/1", "-state", file("state")}, args...)...)
	require.Contains(t, o.err, "the input const0 float32[4,3] is missing: add -in const0=file.npy")
	want, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	given := append(slices.Clone(args), "-in", "const0="+save(t, folder, "w", w))
	for i, run := range []struct {
		text string
		args []string
	}{{dump.String(), args}, {without, given}, {dump.String(), given}} {
		state := []string{"-state", file(fmt.Sprint("state", i))}
		runCommand(t, run.text, slices.Concat([]string{"shard", "-range", "0/1"}, run.args, state)...)
		runCommand(t, run.text, slices.Concat([]string{"merge", "-ranges", "1"}, run.args, state)...)
		got, err := npy.ReadFile(file("z.npy"))
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got))
		require.NoError(t, os.Remove(file("z.npy")))
	}
}
