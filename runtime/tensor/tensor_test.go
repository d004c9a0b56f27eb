package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	goruntime "runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// sure unwraps a result that can't fail: New(...).
func sure[V any](v V, err error) func(require.TestingT) V {
	return func(t require.TestingT) V {
		require.NoError(t, err)
		return v
	}
}

// countedTensor returns a tensor of that shape whose elements are 0, 1, 2, ...
func countedTensor(t require.TestingT, shape ...int) *Tensor {
	n := sure(layout.NumElems(shape))(t)
	data := make([]int32, n)
	for i := range data {
		data[i] = int32(i)
	}
	if len(shape) == 0 {
		return OfLayout(data, layout.Layout{})
	}
	return Of(data, shape...)
}

func elementsOf[T Element](t require.TestingT, x *Tensor) []T {
	return slices.AppendSeq([]T{}, sure(All[T](x))(t))
}

func TestOfSharesMemory(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	x := Of(data, 2, 3)
	require.Equal(t, []int{2, 3}, x.Shape())
	require.Equal(t, []int{3, 1}, x.Strides())
	require.NoError(t, Set(x, float32(60), 1, -1))
	require.EqualValues(t, 60, data[5])
	data[0] = 10
	require.EqualValues(t, 10, sure(At[float32](x, 0, 0))(t))

	column := x.Slice(":, 1")
	require.NoError(t, column.Set(50, -1))
	require.Equal(t, []float32{10, 2, 3, 4, 50, 60}, data)
	require.Equal(t, data, sure(Data[float32](x))(t))
	require.Same(t, &data[0], &sure(Data[float32](x))(t)[0])
}

func TestOfRefuses(t *testing.T) {
	data := []int64{1, 2, 3}
	require.Equal(t, "of: shape [2,2] has 4 elements, data has 3", whyNot(t, Of(data, 2, 2)))
	require.ErrorContains(t, Of(data, -1).Err(), "negative")
	require.ErrorContains(t, Of(data, math.MaxInt, 3).Err(), "passes")
	require.ErrorContains(t, Of[int64](nil, 2).Err(), "data has 0")
	require.Equal(t, "int64[0] []", Of[int64](nil).String())

	bad := layout.Layout{Shape: []int{2, 2}, Strides: []int{2, 1}}
	require.Equal(t, "of: layout {2,2}:{2,1}+0 touches locations 0 to 3, data has 0 to 2", whyNot(t, OfLayout(data, bad)))
	bad.Offset, bad.Strides = 1, []int{-2, 1}
	require.ErrorContains(t, OfLayout(data, bad).Err(), "locations -1 to 2")
	require.ErrorContains(t, OfLayout(data, layout.Layout{Shape: []int{2}}).Err(), "give one stride for each extent")
	far := layout.Layout{Shape: []int{3, 3}, Strides: []int{math.MaxInt, math.MaxInt}}
	require.Error(t, OfLayout(data, far).Err())
	far.Strides = []int{math.MinInt, math.MinInt}
	require.Error(t, OfLayout(data, far).Err())
	empty := OfLayout(data, layout.Layout{Shape: []int{0, 5}, Strides: []int{7, 7}, Offset: 99})
	require.Nil(t, empty.Pointer())
}

func errOf[V any](_ V, err error) error { return err }

// whyNot returns what a failed tensor says after the line, which is of a test.
func whyNot(t require.TestingT, x *Tensor) string {
	var err *ir.Error
	require.ErrorAs(t, x.Err(), &err)
	require.Regexp(t, "_test.go$", err.Pos.File)
	require.Empty(t, err.Op)
	return err.Msg
}

// TestErrorsStick finds the first error of a chain at its end, with its line.
func TestErrorsStick(t *testing.T) {
	_, file, line, _ := goruntime.Caller(0)
	x := countedTensor(t, 2, 3).
		Reshape(7). // two lines down
		T().Slice("::-1").Clone().Bitcast(ir.Uint8).Contiguous()
	want := &ir.Error{Pos: ir.Pos{File: file, Line: line + 2}, Msg: "reshape: int32[2,3] to [7]: 6 elements do not fit a shape of 7"}
	require.Equal(t, want, x.Err())
	require.Same(t, x, x.Flip())
	require.Equal(t, fmt.Sprintf("failed tensor: tensor_test.go:%d: %s", line+2, want.Msg), x.String())

	require.Equal(t, ir.Invalid, x.DType())
	require.Zero(t, x.Size()+x.Rank()+len(x.Shape()))
	require.Nil(t, x.Pointer())
	require.False(t, Equal(x, x))
	for _, err := range []error{
		errOf(x.At(0)), errOf(At[int32](x, 0)), x.Set(1, 0), Set(x, int32(1), 0), errOf(Data[int32](x)),
		errOf(All[int32](x)), CopyTo(x, []int32{}), errOf(x.RavelIndex(0)), errOf(x.UnravelIndex(0)),
	} {
		require.Equal(t, error(want), err)
	}

	var none *Tensor
	require.EqualError(t, none.Err(), "the tensor is nil or zero: make one with Of or New")
	require.EqualError(t, new(Tensor).Err(), "the tensor is nil or zero: make one with Of or New")
	require.Equal(t, "expand: the tensor is nil or zero: make one with Of or New", whyNot(t, none.Expand(3).T()))
	require.Equal(t, "clone: the tensor is nil or zero: make one with Of or New", whyNot(t, new(Tensor).Clone()))
	require.NoError(t, New(ir.Float32, 0).Err())
}

func TestExtentAndStride(t *testing.T) {
	x := countedTensor(t, 2, 3, 4).Slice("::-1, 1, ::2")
	require.NoError(t, x.Err())
	for k := range x.Rank() {
		require.Equal(t, x.Shape()[k], x.Extent(k))
		require.Equal(t, x.Strides()[k], x.Stride(k))
		require.Equal(t, x.Extent(k), x.Extent(k-x.Rank()))
		require.Equal(t, x.Stride(k), x.Stride(k-x.Rank()))
	}
	for _, bad := range []*Tensor{x, New(ir.Float32), nil, {}, Of([]float32{1}, 2)} {
		for _, axis := range []int{2, -3, math.MinInt, math.MaxInt} {
			require.Zero(t, bad.Extent(axis))
			require.Zero(t, bad.Stride(axis))
		}
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = x.Extent(0) + x.Stride(-1) }))
}

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
		{ir.Bool, 1, "1 is not a bool: use true or false, or Cast the bools"},
		{ir.Int32, false, "false is not a number, for int32"},
		{ir.Uint8, 255.0, uint8(255)},
		{ir.Uint8, 256, "256 is outside uint8, [0, 255]"},
		{ir.Uint32, -1, "-1 is outside uint32, [0, 4294967295]"},
		{ir.Int32, 2.5, "2.5 is not an integer, for int32: round it, or Cast to a float type"},
		{ir.Int64, math.NaN(), "NaN is no number of int64: Cast to a float type"},
		{ir.Int64, uint64(math.MaxUint64), "18446744073709551615 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, math.Inf(1), "+Inf is no number of int64: Cast to a float type"},
		{ir.Int64, float64(1 << 63), "9.223372036854776e+18 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, uint16(7), int64(7)},
		{ir.Float32, 1<<24 + 1, float32(1 << 24)},
		{ir.Float32, 0.1, float32(0.1)},
		{ir.Float32, celsius(1.5), float32(1.5)},
		{ir.Float32, math.Inf(-1), float32(math.Inf(-1))},
		{ir.Float32, 1e300, "1e+300 is past the greatest float32, 3.4028234663852886e+38"},
		{ir.Float64, uint64(math.MaxUint64), float64(math.MaxUint64)},
		{ir.Float64, "x", "x (string) is neither a number nor a bool"},
		{ir.Float64, nil, "<nil> (<nil>) is neither a number nor a bool"},
	}
	for _, c := range cases {
		x := New(c.dt)
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
	flipped := Of(data).Flip()
	require.ErrorContains(t, errOf(Data[int32](flipped)), "call Contiguous")
	require.ErrorContains(t, CopyTo(flipped, data[:3]), "dst holds 3 elements, int32[4] has 4")
	require.NoError(t, CopyTo(flipped, data), "dst overlaps")
	require.Equal(t, []int32{4, 3, 2, 1}, data)

	x := countedTensor(t, 3, 4)
	y := x.T()
	require.Equal(t, []int32{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, elementsOf[int32](t, y))
	c := y.Contiguous()
	require.Equal(t, elementsOf[int32](t, y), sure(Data[int32](c))(t))
	require.False(t, Overlaps(c, y))
	require.Same(t, c, c.Contiguous())
	for v := range sure(All[int32](y))(t) {
		require.Zero(t, v)
		break
	}
	require.Error(t, errOf(All[float64](x)))
	require.Empty(t, sure(Data[int32](countedTensor(t, 0, 3)))(t))
}

func TestEveryDType(t *testing.T) {
	for _, dt := range ir.AllTypes.List() {
		x := Ones(dt, 2, 3)
		zero := sure(New(dt).At())(t)
		switch dt {
		case ir.Float16:
			require.Equal(t, Half(0), zero)
		case ir.BFloat16:
			require.Equal(t, BFloat(0), zero)
		case ir.Fixed16x16:
			require.Equal(t, Fixed(0), zero)
		case ir.Int4, ir.Int2, ir.Uint4, ir.Uint2:
			require.Equal(t, int8(0), zero)
		case ir.Float8E8M0:
			require.Equal(t, float32(0x1p-127), zero)
		case ir.Float8E4M3FN, ir.Float8E4M3FNUZ, ir.Float8E5M2, ir.Float8E5M2FNUZ, ir.Float4E2M1:
			require.Equal(t, float32(0), zero)
		default:
			require.Equal(t, dt.String(), fmt.Sprintf("%T", zero))
		}
		require.NoError(t, x.Set(zero, 0, 1))
		y := x.T().Contiguous()
		require.Equal(t, []int{2, 1}, y.Strides())
		require.True(t, Equal(x, y.T()))
		require.False(t, Equal(x, y))
		require.Equal(t, zero, sure(y.At(1, 0))(t))
		require.NotEqual(t, zero, sure(y.At(1, 1))(t))
		require.Equal(t, 6*dt.Size(), y.Bytes())
		require.True(t, Equal(Eye(dt, 1), Ones(dt, 1, 1)))
	}
}

func TestConstructors(t *testing.T) {
	require.Equal(t, []bool{true, true}, elementsOf[bool](t, Ones(ir.Bool, 2)))
	require.Equal(t, []uint8{7, 7}, elementsOf[uint8](t, Full(ir.Uint8, 7.0, 2)))
	require.Equal(t, []float64{1, 0, 0, 1}, elementsOf[float64](t, Eye(ir.Float64, 2)))
	require.Equal(t, []bool{true}, elementsOf[bool](t, Eye(ir.Bool, 1)))
	require.Equal(t, []int64{5, 3, 1}, elementsOf[int64](t, Arange(ir.Int64, 5, 0, -2)))
	require.Equal(t, []float32{0, 0.1, 0.2}, elementsOf[float32](t, Arange(ir.Float32, 0, 0.3, 0.1))[:3])
	require.Empty(t, elementsOf[int32](t, Arange(ir.Int32, 3, 3, 1)))
	require.Equal(t, []float64{1, 1.5, 2}, elementsOf[float64](t, Linspace(ir.Float64, 1, 2, 3)))
	require.Equal(t, []float64{4}, elementsOf[float64](t, Linspace(ir.Float64, 4, 9, 1)))
	require.Equal(t, []float64{1, 1.25, 1.5, 1.75}, elementsOf[float64](t, LinspaceOpen(ir.Float64, 1, 2, 4)))
	require.Equal(t, []float64{4}, elementsOf[float64](t, LinspaceOpen(ir.Float64, 4, 9, 1)))
	require.Zero(t, New(ir.Float32).Rank())

	for _, c := range []struct {
		err  error
		text string
	}{
		{New(ir.DType(99), 3).Err(), "new: dtype 99 does not exist"},
		{Zeros(ir.Float32, 2, -3).Err(), "extent -3 of axis 1 is negative"},
		{Ones(ir.Float64, math.MaxInt/4).Err(), "8 bytes, which passes int"},
		{Full(ir.Uint8, -1, 2).Err(), "full: -1 is outside uint8"},
		{Eye(ir.Float32, -1).Err(), "eye: "},
		{Arange(ir.Int32, 0, 1, 0).Err(), "arange: the step is 0"},
		{Arange(ir.Int32, 0, 1, 0.5).Err(), "must be integers"},
		{Arange(ir.Uint8, 0, 300, 1).Err(), "arange: element 256: 256 is outside uint8"},
		{Arange(ir.Float64, 0, 1e300, 1).Err(), "passes int"},
		{Arange(ir.Float64, 0, math.NaN(), 1).Err(), "arange: NaN"},
		{Arange(ir.Bool, 0, 3, 1).Err(), "dtype bool has no numbers"},
		{Linspace(ir.Float32, 0, 1, -1).Err(), "negative"},
		{Linspace(ir.Int32, 0, 1, 3).Err(), "linspace: element 1: 0.5 is not an integer"},
		{Uniform(ir.Int32, 1, 0, 1, 3).Err(), "uniform: dtype int32 has no fractions"},
		{Uniform(ir.Float32, 1, 2, 1, 3).Err(), "backwards"},
		{Uniform(ir.Float32, 1, 0, 1e300, 3).Err(), "past the greatest float32"},
		{Normal(ir.Float32, 1, 0, -1, 3).Err(), "negative"},
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
	uniform := Uniform(ir.Float64, 42, -1, 1, 1000)
	normal := Normal(ir.Float64, 42, 0, 1, 1001)
	require.Equal(t, goldenUniform, elementsOf[float64](t, uniform)[:4])
	require.Equal(t, goldenNormal, elementsOf[float64](t, normal)[:4])
	require.True(t, Equal(uniform, Uniform(ir.Float64, 42, -1, 1, 1000)))
	require.False(t, Equal(uniform, Uniform(ir.Float64, 43, -1, 1, 1000)))

	narrow := elementsOf[float32](t, Normal(ir.Float32, 42, 0, 1, 1001))
	for i, v := range elementsOf[float64](t, normal) {
		require.Equal(t, float32(v), narrow[i])
	}
	for _, v := range elementsOf[float64](t, uniform) {
		require.True(t, -1 <= v && v < 1)
	}
	tight := Uniform(ir.Float32, 1, 1, 1+1e-7, 1000) // two float32 apart at most
	for _, v := range elementsOf[float32](t, tight) {
		require.EqualValues(t, 1, v)
	}
}

func TestNormalIsNormal(t *testing.T) {
	const n = 200_000
	mean, square, within := 0.0, 0.0, 0.0
	for v := range sure(All[float64](Normal(ir.Float64, 7, 3, 2, n)))(t) {
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
	a := Of([]float32{nan, 0, 1})
	require.True(t, Equal(a, Of([]float32{other, 0, 1})))
	require.False(t, Equal(a, Of([]float32{nan, float32(math.Copysign(0, -1)), 1})))
	require.False(t, Equal(a, a.Unsqueeze(0)))
	require.False(t, Equal(a, a.Bitcast(ir.Int32)))
	require.False(t, Equal(a, nil))
	require.False(t, Equal(nil, nil))

	x := countedTensor(t, 4, 4)
	low, high := x.Slice(":2"), x.Slice("2:")
	require.False(t, Overlaps(low, high))
	require.True(t, Overlaps(low.Flip(), x))
	require.True(t, Overlaps(x.Slice(":, ::2"), x.Slice(":, 1::2")), "by range, not by element")
	require.False(t, Overlaps(x, x.Slice(":0")))
	require.False(t, Overlaps(x, nil))
}

// TestNothingPanics calls every exported method with arguments of every kind on
// tensors of every kind.
func TestNothingPanics(t *testing.T) {
	tensors := []*Tensor{nil, {}, New(ir.Int8), countedTensor(t), countedTensor(t, 0, 3), countedTensor(t, 1, 1), countedTensor(t, 2, 3, 4),
		countedTensor(t, 3, 1).Expand(math.MaxInt/12, 3, 4), countedTensor(t, 6, 6).Slice("::-2, 1::3")}
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
		var err error
		switch last := out[len(out)-1]; last.Type() {
		case reflect.TypeFor[*Tensor]():
			y, _ := last.Interface().(*Tensor)
			err = y.Err()
			require.Equal(r, y.Valid(), err == nil)
		case reflect.TypeFor[error]():
			err, _ = last.Interface().(error)
		default:
			return
		}
		if why := x.Err(); why != nil {
			require.ErrorContains(r, err, why.Error())
		}
	})
}
