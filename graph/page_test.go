package graph_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestInspection compares the texts of a program compiled with origins as positions with the program's own texts, for
// random graphs: only positions differ.
func TestInspection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Reductions: true, Products: 12})
		constant := rapid.IntRange(-1, len(inputs)-1).Draw(t, "constant")
		p, err := graph.Compile(replay(f, func(i int) graph.Node {
			if i == constant {
				return graph.Const(toTensor(t, inputs[i], nil))
			}
			return graph.Input(f.Params[i].Name(), f.Params[i].Type.DType, f.Params[i].Type.Shape)
		}))
		require.NoError(t, err)
		stages, sites, err := p.Inspection()
		require.NoError(t, err)
		for _, s := range stages {
			text := regexp.MustCompile(`// v:(\d+)`).ReplaceAllStringFunc(s.Text, func(tag string) string {
				n, err := strconv.Atoi(tag[len("// v:"):])
				require.NoError(t, err)
				return sites[n-1].Comment()
			})
			name := map[string]string{"steps": "plan"}[s.Name]
			if name == "" {
				name = s.Name
			}
			var want strings.Builder
			if name == "once" { // part of the plan's text
				name = "plan"
				require.NoError(t, p.Dump(&want, name))
				require.Contains(t, want.String(), text)
				continue
			}
			require.NoError(t, p.Dump(&want, name))
			require.Equal(t, undecided(want.String(), name), undecided(text, name), name)
		}
	})
}

// undecided removes what the page leaves out of a level's text: inputs, captured tensors, and the decisions, except at the level of steps, where a
// separate plan computes constants.
func undecided(text, name string) string {
	if _, rest, split := strings.Cut(text, "// at each run\n"); split {
		text = rest
	}
	text = regexp.MustCompile(`(?m)^// (input|constant|variable) .*\n`).ReplaceAllString(text, "")
	if name == "plan" {
		return text
	}
	return regexp.MustCompile(`(?m)^  # .*\n`).ReplaceAllString(text, "")
}

// TestWriteDOT parses the written text: edges join existing nodes, and hostile names are quoted.
func TestWriteDOT(t *testing.T) {
	evil := `a"];\` + "\n<b>&"
	x := f32("x", 64, 100)
	p, err := graph.Compile(x.Softmax(1).MatMul(x.T()), graph.WithName(evil))
	require.NoError(t, err)
	for _, pictures := range [][]graph.Picture{nil, {graph.Values}, {graph.Steps}} {
		var b strings.Builder
		require.NoError(t, p.WriteDOT(&b, pictures...))
		text := b.String()
		require.True(t, strings.HasPrefix(text, `digraph "a\"];\\\n<b>&" {`+"\n"), text)
		nodes, edges := 0, 0
		for line := range strings.Lines(text) {
			if m := regexp.MustCompile(`^ +(n\d+) -> (n\d+)`).FindStringSubmatch(line); m != nil {
				edges++
				contains(t, text, " "+m[1]+" [label=")
				contains(t, text, " "+m[2]+" [label=")
			} else if strings.Contains(line, " [label=") {
				nodes++
			}
		}
		require.Greater(t, edges, 5)
		require.Greater(t, nodes, 5)
		contains(t, text, "a reduction is complete only at the end of its loop, and another loop reads it")
	}
	var values, steps strings.Builder
	require.NoError(t, p.WriteDOT(&values))
	require.NoError(t, p.WriteDOT(&steps, graph.Steps))
	require.Contains(t, values.String(), `label="exp\nf32[64,100]\npage_test.go:`)
	require.Contains(t, steps.String(), "a product [64,100] x [100,64]")

	require.ErrorContains(t, p.WriteDOT(&values, graph.Picture(7)), "there is no picture 7")
	require.ErrorContains(t, p.WriteDOT(&values, graph.Values, graph.Steps), "2 pictures: write one at a time")
	require.ErrorContains(t, p.WriteDOT(nil), "the writer is nil")
	require.ErrorContains(t, (*graph.Program)(nil).WriteDOT(&values), "there is no program")
	require.ErrorIs(t, p.WriteDOT(failing{}), errFull)
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// TestWriteHTML checks the content of a page: the user's line, the reasons, bytes, kernels, and nothing that a browser
// would load or run.
func TestWriteHTML(t *testing.T) {
	x := f32("x", graph.Dim("n"), 100)
	y := x.Sub(x.Max(1, graph.KeepDims)) // the <line> of the user's
	p, err := graph.Compile(y.Exp(), graph.WithName(`<script>alert("x")</script>`), graph.WithProfile())
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.Full(graph.Float32, 1, 50, 100))
	require.NoError(t, err)
	text := html(t, p)
	contains(t, text, "<title>&lt;script&gt;alert(")
	contains(t, text, "n=50")
	contains(t, text, "page_test.go:")
	contains(t, text, "least possible")
	contains(t, text, "<p>1 run of ")
	contains(t, text, "reduce [max] kernel (u0:f32) {")
	contains(t, text, "machine code without text")
	require.Equal(t, 1, strings.Count(text, "<script"))
	require.Empty(t, regexp.MustCompile(`(?i)https?://|src=|href=|@import|url\([^#]`).FindString(text))

	text = html(t, p, graph.WithAssembly(func(sig string) string { return "\tVADDPS <" + sig + ">" }))
	contains(t, text, "\tVADDPS &lt;reduce [max] kernel")
	require.NotContains(t, text, "machine code without text")

	var b bytes.Buffer
	require.ErrorContains(t, p.WriteHTML(nil), "the writer is nil")
	require.ErrorContains(t, p.WriteHTML(&b, nil), "an option is nil")
	require.ErrorContains(t, (*graph.Program)(nil).WriteHTML(&b), "there is no program")
	require.ErrorIs(t, p.WriteHTML(failing{}), errFull)

	img := f32("x", 100, 64)
	p, err = graph.Compile(graph.Output("y", img.CumSum(0).Exp().CumSum(1).Sub(1).Exp()))
	require.NoError(t, err)
	text = html(t, p)
	contains(t, text, "<p>inplace: y can be computed in place of x</p>")
	contains(t, text, "<p>temporaries take 25 KiB</p>")

	p, err = graph.Compile(f32("x", graph.Dim("n")).Reshape(graph.Dim("n/2"), 2).Slice("1000000000:"))
	require.NoError(t, err)
	contains(t, html(t, p), "no example sizes", "a graph that fits no sizes has a page too")
	require.NoError(t, p.WriteDOT(&b, graph.Steps))
}

// contains is require.Contains without the page in its message.
func contains(t *testing.T, page, part string, message ...any) {
	require.True(t, strings.Contains(page, part), append([]any{part}, message...)...)
}

func html(t require.TestingT, p *graph.Program, options ...graph.PageOption) string {
	var b strings.Builder
	require.NoError(t, p.WriteHTML(&b, options...))
	return b.String()
}

// TestSourceLines reads lines of a user's file, and of no other file.
func TestSourceLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte("package main\n\n\tx.Exp() // here\n"), 0o600))
	require.Equal(t, "x.Exp() // here", graph.SourceLine(file, 3))
	for _, line := range []int{-1, 0, 2, 4, 5} {
		require.Empty(t, graph.SourceLine(file, line))
	}
	require.Empty(t, graph.SourceLine(filepath.Join(t.TempDir(), "missing.go"), 1))
	require.Empty(t, graph.SourceLine(t.TempDir()+"/folder.go", 1))
	other := filepath.Join(t.TempDir(), "secrets.txt")
	require.NoError(t, os.WriteFile(other, []byte("secret"), 0o600))
	require.Empty(t, graph.SourceLine(other, 1))
}

// TestPageOfManyValues limits the size of the pages of large graphs: with 1,000 values, and with 1,000 composed
// operations.
func TestPageOfManyValues(t *testing.T) {
	for name, y := range map[string]graph.Node{"values": thousand(), "operations": composed()} {
		p, err := graph.Compile(y, graph.WithName(name))
		require.NoError(t, err)
		text := html(t, p)
		t.Logf("%s: %d bytes", name, len(text))
		require.Less(t, len(text), 1_000_000)
	}
}

// composed returns a graph of 1,000 operations, many of which are composed.
func composed() graph.Node {
	a, w := f32("a", 64, 128), f32("w", 128, 128)
	return random(1000, []graph.Node{a}, func(x, y graph.Node) []graph.Node {
		return []graph.Node{x.Add(y), x.Softmax(1), x.GELU(), x.Sub(x.Var(1, graph.KeepDims)), x.MatMul(w), x.Mul(y)}
	})
}

// thousand returns a graph of about 1,000 values, of chains, reductions, products and views.
func thousand() graph.Node {
	w := f32("w", 128, 128)
	return random(700, []graph.Node{f32("a", 64, 128), f32("b", 64, 128)}, func(x, y graph.Node) []graph.Node {
		return []graph.Node{x.Add(y), x.Mul(y), x.Tanh(), x.Softmax(1), x.MatMul(w), x.Sub(x.Mean(1, graph.KeepDims)), x.Slice("::-1"), x.Maximum(y)}
	})
}

// random appends n-len(nodes) results of operations, each on two of the last nodes, and returns the sum of the last
// ones.
func random(n int, nodes []graph.Node, operations func(x, y graph.Node) []graph.Node) graph.Node {
	seed, sum := uint32(1), nodes[0]
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % n
	}
	for len(nodes) < n {
		pick := func() graph.Node { return nodes[len(nodes)-1-next(min(len(nodes), 12))] }
		y := operations(pick(), pick())
		nodes = append(nodes, y[next(len(y))])
	}
	for _, y := range nodes[len(nodes)-12:] {
		sum = sum.Add(y)
	}
	return sum
}

// TestDumpsThePage finds a page beside the text of each program.
func TestDumpsThePage(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(graph.DumpEnv, dir)
	sample(t)
	files, err := filepath.Glob(filepath.Join(dir, "*-a_b.html"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "<!doctype html>")
}
