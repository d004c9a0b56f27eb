package ir

import (
	"maps"
	"math"
)

// The expansions of composed ops into lane ops. Each is the one definition of
// its op on every engine and in Eval.

func expandGt(b *Builder, a []Ref) Ref { return b.Op(OpLt, a[1], a[0]) }
func expandGe(b *Builder, a []Ref) Ref { return b.Op(OpLe, a[1], a[0]) }

// expandSign keeps x where it is neither negative nor positive: zeros, NaN.
func expandSign(b *Builder, a []Ref) Ref {
	x, dt := a[0], b.DType(a[0])
	zero := b.Int(dt, 0)
	r := b.Op(OpSelect, b.Op(OpLt, zero, x), b.Int(dt, 1), x)
	if Unsigned.Has(dt) {
		return r
	}
	return b.Op(OpSelect, b.Op(OpLt, x, zero), b.Int(dt, -1), r)
}

func expandReciprocal(b *Builder, a []Ref) Ref {
	return b.Op(OpDiv, b.Int(b.DType(a[0]), 1), a[0])
}

func expandSquare(b *Builder, a []Ref) Ref { return b.Op(OpMul, a[0], a[0]) }

func expandClip(b *Builder, a []Ref) Ref {
	return b.Op(OpMin, b.Op(OpMax, a[0], a[1]), a[2])
}

// expandMod corrects the remainder, which has the sign of x, to that of y.
func expandMod(b *Builder, a []Ref) Ref {
	if Floats.Has(b.DType(a[0])) {
		return expandFloatMod(b, a)
	}
	r := b.Op(OpRem, a[0], a[1])
	if Unsigned.Has(b.DType(r)) {
		return r
	}
	return b.Op(OpSelect, signsDiffer(b, r, a[1]), b.Op(OpAdd, r, a[1]), r)
}

// expandFloorDiv lowers the truncated quotient by one where the remainder has
// not the sign of y.
func expandFloorDiv(b *Builder, a []Ref) Ref {
	if Floats.Has(b.DType(a[0])) {
		return expandFloatFloorDiv(b, a)
	}
	q := b.Op(OpDiv, a[0], a[1])
	dt := b.DType(q)
	if Unsigned.Has(dt) {
		return q
	}
	r := b.Op(OpRem, a[0], a[1])
	return b.Op(OpSelect, signsDiffer(b, r, a[1]), b.Op(OpSub, q, b.Int(dt, 1)), q)
}

// signsDiffer is true where r is not 0 and has not the sign of y.
func signsDiffer(b *Builder, r, y Ref) Ref {
	zero := b.Int(b.DType(r), 0)
	return b.Op(OpAnd, b.Op(OpNe, r, zero), b.Op(OpLt, b.Op(OpXor, r, y), zero))
}

func expandIsNaN(b *Builder, a []Ref) Ref { return b.Op(OpNe, a[0], a[0]) }

func expandIsInf(b *Builder, a []Ref) Ref {
	return b.Op(OpEq, b.Op(OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}

func expandIsFinite(b *Builder, a []Ref) Ref {
	return b.Op(OpLt, b.Op(OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}

// Expand returns the kernel with every composed op replaced by lane ops: what
// targets emit and Eval computes.
func Expand(k *Kernel) *Kernel {
	b := NewBuilder(k.In...)
	b.SetFast(k.Fast)
	at := make([]Ref, len(k.In)+len(k.Body))
	for i := range k.In {
		at[i] = Ref(i)
	}
	for j, in := range k.Body {
		var args [3]Ref
		for i := range in.Arity() {
			args[i] = at[in.Args[i]]
		}
		if in.Op.Info().Kind == Composed {
			at[len(k.In)+j] = b.Expand(in.Op, args[:in.Arity()]...)
			continue
		}
		in.Args = args
		at[len(k.In)+j] = b.add(in)
	}
	out := &Kernel{In: k.In, Body: b.Kernel().Body, Fold: k.Fold, Down: k.Down} // nothing is left that has tiers
	for _, r := range k.Out {
		out.Out = append(out.Out, at[r])
	}
	return out.prune()
}

// Expand appends the lane ops of a composed op, in the kernel's tier.
func (b *Builder) Expand(op Op, args ...Ref) Ref {
	e := expansions[op]
	if b.Kernel().Fast && e.Fast != nil {
		return e.Fast(b, args)
	}
	return e.Default(b, args)
}

// Expansion is how a composed op is written as lane ops.
type Expansion struct {
	Default func(b *Builder, a []Ref) Ref
	// Fast does the same within 4 ULP in less time, for kernels of the fast tier. Nil
	// if that saves little: the tier then has the default expansion.
	Fast func(b *Builder, a []Ref) Ref
}

// Expansions returns the row of each composed op.
func Expansions() map[Op]Expansion { return maps.Clone(expansions) }

// expansions has a row for each composed op. It is filled by init, as rows use each
// other through the table.
var expansions map[Op]Expansion

func init() {
	expansions = map[Op]Expansion{
		OpGt:         {Default: expandGt},
		OpGe:         {Default: expandGe},
		OpSign:       {Default: expandSign},
		OpReciprocal: {Default: expandReciprocal},
		OpSquare:     {Default: expandSquare},
		OpClip:       {Default: expandClip},
		OpMod:        {Default: expandMod},
		OpFloorDiv:   {Default: expandFloorDiv},
		OpIsNaN:      {Default: expandIsNaN},
		OpIsInf:      {Default: expandIsInf},
		OpIsFinite:   {Default: expandIsFinite},
		OpExp:        {Default: expandExp, Fast: fastExp},
		OpExp2:       {Default: expandExp2},
		OpExpm1:      {Default: expandExpm1, Fast: fastExpm1},
		OpLog:        {Default: expandLog, Fast: fastLog},
		OpLog2:       {Default: expandLog2, Fast: fastLog2},
		OpLog10:      {Default: expandLog10, Fast: fastLog10},
		OpLog1p:      {Default: expandLog1p, Fast: fastLog1p},
		OpPow:        {Default: expandPow},
		OpCbrt:       {Default: expandCbrt},
		OpRsqrt:      {Default: expandRsqrt},
		OpHypot:      {Default: expandHypot},
		OpSin:        {Default: expandSin, Fast: fastSin},
		OpCos:        {Default: expandCos, Fast: fastCos},
		OpTan:        {Default: expandTan, Fast: fastTan},
		OpAsin:       {Default: expandAsin, Fast: fastAsin},
		OpAcos:       {Default: expandAcos, Fast: fastAcos},
		OpAtan:       {Default: expandAtan, Fast: fastAtan},
		OpAtan2:      {Default: expandAtan2, Fast: fastAtan2},
		OpSinh:       {Default: expandSinh, Fast: fastSinh},
		OpCosh:       {Default: expandCosh, Fast: fastCosh},
		OpTanh:       {Default: expandTanh, Fast: fastTanh},
		OpAsinh:      {Default: expandAsinh, Fast: fastAsinh},
		OpAcosh:      {Default: expandAcosh, Fast: fastAcosh},
		OpAtanh:      {Default: expandAtanh, Fast: fastAtanh},
		OpErf:        {Default: expandErf, Fast: fastErf},
		OpErfc:       {Default: expandErfc},
		OpFMod:       {Default: expandFMod},
		OpSigmoid:    {Default: expandSigmoid, Fast: fastSigmoid},
		OpSiLU:       {Default: expandSiLU, Fast: fastSiLU},
		OpSoftplus:   {Default: expandSoftplus, Fast: fastSoftplus},
		OpGELU:       {Default: expandGELU},
		OpGELUTanh:   {Default: expandGELUTanh, Fast: fastGELUTanh},
		OpMish:       {Default: expandMish, Fast: fastMish},
		OpELU:        {Default: expandELU, Fast: fastELU},
		OpSELU:       {Default: expandSELU, Fast: fastSELU},
		OpCELU:       {Default: expandCELU},
		OpHardSwish:  {Default: expandHardSwish},
		OpSoftsign:   {Default: expandSoftsign},
		OpLogit:      {Default: expandLogit},
	}
}
