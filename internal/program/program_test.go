package program

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// layer is a product with constant weights, which are packed, and with a value that is computed from constants.
const layer = `func layer(%x: f32[n,100], %const0: f32[100,131], %const1: f32[131]) {
  %0 = dot %x, %const0 : f32[n,131]
  %1 = exp %const1 : f32[131]
  %2 = add %0, %1 : f32[n,131]
  return %2
}`

// newLayer returns the program of layer that keeps some plans.
func newLayer(t *testing.T, plans int) *Program {
	f, err := ir.Parse(layer)
	require.NoError(t, err)
	captured := []*tensor.Tensor{ones(100, 131), ones(131)}
	p, err := New(Config{Executor: runtime.DefaultExecutor(), Verify: true, Plans: plans}, f, 1, captured, []bool{false, true, true}, []string{"n"})
	require.NoError(t, err)
	return p
}

// ones returns a tensor of float32 whose elements are 1.
func ones(shape ...int) *tensor.Tensor { return tensor.Ones(ir.Float32, shape...) }

// use makes the binding for a number of rows, as a run does.
func use(t *testing.T, p *Program, rows int) *Binding {
	ins := []*tensor.Tensor{ones(rows, 100)}
	b := p.Find(ins)
	if b == nil {
		var err error
		b, err = p.Make(ins, map[string]int{"n": rows}, nil)
		require.NoError(t, err)
	}
	require.NoError(t, p.Use(t.Context(), b))
	return b
}

// TestPlansDropped: the bindings used last are kept, and no more than the limit.
func TestPlansDropped(t *testing.T) {
	const limit = 5
	p := newLayer(t, limit)
	for rows := 1; rows <= 40; rows++ {
		first, second := use(t, p, rows), use(t, p, 1)
		require.Same(t, first, use(t, p, rows))
		require.Same(t, second, use(t, p, 1), "used all the time")
		s := p.Stats()
		require.LessOrEqual(t, s.Kept, limit)
		require.Equal(t, rows, s.Made)
		require.Equal(t, s.Made, s.Kept+s.Dropped)
	}
	require.Nil(t, p.Find([]*tensor.Tensor{ones(2, 100)}))
}

// TestPlansOfLayouts: inputs with another layout have a binding of their own, unless no element is read by the stride.
func TestPlansOfLayouts(t *testing.T) {
	p := newLayer(t, 10)
	row := use(t, p, 1)
	over := func(shape, strides []int) *tensor.Tensor {
		return tensor.Over(ir.Float32, layout.Layout{Shape: shape, Strides: strides}, nil)
	}
	require.Same(t, row, p.Find([]*tensor.Tensor{over([]int{1, 100}, []int{7, 1})}))
	require.Nil(t, p.Find([]*tensor.Tensor{over([]int{1, 100}, []int{100, 2})}))
	require.Nil(t, p.Find([]*tensor.Tensor{over([]int{2, 100}, []int{100, 1})}))
}

// TestClasses: all numbers of rows with as many bits share one plan of the passes, and what it computes of constants, also if only the
// last binding is kept.
func TestClasses(t *testing.T) {
	for _, plans := range []int{1, 100} {
		p := newLayer(t, plans)
		first := use(t, p, 17)
		require.Equal(t, map[string]int{"n": 31}, first.Passed)
		for rows := 16; rows <= 31; rows++ {
			b := use(t, p, rows)
			require.Same(t, first.class, b.class, "%d rows", rows)
			require.Same(t, first.kept.Load(), b.kept.Load(), "%d rows", rows)
			require.Equal(t, rows, b.Sizes["n"])
		}
		require.Nil(t, use(t, p, 15).class, "few rows have plans of their own")
		other := use(t, p, 32)
		require.NotSame(t, first.class, other.class)
		require.Equal(t, map[string]int{"n": 63}, other.Passed)
		require.Positive(t, p.Kept())
	}
}

// TestWhole: what New computes of constants is not in the graph, and in the whole graph it is: with the captured tensors this is the
// function that was given.
func TestWhole(t *testing.T) {
	p := newLayer(t, 10)
	require.Equal(t, []string{"once0"}, p.OnceTo)
	require.NotContains(t, p.Func.String(), "exp")
	whole, captured := p.Whole()
	require.Len(t, captured, 2)
	want, err := ir.Parse(layer)
	require.NoError(t, err)
	x := eval.Array{DType: ir.Float32, Shape: []int{3, 100}, Data: make([]uint64, 300)}
	w := eval.Array{DType: ir.Float32, Shape: []int{100, 131}, Data: make([]uint64, 13100)}
	c := eval.Array{DType: ir.Float32, Shape: []int{131}, Data: make([]uint64, 131)}
	for i := range x.Data {
		x.Data[i] = ir.FromFloat(ir.Float32, float64(i%7))
	}
	for i := range w.Data {
		w.Data[i] = ir.FromFloat(ir.Float32, float64(i%5))
	}
	var results [2][]eval.Array
	for i, f := range []*ir.Func{want, whole} {
		bound, err := f.Bind(map[string]int{"n": 3})
		require.NoError(t, err)
		results[i], err = eval.Eval(bound, []eval.Array{x, w, c})
		require.NoError(t, err)
	}
	require.Equal(t, results[0], results[1])
}
