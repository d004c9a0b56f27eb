package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestPoints compares functions with exact results, in both types and tiers and on every engine.
func TestPoints(t *testing.T) {
	exactPoints[float32](t, 10, math.MaxFloat32, 0x1p-149)
	exactPoints[float64](t, 22, math.MaxFloat64, 0x1p-1074)
}

// exactPoints checks the points of a type: 10 to the power of most is its greatest exact power.
func exactPoints[T float](t *testing.T, most int, largest, least float64) {
	type point struct{ x, want float64 }
	exact := map[ir.Op][]point{}
	for k, ten := 0, 1.0; k <= most; k, ten = k+1, ten*10 {
		exact[ir.OpLog10] = append(exact[ir.OpLog10], point{ten, float64(k)})
		exact[ir.OpLog2] = append(exact[ir.OpLog2], point{math.Ldexp(1, 3*k), float64(3 * k)}, point{math.Ldexp(1, -5*k), float64(-5 * k)})
	}
	for _, op := range []ir.Op{ir.OpExpm1, ir.OpSinh, ir.OpTanh, ir.OpAsinh, ir.OpLog1p, ir.OpSin, ir.OpTan} {
		for _, x := range []float64{least, -least, 2 * least, -3 * least} { // of slope 1 at 0
			exact[op] = append(exact[op], point{x, x})
		}
	}
	const scale = 1.0507009873554804934193349852946 // of selu
	last := T(largest / scale)
	for float64(last)*scale > largest {
		last = T(fromOrdinal(dtypeOf[T](), ordinal(dtypeOf[T](), float64(last))-1))
	}
	exact[ir.OpSELU] = []point{{largest, math.Inf(1)}, {float64(last), float64(T(float64(last) * scale))}}
	for op, list := range exact {
		f, err := chosen(op.String())
		require.NoError(t, err)
		xs, ys := make([]T, len(list)), make([]T, len(list))
		for i, p := range list {
			xs[i] = T(p.x)
		}
		for _, fast := range tiers(op, dtypeOf[T]()) {
			for on := range abi.Best() + 1 {
				e, err := newEngine[T](f[0], fast, on)
				require.NoError(t, err)
				out, err := e.run(t.Context(), xs, ys)
				require.NoError(t, err)
				for i, p := range list {
					require.Equal(t, p.want, float64(out[i]), "%s %s %s on %s of %g", op, dtypeOf[T]().Text(), tierName(fast), on, p.x)
				}
			}
		}
	}
}

// TestCosine: near 0, where a reduction leaves about 0, the cosine does not exceed 1 and is even.
func TestCosine(t *testing.T) {
	f, err := chosen("cos")
	require.NoError(t, err)
	xs := []float32{0x1.000002p-24, -0x1.000002p-24, 0x1p-13, -0x1p-13, 0x1.fffffep-12, -0x1.fffffep-12}
	for _, fast := range []bool{false, true} {
		for on := range abi.Best() + 1 {
			e, err := newEngine[float32](f[0], fast, on)
			require.NoError(t, err)
			out, err := e.run(t.Context(), xs, make([]float32, len(xs)))
			require.NoError(t, err)
			for i := 0; i < len(xs); i += 2 {
				require.LessOrEqual(t, out[i], float32(1))
				require.Equal(t, out[i], out[i+1])
			}
		}
	}
}
