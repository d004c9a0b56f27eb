package runtime

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestLinkAgain: tasks that share their parts share what they are linked to, as far as their
// buffers allow it, and compute what each says.
func TestLinkAgain(t *testing.T) {
	const text = `nest f arena=0 {
  %%0 = param a 0   : f32[8]
  %%1 = param b 1   : f32[8]
  %%2 = result "" 0 : f32[8]
  %%3 = result "" 1 : f32[8]
  %%4 = param c 2   : f32[4]
  task 0 steps=0..0 scratch=0 work=8 elems=8 {
    $0 = buffer %%0 : f32
    $1 = buffer %%1 : f32
    $2 = buffer %%2 : f32
    part [8/3] {
      call kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 }
        rows=1 cols=of(0)
        $0{3}+0/0 $1{3}+0/0 -> $2{3}+0/0
    }
  }
  task 1 steps=1..1 scratch=0 work=8 elems=8 {
    $0 = buffer %%%d : f32
    $1 = buffer %%%d : f32
    $2 = buffer %%3 : f32
    part [8/3] {
      call kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 }
        rows=1 cols=of(0)
        $0{3}+0/0 $1{3}+0/0 -> $2{3}+0/0
    }
  }
}
`
	a := tensor.Of([]float32{1, 2, 3, 4, 5, 6, 7, 8})
	b := tensor.Of([]float32{8, 6, 4, 2, 0, -2, -4, -6})
	c := tensor.New(ir.Float32, 4)
	e := &Executor{Workers: 1}
	for _, test := range []struct {
		left, right int
		shared      bool
	}{{1, 0, true}, {0, 1, true}, {2, 0, true}, {0, 0, false}} {
		p, err := nest.Parse(fmt.Sprintf(text, test.left, test.right))
		require.NoError(t, err)
		p.Tasks[1].Parts = p.Tasks[0].Parts
		l, err := e.Link(p)
		require.NoError(t, err)
		first, second := l.tasks[0].computation.(*nestTask), l.tasks[1].computation.(*nestTask)
		require.Equal(t, test.shared, &first.calls[0] == &second.calls[0], "%v", test)
		outs := []*tensor.Tensor{tensor.New(ir.Float32, 8), tensor.New(ir.Float32, 8)}
		require.NoError(t, l.Run(t.Context(), outs, []*tensor.Tensor{a, b, c}))
		of := func(buffer, i int) float32 {
			v, err := tensor.At[float32]([]*tensor.Tensor{a, b, outs[0]}[buffer], i)
			require.NoError(t, err)
			return v
		}
		for i := range 8 {
			first, err := tensor.At[float32](outs[0], i)
			require.NoError(t, err)
			second, err := tensor.At[float32](outs[1], i)
			require.NoError(t, err)
			require.Equal(t, of(0, i)-of(1, i), first)
			require.Equal(t, of(test.left, i)-of(test.right, i), second, "%v", test)
		}
	}

	p, err := nest.Parse(fmt.Sprintf(text, 1, 0))
	require.NoError(t, err)
	p.Tasks[1].Parts = p.Tasks[0].Parts
	p.Tasks[1].Slots[0].Buffer = 4 // shorter: the loop leaves it
	e.Verify = true
	_, err = e.Link(p)
	require.ErrorContains(t, err, "task 1")
}
