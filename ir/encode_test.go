package ir_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"
)

func TestEncode(t *testing.T) {
	type celsius float64
	type flag bool
	type count uint16
	f32bits := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	for _, c := range []struct {
		dt   ir.DType
		v    any
		want uint64
	}{
		{ir.Bool, true, 1}, {ir.Bool, false, 0}, {ir.Bool, flag(true), 1},
		{ir.Uint8, 255, 255}, {ir.Uint8, uint64(7), 7}, {ir.Uint8, 255.0, 255},
		{ir.Int32, -1, math.MaxUint64}, {ir.Int32, math.MinInt32, 0xffffffff80000000},
		{ir.Int32, float32(-2), math.MaxUint64 - 1}, {ir.Int32, count(9), 9}, {ir.Int32, celsius(3), 3},
		{ir.Int32, math.Copysign(0, -1), 0},
		{ir.Uint32, uint32(math.MaxUint32), math.MaxUint32},
		{ir.Int64, int64(math.MinInt64), 1 << 63}, {ir.Int64, float64(math.MinInt64), 1 << 63},
		{ir.Int64, uint64(math.MaxInt64), math.MaxInt64},
		{ir.Float32, 1, f32bits(1)}, {ir.Float32, 0.1, f32bits(0.1)}, {ir.Float32, celsius(-0.5), f32bits(-0.5)},
		{ir.Float32, math.Inf(-1), f32bits(float32(math.Inf(-1)))},
		{ir.Float32, math.NaN(), f32bits(float32(math.NaN()))},
		{ir.Float32, math.Copysign(0, -1), 1 << 31},
		{ir.Float32, uint64(math.MaxUint64), f32bits(1 << 64)},
		// Rounded once: by way of float64 this is a tie, which goes down.
		{ir.Float32, int64(1<<60 + 1<<36 + 1), f32bits(1<<60 + 1<<37)},
		{ir.Float64, 0.1, math.Float64bits(0.1)}, {ir.Float64, float32(0.5), math.Float64bits(0.5)},
		{ir.Float64, uint8(3), math.Float64bits(3)}, {ir.Float64, math.MaxFloat64, math.Float64bits(math.MaxFloat64)},
	} {
		got, err := ir.Encode(c.dt, c.v)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%v (%T) as %s", c.v, c.v, c.dt)
	}
}

func TestEncodeErrors(t *testing.T) {
	for _, c := range []struct {
		dt   ir.DType
		v    any
		want string
	}{
		{ir.Int32, 1.5, "1.5 is not an integer, for int32: round it, or Cast to a float type"},
		{ir.Int32, math.NaN(), "NaN is no number of int32: Cast to a float type"},
		{ir.Int64, math.Inf(1), "+Inf is no number of int64: Cast to a float type"},
		{ir.Int32, int64(1 << 31), "2147483648 is outside int32, [-2147483648, 2147483647]"},
		{ir.Uint8, -1, "-1 is outside uint8, [0, 255]"},
		{ir.Uint8, -1.0, "-1 is outside uint8, [0, 255]"},
		{ir.Uint8, 256.0, "256 is outside uint8, [0, 255]"},
		{ir.Uint32, int64(-1 << 63), "-9223372036854775808 is outside uint32, [0, 4294967295]"},
		{ir.Int64, uint64(1 << 63), "9223372036854775808 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, float64(1 << 63), "9.223372036854776e+18 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int64, float64(1 << 64), "1.8446744073709552e+19 is outside int64, [-9223372036854775808, 9223372036854775807]"},
		{ir.Int32, -1e300, "-1e+300 is outside int32, [-2147483648, 2147483647]"},
		{ir.Float32, 1e300, "1e+300 is past the greatest float32, 3.4028234663852886e+38"},
		{ir.Float32, true, "true is not a number, for float32"},
		{ir.Bool, 1, "1 is not a bool: use true or false, or Cast the bools"},
		{ir.Bool, 0.0, "0 is not a bool: use true or false, or Cast the bools"},
		{ir.Float32, "1", "1 (string) is neither a number nor a bool"},
		{ir.Bool, nil, "<nil> (<nil>) is neither a number nor a bool"},
		{ir.Float64, 1i, "(0+1i) (complex128) is neither a number nor a bool"},
		{ir.Float16, 65520, "65520 is past the greatest float16, 65504"},
		{ir.Float16, 1e5, "100000 is past the greatest float16, 65504"},
		{ir.Uint16, 1 << 16, "65536 is outside uint16, [0, 65535]"},
		{200, 1, "dtype 200 does not exist"},
		{ir.Float8E4M3FN, 464.1, "464.1 is past the greatest float8e4m3fn, 448"},
		{ir.Float8E4M3FNUZ, math.Inf(1), "+Inf is past the greatest float8e4m3fnuz, 240"},
		{ir.Float4E2M1, -7, "-7 is past the greatest float4e2m1, 6"},
		{ir.Float4E2M1, math.NaN(), "NaN is past the greatest float4e2m1, 6"},
		{ir.Float8E8M0, -1, "-1 is past the greatest float8e8m0, 1.7014118346046923e+38"},
		{ir.Int4, 8, "8 is outside int4, [-8, 7]"},
		{ir.Uint2, -1, "-1 is outside uint2, [0, 3]"},
	} {
		_, err := ir.Encode(c.dt, c.v)
		require.EqualError(t, err, c.want)
	}
	_, err := ir.Encode(ir.Float32, "1")
	require.ErrorIs(t, err, ir.ErrNoNumber)
}

// TestEncodeExact holds Encode against big numbers.
func TestEncodeExact(t *testing.T) {
	dts := ir.Ints.List()
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom(dts).Draw(t, "dtype")
		value := rapid.OneOf(rapid.Int64().AsAny(), rapid.Uint64().AsAny(), rapid.Int8().AsAny(), rapid.Float64().AsAny(),
			rapid.Map(rapid.Int64(), func(i int64) float64 { return float64(i) }).AsAny()).Draw(t, "value")
		exact := new(big.Float)
		switch v := value.(type) {
		case int64:
			exact.SetInt64(v)
		case int8:
			exact.SetInt64(int64(v))
		case uint64:
			exact.SetUint64(v)
		case float64:
			exact.SetFloat64(v)
		}
		n, _ := exact.Int(nil)
		size := uint(8 * dt.Size())
		least, most := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), size)
		if ir.Signed.Has(dt) {
			most.Rsh(most, 1)
			least.Neg(most)
		}
		bits, err := ir.Encode(dt, value)
		if !exact.IsInt() || n.Cmp(least) < 0 || n.Cmp(most) >= 0 {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		got := new(big.Int).SetUint64(bits)
		if n.Sign() < 0 {
			got.SetInt64(int64(bits))
		}
		require.Zero(t, got.Cmp(n), "%v as %s: %#x", value, dt, bits)
	})
}
