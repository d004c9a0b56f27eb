package codegen

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// A template is the Go text of one lane instruction. $x, $y and $z are the operands, $T is the Go type of the result, $c the
// constant of an instruction. A template that mentions $t, the result, is a list of statements that declare it; any other
// template is an expression.
//
// Every float result is rounded by an explicit conversion. Otherwise Go may compute x*y + z with one rounding, and does so on
// some machines.
type template string

// portableOps holds the template of each lane op for the element types of its
// operands and of its result.
var portableOps = map[ir.Op]func(in, out ir.DType) template{
	ir.OpCopy: always("$x"),

	ir.OpAdd:       always("$T($x + $y)"),
	ir.OpSub:       always("$T($x - $y)"),
	ir.OpMul:       always("$T($x * $y)"),
	ir.OpMulHalves: always(template(mulHalves("$x", "$y"))),
	ir.OpDiv:       either("$T($x / $y)", unlessZero("/")),
	ir.OpRem:       always(unlessZero("%")),
	ir.OpFMA:       goFMA,

	ir.OpNeg:  always("-$x"),
	ir.OpAbs:  goAbs,
	ir.OpSqrt: always("$T(math.Sqrt(float64($x)))"),
	ir.OpMin:  always("scalar.Min($x, $y)"),
	ir.OpMax:  always("scalar.Max($x, $y)"),

	ir.OpFloor: always("$T(math.Floor(float64($x)))"),
	ir.OpCeil:  always("$T(math.Ceil(float64($x)))"),
	ir.OpTrunc: always("$T(math.Trunc(float64($x)))"),
	ir.OpRound: always("$T(math.RoundToEven(float64($x)))"),

	ir.OpEq: always("$x == $y"),
	ir.OpNe: always("$x != $y"),
	ir.OpLt: always("$x < $y"),
	ir.OpLe: always("$x <= $y"),

	ir.OpAnd: onBools("$x && bool($y)", "$x & $y"), // go vet objects to x && x
	ir.OpOr:  onBools("$x || bool($y)", "$x | $y"),
	ir.OpXor: onBools("$x != $y", "$x ^ $y"),
	ir.OpNot: onBools("!$x", "^$x"),
	ir.OpShl: shift("<<"),
	ir.OpShr: shift(">>"),

	ir.OpSelect:   always("$t := $z\nif $x {\n$t = $y\n}"),
	ir.OpUnlikely: always("$t := $z\nif $x {\n$t = $y\n}"),
	ir.OpCast:     goCast,
	ir.OpBitcast:  goBitcast,
	ir.OpTable:    always("$c[$x&7]"),
	ir.OpScalb:    goScalb,
}

// always returns one template for all types.
func always(t template) func(in, out ir.DType) template {
	return func(_, _ ir.DType) template { return t }
}

// either returns one template for floats and one for integers.
func either(float, integer template) func(in, out ir.DType) template {
	return func(in, _ ir.DType) template {
		if ir.Floats.Has(in) {
			return float
		}
		return integer
	}
}

// onBools returns one template for bools and one for integers.
func onBools(boolean, integer template) func(in, out ir.DType) template {
	return func(in, _ ir.DType) template {
		if in == ir.Bool {
			return boolean
		}
		return integer
	}
}

// mulHalves returns the Go text of the sum of the products of the halves of two int32 elements.
func mulHalves(x, y string) string {
	return strings.NewReplacer("X", x, "Y", y).Replace("(int32(int16(X))*int32(int16(Y)) + (X>>16)*(Y>>16))")
}

// unlessZero returns the template of an integer division. Go's quotient of the least integer and -1 is that of ir.
func unlessZero(operator string) template {
	return template("var $t $T\nif $y != 0 {\n$t = $x " + operator + " $y\n}")
}

// shift returns the template of a shift by an unsigned count. For counts beyond the width, Go's result is that of ir: 0, or
// the sign in all bits.
func shift(operator string) func(in, out ir.DType) template {
	return func(in, _ ir.DType) template {
		return template(fmt.Sprintf("$x %s uint%d($y)", operator, 8*in.Size()))
	}
}

func goFMA(in, _ ir.DType) template {
	switch in {
	case ir.Float32:
		return "scalar.FMA32($x, $y, $z)"
	case ir.Float64:
		return "math.FMA($x, $y, $z)"
	}
	panic(fmt.Sprintf("BUG: codegen: there is no fma of %s", in))
}

func goScalb(in, _ ir.DType) template {
	return template(fmt.Sprintf("scalar.Scalb%d($x, $y)", 8*in.Size()))
}

func goAbs(in, _ ir.DType) template {
	switch {
	case in.Native() && ir.Floats.Has(in):
		n := 8 * in.Size()
		return template(fmt.Sprintf("math.Float%[1]dfrombits(math.Float%[1]dbits($x) &^ (1 << %[2]d))", n, n-1))
	case ir.Unsigned.Has(in):
		return "$x"
	}
	return "$t := $x\nif $t < 0 {\n$t = -$t\n}"
}

func goCast(in, out ir.DType) template {
	switch {
	case in == out:
		return "$x"
	case in == ir.Float16 && out == ir.Float32:
		return "scalar.Float16frombits($x)"
	case in == ir.Float32 && out == ir.Float16:
		return "scalar.Float16bits($x)"
	case isBits(in) || isBits(out):
		panic(fmt.Sprintf("BUG: codegen: a cast of %s to %s that was not expanded", in, out))
	case out == ir.Bool:
		return "$x != 0"
	case in == ir.Bool:
		return "var $t $T\nif $x {\n$t = 1\n}"
	case ir.Floats.Has(in) && ir.Ints.Has(out):
		return saturate(in, out)
	}
	return "$T($x)"
}

// saturate returns the template of a conversion of a float to an integer. Go leaves the result for values out of range to
// the machine, so the template handles those itself; NaN fails all tests and becomes 0. The bounds are the least integer
// and the first number beyond the greatest: powers of two, exact in any float type.
func saturate(_, out ir.DType) template {
	bits := 8 * out.Size()
	if ir.Signed.Has(out) {
		return template(fmt.Sprintf("var $t $T\nif $x >= 0x1p%[1]d {\n$t = 1<<%[1]d - 1\n} else if $x <= -0x1p%[1]d {\n$t = -1 << %[1]d\n} else if $x == $x {\n$t = $T($x)\n}", bits-1))
	}
	return template(fmt.Sprintf("var $t $T\nif $x >= 0x1p%[1]d {\n$t = 1<<%[1]d - 1\n} else if $x > 0 {\n$t = $T($x)\n}", bits))
}

func goBitcast(in, out ir.DType) template {
	n := 8 * in.Size()
	switch {
	case in == out || n == 16 || !in.Native() || !out.Native(): // both are represented by their bits
		return "$T($x)"
	case ir.Floats.Has(in):
		return template(fmt.Sprintf("$T(math.Float%dbits($x))", n))
	case ir.Floats.Has(out):
		return template(fmt.Sprintf("math.Float%dfrombits(uint%d($x))", n, n))
	}
	return "$T($x)"
}
