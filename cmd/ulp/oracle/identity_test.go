package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIdentities compares, with 512 bits, two expressions for the same number.
func TestIdentities(t *testing.T) {
	c := &calc{prec: 512}
	one := c.num(1)
	for name, sides := range map[string]func(x, y *big.Float) (a, b *big.Float){
		"exp(log x) = x": func(x, _ *big.Float) (a, b *big.Float) { return c.exp(c.log(x)), x },
		"exp(x+y) = exp(x) exp(y)": func(x, y *big.Float) (a, b *big.Float) {
			return c.exp(c.add(x, y)), c.mul(c.exp(x), c.exp(y))
		},
		"exp2(log2 x) = x":     func(x, _ *big.Float) (a, b *big.Float) { return c.exp2(c.log2(x)), x },
		"log1p(expm1 x) = x":   func(x, _ *big.Float) (a, b *big.Float) { return c.log1p(c.expm1(x)), x },
		"pow(10, log10 x) = x": func(x, _ *big.Float) (a, b *big.Float) { return c.pow(c.num(10), c.log10(x)), x },
		"cbrt(x)^3 = x":        func(x, _ *big.Float) (a, b *big.Float) { return c.pow(c.cbrt(x), c.num(3)), x },
		"sin^2 + cos^2 = 1":    func(x, _ *big.Float) (a, b *big.Float) { return c.hypot(c.sin(x), c.cos(x)), one },
		"sin 2x = 2 sin x cos x": func(x, _ *big.Float) (a, b *big.Float) {
			return c.sin(c.double(x)), c.double(c.mul(c.sin(x), c.cos(x)))
		},
		"tan(atan x) = x":        func(x, _ *big.Float) (a, b *big.Float) { return c.tan(c.atan(x)), x },
		"sin(asin 1/(1+x))":      func(x, _ *big.Float) (a, b *big.Float) { v := c.inverse(c.add(x, one)); return c.sin(c.asin(v)), v },
		"cos(acos 1/(1+x))":      func(x, _ *big.Float) (a, b *big.Float) { v := c.inverse(c.add(x, one)); return c.cos(c.acos(v)), v },
		"tan(atan2(x, y)) = x/y": func(x, y *big.Float) (a, b *big.Float) { return c.tan(c.atan2(x, y)), c.quo(x, y) },
		"sinh(asinh x) = x":      func(x, _ *big.Float) (a, b *big.Float) { return c.sinh(c.asinh(x)), x },
		"cosh(acosh(1+x)) = 1+x": func(x, _ *big.Float) (a, b *big.Float) { v := c.add(x, one); return c.cosh(c.acosh(v)), v },
		"tanh(atanh 1/(1+x))":    func(x, _ *big.Float) (a, b *big.Float) { v := c.inverse(c.add(x, one)); return c.tanh(c.atanh(v)), v },
		"sigmoid(logit 1/(1+x))": func(x, _ *big.Float) (a, b *big.Float) {
			v := c.inverse(c.add(x, one))
			return c.sigmoid(c.logit(v)), v
		},
		"exp(softplus x) = 1+e^x": func(x, _ *big.Float) (a, b *big.Float) { return c.exp(c.softplus(x)), c.add(c.exp(x), one) },
		"gelu(x) - gelu(-x) = x":  func(x, _ *big.Float) (a, b *big.Float) { return c.sub(c.gelu(x), c.gelu(c.neg(x))), x },
		// series against continued fraction
		"1 - erf(3+x) = erfc(3+x)": func(x, _ *big.Float) (a, b *big.Float) {
			v := c.num(3.0000001)
			far := c.erfcFar(v)
			v.SetMode(big.ToNearestEven)
			return c.sub(one, erfSeries(c, v)), far
		},
	} {
		r := rand.New(rand.NewPCG(3, 4))
		for range 5 {
			x, y := c.num(math.Exp(8*r.Float64()-4)), c.num(math.Exp(8*r.Float64()-4))
			a, b := sides(x, y)
			d := new(big.Float).Sub(a, b)
			require.True(t, below(d, b.MantExp(nil)-400), "%s at %g, %g: %.60g and %.60g", name, x, y, a, b)
		}
	}
}

// erfSeries is erf by its Taylor series, whose terms alternate.
func erfSeries(c *calc, x *big.Float) *big.Float {
	minusSquare, power, sum := c.neg(c.mul(x, x)), x, x
	for n := int64(1); power.MantExp(nil) > -int(c.prec); n++ {
		power = c.quo(c.mul(power, minusSquare), c.num(float64(n)))
		sum = c.add(sum, c.quo(power, c.num(float64(2*n+1))))
	}
	return c.quo(c.double(sum), c.sqrt(c.pi()))
}

func TestULPs(t *testing.T) {
	inf, negZero := math.Inf(1), math.Copysign(0, -1)
	number := func(x float64) Value { return Value{number: big.NewFloat(x)} }
	for _, c := range []struct {
		value  Value
		format Format
		got    float64
		want   float64
	}{
		{number(1), Double, 1, 0},
		{number(1), Double, 1 + 0x1p-52, 1},
		{number(1), Double, 1 - 0x1p-53, 0.5},
		{number(1), Single, 1 + 0x1p-23, 1},
		{number(0x1p-149), Single, 0, 1},
		{number(0x1p-152), Single, 0, 0.125},
		{number(0x1p-152), Single, negZero, inf},
		{number(0x1p128), Single, inf, 0},
		{number(0x1.ffffffp127), Single, inf, 0.5},
		{number(0x1.ffffffp127), Single, -inf, inf},
		{number(0x1p130), Single, 0x1.fffffep127, 3<<24 + 1},
		{number(1), Single, math.NaN(), inf},
		{Value{exact: inf}, Double, inf, 0},
		{Value{exact: inf}, Double, math.MaxFloat64, inf},
		{Value{exact: math.NaN()}, Double, math.NaN(), 0},
		{Value{exact: math.NaN()}, Double, 0, inf},
		{Value{exact: 0}, Double, negZero, inf},
		{Value{exact: 0}, Double, 5e-324, 1},
		{Value{exact: 1}, Double, 1 + 0x1p-51, 2},
	} {
		require.Equal(t, c.want, c.value.ULPs(c.format, c.got), "%v of %v", c.got, c.value)
	}
}

// TestSpecials takes values where an argument is infinite, zero or NaN.
func TestSpecials(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	var o Oracle
	for _, c := range []struct {
		name       string
		x, y, want float64
	}{
		{"exp", -inf, 0, 0}, {"exp", 0, 0, 1}, {"log", 0, 0, -inf}, {"log", 1, 0, 0}, {"log", -1, 0, nan}, {"log1p", -1, 0, -inf}, {"log2", inf, 0, inf},
		{"atan", -inf, 0, -math.Pi / 2}, {"atan2", inf, inf, math.Pi / 4}, {"atan2", 0, negZero, math.Pi}, {"atan2", negZero, 1, negZero}, {"atan2", 3, negZero, math.Pi / 2},
		{"acos", 0, 0, math.Pi / 2}, {"acos", 1, 0, 0}, {"acosh", 1, 0, 0}, {"atanh", -1, 0, -inf}, {"sin", inf, 0, nan}, {"sin", negZero, 0, negZero},
		{"pow", 1, nan, 1}, {"pow", nan, 0, 1}, {"pow", -8, 1. / 3, nan}, {"pow", -2, 3, -8}, {"pow", negZero, -3, -inf}, {"hypot", nan, -inf, inf},
		{"sigmoid", inf, 0, 1}, {"silu", -inf, 0, negZero}, {"softplus", 0, 0, math.Ln2}, {"gelu", -inf, 0, negZero}, {"gelutanh", -inf, 0, negZero}, {"mish", -inf, 0, negZero},
		{"elu", -inf, 1.5, -1.5}, {"selu", -inf, 0, -1.0507009873554805 * 1.6732632423543772}, {"hardswish", -3, 0, negZero}, {"softsign", -inf, 0, -1}, {"logit", 1, 0, inf}, {"logit", 0.5, 0, 0},
		{"fmod", 5, inf, 5}, {"fmod", -6, 3, negZero}, {"mod", -5, inf, inf}, {"mod", 5, 3, 2}, {"mod", -5, 3, 1}, {"mod", 5, 0, nan}, {"floordiv", -5, inf, -1}, {"floordiv", 1, 0, inf}, {"floordiv", -5, 3, -2},
	} {
		f, ok := Lookup(c.name)
		require.True(t, ok)
		got := o.Value(f, c.x, c.y).Float64()
		if c.want != c.want {
			require.True(t, got != got, "%s(%g, %g) = %g", c.name, c.x, c.y, got)
		} else {
			require.InDelta(t, 0, Value{exact: c.want}.ULPs(Double, got), 1, "%s(%g, %g) = %g", c.name, c.x, c.y, got)
		}
	}
}
