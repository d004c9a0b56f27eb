package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
)

// sure unwraps a result that can't fail: sure(New(...))(t).
func sure[V any](v V, err error) func(require.TestingT) V {
	return func(t require.TestingT) V {
		require.NoError(t, err)
		return v
	}
}

// countedTensor returns a tensor of that shape whose elements are 0, 1, 2, ...
func countedTensor(t require.TestingT, shape ...int) *Tensor {
	n := sure(ir.NumElems(shape))(t)
	data := make([]int32, n)
	for i := range data {
		data[i] = int32(i)
	}
	if len(shape) == 0 {
		return sure(OfLayout(data, ir.Layout{}))(t)
	}
	return sure(Of(data, shape...))(t)
}

func elementsOf[T Scalar](t require.TestingT, x *Tensor) []T {
	return slices.AppendSeq([]T{}, sure(All[T](x))(t))
}

func TestOfSharesMemory(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := sure(Of(data, 2, 3))(t)
	require.Equal(t, []int{2, 3}, x.Shape())
	require.Equal(t, []int{3, 1}, x.Strides())
	require.NoError(t, Set(x, float32(60), 1, -1))
	require.EqualValues(t, 60, data[5])
	data[0] = 10
	require.EqualValues(t, 10, sure(At[float32](x, 0, 0))(t))

	column := sure(x.Slice(":, 1"))(t)
	require.NoError(t, column.Set(50, -1))
	require.Equal(t, []float32{10, 2, 3, 4, 50, 60}, data)
	require.Equal(t, data, sure(Data[float32](x))(t))
	require.Same(t, &data[0], &sure(Data[float32](x))(t)[0])
}

func TestOfRefuses(t *testing.T) {
	data := []int64{1, 2, 3}
	require.EqualError(t, errOf(Of(data, 2, 2)), "of: shape [2,2] has 4 elements, data has 3")
	require.ErrorContains(t, errOf(Of(data, -1)), "negative")
	require.ErrorContains(t, errOf(Of(data, math.MaxInt, 3)), "passes")
	require.ErrorContains(t, errOf(Of[int64](nil, 2)), "data has 0")
	require.Equal(t, "int64[0] []", sure(Of[int64](nil))(t).String())

	bad := ir.Layout{Shape: []int{2, 2}, Strides: []int{2, 1}}
	require.EqualError(t, errOf(OfLayout(data, bad)), "of: layout {2,2}:{2,1}+0 touches locations 0 to 3, data has 0 to 2")
	bad.Offset, bad.Strides = 1, []int{-2, 1}
	require.ErrorContains(t, errOf(OfLayout(data, bad)), "locations -1 to 2")
	require.ErrorContains(t, errOf(OfLayout(data, ir.Layout{Shape: []int{2}})), "give one stride for each extent")
	far := ir.Layout{Shape: []int{3, 3}, Strides: []int{math.MaxInt, math.MaxInt}}
	require.Error(t, errOf(OfLayout(data, far)))
	far.Strides = []int{math.MinInt, math.MinInt}
	require.Error(t, errOf(OfLayout(data, far)))
	empty := sure(OfLayout(data, ir.Layout{Shape: []int{0, 5}, Strides: []int{7, 7}, Offset: 99}))(t)
	require.Nil(t, empty.Pointer())
}

func errOf[V any](_ V, err error) error { return err }

func TestElements(t *testing.T) {
	x := countedTensor(t, 2, 3, 4)
	require.Equal(t, int32(21), sure(x.At(1, 2, 1))(t))
	require.Equal(t, 21, sure(x.RavelIndex(1, 2, 1))(t))
	require.Equal(t, 21, sure(x.RavelIndex(-1, -1, -3))(t))
	require.Equal(t, []int{1, 2, 1}, sure(x.UnravelIndex(21))(t))
	require.EqualError(t, errOf(x.At(1, 2)), "at: 2 indices [1 2] for int32[2,3,4]: give one for each of its 3 axes")
	require.EqualError(t, errOf(x.At(1, 3, 0)), "at: index 3 is outside axis 1 of int32[2,3,4]: allowed is [-3, 3)")
	require.EqualError(t, errOf(At[float32](x, 0, 0, 0)), "at: the tensor holds int32, the type argument is float32: use int32")
	require.Error(t, errOf(x.UnravelIndex(24)))
	require.Error(t, errOf(x.RavelIndex(0, 0, math.MinInt)))

	require.Zero(t, testing.AllocsPerRun(100, func() {
		v, _ := At[int32](x, 1, -1, 2)
		_ = Set(x, v, 1, -1, 2)
	}))
}

func TestSetConverts(t *testing.T) {
	type celsius float32
	cases := []struct {
		dt    ir.DType
		value any
		want  any // an element or an error's text
	}{
		{ir.Bool, true, true},
		{ir.Bool, 1, "1 (int) is no element of a bool tensor"},
		{ir.Int32, false, "false (bool) is no element of a int32 tensor"},
		{ir.Uint8, 255.0, uint8(255)},
		{ir.Uint8, 256, "256 is outside uint8, [0, 255]"},
		{ir.Uint32, -1, "-1 is outside uint32, [0, 4294967295]"},
		{ir.Int32, 2.5, "2.5 is not an integer, for a int32 tensor: round it first"},
		{ir.Int64, math.NaN(), "NaN is not an integer, for a int64 tensor: round it first"},
		{ir.Int64, uint64(math.MaxUint64), "18446744073709551615 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, math.Inf(1), "+Inf is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, float64(1 << 63), "9.223372036854776e+18 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, uint16(7), int64(7)},
		{ir.Float32, 1<<24 + 1, float32(1 << 24)},
		{ir.Float32, 0.1, float32(0.1)},
		{ir.Float32, celsius(1.5), float32(1.5)},
		{ir.Float32, math.Inf(-1), float32(math.Inf(-1))},
		{ir.Float32, 1e300, "1e+300 is past the greatest float32, 3.4028234663852886e+38"},
		{ir.Float64, uint64(math.MaxUint64), float64(math.MaxUint64)},
		{ir.Float64, "x", "x (string) is not a number"},
		{ir.Float64, nil, "<nil> (<nil>) is not a number"},
	}
	for _, c := range cases {
		x := sure(New(c.dt))(t)
		err := x.Set(c.value)
		if text, bad := c.want.(string); bad {
			require.ErrorContains(t, err, text)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, sure(x.At())(t))
	}
}

func TestCopyToAndData(t *testing.T) {
	data := []int32{1, 2, 3, 4}
	flipped := sure(sure(Of(data))(t).Flip())(t)
	require.ErrorContains(t, errOf(Data[int32](flipped)), "call Contiguous")
	require.ErrorContains(t, CopyTo(flipped, data[:3]), "dst holds 3 elements, int32[4] has 4")
	require.NoError(t, CopyTo(flipped, data), "dst overlaps")
	require.Equal(t, []int32{4, 3, 2, 1}, data)

	x := countedTensor(t, 3, 4)
	y := sure(x.T())(t)
	require.Equal(t, []int32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, elementsOf[int32](t, y))
	c := sure(y.Contiguous())(t)
	require.Equal(t, elementsOf[int32](t, y), sure(Data[int32](c))(t))
	require.False(t, Overlaps(c, y))
	require.Same(t, c, sure(c.Contiguous())(t))
	for v := range sure(All[int32](y))(t) {
		require.Zero(t, v)
		break
	}
	require.Error(t, errOf(All[float64](x)))
	require.Empty(t, sure(Data[int32](countedTensor(t, 0, 3)))(t))
}

func TestEveryDType(t *testing.T) {
	for _, dt := range ir.Running.List() {
		x := sure(Ones(dt, 2, 3))(t)
		zero := sure(sure(New(dt))(t).At())(t)
		require.Equal(t, dt.String(), fmt.Sprintf("%T", zero))
		require.NoError(t, x.Set(zero, 0, 1))
		y := sure(sure(x.T())(t).Contiguous())(t)
		require.Equal(t, []int{2, 1}, y.Strides())
		require.True(t, Equal(x, sure(y.T())(t)))
		require.False(t, Equal(x, y))
		require.Equal(t, zero, sure(y.At(1, 0))(t))
		require.NotEqual(t, zero, sure(y.At(1, 1))(t))
		require.Equal(t, 6*dt.Size(), y.Bytes())
		require.True(t, Equal(sure(Eye(dt, 1))(t), sure(Ones(dt, 1, 1))(t)))
	}
}

func TestConstructors(t *testing.T) {
	require.Equal(t, []bool{true, true}, elementsOf[bool](t, sure(Ones(ir.Bool, 2))(t)))
	require.Equal(t, []uint8{7, 7}, elementsOf[uint8](t, sure(Full(ir.Uint8, 7.0, 2))(t)))
	require.Equal(t, []float64{1, 0, 0, 1}, elementsOf[float64](t, sure(Eye(ir.Float64, 2))(t)))
	require.Equal(t, []bool{true}, elementsOf[bool](t, sure(Eye(ir.Bool, 1))(t)))
	require.Equal(t, []int64{5, 3, 1}, elementsOf[int64](t, sure(Arange(ir.Int64, 5, 0, -2))(t)))
	require.Equal(t, []float32{0, 0.1, 0.2}, elementsOf[float32](t, sure(Arange(ir.Float32, 0, 0.3, 0.1))(t))[:3])
	require.Empty(t, elementsOf[int32](t, sure(Arange(ir.Int32, 3, 3, 1))(t)))
	require.Equal(t, []float64{1, 1.5, 2}, elementsOf[float64](t, sure(Linspace(ir.Float64, 1, 2, 3))(t)))
	require.Equal(t, []float64{4}, elementsOf[float64](t, sure(Linspace(ir.Float64, 4, 9, 1))(t)))
	require.Zero(t, sure(New(ir.Float32))(t).Rank())

	for _, c := range []struct {
		err  error
		text string
	}{
		{errOf(New(ir.Int8, 3)), "new: dtype int8 has no kernels yet; use one of bool"},
		{errOf(New(ir.DType(99), 3)), "new: dtype 99 does not exist"},
		{errOf(Zeros(ir.Float32, 2, -3)), "extent -3 of axis 1 is negative"},
		{errOf(Ones(ir.Float64, math.MaxInt/4)), "8 bytes, which passes int"},
		{errOf(Full(ir.Uint8, -1, 2)), "full: -1 is outside uint8"},
		{errOf(Eye(ir.Float32, -1)), "eye: "},
		{errOf(Arange(ir.Int32, 0, 1, 0)), "arange: the step is 0"},
		{errOf(Arange(ir.Int32, 0, 1, 0.5)), "must be integers"},
		{errOf(Arange(ir.Uint8, 0, 300, 1)), "arange: element 256: 256 is outside uint8"},
		{errOf(Arange(ir.Float64, 0, 1e300, 1)), "passes int"},
		{errOf(Arange(ir.Float64, 0, math.NaN(), 1)), "arange: NaN"},
		{errOf(Arange(ir.Bool, 0, 3, 1)), "dtype bool has no numbers"},
		{errOf(Linspace(ir.Float32, 0, 1, -1)), "negative"},
		{errOf(Linspace(ir.Int32, 0, 1, 3)), "linspace: element 1: 0.5 is not an integer"},
		{errOf(Uniform(ir.Int32, 1, 0, 1, 3)), "uniform: dtype int32 has no fractions"},
		{errOf(Uniform(ir.Float32, 1, 2, 1, 3)), "backwards"},
		{errOf(Uniform(ir.Float32, 1, 0, 1e300, 3)), "past the greatest float32"},
		{errOf(Normal(ir.Float32, 1, 0, -1, 3)), "negative"},
	} {
		require.ErrorContains(t, c.err, c.text)
	}
}

var (
	goldenUniform = []float64{0.7725004030641638, 0.1642033782892398, -0.2139470535008423, 0.3877234139097241}
	goldenNormal  = []float64{0.9504187686841914, 0.2020218656047501, -0.8720782856720255, 1.580415175551675}
)

func TestRandomIsReproducible(t *testing.T) {
	// The bits are a promise: they may not change with a release or a machine.
	uniform := sure(Uniform(ir.Float64, 42, -1, 1, 1000))(t)
	normal := sure(Normal(ir.Float64, 42, 0, 1, 1001))(t)
	require.Equal(t, goldenUniform, elementsOf[float64](t, uniform)[:4])
	require.Equal(t, goldenNormal, elementsOf[float64](t, normal)[:4])
	require.True(t, Equal(uniform, sure(Uniform(ir.Float64, 42, -1, 1, 1000))(t)))
	require.False(t, Equal(uniform, sure(Uniform(ir.Float64, 43, -1, 1, 1000))(t)))

	narrow := elementsOf[float32](t, sure(Normal(ir.Float32, 42, 0, 1, 1001))(t))
	for i, v := range elementsOf[float64](t, normal) {
		require.Equal(t, float32(v), narrow[i])
	}
	for _, v := range elementsOf[float64](t, uniform) {
		require.True(t, -1 <= v && v < 1)
	}
	tight := sure(Uniform(ir.Float32, 1, 1, 1+1e-7, 1000))(t) // two float32 apart at most
	for _, v := range elementsOf[float32](t, tight) {
		require.EqualValues(t, 1, v)
	}
}

func TestNormalIsNormal(t *testing.T) {
	const n = 200_000
	mean, square, within := 0.0, 0.0, 0.0
	for v := range sure(All[float64](sure(Normal(ir.Float64, 7, 3, 2, n))(t)))(t) {
		z := (v - 3) / 2
		mean += z / n
		square += z * z / n
		if math.Abs(z) < 1 {
			within += 1.0 / n
		}
	}
	require.InDelta(t, 0, mean, 0.01)
	require.InDelta(t, 1, square, 0.02)
	require.InDelta(t, 0.6827, within, 0.01)
	for range 10_000 {
		x := rand.Float64() + 1e-300
		require.InEpsilon(t, math.Log(x), logarithm(x), 1e-15)
	}
}

func TestEqualAndOverlaps(t *testing.T) {
	nan, other := math.Float32frombits(0x7fc00000), math.Float32frombits(0xffc12345)
	a := sure(Of([]float32{nan, 0, 1}))(t)
	require.True(t, Equal(a, sure(Of([]float32{other, 0, 1}))(t)))
	require.False(t, Equal(a, sure(Of([]float32{nan, float32(math.Copysign(0, -1)), 1}))(t)))
	require.False(t, Equal(a, sure(a.Unsqueeze(0))(t)))
	require.False(t, Equal(a, sure(a.Bitcast(ir.Int32))(t)))
	require.False(t, Equal(a, nil))
	require.True(t, Equal(nil, nil))

	x := countedTensor(t, 4, 4)
	low, high := sure(x.Slice(":2"))(t), sure(x.Slice("2:"))(t)
	require.False(t, Overlaps(low, high))
	require.True(t, Overlaps(sure(low.Flip())(t), x))
	require.True(t, Overlaps(sure(x.Slice(":, ::2"))(t), sure(x.Slice(":, 1::2"))(t)), "by range, not by element")
	require.False(t, Overlaps(x, sure(x.Slice(":0"))(t)))
	require.False(t, Overlaps(x, nil))
}

// TestNothingPanics calls every exported method with arguments of every kind on
// tensors of every kind.
func TestNothingPanics(t *testing.T) {
	tensors := []*Tensor{nil, {}, countedTensor(t), countedTensor(t, 0, 3), countedTensor(t, 1, 1), countedTensor(t, 2, 3, 4),
		sure(countedTensor(t, 3, 1).Expand(math.MaxInt/12, 3, 4))(t), sure(countedTensor(t, 6, 6).Slice("::-2, 1::3"))(t)}
	ints := []int{math.MinInt, -3, -2, -1, 0, 1, 2, 3, 1 << 30, math.MaxInt}
	specs := []string{"", ":", "...", "None", "1", "-9", "::0", "::-1", "a", ",", "::-1, ..., 0", "0,0,0,0", "5:1:-9223372036854775808"}
	rapid.Check(t, func(r *rapid.T) {
		x := rapid.SampledFrom(tensors).Draw(r, "tensor")
		m := rapid.IntRange(0, reflect.TypeFor[*Tensor]().NumMethod()-1).Draw(r, "method")
		f := reflect.ValueOf(x).Method(m)
		name := reflect.TypeFor[*Tensor]().Method(m).Name
		if (name == "Clone" || name == "Contiguous") && x.Size() > 1<<30 {
			return // an error too, but of the machine
		}
		var args []reflect.Value
		for k := range f.Type().NumIn() {
			switch kind := f.Type().In(k); kind.Kind() {
			case reflect.Int:
				args = append(args, reflect.ValueOf(rapid.SampledFrom(ints).Draw(r, "int")))
			case reflect.Slice:
				for range rapid.IntRange(0, 5).Draw(r, "count") {
					args = append(args, reflect.ValueOf(rapid.SampledFrom(ints).Draw(r, "int")))
				}
			case reflect.String:
				args = append(args, reflect.ValueOf(rapid.SampledFrom(specs).Draw(r, "spec")))
			case reflect.Uint8:
				args = append(args, reflect.ValueOf(ir.DType(rapid.IntRange(0, 255).Draw(r, "dtype"))))
			case reflect.Interface:
				args = append(args, reflect.ValueOf(rapid.SampledFrom([]any{1, 2.5, true, "x"}).Draw(r, "value")))
			default:
				r.Fatalf("argument of type %s", kind)
			}
		}
		out := f.Call(args)
		if last := out[len(out)-1]; !x.valid() && last.Type() == reflect.TypeFor[error]() {
			require.Contains(r, fmt.Sprint(last.Interface()), "make one with Of or New")
		}
	})
}
