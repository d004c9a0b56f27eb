package oracle

import (
	"math"
	"math/big"
)

// one turns a function of one argument into one of two.
func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func oneBig(f func(*calc, *big.Float) *big.Float) func(c *calc, x, y *big.Float) *big.Float {
	return func(c *calc, x, _ *big.Float) *big.Float { return f(c, x) }
}

const formula = "float64 formula"

var funcs = []Func{
	{Name: "sqrt", Arity: 1, Near: one(math.Sqrt), From: "math.Sqrt", exact: oneBig((*calc).sqrt)},
	{Name: "div", Arity: 2, Near: func(x, y float64) float64 { return x / y }, From: "float64 /", exact: (*calc).quo},
	{Name: "mod", Arity: 2, Near: nearMod, From: "math.Mod", exact: (*calc).mod},
	{Name: "floordiv", Arity: 2, Near: nearFloorDiv, From: "float64 /", exact: (*calc).floorDiv},
	{Name: "fmod", Arity: 2, Near: math.Mod, From: "math.Mod", exact: (*calc).fmod},

	{Name: "exp", Arity: 1, Near: one(math.Exp), From: "math.Exp", close: closeExp, exact: oneBig((*calc).exp)},
	{Name: "exp2", Arity: 1, Near: one(math.Exp2), From: "math.Exp2", close: closeExp2, exact: oneBig((*calc).exp2)},
	{Name: "expm1", Arity: 1, Near: one(math.Expm1), From: "math.Expm1", close: closeExpm1, exact: oneBig((*calc).expm1)},
	{Name: "log", Arity: 1, Near: one(math.Log), From: "math.Log", close: closeLog(single(1)), exact: oneBig((*calc).log), poles: []float64{1}},
	{Name: "log2", Arity: 1, Near: nearLog2, From: "math.Log", close: closeLog(ln2Pair), exact: oneBig((*calc).log2), poles: []float64{1}},
	{Name: "log10", Arity: 1, Near: nearLog10, From: "math.Log", close: closeLog(ln10Pair), exact: oneBig((*calc).log10), poles: []float64{1}},
	{Name: "log1p", Arity: 1, Near: one(math.Log1p), From: "math.Log1p", close: closeLog1p, exact: oneBig((*calc).log1p), poles: []float64{-1}},
	{Name: "pow", Arity: 2, Near: nearPow, From: "log in two float64, math.Exp", close: closePow, exact: (*calc).pow},
	{Name: "cbrt", Arity: 1, Near: one(math.Cbrt), From: "math.Cbrt", close: closeCbrt, exact: oneBig((*calc).cbrt)},
	{Name: "rsqrt", Arity: 1, Near: nearRsqrt, From: "math.Sqrt", close: closeRsqrt, exact: oneBig((*calc).rsqrt)},
	{Name: "hypot", Arity: 2, Near: math.Hypot, From: "math.Hypot", close: closeHypot, exact: (*calc).hypot},

	{Name: "sin", Arity: 1, Near: one(math.Sin), From: "math.Sin", close: closeWave(0), exact: oneBig((*calc).sin)},
	{Name: "cos", Arity: 1, Near: one(math.Cos), From: "math.Cos", close: closeWave(1), exact: oneBig((*calc).cos)},
	{Name: "tan", Arity: 1, Near: one(math.Tan), From: "math.Tan", close: closeTan, exact: oneBig((*calc).tan)},
	{Name: "asin", Arity: 1, Near: nearAsin, From: "math.Atan2", close: closeAsin, exact: oneBig((*calc).asin)},
	{Name: "acos", Arity: 1, Near: nearAcos, From: "math.Atan2", close: closeAcos, exact: oneBig((*calc).acos), poles: []float64{1}},
	{Name: "atan", Arity: 1, Near: one(math.Atan), From: "math.Atan", close: closeAtan, exact: oneBig((*calc).atan)},
	{Name: "atan2", Arity: 2, Near: math.Atan2, From: "math.Atan2", close: closeAtan2, exact: (*calc).atan2},

	{Name: "sinh", Arity: 1, Near: one(math.Sinh), From: "math.Sinh", close: closeSinh, exact: oneBig((*calc).sinh)},
	{Name: "cosh", Arity: 1, Near: one(math.Cosh), From: "math.Cosh", close: closeCosh, exact: oneBig((*calc).cosh)},
	{Name: "tanh", Arity: 1, Near: one(math.Tanh), From: "math.Tanh", close: closeTanh, exact: oneBig((*calc).tanh)},
	{Name: "asinh", Arity: 1, Near: one(math.Asinh), From: "math.Asinh", close: closeAsinh, exact: oneBig((*calc).asinh)},
	{Name: "acosh", Arity: 1, Near: one(math.Acosh), From: "math.Acosh", close: closeAcosh, exact: oneBig((*calc).acosh), poles: []float64{1}},
	{Name: "atanh", Arity: 1, Near: one(math.Atanh), From: "math.Atanh", close: closeAtanh, exact: oneBig((*calc).atanh), poles: []float64{-1, 1}},

	{Name: "erf", Arity: 1, Near: one(math.Erf), From: "math.Erf", close: closeErf, exact: oneBig((*calc).erf)},
	{Name: "erfc", Arity: 1, Near: one(math.Erfc), From: "math.Erfc", close: closeErfc, exact: oneBig((*calc).erfc)},

	{Name: "sigmoid", Arity: 1, Near: nearSigmoid, From: formula, close: closeSigmoid, exact: oneBig((*calc).sigmoid)},
	{Name: "silu", Arity: 1, Near: nearSiLU, From: formula, close: closeSiLU, exact: oneBig((*calc).silu)},
	{Name: "softplus", Arity: 1, Near: nearSoftplus, From: formula, close: closeSoftplus, exact: oneBig((*calc).softplus)},
	{Name: "gelu", Arity: 1, Near: nearGELU, From: formula, close: closeGELU, exact: oneBig((*calc).gelu)},
	{Name: "gelutanh", Arity: 1, Near: nearGELUTanh, From: formula, close: closeGELUTanh, exact: oneBig((*calc).geluTanh)},
	{Name: "mish", Arity: 1, Near: nearMish, From: formula, close: closeMish, exact: oneBig((*calc).mish)},
	{Name: "elu", Arity: 2, Near: nearELU, From: formula, close: closeELU, exact: (*calc).elu},
	{Name: "selu", Arity: 1, Near: nearSELU, From: formula, close: closeSELU, exact: oneBig((*calc).selu)},
	{Name: "celu", Arity: 2, Near: nearCELU, From: formula, close: closeCELU, exact: (*calc).celu},
	{Name: "hardswish", Arity: 1, Near: nearHardSwish, From: formula, close: closeHardSwish, exact: oneBig((*calc).hardSwish)},
	{Name: "softsign", Arity: 1, Near: nearSoftsign, From: formula, close: closeSoftsign, exact: oneBig((*calc).softsign)},
	{Name: "logit", Arity: 1, Near: nearLogit, From: formula, close: closeLogit, exact: oneBig((*calc).logit), poles: []float64{0.5, 1}},
}
