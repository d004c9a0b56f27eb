package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

func TestInputsInOrderOfCreation(t *testing.T) {
	a := graph.Input("a", graph.Int32, 2)
	b := graph.Input("b", graph.Int32, 2)
	c := graph.Input("c", graph.Int32, 2) // not needed, so not an input of the program
	d := graph.Input("d", graph.Int32, 2)
	p, err := graph.Compile(d.Sub(a).Mul(b), a.Sub(d), c.Sub(c).Slice(":0").Reshape(2, 0).Slice("0"))
	require.NoError(t, err)
	require.Len(t, p.Inputs(), 4)
	p, err = graph.Compile(d.Sub(a).Mul(b), a.Sub(d))
	require.NoError(t, err)
	require.Equal(t, "[a int32[2] b int32[2] d int32[2]]", fmt.Sprint(p.Inputs()))
	require.Equal(t, "[out0 int32[2] out1 int32[2]]", fmt.Sprint(p.Outputs()))
	tensor := func(v ...int32) *graph.Tensor { return graph.Of(v) }
	outs, err := p.RunAll(context.Background(), tensor(1, 2), tensor(10, 100), tensor(5, 7))
	require.NoError(t, err)
	require.Equal(t, []int32{40, 500}, ints(t, outs[0]))
	require.Equal(t, []int32{-4, -5}, ints(t, outs[1]))
}

func TestCapturedTensors(t *testing.T) {
	data := []int32{1, 2, 3, 4, 5, 6}
	w := graph.Of(data, 2, 3)
	wt := w.T()
	require.NoError(t, wt.Err())
	x := graph.Input("const0", graph.Int32, graph.Dim("n"), 1, 1)
	// w occurs twice and is one param, whose elements change; its transpose is another tensor.
	p, err := graph.Compile(x.Add(graph.Variable(w)).Add(w).Add(graph.Variable(wt).T()))
	require.NoError(t, err)
	require.Contains(t, p.String(), "(%const0: i32[n,1,1], %const0_: i32[2,3], %const1: i32[3,2] {3,2}:{1,3}+0)")
	require.Len(t, p.Inputs(), 1)
	outs := []*graph.Tensor{graph.New(graph.Int32, 1, 2, 3)}
	for range 3 {
		require.NoError(t, p.RunInto(context.Background(), outs, graph.Of([]int32{100}, 1, 1, 1)))
		require.Equal(t, []int32{100 + 3*data[0], 106, 109, 112, 115, 118}, ints(t, outs[0]))
		data[0]++ // captured by identity, read at each run
	}
	require.Zero(t, p.Copies())
}

// TestLayouts runs one program on views of all kinds, each with its own plan.
func TestLayouts(t *testing.T) {
	n := graph.Dim("n")
	x := graph.Input("x", graph.Int32, n, n)
	p, err := graph.Compile(x.Mul(2).Sub(x.T()))
	require.NoError(t, err)
	base := numbered(4, 4)
	views := []*graph.Tensor{
		base, base.T(), base.Flip(), base.Flip(0), base.Slice("::2, 1::2"), base.Slice("3:0:-1, 1:"),
		base.Slice("0").Expand(4, 4), base.Slice("1:2, 1:2"), base.Slice(":0, :0"),
	}
	for range 3 {
		for _, v := range views {
			out, err := p.Run(context.Background(), v)
			require.NoError(t, err)
			require.Equal(t, v.Shape(), out.Shape())
			for i := range v.Shape()[0] {
				for j := range v.Shape()[0] {
					a, _ := v.At(i, j)
					b, _ := v.At(j, i)
					got, _ := out.At(i, j)
					require.Equal(t, 2*a.(int32)-b.(int32), got)
				}
			}
		}
	}
}

// TestManySizes runs one program on more sizes than it keeps plans for, from several goroutines.
func TestManySizes(t *testing.T) {
	n := graph.Dim("n")
	x, y := graph.Input("x", graph.Int32, n), graph.Input("y", graph.Int32, n)
	p, err := graph.Compile(x.Mul(3).Add(y), graph.WithWorkers(2))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range 500 {
				in := numbered(random.IntN(50))
				out, err := p.Run(context.Background(), in, in)
				if err != nil {
					t.Error(err)
					return
				}
				data, _ := graph.Data[int32](out)
				for i, v := range data {
					if v != int32(4*i) {
						t.Errorf("%d of %d is %d", i, in.Size(), v)
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestRunIntoAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	n := graph.Dim("n")
	x, w := f32("x", n, 3), f32("w", 3)
	for name, z := range map[string]graph.Node{
		"inputs":   x.Sub(w).Mul(x).Add(1).Exp(),
		"captured": x.Sub(w).Mul(x).Add(graph.Ones(graph.Float32, 3)),
		"no input": graph.Const(graph.Ones(graph.Float32, 7, 3)).Neg(),
	} {
		p, err := graph.Compile(z)
		require.NoError(t, err)
		outs := []*graph.Tensor{graph.New(graph.Float32, 7, 3)}
		a, b := graph.Ones(graph.Float32, 7, 3), graph.Ones(graph.Float32, 3)
		ctx := context.Background()
		ins := []*graph.Tensor{a, b}[:len(p.Inputs())]
		once := func() {
			if err := p.RunInto(ctx, outs, ins...); err != nil {
				t.Fatal(err)
			}
		}
		once()
		require.Zero(t, irtest.Allocations(100, once), name)
	}
}

// TestRunAllocatesItsResult counts a tensor and its elements for each output.
func TestRunAllocatesItsResult(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	x, w := f32("x", graph.Dim("n"), 3), f32("w", 3)
	ins := []*graph.Tensor{graph.Ones(graph.Float32, 7, 3), graph.Ones(graph.Float32, 3)}
	one, err := graph.Compile(x.Sub(w).Mul(x))
	require.NoError(t, err)
	two, err := graph.Compile(x.Sub(w), x.Mul(w))
	require.NoError(t, err)
	ctx := context.Background()
	runOne := func() { _, err = one.Run(ctx, ins...) }
	runTwo := func() { _, err = two.RunAll(ctx, ins...) }
	runOne()
	runTwo()
	require.LessOrEqual(t, irtest.Allocations(100, runOne), 2.0)
	require.LessOrEqual(t, irtest.Allocations(100, runTwo), 5.0) // and the slice
	require.NoError(t, err)
}

func TestOutputsMayOverlapInputs(t *testing.T) {
	x := graph.Input("x", graph.Int32, 6)
	p, err := graph.Compile(x.Flip().Mul(2))
	require.NoError(t, err)
	v := numbered(6)
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{v}, v))
	require.Equal(t, []int32{10, 8, 6, 4, 2, 0}, ints(t, v))
}

func TestTrivialPrograms(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2, 2)
	in := numbered(2, 2)
	require.Equal(t, []int32{0, 1, 2, 3}, ints(t, run(t, x, in)))
	require.Equal(t, []int32{0, 2, 1, 3}, ints(t, run(t, x.T(), in)))
	require.Equal(t, []int32{7}, ints(t, run(t, graph.Scalar(graph.Int32, 7))))
	require.Equal(t, []int32{7, 7, 7}, ints(t, run(t, graph.Fill(graph.Int32, 7, 3))))
	require.Equal(t, []int32{}, ints(t, run(t, graph.Fill(graph.Int32, 7, 0, 3).Neg())))
	p, err := graph.Compile(graph.Nodes{x, x, x.Neg()}, graph.Fill(graph.Int32, 7, 3))
	require.NoError(t, err)
	outs, err := p.RunAll(context.Background(), in)
	require.NoError(t, err)
	require.Len(t, outs, 4)
	require.Equal(t, ints(t, outs[0]), ints(t, outs[1]))
	require.NotSame(t, &ints(t, outs[0])[0], &ints(t, outs[1])[0])
}

// TestDeepGraph compiles a graph too deep for recursion, and one with 2^60 paths.
func TestDeepGraph(t *testing.T) {
	x := graph.Input("x", graph.Int32, 3)
	y := x
	for range 100_000 {
		y = y.Add(1)
	}
	p, err := graph.Compile(y)
	require.NoError(t, err)
	out, err := p.Run(context.Background(), numbered(3))
	require.NoError(t, err)
	require.Equal(t, []int32{100_000, 100_001, 100_002}, ints(t, out))

	y = x
	for range 60 {
		y = y.Add(y)
	}
	out = run(t, y.Add(y.T()).Add(y.Flip()), numbered(3))
	require.Equal(t, []int32{0, 0, 0}, ints(t, out))
}

// TestOutputShapes: the shapes are those of the tensors that a run makes, for any sizes.
func TestOutputShapes(t *testing.T) {
	x, y := graph.Input("x", graph.Float32, graph.Dim("n"), 3), graph.Input("y", graph.Float32, graph.Dim("m").Mul(graph.Dim("2")))
	p, err := graph.Compile(x.Sum(1), graph.Concat(0, y, x.Index(1, 0)), x.Slice("1:").Mul(2), x.Sum([]int{0, 1}))
	require.NoError(t, err)
	for n := 1; n < 4; n++ {
		ins := []*graph.Tensor{graph.Zeros(graph.Float32, n, 3), graph.Zeros(graph.Float32, 2*n+2)}
		shapes, err := p.OutputShapes(ins...)
		require.NoError(t, err)
		outs, err := p.RunAll(context.Background(), ins...)
		require.NoError(t, err)
		for i, out := range outs {
			require.Equal(t, out.Shape(), shapes[i])
		}
	}
	_, err = p.OutputShapes(graph.Zeros(graph.Float32, 2, 3), graph.Zeros(graph.Float32, 3))
	require.ErrorContains(t, err, "axis 0 is 3 and must be 2*m for some m")
	_, err = (*graph.Program)(nil).OutputShapes()
	require.ErrorContains(t, err, "there is no program")
}
