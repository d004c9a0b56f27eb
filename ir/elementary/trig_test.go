package elementary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

var trigOps = []struct {
	op    ir.Op
	ref   func(float64) float64
	limit [2]float64 // ULP of float32, in the default tier and the fast one
}{
	{ir.OpSin, math.Sin, [2]float64{0.89, 3}},
	{ir.OpCos, math.Cos, [2]float64{0.89, 3}},
	// math.Tan and math.Acos are off by up to 28 ULP
	{ir.OpTan, func(x float64) float64 { return math.Sin(x) / math.Cos(x) }, [2]float64{0.53, 4}},
	{ir.OpAsin, math.Asin, [2]float64{0.8, 3}},
	{ir.OpAcos, func(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }, [2]float64{0.8, 3}},
	{ir.OpAtan, math.Atan, [2]float64{0.51, 3}},
}

func TestTrigAccuracy(t *testing.T) {
	for _, c := range trigOps {
		for tier, fast := range []bool{false, true} {
			f32, f64 := evalInTier(t, c.op, ir.Float32, fast), evalInTier(t, c.op, ir.Float64, fast)
			var worst32, worst64 float64
			for i := range 3000 {
				x := (float64(i)/1500 - 1) * math.Exp2(float64(i%32)-28)
				if c.op == ir.OpAsin || c.op == ir.OpAcos {
					x = (float64(i)/1500 - 1) * math.Exp2(-float64(i%4))
				}
				worst64 = max(worst64, ulps(ir.Float64, f64(x), c.ref(x)))
				x = float64(float32(x))
				worst32 = max(worst32, ulps(ir.Float32, f32(x), c.ref(x)))
			}
			t.Logf("%s fast=%v: float32 %.3f ULP, float64 %.3f", c.op, fast, worst32, worst64)
			require.LessOrEqual(t, worst32, c.limit[tier], "%s fast=%v", c.op, fast)
			require.LessOrEqual(t, worst64, 5.0, "%s fast=%v", c.op, fast) // math's own error counts, too
		}
	}
}

func TestTrigHugeFloat32(t *testing.T) {
	for _, c := range trigOps[:3] {
		for tier, fast := range []bool{false, true} {
			f := evalInTier(t, c.op, ir.Float32, fast)
			for i := range 2000 {
				x := float64(math.Float32frombits(0x4e000000 + uint32(i)*0x0c3501 + uint32(i)<<7))
				if x < math.MaxFloat32 {
					require.LessOrEqual(t, ulps(ir.Float32, f(x), c.ref(x)), c.limit[tier], "%s of %g, fast=%v", c.op, x, fast)
				}
			}
		}
	}
}

// hardAngles are large or next to a multiple of pi/2, with sine, cosine and
// tangent, correctly rounded by MPFR. 0x1.6ac5b262ca1ffp849 is the float64 that
// comes closest to one relative to its size (Muller et al., Handbook).
var hardAngles = [][4]float64{
	{0x1.921fb54442d18p+0, 0x1p+0, 0x1.1a62633145c07p-54, 0x1.d02967c31cdb5p+53},
	{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1p+0, -0x1.1a62633145c07p-53},
	{0x1.6ac5b262ca1ffp+849, 0x1p+0, -0x1.14ae72e6ba22fp-61, -0x1.d9ba9a7975636p+60},
	{0x1.86d6d13926cdp+21, 0x1.836c91c32b33ap-34, 0x1p+0, 0x1.836c91c32b33ap-34},
	{0x1.ffffffp+29, -0x1.e5c9096ea3afbp-1, 0x1.4375d682cf71ap-2, -0x1.8078854d490fcp+1},
	{0x1p+30, -0x1.3c12353728cafp-1, 0x1.92cb46a920144p-1, -0x1.91c3c126f9d13p-1},
	{0x1p+54, 0x1.cb6f75f360b74p-1, -0x1.c3f1688d1144p-2, -0x1.043e77b07c4dfp+1},
	{0x1p+55, -0x1.958b4e2e20661p-1, -0x1.3888e17e3c374p-1, 0x1.4c2f55b092bf2p+0},
	{0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1, -0x1.a0f79c1b6b257p+0},
	{0x1.1a00cb32e1e5dp+902, -0x1p+0, 0x1.3a322febd60d7p-49, -0x1.a12a926bd82f6p+48},
	{0x1.836db670594p+1000, -0x1.1a1a3d684e12dp-43, -0x1p+0, 0x1.1a1a3d684e12dp-43},
	{0x1p+1023, 0x1.205248cbdb76p-1, -0x1.a719f26c232bfp-1, -0x1.5ce6b4c0d02a3p-1},
	{0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1, -0x1.4530cfe729484p-8},
	{0x1.fd6c89efd6ccbp+637, 0x1.73fa182084323p-51, -0x1p+0, -0x1.73fa182084323p-51},
}

func TestTrigHardAngles(t *testing.T) {
	for i, op := range []ir.Op{ir.OpSin, ir.OpCos, ir.OpTan} {
		for _, fast := range []bool{false, true} {
			f := evalInTier(t, op, ir.Float64, fast)
			limit := map[bool]float64{false: 1, true: 4}[fast]
			for _, c := range hardAngles {
				require.LessOrEqual(t, ulps(ir.Float64, f(c[0]), c[i+1]), limit, "%s of %x, fast=%v", op, c[0], fast)
				minus := c[i+1]
				if op != ir.OpCos {
					minus = -minus
				}
				require.LessOrEqual(t, ulps(ir.Float64, f(-c[0]), minus), limit, "%s of %x, fast=%v", op, -c[0], fast)
			}
		}
	}
}

// TestAtan2Specials has every pair of special operands, as math.Atan2 has them.
func TestAtan2Specials(t *testing.T) {
	values := []float64{0, 1, 2.5, 0x1p-149, 0x1p-126, 0x1p127, math.Inf(1)}
	for _, dt := range []ir.DType{ir.Float32, ir.Float64} {
		for _, fast := range []bool{false, true} {
			f := evalInTier(t, ir.OpAtan2, dt, fast)
			for i := range 4 * len(values) * len(values) {
				y, x := values[i/4%len(values)], values[i/4/len(values)]
				if i&1 != 0 {
					y = -y
				}
				if i&2 != 0 {
					x = math.Copysign(x, -1)
				}
				if y == 0 && i&1 != 0 {
					y = math.Copysign(0, -1)
				}
				want, got := math.Atan2(y, x), f(y, x)
				require.LessOrEqual(t, ulps(dt, got, want), 3.2, "atan2(%g, %g) %s fast=%v", y, x, dt, fast)
				require.Equal(t, math.Signbit(want), math.Signbit(got), "atan2(%g, %g) %s fast=%v", y, x, dt, fast)
			}
			require.True(t, math.IsNaN(f(math.NaN(), 1)) && math.IsNaN(f(1, math.NaN())) && math.IsNaN(f(math.Inf(1), math.NaN())))
		}
	}
}
