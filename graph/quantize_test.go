package graph_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// ran computes one Node.
func ran(t *testing.T, y graph.Node) *graph.Tensor {
	t.Helper()
	p, err := graph.Compile(y)
	require.NoError(t, err)
	out, err := p.Run(t.Context())
	require.NoError(t, err)
	return out
}

// TestMatMulInteger compares products of bytes with sums in int64: for every pair of types, all kinds of zero points,
// the greatest numbers, which just fit, and a right operand that is transposed.
func TestMatMulInteger(t *testing.T) {
	const m, n = 3, 5
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{0, 1, 7, 1024, 1025, 2500} {
		for _, extreme := range []bool{false, true} {
			for _, types := range [][2]graph.DType{{graph.Int8, graph.Int8}, {graph.Uint8, graph.Int8}, {graph.Int8, graph.Uint8}, {graph.Uint8, graph.Uint8}} {
				x, a := bytesOf(rng, types[0], extreme, m, k)
				y, b := bytesOf(rng, types[1], extreme, k, n)
				across := ran(t, graph.Const(y).Transpose())
				rows, za := bytesOf(rng, types[0], false, m, 1)
				columns, zb := bytesOf(rng, types[1], false, n)
				for _, zeros := range [][2]any{{nil, nil}, {3, nil}, {nil, 100}, {rows, columns}} {
					want := make([]int32, m*n)
					for i := range m {
						for j := range n {
							sum := 0
							for p := range k {
								sum += (a[i*k+p] - zeroAt(zeros[0], za, i)) * (b[p*n+j] - zeroAt(zeros[1], zb, j))
							}
							want[i*n+j] = int32(sum)
						}
					}
					got := ran(t, graph.Const(x).MatMulInteger(graph.Const(y), zeros[0], zeros[1]))
					require.True(t, graph.Equal(graph.Of(want, m, n), got), "%v %d zeros %v: %s, want %v", types, k, zeros, got, want)
					got = ran(t, graph.Const(x).MatMulInteger(graph.Variable(across).Transpose(), zeros[0], zeros[1]))
					require.True(t, graph.Equal(graph.Of(want, m, n), got), "transposed %v %d zeros %v: %s, want %v", types, k, zeros, got, want)
				}
			}
		}
	}
	vector := graph.Const(graph.Of([]int8{1, -2, 3}))
	got := ran(t, vector.MatMulInteger(vector, 1, nil))
	require.True(t, graph.Equal(graph.Of([]int32{6 + 6}), got.Reshape(1)), "%s", got)
	// A contraction with an extent that is known only at run time.
	x, y := graph.Input("x", graph.Uint8, 2, graph.Dim("k")), graph.Input("y", graph.Int8, graph.Dim("k"), 2)
	p, err := graph.Compile(x.MatMulInteger(y, 1, nil))
	require.NoError(t, err)
	got, err = p.Run(t.Context(), graph.Of([]uint8{0, 255, 1, 2}, 2, 2), graph.Of([]int8{-128, 1, 2, 127}, 2, 2))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]int32{128 + 508, -1 + 254*127, 2, 127}, 2, 2), got), "%s", got)
}

// TestMatMulIntegerOfWeights multiplies inputs by matrices of Int8 that never change: with one row and with several, with columns
// that do not fill a panel, and an odd number of pairs. The matrices stay bytes unless the zero point is another one than 0.
func TestMatMulIntegerOfWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{3, 8, 513} {
		for _, n := range []int{1, 2, 31, 33, 70} {
			data, _ := bytesOf(rng, graph.Int8, false, k, n)
			zeros := make([]int8, n)
			for of, zero := range map[string]any{"none": nil, "a number": 0, "a list": graph.Const(graph.Of(zeros)), "one": graph.Scalar(graph.Int8, 0).BroadcastTo(1, n), "another": 1} {
				x, w := graph.Input("x", graph.Uint8, graph.Dim("rows"), k), graph.Const(data)
				p, err := graph.Compile(x.MatMulInteger(w, 3, zero))
				require.NoError(t, err)
				for _, rows := range []int{1, 2, 5, 14} {
					a, _ := bytesOf(rng, graph.Uint8, false, rows, k)
					got, err := p.Run(t.Context(), a)
					require.NoError(t, err)
					less := 0
					if of == "another" {
						less = 1
					}
					want := ran(t, graph.Const(a).Cast(graph.Int32).Sub(3).MatMul(w.Cast(graph.Int32).Sub(less)))
					require.True(t, graph.Equal(want, got), "%d rows, %d pairs, %d columns, zero point %s", rows, k, n, of)
					require.Equal(t, of != "another" && n > 1, strings.Contains(p.Explain(), "dotbytes i32"), "%d rows, %d pairs, %d columns, zero point %s", rows, k, n, of)
				}
			}
		}
	}
}

// TestMatMulIntegerOfMany multiplies many small matrices, as products of Int32 do.
func TestMatMulIntegerOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{2, 4, 6, 9} {
		a, _ := bytesOf(rng, graph.Int8, false, 100, 2, k)
		b, _ := bytesOf(rng, graph.Uint8, false, 100, k, 3)
		x, y := graph.Const(a), graph.Const(b)
		want := ran(t, x.Cast(graph.Int32).MatMul(y.Cast(graph.Int32).Sub(7)))
		got := ran(t, x.MatMulInteger(y, nil, 7))
		require.True(t, graph.Equal(want, got), "%d pairs", k)
	}
}

// bytesOf returns random or extreme elements, and their numbers.
func bytesOf(rng *rand.Rand, dt graph.DType, extreme bool, shape ...int) (*graph.Tensor, []int) {
	x := graph.New(graph.Uint8, shape...)
	data, _ := graph.Data[uint8](x)
	numbers := make([]int, len(data))
	for i := range data {
		if data[i] = uint8(rng.Uint32()); extreme {
			data[i] = map[graph.DType]uint8{graph.Int8: 0x80, graph.Uint8: 0}[dt] - uint8(i%1000/999)
		}
		if numbers[i] = int(data[i]); dt == graph.Int8 {
			numbers[i] = int(int8(data[i]))
		}
	}
	return x.Bitcast(dt), numbers
}

// zeroAt returns the zero point of a row or column.
func zeroAt(given any, zeros []int, i int) int {
	switch given := given.(type) {
	case nil:
		return 0
	case int:
		return given
	}
	return zeros[i]
}

// TestQuantize compares with the definition, for one scale and for one scale per row.
func TestQuantize(t *testing.T) {
	x := graph.Of([]float32{-1, 0, 0.25, 0.75, 1.25, 1e9, float32(math.Inf(-1)), float32(math.NaN())}, 2, 4)
	q := graph.Linear(graph.Int8, 0.5, 3)
	y := ran(t, graph.Const(x).Quantize(q))
	require.True(t, graph.Equal(graph.Of([]int8{1, 3, 3, 5, 5, 127, -128, 0}, 2, 4), y), "%s", y) // halves to even
	back := ran(t, graph.Const(y).Dequantize(q))
	require.True(t, graph.Equal(graph.Of([]float32{-1, 0, 0, 1, 1, 62, -65.5, -1.5}, 2, 4), back), "%s", back)

	rows := graph.Quantization{DType: graph.Uint8, Scale: graph.Const(graph.Of([]float32{0.25, 2})), Zero: graph.Const(graph.Of([]uint8{10, 0})), Axis: -2}
	y = ran(t, graph.Const(x).Quantize(rows))
	require.True(t, graph.Equal(graph.Of([]uint8{6, 10, 11, 13, 1, 255, 0, 0}, 2, 4), y), "%s", y)
	z := ran(t, graph.Const(y).Requantize(rows, graph.Linear(graph.Int8, 1, -1)))
	require.True(t, graph.Equal(graph.Of([]int8{-2, -1, -1, 0, 1, 127, -1, -1}, 2, 4), z), "%s", z)
	p, err := graph.Compile(graph.Input("y", graph.Uint8, 2, 4).Requantize(rows, q))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), y)
	require.NoError(t, err)
	require.Len(t, p.Kernels(), 1, "it is one loop")
}

// TestCalibrate checks that scales are the smallest that cover the elements.
func TestCalibrate(t *testing.T) {
	x := graph.Of([]float32{-1, 0, 1, 2, 0, 0, 0, 0}, 2, 4)
	for _, c := range []struct {
		dt    graph.DType
		c     graph.Calibration
		scale []float32
		zero  []int
	}{
		{graph.Uint8, graph.Calibration{}, []float32{3. / 255}, []int{85}},
		{graph.Int8, graph.Calibration{}, []float32{3. / 255}, []int{-43}},
		{graph.Uint8, graph.Calibration{PerAxis: true}, []float32{3. / 255, 1}, []int{85, 0}},
		{graph.Uint8, graph.Calibration{PerAxis: true, Axis: -1}, []float32{1. / 255, 1, 1. / 255, 2. / 255}, []int{255, 0, 0, 0}},
		{graph.Uint8, graph.Calibration{Percentile: 50}, []float32{1}, []int{0}},
	} {
		q, err := graph.Calibrate(t.Context(), x, c.dt, c.c)
		require.NoError(t, err)
		require.Equal(t, c.scale, numbersOf[float32](t, ran(t, q.Scale.Reshape(-1))), "%v", c)
		require.Equal(t, fmt.Sprint(c.zero), fmt.Sprint(numbersOf[int32](t, ran(t, q.Zero.Reshape(-1).Cast(graph.Int32)))), "%v", c)
		back := ran(t, graph.Const(x).Quantize(q).Dequantize(q).Sub(x).Abs().Max())
		most, err := graph.At[float32](back)
		require.NoError(t, err)
		require.True(t, most <= 0.5*3./255+1e-6 || c.c.Percentile != 0, "%v: %v", c, most)
	}
	y, q := graph.Const(x).QuantizeDynamic(graph.Uint8)
	require.True(t, graph.Equal(graph.Of([]uint8{0, 85, 170, 255, 85, 85, 85, 85}, 2, 4), ran(t, y)))
	require.True(t, graph.Equal(graph.ScalarOf(uint8(85)), ran(t, q.Zero)))

	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		_, err := graph.Calibrate(t.Context(), graph.Of([]float32{1, bad}), graph.Int8, graph.Calibration{})
		require.ErrorContains(t, err, "calibrate: an element is infinite or NaN")
	}
	_, err := graph.Calibrate(t.Context(), x, graph.Int16, graph.Calibration{})
	require.ErrorContains(t, err, "calibrate: can't calibrate for int16")
	_, err = graph.Calibrate(t.Context(), x, graph.Int8, graph.Calibration{Percentile: 30})
	require.ErrorContains(t, err, "calibrate: percentile 30")
	_, err = graph.Calibrate(t.Context(), x, graph.Int8, graph.Calibration{PerAxis: true, Axis: 2})
	require.ErrorContains(t, err, "calibrate: axis 2 is outside shape [2,4]")
	_, err = graph.Calibrate(t.Context(), graph.Of([]int32{1}), graph.Int8, graph.Calibration{})
	require.Error(t, err)
}

// numbersOf returns the elements of a tensor.
func numbersOf[T graph.Element](t *testing.T, x *graph.Tensor) []T {
	t.Helper()
	data, err := graph.Data[T](x)
	require.NoError(t, err)
	return data
}

// TestQuantizeErrors has mistakes, each an error that names the operation.
func TestQuantizeErrors(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 2, 3), graph.Input("i", graph.Int8, 2, 3)
	image, q := graph.Input("image", graph.Int8, 1, 4, 3), graph.Linear(graph.Int8, 1, 0)
	wide := graph.Quantization{DType: graph.Int8, Scale: graph.Input("s", graph.Float32, 3), Zero: graph.Input("z", graph.Int8, 3), Axis: 2}
	for text, y := range map[string]graph.Node{
		"quantize: a quantization of int32":            x.Quantize(graph.Linear(graph.Int32, 1, 0)),
		"dequantize: elements of float32":              x.Dequantize(q),
		"along axis 2 of [2,3]":                        x.Quantize(wide),
		"300 is outside uint8":                         x.Quantize(graph.Linear(graph.Uint8, 1, 300)),
		"matmulinteger: elements of float32":           i.MatMulInteger(x, nil, nil),
		"matmulinteger: shapes [2,3] and [2,3]":        i.MatMulInteger(i, nil, nil),
		"a scalar is no matrix":                        i.MatMulInteger(i.Index(0, 0).Index(0, 0), nil, nil),
		"-1 is outside uint8":                          graph.Input("u", graph.Uint8, 2, 2).MatMulInteger(i, -1, nil),
		"a zero point of float32 for elements of int8": i.MatMulInteger(i.T(), x.Index(0, 0), nil),
		"do not broadcast":                             i.MatMulInteger(i.T(), i.Index(1, 0), nil),
		"convinteger: elements of float32":             i.ConvInteger(x, nil, nil, graph.ConvOptions{}),
		"both need two axes for channels":              i.ConvInteger(i, nil, nil, graph.ConvOptions{}),
		"convinteger: -1 groups":                       image.ConvInteger(image, nil, nil, graph.ConvOptions{Groups: -1}),
		"[1,4,3] has 4 channels":                       image.ConvInteger(graph.Input("w", graph.Int8, 2, 3, 1), nil, nil, graph.ConvOptions{}),
	} {
		require.ErrorContains(t, y.Err(), text)
	}
}

func ExampleNode_MatMulInteger() {
	x := graph.Input("x", graph.Float32, 2, 3)
	w := graph.Of([]int8{1, 2, 3, 4, 5, 6}, 3, 2)
	scale := graph.Linear(graph.Int8, 0.5, 0) // quantization of w
	q, found := x.QuantizeDynamic(graph.Uint8)
	sums := q.MatMulInteger(graph.Const(w), found.Zero, 0)
	y := sums.Cast(graph.Float32).Mul(found.Scale.Mul(scale.Scale))
	p, err := graph.Compile(y)
	if err != nil {
		panic(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float32{0, 51, 102, 153, 204, 255}, 2, 3))
	if err != nil {
		panic(err)
	}
	fmt.Println(out)
	// Output:
	// float32[2,2]
	// [[ 331.5  408. ]
	//  [1020.  1326. ]]
}
