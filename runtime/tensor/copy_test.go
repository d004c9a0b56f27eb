package tensor_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
	"pgregory.net/rapid"
)

// TestCopy: for views of all kinds and types of all sizes, what was at an index of
// the source is at that index of the destination, also where the two overlap.
func TestCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom(ir.AllTypes.List()).Draw(t, "dtype")
		views := []func(*tensor.Tensor) *tensor.Tensor{
			func(x *tensor.Tensor) *tensor.Tensor { return x.Slice(":4, :4") },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Slice("1:, 1:") },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Slice("4:0:-1, :4").T() },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Slice("1:, ::-1").Slice(":, :4") },
			func(x *tensor.Tensor) *tensor.Tensor { return x.Reshape(-1).Slice("8:24").Reshape(4, 4) },
		}
		make := func() *tensor.Tensor {
			x := tensor.New(dt, 5, 5)
			for i := range 5 {
				for j := range 5 {
					v := any((5*i + j) % 7)
					switch {
					case dt == ir.Bool:
						v = (i+j)%3 == 0
					case ir.Stored.Has(dt):
						v = (5*i + j) % 2
					}
					require.NoError(t, x.Set(v, i, j))
				}
			}
			return x
		}
		x := make()
		y := x
		if rapid.Bool().Draw(t, "apart") {
			y = make()
		}
		src := rapid.SampledFrom(views).Draw(t, "src")(x)
		dst := rapid.SampledFrom(views).Draw(t, "dst")(y)
		want := src.Clone()
		require.NoError(t, tensor.Copy(dst, src))
		require.True(t, tensor.Equal(want, dst), "%v %v", want, dst)
	})
	x := tensor.Of([]float32{1, 2})
	require.EqualError(t, tensor.Copy(x, tensor.Of([]float32{1, 2}, 1, 2)), "copy: dst is float32[2], src float32[1,2]: they must be of one dtype and shape")
	require.ErrorContains(t, tensor.Copy(x, tensor.Of([]float64{1, 2})), "one dtype")
	require.ErrorContains(t, tensor.Copy(nil, x), "nil or zero")
	require.NoError(t, tensor.Copy(tensor.Of([]float32{}), tensor.Of([]float32{})))
	scalar := tensor.Of([]float32{7}, tensor.ScalarOf(float32(0)).Shape()...)
	require.Zero(t, scalar.Rank(), "a shape without axes is a shape")
	require.NoError(t, tensor.Copy(scalar, x.Index(0, 1)))
	require.True(t, tensor.Equal(scalar, tensor.ScalarOf(float32(2))))
}
