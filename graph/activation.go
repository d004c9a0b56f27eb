package graph

import "github.com/stridefuse/stridefuse/ir"

// Activations. Those that are ops have the error bounds of the table in the package documentation. The others are
// composed of ops, and fuse as those do.

// ReLU returns x where it is positive and 0 elsewhere. NaN stays NaN.
func (x Node) ReLU() Node {
	return x.Maximum(0).ruled(func(y, g Node) []Node { return []Node{Where(y.Gt(0), g, 0)} }, x)
}

// LeakyReLU returns x where it is positive and slope*x elsewhere.
func (x Node) LeakyReLU(slope any) Node { return Where(x.Lt(0), x.Mul(slope), x) }

// Sigmoid returns 1 / (1 + exp(-x)).
func (x Node) Sigmoid() Node { return x.elementwise(ir.OpSigmoid) }

// SiLU returns x * sigmoid(x), also known as swish.
func (x Node) SiLU() Node { return x.elementwise(ir.OpSiLU) }

// Softplus returns log(1 + exp(x)).
func (x Node) Softplus() Node { return x.elementwise(ir.OpSoftplus) }

// GELU returns x times the normal distribution at x: x * (1 + erf(x/sqrt(2))) / 2.
func (x Node) GELU() Node { return x.elementwise(ir.OpGELU) }

// GELUTanh returns the approximation of GELU by tanh: x * (1 + tanh(sqrt(2/pi) * (x + 0.044715*x*x*x))) / 2.
func (x Node) GELUTanh() Node { return x.elementwise(ir.OpGELUTanh) }

// Mish returns x * tanh(softplus(x)).
func (x Node) Mish() Node { return x.elementwise(ir.OpMish) }

// SELU returns 1.0507... * elu(x, 1.6732...), the scaled exponential linear unit.
func (x Node) SELU() Node { return x.elementwise(ir.OpSELU) }

// HardSwish returns x * min(max(x+3, 0), 6) / 6.
func (x Node) HardSwish() Node { return x.elementwise(ir.OpHardSwish) }

// Softsign returns x / (1 + abs(x)).
func (x Node) Softsign() Node { return x.elementwise(ir.OpSoftsign) }

// Logit returns log(x / (1-x)), the inverse of Sigmoid: infinite for 0 and 1, NaN outside.
func (x Node) Logit() Node { return x.elementwise(ir.OpLogit) }

// ELU returns x where it is positive and alpha*(exp(x)-1) elsewhere.
func (x Node) ELU(alpha any) Node { return x.elementwise(ir.OpELU, alpha) }

// CELU returns x where it is positive and alpha*(exp(x/alpha)-1) elsewhere.
func (x Node) CELU(alpha any) Node { return x.elementwise(ir.OpCELU, alpha) }

// HardSigmoid returns slope*x + offset, rounded once and clipped to [0, 1].
func (x Node) HardSigmoid(slope, offset any) Node { return x.FMA(slope, offset).Clip(0, 1) }
