package graph_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestRecurrence compares recurrences along any axis, with broadcast factors of any shape, with a plain loop: the same
// bits on each engine.
func TestRecurrence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 3).Draw(t, "shape")
		axis := rapid.IntRange(0, len(shape)-1).Draw(t, "axis")
		of := make([]int, len(shape)) // shape of the factors
		for k, n := range shape {
			if of[k] = n; rapid.Bool().Draw(t, "broadcast") {
				of[k] = 1
			}
		}
		size, steps := 1, make([]int, len(shape))
		for k := len(shape) - 1; k >= 0; k-- {
			steps[k], size = size, size*shape[k]
		}
		x, a := graph.Normal(graph.Float32, 1, 0, 1, shape...), graph.Normal(graph.Float32, 2, 0, 1, of...)
		in, factors := values[float32](t, x), values[float32](t, run(t, graph.Const(a).BroadcastTo(shape)))
		reverse := rapid.Bool().Draw(t, "reverse")
		var opts []graph.ReduceOption
		if reverse {
			opts = append(opts, graph.Reverse)
		}
		want := make([]float32, size)
		for j := range want {
			i := j
			if reverse {
				i = size - 1 - j
			}
			at, before := i/steps[axis]%shape[axis], i-steps[axis]
			if reverse {
				at, before = shape[axis]-1-at, i+steps[axis]
			}
			if want[i] = in[i]; at > 0 {
				want[i] = float32(factors[i]*want[before]) + in[i]
			}
		}
		node := graph.Input("x", graph.Float32, shape).Recurrence(axis, graph.Input("a", graph.Float32, of), opts...)
		for _, option := range []graph.Option{graph.WithWorkers(1), graph.WithWorkers(3), graph.WithDebug(graph.Portable, graph.Verify)} {
			p, err := graph.Compile(node, option)
			require.NoError(t, err)
			out, err := p.Run(t.Context(), x, a)
			require.NoError(t, err)
			require.Equal(t, want, values[float32](t, out))
		}
	})
}

func values[T graph.Element](t require.TestingT, x *graph.Tensor) []T {
	s, err := graph.Data[T](x)
	require.NoError(t, err)
	return s
}

// TestRecurrenceOfOtherTypes: integers wrap; a float16 is rounded once; the factor of the first element is not used;
// lines may be empty.
func TestRecurrenceOfOtherTypes(t *testing.T) {
	i := graph.Const(graph.Of([]int64{1, 2, math.MaxInt64}))
	require.Equal(t, []int64{1, 5, math.MinInt64 + 14}, values[int64](t, run(t, i.Recurrence(0, 3))))
	half := graph.Const(graph.Of([]float64{1, 1, 1})).Cast(graph.Float16)
	require.Equal(t, []float64{1, 1.5, 1.75}, values[float64](t, run(t, half.Recurrence(0, 0.5).Cast(graph.Float64))))
	a := graph.Const(graph.Of([]float64{math.Inf(1), 2}))
	require.Equal(t, []float64{0, 1}, values[float64](t, run(t, graph.Const(graph.Of([]float64{0, 1})).Recurrence(0, a))))
	require.Equal(t, []int{3, 0}, run(t, graph.Const(graph.New(graph.Float32, 3, 0)).Recurrence(1, 2)).Shape())
	require.Equal(t, []int{0, 3}, run(t, graph.Const(graph.New(graph.Float32, 0, 3)).Recurrence(1, 2)).Shape())
}

// TestRecurrenceCopiesNothing: views of operands are read through their strides.
func TestRecurrenceCopiesNothing(t *testing.T) {
	x, a := f32("x", 30, 20), f32("a", 30, 1)
	p, err := graph.Compile(x.T().Slice("::-1").Recurrence(1, a.T()))
	require.NoError(t, err)
	require.Zero(t, p.Copies(), explaining{p})
}

func TestRecurrenceMisuse(t *testing.T) {
	x := f32("x", 3, 4)
	for text, y := range map[string]graph.Node{
		"recurrence: shapes [3] and [3,4] do not broadcast": x.Recurrence(0, f32("a", 3)),
		"axis 2":                          x.Recurrence(2, 1),
		"float32 and float64":             x.Recurrence(0, graph.Input("a", graph.Float64, 3, 4)),
		"does not take the option":        x.Recurrence(0, 1, graph.Exclusive),
		"expaverage: does not take int32": graph.Input("i", graph.Int32, 3).ExpAverage(0, 1),
		"axis 5":                          x.ExpAverage(5, 0.5),
	} {
		require.ErrorContains(t, y.Err(), text)
	}
}

// A recurrence makes a filter of first order, and exponential averages.
func ExampleNode_Recurrence() {
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(x.Recurrence(0, 0.5), x.ExpAverage(0, 0.5), x.ExpAverage(0, 0.5, graph.Reverse))
	if err != nil {
		fmt.Println(err)
		return
	}
	outs, err := p.RunAll(context.Background(), graph.Of([]float64{8, 0, 0, 4}))
	for _, out := range outs {
		fmt.Println(out)
	}
	fmt.Println(err)
	// Output:
	// float64[4]
	// [8. 4. 2. 5.]
	// float64[4]
	// [8. 4. 2. 3.]
	// float64[4]
	// [4.5 1.  2.  4. ]
	// <nil>
}
