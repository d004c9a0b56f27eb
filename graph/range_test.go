package graph_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// exactRange returns the elements of a range by exact arithmetic, or false if the type lacks one of them.
func exactRange(dt graph.DType, start, stop, step float64) (elements []uint64, ok bool) {
	exact := func(f float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(f) }
	for i := range int(max(0, math.Ceil((stop-start)/step))) {
		e := exact(start)
		e.Add(e, exact(0).Mul(exact(float64(i)), exact(step)))
		if ir.Fractions.Has(dt) {
			f, _ := e.Float64()
			bits, err := ir.Encode(dt, f)
			if err != nil {
				return nil, false
			}
			elements = append(elements, bits)
			continue
		}
		whole, _ := e.Int(nil)
		bits, err := uint64(0), error(nil)
		switch {
		case whole.IsInt64():
			bits, err = ir.Encode(dt, whole.Int64())
		case whole.IsUint64():
			bits, err = ir.Encode(dt, whole.Uint64())
		default:
			return nil, false
		}
		if err != nil {
			return nil, false
		}
		elements = append(elements, bits)
	}
	return elements, true
}

// TestRanges compares Range and Arange of any type with exact arithmetic: the elements, and which ranges are errors.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom((ir.AllTypes &^ ir.Bools).List()).Draw(t, "type")
		number := func(name string) float64 {
			f := math.Ldexp(float64(rapid.IntRange(-1<<10, 1<<10).Draw(t, name)), rapid.IntRange(-12, dt.Bits()).Draw(t, name+" scale"))
			if rapid.Bool().Draw(t, name+" tenth") {
				f /= 10
			}
			if !ir.Fractions.Has(dt) {
				f = math.Trunc(f)
			}
			return f
		}
		start, step := number("start"), number("step")
		if step == 0 {
			step = 1
		}
		stop := start + step*float64(rapid.IntRange(-2, 300).Draw(t, "count")) + number("rest")/64
		if count := (stop - start) / step; count > 2000 {
			stop = start + 2000*step
		}
		want, ok := exactRange(dt, start, stop, step)
		y, tensor := graph.Range(dt, start, stop, step), graph.Arange(dt, start, stop, step)
		if !ok {
			require.ErrorContains(t, tensor.Err(), "arange: element ")
			require.ErrorContains(t, y.Err(), "range: element ")
			return
		}
		require.NoError(t, tensor.Err())
		for _, way := range []graph.Debug{graph.Verify, graph.NoFusion, graph.Portable} {
			p, err := graph.Compile(y, graph.WithDebug(way))
			require.NoError(t, err)
			got, err := p.Run(t.Context())
			require.NoError(t, err)
			require.True(t, graph.Equal(tensor, got), "%v\n%v", tensor, got)
		}
		require.Equal(t, len(want), tensor.Size())
		for i, bits := range want {
			e, err := tensor.At(i)
			require.NoError(t, err)
			got, err := ir.Encode(dt, e)
			require.NoError(t, err)
			require.Equal(t, bits, got, "element %d of %v", i, tensor)
		}
	})
}

// TestRangesAtTheEnds asserts that exactly those ranges are valid whose elements the type can hold.
func TestRangesAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		dt                graph.DType
		start, stop, step float64
		want              string // the result, or an error
	}{
		{graph.Uint8, 5, -1, -1, "uint8[6] [5 4 3 2 1 0]"},
		{graph.Int8, -128, 256, 127, "element 3: 253 is outside int8, [-128, 127]"},
		{graph.Int8, -128, 200, 200, "int8[2] [-128   72]"},
		{graph.Int8, 1, 0, 1e300, "int8[0] []"},
		{graph.Int8, 1, 2, 1e300, "int8[1] [1]"},
		{graph.Int64, 0, 0, 1 << 53, "int64[0] []"},
		{graph.Int64, 0, 9e18, 4e18, "int64[3] [                  0 4000000000000000000 8000000000000000000]"},
		{graph.Int64, 0, 1.8e19, 6e18, "element 2: 1.2e+19 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{graph.Uint64, 0x1p64 - 2048, 0x1p64, 2047, "uint64[2] [18446744073709549568 18446744073709551615]"},
		{graph.Int64, -0x1p63, 0x1p63, 0x1p63, "int64[2] [-9223372036854775808                    0]"},
		{graph.Float32, 0, 1e39, 3e38, "element 3: 9.000000000000001e+38 is past the greatest float32, 3.4028234663852886e+38"},
		{graph.Float16, 65504, 65536, 15, "element 2: 65534 is past the greatest float16, 65504"},
		{graph.Float32, 1, math.NaN(), 1, "NaN in place of a finite number"},
		{graph.Float32, 0, 1, 0, "the step is 0"},
		{graph.Bool, 0, 1, 1, "dtype bool has no numbers"},
	} {
		y, tensor := graph.Range(c.dt, c.start, c.stop, c.step), graph.Arange(c.dt, c.start, c.stop, c.step)
		if err := tensor.Err(); err != nil {
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, y.Err(), c.want)
			continue
		}
		require.Equal(t, c.want, strings.ReplaceAll(tensor.String(), "\n", " "))
		require.Equal(t, c.want, strings.ReplaceAll(run(t, y).String(), "\n", " "))
	}
	v, err := run(t, graph.Range(graph.Float16, 0, 35000, 0.5).Index(0, 66000)).At()
	require.NoError(t, err)
	require.Equal(t, graph.HalfOf(33000), v)
}

// TestIotaFits asserts that an Iota beyond the greatest number of its type is an error, for types that round and for
// types that wrap.
func TestIotaFits(t *testing.T) {
	require.ErrorContains(t, graph.Iota(graph.Float16, 65521).Err(), "iota: 65521 elements: 65520 is past the greatest float16, 65504")
	require.ErrorContains(t, graph.Iota(graph.Fixed16x16, 32769).Err(), "iota: 32769 elements: 32768 is past the greatest fixed16x16")
	require.ErrorContains(t, graph.Iota(graph.Int8, 129).Err(), "iota: 129 elements: 128 is outside int8, [-128, 127]")
	for _, y := range []graph.Node{graph.Iota(graph.Float16, 65520), graph.Iota(graph.Fixed16x16, 32768), graph.Iota(graph.Int8, 128), graph.Iota(graph.Float8E5M2, 3)} {
		require.NoError(t, y.Err())
	}
}
