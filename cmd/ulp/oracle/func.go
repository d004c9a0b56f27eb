// Package oracle computes elementary functions of float64 arguments to 128 bits and more, and measures how far a
// floating-point result is from them.
//
// Each function is written with math/big, by series and fractions of known error. The bits that cancel on the way are
// counted, and the value is computed again with as many more bits. The package's tests compare it with values of
// mpmath.
package oracle

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Func is a function of one or two arguments.
type Func struct {
	Name  string
	Arity int
	// Near computes the function in float64: within a few ULP, and exact for infinities, zeros and NaN. It is the
	// reference for float32 results. From names the implementation.
	Near func(x, y float64) float64
	From string

	exact func(c *calc, x, y *big.Float) *big.Float
	close func(x, y float64) wide // in double-double, or nil
	poles []float64               // arguments other than 0 at which Near returns an exact zero or infinity
}

// Value is the value of a function: a NaN, an infinity, an exact zero or small integer, or a number of many bits.
type Value struct {
	exact  float64 // used if number is nil
	number *big.Float
}

// Lookup returns a function by its name in the table of package ir.
func Lookup(name string) (*Func, bool) {
	i := slices.IndexFunc(funcs, func(f Func) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return &funcs[i], true
}

// Number returns a number as a value.
func Number(x *big.Float) Value {
	if x.Sign() == 0 {
		return Value{}
	}
	return Value{number: x}
}

// Funcs returns all functions.
func Funcs() []Func { return slices.Clone(funcs) }

// Oracle evaluates functions. It caches constants, and is for one goroutine.
type Oracle struct{ calc calc }

// Value evaluates f. Functions of one argument ignore y.
func (o *Oracle) Value(f *Func, x, y float64) Value {
	if f.Arity == 1 {
		y = 1
	}
	near := f.Near(x, y)
	special := near != near || isSpecial(x) || isSpecial(y) || slices.Contains(f.poles, x)
	if special && (near != near || near == math.Trunc(near)) || x != x || y != y {
		return Value{exact: near}
	}
	z := o.calc.result(f.exact, toBig(x), toBig(y))
	if z.Sign() == 0 || z.IsInf() {
		v, _ := z.Float64()
		return Value{exact: v}
	}
	return Value{number: z}
}

// Close is the value of a function to 68 bits.
type Close struct{ number wide }

// Close evaluates f in double-double, about a hundred times as fast as Value. ok is false if f has no such
// implementation, and for zeros, infinities and NaN.
func (f *Func) Close(x, y float64) (v Close, ok bool) {
	if f.close == nil || isSpecial(x) || f.Arity == 2 && isSpecial(y) || slices.Contains(f.poles, x) {
		return Close{}, false
	}
	return Close{f.close(x, y)}, true
}

// ULPs is [Value.ULPs]. ok is false if the value is beyond the range of the format, and for results that are zeros,
// infinities or NaN.
func (v Close) ULPs(f Format, got float64) (ulps float64, ok bool) { return v.number.ulps(f, got) }

func isSpecial(x float64) bool { return x == 0 || x != x || math.IsInf(x, 0) }

func (v Value) String() string {
	if v.number == nil {
		return fmt.Sprint(v.exact)
	}
	return v.number.Text('g', 25)
}

// Float64 returns the nearest float64.
func (v Value) Float64() float64 {
	if v.number == nil {
		return v.exact
	}
	z, _ := v.number.Float64()
	return z
}

// Format is a binary floating-point format.
type Format struct {
	Bits  int // bits of the significand
	Least int // exponent of the least subnormal
	Most  int // exponent of the first power of 2 that overflows
}

// The formats.
var (
	Single = Format{Bits: 24, Least: -149, Most: 128}
	Double = Format{Bits: 53, Least: -1074, Most: 1024}
)

// ULPs returns |got - v| in units of v's last place or, if v is subnormal, of the least subnormal. An infinity is right
// for a number that overflows; otherwise it counts as the first power of 2 that overflows. Wrong signs of zeros, and
// wrong NaNs and infinities, are infinitely wrong.
func (v Value) ULPs(f Format, got float64) float64 {
	want := v.number
	if want == nil {
		if got == v.exact && math.Signbit(got) == math.Signbit(v.exact) || got != got && v.exact != v.exact {
			return 0
		}
		if isSpecial(v.exact) && (v.exact != 0 || got == 0) {
			return math.Inf(1)
		}
		want = big.NewFloat(v.exact)
	}
	if got != got || got == 0 && math.Signbit(got) != want.Signbit() {
		return math.Inf(1)
	}
	have := new(big.Float)
	if math.IsInf(got, 0) {
		if math.Signbit(got) != want.Signbit() {
			return math.Inf(1)
		}
		if want.MantExp(nil) > f.Most {
			return 0
		}
		have.SetMantExp(big.NewFloat(math.Copysign(1, got)), f.Most)
	} else {
		have.SetFloat64(got)
	}
	last := f.Least
	if want.Sign() != 0 {
		last = max(min(want.MantExp(nil), f.Most)-f.Bits, f.Least)
	}
	d := new(big.Float).SetPrec(128).Sub(have, want)
	if d.Sign() != 0 {
		d.SetMantExp(d, -last)
	}
	ulps, _ := d.Float64()
	return math.Abs(ulps)
}
