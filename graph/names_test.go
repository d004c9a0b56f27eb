package graph_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

func TestRunNamed(t *testing.T) {
	x, y := f32("x", 2), f32("y", 2)
	p, err := graph.Compile(graph.Output("difference", y.Sub(x)), x.Add(y), graph.Output("sum_of_x", x.Sum()))
	require.NoError(t, err)
	feeds := graph.Feeds{"y": graph.Of([]float32{10, 20}), "x": graph.Of([]float32{1, 2})}
	outs, err := p.RunNamed(t.Context(), feeds)
	require.NoError(t, err)
	require.Len(t, outs, 3)
	for name, want := range map[string]*graph.Tensor{
		"difference": graph.Of([]float32{9, 18}), "out1": graph.Of([]float32{11, 22}), "sum_of_x": graph.ScalarOf(float32(3)),
	} {
		require.True(t, graph.Equal(want, outs[name]), "%s: %v", name, outs[name])
	}
	ins, err := p.Feed(feeds)
	require.NoError(t, err)
	require.Equal(t, []*graph.Tensor{feeds["x"], feeds["y"]}, ins)
	require.Contains(t, p.Explain(), "sum_of_x float32[]")

	_, err = p.RunNamed(t.Context(), graph.Feeds{"x": feeds["x"]})
	require.EqualError(t, err, here2(-1)+": run: no tensor is given for y: the program takes x float32[2], y float32[2]")
	_, err = p.RunNamed(t.Context(), graph.Feeds{"x": feeds["x"], "y": feeds["y"], "z": nil, "a": nil})
	require.EqualError(t, err, here2(-1)+": run: the program has no input a, z: it takes x float32[2], y float32[2]")
	_, err = p.RunNamed(t.Context(), graph.Feeds{"x": feeds["x"], "Y": feeds["y"]})
	require.EqualError(t, err, here2(-1)+": run: no tensor is given for y, and the program has no input Y: it takes x float32[2], y float32[2]")
	_, err = p.RunNamed(t.Context(), graph.Feeds{"x": nil, "y": feeds["y"]})
	require.ErrorContains(t, err, ": the tensor is nil or zero")
	_, err = (*graph.Program)(nil).RunNamed(t.Context(), feeds)
	require.ErrorContains(t, err, "there is no program")

	_, err = graph.Compile(graph.Output("a b", x))
	require.EqualError(t, err, here2(-1)+`: compile: output 0: "a b" is not a name: use letters, digits, _ and dots`)
	_, err = graph.Compile(x, graph.Output("out0", y))
	require.EqualError(t, err, here2(-1)+`: compile: outputs 0 and 1 are both named "out0": rename one of them`)
}

// TestWithInputs: inputs keep the declared order, whatever the formula reads.
func TestWithInputs(t *testing.T) {
	x, y := graph.Input("x", graph.Int32, graph.Dim("n")), graph.Input("y", graph.Int32, graph.Dim("m"))
	tens, ones := graph.Of([]int32{10, 20}), graph.Of([]int32{1, 2, 3})
	for _, c := range []struct {
		out  graph.Node
		want []int32
	}{{x.Sum().Sub(y), []int32{29, 28, 27}}, {y.Mul(2), []int32{2, 4, 6}}, {x.Flip(0), []int32{20, 10}}, {graph.Fill(graph.Int32, 7, graph.Dim("m")), []int32{7, 7, 7}}} {
		p, err := graph.Compile(c.out, graph.WithInputs(y, x.WithAxes("row")))
		require.NoError(t, err)
		require.Len(t, p.Inputs(), 2)
		out, err := p.Run(t.Context(), ones, tens)
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Of(c.want), out), "%v", out)
		_, err = p.Run(t.Context(), ones, nil)
		require.ErrorContains(t, err, ": the tensor is nil or zero")
	}
	z := f32("z")
	for want, declared := range map[string][]graph.Node{
		"input y: an output needs it, and it is not among the inputs declared: add it to WithInputs": {x},
		"compile: input x is declared twice":                           {y, x, x},
		"compile: declared input 1 is add: int32[n]: WithInputs takes": {y, x.Add(1)},
		`"1" is not a name`:                                            {y, x, graph.Input("1", graph.Int32)},
		"the zero Node":                                                {},
	} {
		if len(declared) == 0 {
			declared = []graph.Node{{}}
		}
		_, err := graph.Compile(x.Sum().Add(y), graph.WithInputs(declared...))
		if want == "the zero Node" {
			want = "the Node is zero"
		}
		require.ErrorContains(t, err, want)
	}
	_, err := graph.Compile(z, graph.WithInputs())
	require.ErrorContains(t, err, "input z: an output needs it")
}

// TestDumpsAreKept: a program does not overwrite files of another process.
func TestDumpsAreKept(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(graph.DumpEnv, dir)
	compile := func() []string {
		_, err := graph.Compile(f32("x", 2).Neg(), graph.WithName("mine"))
		require.NoError(t, err)
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		return files
	}
	first := compile()[0]
	graph.RestartDumps()
	for _, file := range []string{first, filepath.Join(dir, "0001-mine.txt")} {
		require.NoError(t, os.WriteFile(file, []byte("another's"), 0o600))
	}
	compile()
	for _, file := range []string{first, filepath.Join(dir, "0001-mine.txt")} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "another's", string(text))
	}
}

// TestErrorsSayWhere: an error of a run has the line of the run, the program's name, and the line of the input; %+v
// prints full paths.
func TestErrorsSayWhere(t *testing.T) {
	x := graph.Input("x", graph.Float32, 2)
	at := here2(-1)
	p, err := graph.Compile(x.Neg(), x.Exp(), graph.WithName("scores"))
	require.NoError(t, err)
	_, err = p.RunAll(t.Context(), graph.Zeros(graph.Float64, 2))
	want := here2(-1) + ": run scores: input x of " + at + ": want float32[2], got float64[2]: give a tensor of float32, or Cast in the graph"
	require.EqualError(t, err, want)
	require.Regexp(t, `.+/graph/names_test.go:\d+: run scores: input x`, fmt.Sprintf("%+v", err))
	require.Equal(t, want, fmt.Sprintf("%v", err))
	require.Equal(t, strconv.Quote(want), fmt.Sprintf("%q", err))

	out := graph.Zeros(graph.Float32, 2)
	err = p.RunInto(t.Context(), []*graph.Tensor{out, out}, out)
	require.EqualError(t, err, here2(-1)+": run scores: one tensor is given for out0 and for out1: give each its own")
	_, err = p.Bind([]*graph.Tensor{out, out}, out)
	require.ErrorContains(t, err, "one tensor is given for out0 and for out1")
}

// TestNamesInTexts: the texts of all stages have the names of inputs and outputs, also those with dots, and parse back.
func TestNamesInTexts(t *testing.T) {
	n := graph.Dim("n")
	x, w := graph.Input("in.0", graph.Float32, n, 3), graph.Input("layer.0.weight", graph.Float32, 3, 2)
	p, err := graph.Compile(graph.Output("head.scores", x.MatMul(w).Tanh()), x.Sum(1), graph.Output("total", x.Sum()))
	require.NoError(t, err)
	for _, stage := range graph.Stages() {
		var dump strings.Builder
		require.NoError(t, p.Dump(&dump, stage))
		text, again := regexp.MustCompile(`(?m)^// input .*\n`).ReplaceAllString(dump.String(), ""), ""
		switch stage {
		case "loops", "panels", "tiles", "buffers", "split", "plan":
			text, _, _ = strings.Cut(text, "// decisions")
			text = strings.TrimRight(text, "\n") + "\n"
			q, err := plan.ParsePlan(text)
			require.NoError(t, err, text)
			again = q.String()
		case "schedule":
			q, err := nest.Parse(text)
			require.NoError(t, err, text)
			again = q.String()
		case "kernels":
			require.NotContains(t, text, "layer")
			continue
		default:
			text, _, _ = strings.Cut(text, "// group")
			f, err := ir.Parse(text)
			require.NoError(t, err, text)
			again = f.String()
			require.Contains(t, text, `return "head.scores"=%`, stage)
			require.Contains(t, text, `, total=%`, stage)
		}
		require.Equal(t, text, again)
		for _, name := range []string{`"in.0"`, `"layer.0.weight"`, `"head.scores"`, "total"} {
			require.Contains(t, dump.String(), name, stage)
		}
	}
	f, captured := p.Func()
	require.Empty(t, captured)
	f, err = ir.Parse(f.String())
	require.NoError(t, err)
	q, err := graph.CompileFunc(f)
	require.NoError(t, err)
	feeds := graph.Feeds{"in.0": graph.Ones(graph.Float32, 2, 3), "layer.0.weight": graph.Ones(graph.Float32, 3, 2)}
	want, err := p.RunNamed(t.Context(), feeds)
	require.NoError(t, err)
	got, err := q.RunNamed(t.Context(), feeds)
	require.NoError(t, err)
	require.Len(t, want, 3)
	for _, name := range []string{"head.scores", "out1", "total"} {
		require.True(t, graph.Equal(want[name], got[name]), name)
	}
	var page, dot bytes.Buffer
	require.NoError(t, p.WriteHTML(&page))
	require.NoError(t, p.WriteDOT(&dot, graph.Steps))
	for _, text := range []string{page.String(), dot.String(), p.Explain()} {
		require.Contains(t, text, "layer.0.weight")
		require.Contains(t, text, "head.scores")
	}

	for _, name := range []string{"", ".", ".w", "0.w", "a b", "a-b", `a"`} {
		require.Error(t, graph.Input(name, graph.Float32).Err(), name)
	}
	f, err = ir.Parse("func f(%x: f32[]) {\n  return y=%x, y=%x\n}\n")
	require.NoError(t, err)
	_, err = graph.CompileFunc(f)
	require.ErrorContains(t, err, `outputs 0 and 1 are both named "y"`)
}
