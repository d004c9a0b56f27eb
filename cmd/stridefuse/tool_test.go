package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes"
)

// outcome is what a command printed, and its exit code.
type outcome struct {
	out, err string
	code     int
}

// command runs the tool.
func tryCommand(ctx context.Context, stdin string, pipeline []passes.Pass, args ...string) outcome {
	var out, err bytes.Buffer
	t := &tool{stdin: strings.NewReader(stdin), stdout: &out, stderr: &err, pipeline: pipeline}
	code := t.main(ctx, args)
	return outcome{out.String(), err.String(), code}
}

func runCommand(t *testing.T, stdin string, args ...string) string {
	o := tryCommand(t.Context(), stdin, passes.Default, args...)
	require.Zero(t, o.code, "%v: %s", args, o.err)
	return o.out
}

// save writes a tensor to a file of its own.
// TestCommentsAboutConstants: a comment that begins as the line of a captured tensor does is a comment.
func TestCommentsAboutConstants(t *testing.T) {
	for _, comment := range []string{"// constant folding is what this tests", "// variable x", "// constant"} {
		out := runCommand(t, comment+"\nfunc f(%x: f32[2]) {\n  %0 = neg %x : f32[2]\n  return %0\n}\n", "passes", "-")
		require.Contains(t, out, "neg")
	}
}

func save(t *testing.T, dir, name string, x *graph.Tensor) string {
	file := filepath.Join(dir, name+".npy")
	require.NoError(t, npy.WriteFile(file, x))
	return file
}

// example is a program with inputs.
type example struct {
	outs graph.Nodes
	ins  []*graph.Tensor
}

func examples() map[string]example {
	n := graph.Dim("n")
	x := graph.Input("x", graph.Float32, n, 12)
	y := graph.Input("y", graph.Float32, 12)
	i := graph.Input("i", graph.Int32, 9, 7)
	h := graph.Input("h", graph.Float16, 5, 40)
	a, b := graph.Input("a", graph.Float64, 33, 20), graph.Input("b", graph.Float64, 20, 17)
	m := graph.Input("m", graph.Bool, 6, 6)
	w := graph.Uniform(graph.Float32, 9, -1, 1, 12, 4)
	wide, y9 := graph.Uniform(graph.Float32, 8, -1, 1, 12, 20), graph.Uniform(graph.Float32, 7, -1, 1, 20)
	xs := graph.Uniform(graph.Float32, 1, -2, 2, 50, 12)
	ys := graph.Uniform(graph.Float32, 2, -2, 2, 12)
	is := graph.Arange(graph.Int32, -30, 33, 1).Reshape(9, 7)
	hs := graph.Uniform(graph.Float16, 3, -2, 2, 5, 40)
	as, bs := graph.Uniform(graph.Float64, 4, -2, 2, 33, 20), graph.Uniform(graph.Float64, 5, -2, 2, 20, 17)
	return map[string]example{
		"chain":      {graph.Nodes{x.Sub(y).Exp().Mul(2), x.T().Flip(1)}, []*graph.Tensor{xs, ys}},
		"softmax":    {graph.Nodes{x.Softmax(1)}, []*graph.Tensor{xs}},
		"reductions": {graph.Nodes{x.Mean(0), x.ArgMax(1), x.Std(0)}, []*graph.Tensor{xs}},
		"integers":   {graph.Nodes{i.FloorDiv(4).Add(graph.Iota(graph.Int32, 7)), i.Sum(0), i.Sort(1)}, []*graph.Tensor{is}},
		"scan":       {graph.Nodes{x.CumSum(0), x.CumMax(1)}, []*graph.Tensor{xs}},
		"half":       {graph.Nodes{h.Mul(h).Sum(1), h.Tanh()}, []*graph.Tensor{hs}},
		"product":    {graph.Nodes{a.MatMul(b).Add(1)}, []*graph.Tensor{as, bs}},
		"bools":      {graph.Nodes{m.Not().And(m.T())}, []*graph.Tensor{graph.Eye(graph.Bool, 6)}},
		"views":      {graph.Nodes{x.T().Reshape(-1).Mul(2), graph.Concat(0, y, y.Flip(0))}, []*graph.Tensor{xs.Slice("::-2"), ys}},
		"constant":   {graph.Nodes{x.MatMul(graph.Const(w))}, []*graph.Tensor{xs}},
		"panels":     {graph.Nodes{x.MatMul(graph.Const(wide).Exp()).Add(graph.Const(y9).Sin()), x.MatMul(graph.Const(wide))}, []*graph.Tensor{xs}},
	}
}

// TestRoundTrip runs the dump of each example at every runnable stage, and compares the bits with those of the program
// that wrote it.
func TestRoundTrip(t *testing.T) {
	for name, e := range examples() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p, err := graph.Compile(e.outs, graph.WithName(name))
			require.NoError(t, err)
			want, err := p.RunAll(t.Context(), e.ins...)
			require.NoError(t, err)
			var dump bytes.Buffer
			require.NoError(t, p.Dump(&dump, ""))
			var args []string
			for i, in := range p.Inputs() {
				args = append(args, "-in", in.Name+"="+save(t, dir, in.Name, e.ins[i]))
			}
			for i := range want {
				args = append(args, "-out", filepath.Join(dir, fmt.Sprintf("out%d.npy", i)))
			}
			ran := 0
			for _, stage := range graph.Stages() {
				if stage == "kernels" {
					continue // no programs
				}
				ran++
				runCommand(t, dump.String(), slices.Concat([]string{"run", "-", "-stage", stage}, args)...)
				for i, w := range want {
					got, err := npy.ReadFile(filepath.Join(dir, fmt.Sprintf("out%d.npy", i)))
					require.NoError(t, err)
					require.True(t, graph.Equal(w, got), "output %d at stage %s:\n%v\n%v", i, stage, w, got)
				}
			}
			require.Equal(t, len(graph.Stages())-1, ran)
			for _, command := range []string{"explain", "passes", "kernels"} {
				require.NotEmpty(t, runCommand(t, dump.String(), command, "-"))
			}
			for _, stage := range []string{"plan", "schedule"} {
				require.NotEmpty(t, runCommand(t, dump.String(), "kernels", "-", "-stage", stage))
				o := tryCommand(t.Context(), dump.String(), passes.Default, "explain", "-", "-stage", stage)
				require.Contains(t, o.err, "give the text of the stage graph")
			}
		})
	}
}

// TestEval computes formulas of files.
func TestEval(t *testing.T) {
	dir := t.TempDir()
	a := "a=" + save(t, dir, "a", graph.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	n := "n=" + save(t, dir, "n", graph.Of([]uint8{1, 2, 3}, 3))
	require.Equal(t, "float32[3]\n[5. 7. 9.]\n", runCommand(t, "", "eval", "a.sum(0)", "-in", a))
	require.Equal(t, "float32[2,3]\n[[1.  1.  1. ]\n [4.  2.5 2. ]]\n", runCommand(t, "", "eval", "-in", a, "-in", n, "a / n"))
	require.Equal(t, "float64[] 0.5\n", runCommand(t, "", "eval", "1/2"))
	require.Equal(t, "uint8[3]\n[255 254 253]\n", runCommand(t, "", "eval", "-in", n, "-n", "-workers", "1"))
	require.Contains(t, runCommand(t, "", "eval", "a.T @ a", "-graph", "-in", a), "dot")
	out := filepath.Join(dir, "y.npy")
	require.Empty(t, runCommand(t, "", "eval", "a[:, ::-1]", "-in", a, "-out", out))
	y, err := npy.ReadFile(out)
	require.NoError(t, err)
	require.True(t, graph.Equal(y, graph.Of([]float32{3, 2, 1, 6, 5, 4}, 2, 3)))
	text := runCommand(t, "", "eval", "a.T @ a", "-graph", "-in", a)
	require.Equal(t, runCommand(t, "", "eval", "a.T @ a", "-in", a), runCommand(t, text, "run", "-", "-in", a))
}

const half = "func half(%x: f32[n], %m: bool[n]) {\n  %0 = const 0.5 : f32[]\n  %1 = mul %x, %0 : f32[n] // user.go:7\n  return %1\n}\n"

// complexFile writes a file of two complex numbers, as NumPy does.
func complexFile(t *testing.T, dir string) string {
	file := filepath.Join(dir, "complex.npy")
	header := "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }"
	head := append([]byte("\x93NUMPY\x01\x00\x76\x00"), fmt.Sprintf("%-117s\n", header)...)
	require.NoError(t, os.WriteFile(file, append(head, make([]byte, 16)...), 0o666))
	return file
}

// TestMistakes checks the messages and exit codes of command lines and texts that are wrong.
func TestMistakes(t *testing.T) {
	dir := t.TempDir()
	x := save(t, dir, "x", graph.Ones(graph.Float32, 3))
	wide, two := save(t, dir, "wide", graph.Ones(graph.Float64, 3)), save(t, dir, "two", graph.Ones(graph.Float32, 2))
	for _, c := range []struct {
		code  int
		stdin string
		args  string
		want  string
	}{
		{2, "", "", "usage: stridefuse COMMAND"},
		{2, "", "walk", `there is no command "walk"`},
		{2, "", "run", "FILE is missing"},
		{2, "", "run - -", "one argument too many"},
		{2, "", "run - -fast", "flag provided but not defined"},
		{2, "", "run - -in x", "write -in name=file.npy"},
		{2, "", "run - -size n=-1", "write -size name=number"},
		{2, "", "run - -workers 0", "write a number of 1 or more"},
		{2, "", "run - -timeout 0s", "it must be more than 0"},
		{2, "", "run - -in x=a -in x=b", "the input x is given twice"},
		{2, "", "eval x -in x=a -in x=b", "the input x is given twice"},
		{2, "", "run - -size n=1 -size n=2", "the size n is given twice"},
		{2, "", "shard - -budget 9000000000000", "passes the address space"},
		{1, half, "shard -", "add -range i/n"},
		{1, half, "merge -", "add -ranges n"},
		{1, "", "help walk", `there is no command "walk"`},
		{1, "", "run nosuch.txt", "no such file"},
		{1, "", "run -", "the text is empty"},
		{1, "hello", "run -", "a program's text begins with func, plan or nest"},
		{1, half, "run -", "the input x float32[n] is missing: add -in x=file.npy"},
		{1, half, "run - -in y=" + x, "there is no input y: the program has x float32[n], m bool[n]"},
		{1, half, "run - -in x=" + wide, "input x is float32[n], and the file has float64[3]"},
		{1, half, "run - -size n=4 -in x=" + x, "input x is float32[4], and the file has float32[3]"},
		{1, half, "run - -in x=" + filepath.Join(dir, "none.npy"), "no such file"},
		{1, half, "run - -size m=4 -in x=" + x, "-: there is no size m: the program has n"},
		{1, "func f(%x: f32[2]) {\n  return %x\n}", "run - -size m=4", "all sizes of the program are numbers"},
		{1, "nest p arena=0 {\n}", "run - -size m=4", "this is a schedule, which has its sizes: leave -size out"},
		{1, half, "run - -in x=" + x + " -out y.csv", "-out y.csv: arrays are written as .npy or .zarr, not as .csv"},
		{1, "", "eval a -in a=" + x + " -out " + dir + "/y.csv", "y.csv: arrays are written as .npy or .zarr"},
		{1, half, "merge - -ranges 1 -out y.csv", "-out y.csv: arrays are written as .npy or .zarr"},
		{1, half, "explain - -size n=8 -step 99", "-: there is no step 99: the program has 1"},
		{1, "", "eval a.sum() -in a=" + complexFile(t, dir), "complex.npy has complex numbers, and formulas take real ones"},
		{1, half, "run - -stage plan", "the dump is of one stage: leave -stage out"},
		{1, "# graph\n" + half, "run - -stage plan", "the dump has no stage plan: it has graph"},
		{1, half, "bench -", "add -size name=n for each"},
		{1, half + "}", "run -", "-:6:1: found \"}\", want the end of the text\n\t}\n\t^"},
		{1, "// a dump\n" + half[:30] + "q" + half[30:], "run -", "-:2:27: no element type has the name \"boolq\""},
		{1, "# graph\n" + half + "# plan\nplan p arena=0 {\n  %0 = param x 1 : f32[2]\n}\n", "run - -stage plan", "-:9:3: %0 = param x 1 : f32[2]: the position is 1, want 0\n\t  %0 = param x 1 : f32[2]\n\t  ^"},
		{1, "func f(%x: f32[2]) {\n  %0 = access %x {2}:{1}+1 : f32[2]\n  return %0\n}", "run -", "\n\t  %0 = access %x {2}:{1}+1 : f32[2]\n\t       ^"},
		{1, "nest p arena=-1 {\n}", "run -", "-:1:8: arena=-1: it is below 0\n\tnest p arena=-1 {\n\t       ^"},
		{1, "func f(%x: f32[9000000,900]) {\n  %0 = access %x {9000000,900}:{900,1}+0 : f32[9000000,900]\n  return %0\n}", "run -", "too many for the definition"},
		{1, "", "eval a", "there is no input a"},
		{1, "", "eval 1+", "formula: an operand is missing: the formula ends here\n\t1+\n\t  ^"},
		{1, "", "eval take(arange(5),7)", "formula: take: index 7 of the indices int64[] is outside axis 0 of int64[5]: allowed are 0 to 4\n\ttake(arange(5),7)\n\t^"},
		{2, "", "eval 1 -fast", "flag provided but not defined: -fast"},
		{1, "", "eval -fast", "there is no input fast"},
		{1, "", "asm kernel", "stridefuse kernels prints the signatures of a program"},
		{1, "func f(%x: f32[2]) {\n\n  %0 = const 9 : i64[]\n  %1 = reshape %0 : i64[1]\n  %2 = gather %x, %1 axis=0 : f32[1]\n  return %2\n}\n", "run - -in x=" + two, "-:5: run: takealong: index 9 of the indices int64[] is outside axis 0 of x float32[2]: allowed are 0 to 1"},
		{1, "plan p arena=0 {\n}", "explain -", "- is a plan: what was fused was decided before it"},
	} {
		o := tryCommand(t.Context(), c.stdin, passes.Default, strings.Fields(c.args)...)
		require.Equal(t, c.code, o.code, "%s: %s%s", c.args, o.out, o.err)
		require.Contains(t, o.err, c.want, c.args)
	}
	o := tryCommand(t.Context(), "", passes.Default, "asm", "dot f32", "-target", "z80")
	require.Contains(t, o.err, "there is no target z80: there is avx2 or avx512")
	o = tryCommand(t.Context(), half, passes.Default, "run", "-", "-in", "x="+x, "-in", "m="+save(t, dir, "m", graph.Ones(graph.Bool, 3)), "-out", filepath.Join(dir, "a"), "-out", filepath.Join(dir, "b"))
	require.Contains(t, o.err, "2 files for 1 output: ")
}

// TestHelp describes each command, and all flags of the table belong to some command.
func TestHelp(t *testing.T) {
	used := map[string]bool{}
	for _, c := range commands {
		text := runCommand(t, "", "help", c.name)
		require.Equal(t, text, tryCommand(t.Context(), "", nil, c.name, "-help").out)
		for _, f := range c.flags {
			require.Contains(t, text, "-"+f)
			used[f] = true
		}
	}
	require.Len(t, used, len(flagTable))
	require.Equal(t, runCommand(t, "", "help"), runCommand(t, "", "-h"))
}

// TestBisect plants a pass with a wrong rewrite, and expects the tool to find the line.
func TestBisect(t *testing.T) {
	swapped := passes.Pass{Name: "swapped", Form: func(s *passes.State) error {
		return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
			if v.Op == ir.OpSub {
				v.Args = []*ir.Value{v.Args[1], v.Args[0]}
			}
			return v, nil
		})
	}}
	text := "func f(%x: f32[n,6]) {\n"
	for i := range 60 {
		text += fmt.Sprintf("  %%%d = exp %%%s : f32[n,6] // user.go:%d\n", 2*i, map[bool]string{true: "x", false: fmt.Sprint(2*i - 1)}[i == 0], 10+i)
		text += fmt.Sprintf("  %%%d = %s %%%d, %%x : f32[n,6] // user.go:%d\n", 2*i+1, map[bool]string{true: "sub", false: "mul"}[i == 41], 2*i, 100+i)
	}
	text += "  return %119\n}\n"
	text = strings.ReplaceAll(text, "= exp", "= sin")
	o := tryCommand(t.Context(), text, slices.Insert(slices.Clone(passes.Default), 3, swapped), "bisect", "-", "-size", "n=5")
	require.Zero(t, o.code, o.err)
	require.Contains(t, o.out, "pass swapped, rewrite 84: sub of user.go:141 (")
	require.Contains(t, o.out, "\n- ")
	var states int
	_, err := fmt.Sscanf(o.out[strings.Index(o.out, "(")+1:], "%d states", &states)
	require.NoError(t, err)
	require.LessOrEqual(t, states, bits.Len(uint(len(passes.Default)+1))+bits.Len(120)) // binary searches over the passes and over the values
	require.Contains(t, runCommand(t, text, "bisect", "-", "-size", "n=5"), "no state differs")
}

// TestPassesDiff: values keep their names, so a diff has only the lines that a pass changed, and one line for a pass that
// changed nothing. A mistake in a dump has its line there.
func TestPassesDiff(t *testing.T) {
	const text = `func f(%x: f32[8], %y: f32[8]) {
  %0 = neg %x : f32[8] // user.go:1
  %1 = neg %0 : f32[8] // user.go:2
  %2 = mul %1, %y : f32[8] // user.go:3
  %3 = exp %2 : f32[8] // user.go:4
  return %3
}
`
	out := runCommand(t, text, "passes", "-", "-diff")
	require.Contains(t, out, "# contract: nothing changed\n")
	_, out, _ = strings.Cut(out, "# simplify\n")
	out, _, _ = strings.Cut(out, "# ")
	require.Equal(t, `  func f(%x: f32[8], %y: f32[8]) {
-   %0 = neg %x     : f32[8] // user.go:1
-   %1 = neg %0     : f32[8] // user.go:2
-   %2 = mul %1, %y : f32[8] // user.go:3
+   %2 = mul %x, %y : f32[8] // user.go:3
    %3 = exp %2     : f32[8] // user.go:4
  ...
`, out)
	dump := runCommand(t, text, "passes", "-")
	at := strings.Index(dump, "# simplify\n")
	broken := dump[:at] + strings.Replace(dump[at:], "exp %2", "exq %2", 1)
	o := tryCommand(t.Context(), broken, passes.Default, "run", "-", "-stage", "simplify")
	require.Contains(t, o.err, fmt.Sprintf("-:%d:8: no operation has the name \"exq\"", strings.Count(broken[:strings.Index(broken, "exq")], "\n")+1))
}

// TestBisectDrawsSpecialInputs: a rule that is wrong for few elements only is found without files of inputs.
func TestBisectDrawsSpecialInputs(t *testing.T) {
	inexact := passes.Pass{Name: "inexact", Form: func(s *passes.State) error {
		return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
			if v.Op == ir.OpLt && v.Args[0].Op == ir.OpCast && v.Args[1].Op == ir.OpCast {
				return s.Func.Add(ir.OpLt, ir.Attr{}, v.Pos, v.Args[0].Args[0], v.Args[1].Args[0])
			}
			return v, nil
		})
	}}
	const text = `func f(%x: i32[n], %y: i32[n]) {
  %0 = cast %x : f32[n]
  %1 = cast %y : f32[n]
  %2 = lt %0, %1 : bool[n] // user.go:7
  return %2
}`
	o := tryCommand(t.Context(), text, slices.Insert(slices.Clone(passes.Default), 0, inexact), "bisect", "-", "-size", "n=2000")
	require.Contains(t, o.out, "pass inexact, rewrite 3: lt of user.go:7", o.err)
	require.Contains(t, runCommand(t, text, "bisect", "-", "-size", "n=2000"), "no state differs")
}

// TestBisectDrawsOtherElements: a short input alone gets other special elements in each draw.
func TestBisectDrawsOtherElements(t *testing.T) {
	inexact := passes.Pass{Name: "inexact", Form: func(s *passes.State) error {
		return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
			if v.Op == ir.OpCast && v.Args[0].Op == ir.OpCast {
				return v.Args[0].Args[0], nil
			}
			return v, nil
		})
	}}
	const text = `func f(%x: i32[2]) {
  %0 = cast %x : f32[2]
  %1 = cast %0 : i32[2] // user.go:7
  %2 = neg %1  : i32[2] // user.go:8
  return %2
}`
	o := tryCommand(t.Context(), text, slices.Insert(slices.Clone(passes.Default), 0, inexact), "bisect", "-")
	require.Contains(t, o.out, "pass inexact", o.err)
	require.Contains(t, runCommand(t, text, "bisect", "-"), "no state differs")
}

// TestBisectStages expects the tool to compare the stages after the passes too: the plan without the steps that run once
// and, if no plan is made for the number of rows, the resized plan.
func TestBisectStages(t *testing.T) {
	dir := t.TempDir()
	text := "func f(%x: f32[n,300], %const0: f32[300,33]) {\n  %0 = dot %x, %const0 : f32[n,33]\n  %1 = tanh %0 : f32[n,33]\n  return %1\n}\n"
	compared := func(rows int) (states int) {
		x := save(t, dir, fmt.Sprint("x", rows), graph.Uniform(graph.Float32, 1, -1, 1, rows, 300))
		out := runCommand(t, text, "bisect", "-", "-in", "x="+x, "-in", "const0="+save(t, dir, "w", graph.Ones(graph.Float32, 300, 33)))
		_, err := fmt.Sscanf(out, "no state differs from the definition of the graph (%d states compared)", &states)
		require.NoError(t, err, out)
		return states
	}
	require.Equal(t, compared(31)+1, compared(20))
	dump, _ := sections(runCommand(t, text, "passes", "-", "-size", "n=20"))
	require.Contains(t, runCommand(t, dump["tiles"], "bisect", "-"), "no state differs from the definition of the plan")
	require.Contains(t, runCommand(t, dump["schedule"], "bisect", "-"), "no state differs from the definition of the schedule")
}

// TestTimeout ends a command that takes no context, and returns the error of one that does.
func TestTimeout(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	stuck := make(chan error)
	defer close(stuck)
	require.ErrorIs(t, run(ctx, func() error { return <-stuck }), context.DeadlineExceeded)
	require.EqualError(t, run(ctx, func() error { return errors.New("my own") }), "my own")
}

// TestZarr computes from arrays of Zarr to others, as a whole and in blocks.
func TestZarr(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	x := graph.Uniform(graph.Float32, 1, -1, 1, 3000, 4)
	in := save(t, dir, "x", x)
	runCommand(t, "", "eval", "x * 2", "-in", "x="+in, "-out", file("twice.zarr"))
	runCommand(t, "", "eval", "x / 2", "-in", "x="+file("twice.zarr"), "-out", file("same.npy"))
	same, err := npy.ReadFile(file("same.npy"))
	require.NoError(t, err)
	require.True(t, graph.Equal(x, same))
	text := "func f(%x: f32[n,4]) {\n  %0 = neg %x : f32[n,4]\n  return %0\n}\n"
	job := []string{"-", "-in", "x=" + file("twice.zarr"), "-out", file("y.zarr"), "-state", file("state"), "-budget", "1"}
	runCommand(t, text, append([]string{"shard", "-range", "0/1"}, job...)...)
	runCommand(t, text, append([]string{"merge", "-ranges", "1"}, job...)...)
	runCommand(t, "", "eval", "y / -2", "-in", "y="+file("y.zarr"), "-out", file("again.npy"))
	again, err := npy.ReadFile(file("again.npy"))
	require.NoError(t, err)
	require.True(t, graph.Equal(x, again))
}

// TestBench times few runs; the numbers are not checked.
func TestBench(t *testing.T) {
	require.Regexp(t, `(?s)^median .* of 3 runs, from .*\ninputs and outputs 900 bytes`, runCommand(t, half, "bench", "-", "-size", "n=100", "-runs", "3"))
	o := tryCommand(t.Context(), half, passes.Default, "bench", "-", "-size", "n=1000", "-timeout", "1ns")
	require.Contains(t, o.err, "deadline")
}

// TestAsm checks what is counted of a simple loop, and that every kind of kernel is printed.
func TestAsm(t *testing.T) {
	out := runCommand(t, "", "asm", "kernel (s0:f32, u1:f32) { t0 = mul s0 u1; t1 = sqrt t0; store t1 }")
	require.Contains(t, out, `loop:
	// An iteration: 6 instructions, 1 load, 1 store, 1 float operation, 1 division or root.
	// 8 elements, 0.75 instructions an element.
	// At least 0.75 cycles an element, for divisions and roots; 0.8 ns for 8 bytes from and to memory at 10 GB/s.
	VMULPS`)
	// On 64-byte vectors a square root takes twice as long, for twice as many elements.
	require.Contains(t, out, "// 16 elements, 0.38 instructions an element.\n\t// At least 0.75 cycles an element, for divisions and roots; 0.8 ns for 8 bytes ")
	narrow := runCommand(t, "", "asm", "kernel (u0:f16) { t0 = mul u0 u0; store t0 }", "-target", "avx512")
	require.Contains(t, narrow, "ns for 4 bytes from and to memory", "float16 is loaded and stored as 2 bytes")
	require.Contains(t, narrow, "// avx512, by assembler vectors\n")
	require.NotContains(t, narrow, "// avx2,")
	for _, signature := range []string{
		"reduce [add] kernel (u0:f32) { store u0 }", "dot f32", "transpose u32", "kernel (u0:i8, u1:i8) { t0 = add u0 u1; store t0 }",
		"kernel (u0:f64) { t0 = exp u0; store t0 }",
	} {
		out := runCommand(t, "", "asm", signature)
		require.Contains(t, out, "// An iteration: ", signature)
		require.Contains(t, out, "instructions", signature)
	}
	o := tryCommand(t.Context(), "", passes.Default, "asm", "transpose u32", "-target", "avx512")
	require.Contains(t, o.err, "avx512 has no such kernel")
	o = tryCommand(t.Context(), "", passes.Default, "asm", "gather u32")
	require.Contains(t, o.err, "written by hand")
}

// TestHTML writes the page of a program, to a file and with the times of runs.
func TestHTML(t *testing.T) {
	page := runCommand(t, half, "html", "-")
	require.Contains(t, page, "<html")
	require.Contains(t, page, "user.go:7")
	file := filepath.Join(t.TempDir(), "page.html")
	require.Empty(t, runCommand(t, half, "html", "-", "-size", "n=1000", "-out", file))
	timed, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(timed), "VMULPS")
	require.Greater(t, len(timed), len(page))
	o := tryCommand(t.Context(), half, passes.Default, "html", "-", "-out", file, "-out", file)
	require.Contains(t, o.err, "2 files for one page")
	sorted := runCommand(t, "", "eval", "sort(a, 0)", "-in", "a="+save(t, t.TempDir(), "a", graph.Ones(graph.Float32, 40)), "-graph")
	require.Contains(t, runCommand(t, sorted, "html", "-"), "<html", "kernels without generated assembly")
}

// TestHTMLTimes: a program whose sizes are numbers is run for its page, on random numbers for inputs without a file.
func TestHTMLTimes(t *testing.T) {
	const text = "func f(%x: f32[40], %y: f32[40]) {\n  %0 = add %x, %y : f32[40]\n  return %0\n}\n"
	page := runCommand(t, text, "html", "-")
	require.Contains(t, page, "times: of random numbers for x, y; give files by -in")
	require.Contains(t, page, "10 runs, the first of ")
	x := "x=" + save(t, t.TempDir(), "x", graph.Ones(graph.Float32, 40))
	require.Contains(t, runCommand(t, text, "html", "-", "-in", x), "times: of random numbers for y; give files by -in")
	require.NotContains(t, runCommand(t, text, "html", "-", "-in", x, "-in", strings.Replace(x, "x=", "y=", 1)), "random numbers")
	require.NotContains(t, runCommand(t, half, "html", "-"), "10 runs", "which number n is")
	const taken = "func f(%x: f32[2], %i: i64[40]) {\n  %0 = gather %x, %i axis=0 : f32[40]\n  return %0\n}\n"
	require.Contains(t, runCommand(t, taken, "html", "-"), "times: none, because a run fails with random numbers for x, i")
}

// TestExplainOfDump: Explain of a dump names the same lines of the user's source as in the program.
func TestExplainOfDump(t *testing.T) {
	x, w := graph.Input("x", graph.Float32, 4, 3), graph.Const(graph.Of([]float32{1, 2, 3}))
	p, err := graph.Compile(x.Mul(w), graph.WithName("f"))
	require.NoError(t, err)
	var dump strings.Builder
	require.NoError(t, p.Dump(&dump, "graph"))
	require.Equal(t, p.Explain(), runCommand(t, dump.String(), "explain", "-"))
	require.Equal(t, 4, strings.Count(p.Explain(), "// tool_test.go:"))
}
