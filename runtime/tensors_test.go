package runtime_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// differences links z[i] = x[i] - y[n-1-i], and w[i] = -z[i].
func differences(t require.TestingT, n int) *runtime.Linked {
	return linked(t, &runtime.Executor{}, lowered(t, sized(`func f(%x: f32[N], %y: f32[N]) {
  %0 = flip %y axes=[0] : f32[N]
  %1 = sub %x, %0       : f32[N]
  %2 = sub %0, %x       : f32[N]
  return %1, %2
}`, "N", n)))
}

// TestOverlap has outputs that share memory with inputs or with each other.
func TestOverlap(t *testing.T) {
	const n = 1000
	l := differences(t, n)
	data := make([]float32, 4*n)
	at := func(offset int) *tensor.Tensor {
		x := tensor.OfLayout(data, layout.Layout{Shape: []int{n}, Strides: []int{1}, Offset: offset})
		require.NoError(t, x.Err())
		return x
	}
	for _, c := range []struct {
		name       string
		x, y, z, w int // offsets
	}{
		{"apart", 0, n, 2 * n, 3 * n},
		{"an output is an input", 0, n, 0, n},
		{"outputs are inputs, crossed", 0, n, n, 0},
		{"one input", 0, 0, 0, n},
		{"shifted", 10, n + 10, 0, 2*n + 5},
		{"one element", 0, n, n - 1, 3 * n},
		{"neighbours", n, 2 * n, 0, 3 * n},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i := range data {
				data[i] = float32(i%17) * float32(i%5)
			}
			z, w := make([]float32, n), make([]float32, n)
			for i := range n {
				z[i], w[i] = data[c.x+i]-data[c.y+n-1-i], data[c.y+n-1-i]-data[c.x+i]
			}
			err := l.Run(context.Background(), []*tensor.Tensor{at(c.z), at(c.w)}, []*tensor.Tensor{at(c.x), at(c.y)})
			require.NoError(t, err)
			require.Equal(t, z, data[c.z:c.z+n])
			require.Equal(t, w, data[c.w:c.w+n])
		})
	}
	t.Run("one output: the later stays", func(t *testing.T) {
		want := data[n+n-1] - data[0]
		require.NoError(t, l.Run(context.Background(), []*tensor.Tensor{at(2 * n), at(2 * n)}, []*tensor.Tensor{at(0), at(n)}))
		require.Equal(t, want, data[2*n])
	})
}

// TestRunChecksTensors gives a run tensors that do not fit.
func TestRunChecksTensors(t *testing.T) {
	l := differences(t, 8)
	good := func() *tensor.Tensor { return tensor.Zeros(f32, 8) }
	strided := tensor.OfLayout(make([]float32, 16), layout.Layout{Shape: []int{8}, Strides: []int{2}})
	for want, bad := range map[string]*tensor.Tensor{
		"nil or zero":                       nil,
		"float64[8] given for float32[8]":   tensor.Zeros(ir.Float64, 8),
		"float32[9] given for float32[8]":   tensor.Zeros(f32, 9),
		"float32[2,4] given for float32[8]": tensor.Zeros(f32, 2, 4),
		"strides [2] given":                 strided,
	} {
		err := l.Run(context.Background(), []*tensor.Tensor{good(), good()}, []*tensor.Tensor{good(), bad})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "input 1")
		err = l.Run(context.Background(), []*tensor.Tensor{good(), bad}, []*tensor.Tensor{good(), good()})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "output 1")
		_, err = l.Bind([]*tensor.Tensor{good(), bad}, []*tensor.Tensor{good(), good()})
		require.ErrorContains(t, err, want)
		require.False(t, l.Takes([]*tensor.Tensor{good(), bad}))
	}
	require.True(t, l.Takes([]*tensor.Tensor{good(), good()}))
	require.False(t, l.Takes([]*tensor.Tensor{good(), good(), good()}))
	err := l.Run(context.Background(), []*tensor.Tensor{good()}, []*tensor.Tensor{good(), {}})
	require.ErrorContains(t, err, "2 inputs and 1 outputs given, the plan has 2 and 2")
	require.Error(t, l.Run(context.Background(), nil, nil))
	//lint:ignore SA1012 that is what is tested
	require.NoError(t, l.Run(nil, []*tensor.Tensor{good(), good()}, []*tensor.Tensor{good(), good()}))
}

// TestRunNew makes tensors for results: apart, and anew in each run.
func TestRunNew(t *testing.T) {
	l := differences(t, 1000)
	ins := []*tensor.Tensor{tensor.Ones(f32, 1000), tensor.Full(f32, 3, 1000)}
	want := []*tensor.Tensor{tensor.New(f32, 1000), tensor.New(f32, 1000)}
	require.NoError(t, l.Run(context.Background(), want, ins))
	var made []*tensor.Tensor
	for range 2 {
		outs := make([]*tensor.Tensor, 2)
		require.NoError(t, l.RunNew(context.Background(), outs, ins))
		for i, out := range outs {
			require.True(t, tensor.Equal(out, want[i]))
			for _, other := range made {
				require.False(t, tensor.Overlaps(out, other))
			}
			made = append(made, out)
		}
	}
	require.ErrorContains(t, l.RunNew(context.Background(), make([]*tensor.Tensor, 3), ins), "3 outputs given, the plan has 2")
}

// TestBoundIsBusy runs bound tensors while they are running.
func TestBoundIsBusy(t *testing.T) {
	var b *runtime.Bound
	var inside error
	e := with(before(func(string, *abi.Frame) { inside = b.Run(context.Background()) }), &runtime.Executor{Workers: 1})
	p := subNest(3, 4, 3, 4, unit, 0, 4, 1)
	l, err := e.Link(p)
	require.NoError(t, err)
	outs, ins := operands(t, p.Buffers)
	b, err = l.Bind(outs, ins)
	require.NoError(t, err)
	require.NoError(t, b.Run(context.Background()))
	require.ErrorContains(t, inside, "running already")
}

// TestArenaTooLarge needs more memory than there is.
func TestArenaTooLarge(t *testing.T) {
	const most = math.MaxInt &^ 4095
	p := subNest(3, 4, 3, 4, unit, 0, 4, 1)
	p.Arena = most
	l, err := (&runtime.Executor{}).Link(p)
	require.NoError(t, err)
	outs, ins := operands(t, p.Buffers)
	require.ErrorContains(t, l.Run(context.Background(), outs, ins), fmt.Sprint(most, " for temporaries"))

	p = subNest(3, 4, 3, 4, unit, 0, 4, 1)
	p.Tasks[0].Slots = append(p.Tasks[0].Slots, nest.Slot{Kind: nest.Scratch, DType: f32, Elems: 1})
	p.Tasks[0].Scratch = most
	l, err = (&runtime.Executor{}).Link(p)
	require.NoError(t, err)
	require.ErrorContains(t, l.Run(context.Background(), outs, ins), "scratch")
}
