package graph

import "github.com/stridefuse/stridefuse/ir"

// Elementary functions of floats. Float32 and Float64 hold the error bounds of the table in the package documentation,
// with gradual underflow; Float16 and BFloat16 are computed as Float32 and rounded once. Special values are those of
// C's Annex F, and NaN gives NaN unless the method says otherwise. Package ir/elementary defines each function once, as
// a sequence of simpler ops.

// Exp returns e to the power x.
func (x Node) Exp() Node { return x.elementwise(ir.OpExp) }

// Exp2 returns 2 to the power x, exact for integers.
func (x Node) Exp2() Node { return x.elementwise(ir.OpExp2) }

// Expm1 returns exp(x) - 1, accurate near 0.
func (x Node) Expm1() Node { return x.elementwise(ir.OpExpm1) }

// Log returns the natural logarithm: -Inf for 0, NaN for x < 0.
func (x Node) Log() Node { return x.elementwise(ir.OpLog) }

// Log2 returns the logarithm to base 2, exact for powers of 2: -Inf for 0, NaN for x < 0.
func (x Node) Log2() Node { return x.elementwise(ir.OpLog2) }

// Log10 returns the logarithm to base 10: -Inf for 0, NaN for x < 0.
func (x Node) Log10() Node { return x.elementwise(ir.OpLog10) }

// Log1p returns log(1 + x), accurate near 0: -Inf for -1, NaN for x < -1.
func (x Node) Log1p() Node { return x.elementwise(ir.OpLog1p) }

// Cbrt returns the cube root, of negative x too.
func (x Node) Cbrt() Node { return x.elementwise(ir.OpCbrt) }

// Rsqrt returns 1 / sqrt(x): Inf for 0, NaN for x < 0.
func (x Node) Rsqrt() Node { return x.elementwise(ir.OpRsqrt) }

// Sin returns the sine of x radians, NaN for infinities. The bound holds for every x.
func (x Node) Sin() Node { return x.elementwise(ir.OpSin) }

// Cos returns the cosine of x radians, NaN for infinities. The bound holds for every x.
func (x Node) Cos() Node { return x.elementwise(ir.OpCos) }

// Tan returns the tangent of x radians, NaN for infinities. The bound holds for every x.
func (x Node) Tan() Node { return x.elementwise(ir.OpTan) }

// Asin returns the arc sine in radians, NaN outside [-1, 1].
func (x Node) Asin() Node { return x.elementwise(ir.OpAsin) }

// Acos returns the arc cosine in radians, NaN outside [-1, 1].
func (x Node) Acos() Node { return x.elementwise(ir.OpAcos) }

// Atan returns the arc tangent in radians, within [-pi/2, pi/2].
func (x Node) Atan() Node { return x.elementwise(ir.OpAtan) }

// Sinh returns the hyperbolic sine.
func (x Node) Sinh() Node { return x.elementwise(ir.OpSinh) }

// Cosh returns the hyperbolic cosine.
func (x Node) Cosh() Node { return x.elementwise(ir.OpCosh) }

// Tanh returns the hyperbolic tangent.
func (x Node) Tanh() Node { return x.elementwise(ir.OpTanh) }

// Asinh returns the inverse hyperbolic sine.
func (x Node) Asinh() Node { return x.elementwise(ir.OpAsinh) }

// Acosh returns the inverse hyperbolic cosine, NaN for x < 1.
func (x Node) Acosh() Node { return x.elementwise(ir.OpAcosh) }

// Atanh returns the inverse hyperbolic tangent: infinite for -1 and 1, NaN beyond.
func (x Node) Atanh() Node { return x.elementwise(ir.OpAtanh) }

// Erf returns the error function.
func (x Node) Erf() Node { return x.elementwise(ir.OpErf) }

// Erfc returns 1 - erf(x), accurate where the result is small.
func (x Node) Erfc() Node { return x.elementwise(ir.OpErfc) }

// Atan2 returns the angle of the point (y, x) in radians, within [-pi, pi]. The receiver is the ordinate, as in Go's
// math.Atan2: x.Atan2(y) is math.Atan2(x, y).
func (x Node) Atan2(y any) Node { return x.elementwise(ir.OpAtan2, y) }

// Hypot returns sqrt(x*x + y*y) without intermediate overflow or underflow. It is Inf if either operand is infinite,
// even beside NaN.
func (x Node) Hypot(y any) Node { return x.elementwise(ir.OpHypot, y) }
