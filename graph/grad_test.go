package graph_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestEveryOpHasADerivative: the table of derivatives has exactly one form for each op of the op table.
func TestEveryOpHasADerivative(t *testing.T) {
	for _, op := range ir.Ops() {
		form, only := graph.DerivativeOf(op)
		require.True(t, only, "%s needs a row in graph/grad_table.go with one form of derivative", op)
		if op.Info().Internal {
			require.Equal(t, "none", form, op.String())
		}
	}
}

// gradSample is a function of float64 arrays whose gradients are compared with central differences.
type gradSample struct {
	shapes [][]int
	lo, hi float64 // the range of the elements
	fixed  int     // number of inputs, from the last one on, whose extents must be known before the program runs
	known  []int   // axes of the first input whose extents must be known
	f      func(x []graph.Node) graph.Node
}

// elementwise is a sample of operands that broadcast.
func elementwise(t *rapid.T, operands int) gradSample {
	full := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 3).Draw(t, "shape")
	s := gradSample{shapes: [][]int{full}}
	for range operands - 1 {
		shape := slices.Clone(full[rapid.IntRange(0, len(full)).Draw(t, "lacks"):])
		for k := range shape {
			if rapid.IntRange(0, 3).Draw(t, "repeats") == 0 {
				shape[k] = 1
			}
		}
		s.shapes = append(s.shapes, shape)
	}
	at := rapid.IntRange(0, operands-1).Draw(t, "full operand")
	s.shapes[0], s.shapes[at] = s.shapes[at], s.shapes[0]
	return s
}

// sampleOf returns a sample of an op, and whether it has one: ops without a derivative have none.
func sampleOf(op ir.Op) (func(t *rapid.T) gradSample, bool) {
	if f := structured[op]; f != nil {
		return f, true
	}
	if !op.IsElementwise() || !op.Info().Domain.Has(graph.Float64) {
		return nil, false
	}
	return func(t *rapid.T) gradSample {
		s := elementwise(t, op.Info().Arity)
		if r, limited := ranges[op]; limited {
			s.lo, s.hi = r[0], r[1]
		}
		s.f = func(x []graph.Node) graph.Node {
			method := methodOf(reflect.ValueOf(x[0]), op)
			args := make([]reflect.Value, method.Type().NumIn())
			for i := range args {
				if args[i] = reflect.ValueOf(x[min(i+1, len(x)-1)]); method.Type().In(i) == reflect.TypeFor[[]any]() {
					args = args[:i]
					break
				}
			}
			if op == ir.OpClip {
				args[0], args[1] = reflect.ValueOf(x[1].Minimum(x[2])), reflect.ValueOf(x[1].Maximum(x[2]))
			}
			return method.Call(args)[0].Interface().(graph.Node)
		}
		return s
	}, true
}

// TestGradOfEveryOp compares the first and second derivatives of each op that has one with central differences: on three samples,
// or six with -long, of known and of symbolic sizes, in any layout.
func TestGradOfEveryOp(t *testing.T) {
	for _, op := range ir.Ops() {
		form, _ := graph.DerivativeOf(op)
		if form == "zero" || form == "none" {
			continue
		}
		draw, ok := sampleOf(op)
		require.True(t, ok, "%s has a derivative and no sample: add it to structured", op)
		t.Run(op.String(), func(t *testing.T) {
			samples := 3
			if *long {
				samples = 6
			}
			for seed := range samples {
				checkGradients(t, rapid.Custom(draw).Example(seed), uint64(seed))
			}
		})
	}
}

// checkGradients compares the gradients of a sample, and those of a combination of the gradients, with central
// differences.
func checkGradients(t *testing.T, s gradSample, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	if s.lo == s.hi {
		s.lo, s.hi = -2, 2
	}
	var xs []graph.Node
	var tensors []*graph.Tensor
	for i, shape := range s.shapes {
		data := make([]float64, graph.New(graph.Float64, shape...).Size())
		for k := range data {
			data[k] = s.lo + (s.hi-s.lo)*rng.Float64()
		}
		dims := make([]any, len(shape))
		for k, n := range shape {
			if dims[k] = n; n > 1 && i < len(s.shapes)-s.fixed && seed%2 == 1 && !(i == 0 && slices.Contains(s.known, k)) {
				dims[k] = graph.Dim("n" + strconv.Itoa(n))
			}
		}
		xs = append(xs, graph.Input("x"+string(rune('0'+i)), graph.Float64, dims...))
		tensors = append(tensors, laidOut(graph.Of(data, shape...), seed))
	}
	y := s.f(xs)
	require.NoError(t, y.Err())
	loss := weighted(y, 1)
	grads := graph.Grad(loss, xs...)
	checkDifferences(t, rng, loss, xs, grads, tensors)
	second := graph.Scalar(graph.Float64, 0)
	for i, g := range grads {
		second = second.Add(weighted(g, 2+i))
	}
	checkDifferences(t, rng, second, xs, graph.Grad(second, xs...), tensors)
}

// laidOut returns a tensor, or the same elements in another order in memory.
func laidOut(x *graph.Tensor, seed uint64) *graph.Tensor {
	if seed%3 == 0 || x.Rank() == 0 {
		return x
	}
	y := graph.New(x.DType(), slices.Concat([]int{2}, reversed(x.Shape()))...)
	view := y.Index(0, 1).Transpose()
	if err := graph.Copy(view, x); err != nil {
		panic(err)
	}
	return view
}

func reversed(shape []int) []int {
	out := slices.Clone(shape)
	slices.Reverse(out)
	return out
}

// weighted returns a sum of the elements of x with weights that differ.
func weighted(x graph.Node, salt int) graph.Node {
	flat := x.Reshape(x.Shape().NumElems())
	return flat.Mul(graph.Iota(graph.Float64, flat.Shape()[0]).Mul(0.7).Add(salt).Sin()).Sum()
}

// checkDifferences compares gradients of a scalar with central differences along random directions.
func checkDifferences(t *testing.T, rng *rand.Rand, y graph.Node, xs, grads []graph.Node, tensors []*graph.Tensor) {
	t.Helper()
	items := []graph.Item{y}
	for _, g := range grads {
		require.NoError(t, g.Err())
		items = append(items, g)
	}
	p, err := graph.Compile(append(items, graph.WithInputs(xs...), graph.WithDebug(graph.Verify))...)
	require.NoError(t, err)
	value, err := graph.Compile(y, graph.WithInputs(xs...))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), tensors...)
	require.NoError(t, err)
	at := func(ins []*graph.Tensor) float64 {
		out, err := value.Run(t.Context(), ins...)
		require.NoError(t, err)
		v, err := graph.At[float64](out)
		require.NoError(t, err)
		return v
	}
	const h = 1e-5
	for i, x := range tensors {
		require.Equal(t, x.Shape(), outs[1+i].Shape())
		for range 2 {
			direction := graph.New(graph.Float64, x.Shape()...)
			v, err := graph.Data[float64](direction)
			require.NoError(t, err)
			along := 0.0
			got, err := graph.Data[float64](outs[1+i])
			require.NoError(t, err)
			for k := range v {
				v[k] = rng.NormFloat64()
				along += v[k] * got[k]
			}
			values := [2]float64{}
			for side, d := range []float64{-h, h} {
				ins := slices.Clone(tensors)
				ins[i] = nudged(t, x, v, d)
				values[side] = at(ins)
			}
			want := (values[1] - values[0]) / (2 * h)
			require.InDelta(t, want, along, 2e-6*(1+math.Abs(want)), "gradient %d\n%s", i, explaining{p})
		}
	}
}

// nudged returns a copy of a tensor moved by d along a direction.
func nudged(t *testing.T, x *graph.Tensor, direction []float64, d float64) *graph.Tensor {
	y := graph.New(x.DType(), x.Shape()...)
	require.NoError(t, graph.Copy(y, x))
	data, err := graph.Data[float64](y)
	require.NoError(t, err)
	for k := range data {
		data[k] += d * direction[k]
	}
	return y
}
