package elementary

import (
	"math"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The expansions of composed ops into lane ops. Each is the one definition of
// its op on every engine and in Eval.

func expandGt(b *builder, a []kernel.Ref) kernel.Ref { return b.Op(ir.OpLt, a[1], a[0]) }
func expandGe(b *builder, a []kernel.Ref) kernel.Ref { return b.Op(ir.OpLe, a[1], a[0]) }

// expandSign keeps x where it is neither negative nor positive: zeros, NaN.
func expandSign(b *builder, a []kernel.Ref) kernel.Ref {
	x, dt := a[0], b.DType(a[0])
	zero := b.Int(dt, 0)
	r := b.Op(ir.OpSelect, b.Op(ir.OpLt, zero, x), b.Int(dt, 1), x)
	if ir.Unsigned.Has(dt) {
		return r
	}
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, zero), b.Int(dt, -1), r)
}

func expandReciprocal(b *builder, a []kernel.Ref) kernel.Ref {
	return b.Op(ir.OpDiv, b.Int(b.DType(a[0]), 1), a[0])
}

func expandSquare(b *builder, a []kernel.Ref) kernel.Ref { return b.Op(ir.OpMul, a[0], a[0]) }

func expandClip(b *builder, a []kernel.Ref) kernel.Ref {
	return b.Op(ir.OpMin, b.Op(ir.OpMax, a[0], a[1]), a[2])
}

// expandMod corrects the remainder, which has the sign of x, to that of y.
func expandMod(b *builder, a []kernel.Ref) kernel.Ref {
	if ir.Floats.Has(b.DType(a[0])) {
		return expandFloatMod(b, a)
	}
	r := b.Op(ir.OpRem, a[0], a[1])
	if ir.Unsigned.Has(b.DType(r)) {
		return r
	}
	return b.Op(ir.OpSelect, signsDiffer(b, r, a[1]), b.Op(ir.OpAdd, r, a[1]), r)
}

// expandFloorDiv lowers the truncated quotient by one if the remainder's sign differs from that of y.
func expandFloorDiv(b *builder, a []kernel.Ref) kernel.Ref {
	if ir.Floats.Has(b.DType(a[0])) {
		return expandFloatFloorDiv(b, a)
	}
	q := b.Op(ir.OpDiv, a[0], a[1])
	dt := b.DType(q)
	if ir.Unsigned.Has(dt) {
		return q
	}
	r := b.Op(ir.OpRem, a[0], a[1])
	return b.Op(ir.OpSelect, signsDiffer(b, r, a[1]), b.Op(ir.OpSub, q, b.Int(dt, 1)), q)
}

// signsDiffer is true if r is not 0 and its sign differs from that of y.
func signsDiffer(b *builder, r, y kernel.Ref) kernel.Ref {
	zero := b.Int(b.DType(r), 0)
	return b.Op(ir.OpAnd, b.Op(ir.OpNe, r, zero), b.Op(ir.OpLt, b.Op(ir.OpXor, r, y), zero))
}

func expandIsNaN(b *builder, a []kernel.Ref) kernel.Ref { return b.Op(ir.OpNe, a[0], a[0]) }

func expandIsInf(b *builder, a []kernel.Ref) kernel.Ref {
	return b.Op(ir.OpEq, b.Op(ir.OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}

func expandIsFinite(b *builder, a []kernel.Ref) kernel.Ref {
	return b.Op(ir.OpLt, b.Op(ir.OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}

// Expand returns the kernel without ops that targets do not have. Every op on a type that is computed in another type becomes the op on
// that type, then every composed op becomes lane ops. Targets emit, and Eval computes, the result.
func Expand(k *kernel.Kernel) *kernel.Kernel { return ExpandBut(k, KeepNone) }

// ExpandBut is Expand for a target that has more than lane ops: instructions for which keep is true stay. See Widen.
func ExpandBut(k *kernel.Kernel, keep func(in kernel.Inst, d ir.DType) bool) *kernel.Kernel {
	out := rebuilt(Widen(k, keep), func(b *builder, in kernel.Inst) kernel.Ref {
		args := in.Args[:in.Arity()]
		switch {
		case len(args) > 0 && keep(in, b.DType(args[len(args)-1])):
			return b.Add(in)
		case in.Op == ir.OpCast:
			return b.convert(in.DType, args[0])
		case in.Op == ir.OpBitcast && in.DType == ir.Float4E2M1: // the low bits of a byte
			return b.Bitcast(in.DType, b.Op(ir.OpAnd, args[0], b.Int(ir.Uint8, 0xf)))
		case in.Op.Info().Kind == ir.Composed:
			return b.Expand(in.Op, args...)
		}
		return b.Add(in)
	})
	out.Fast = false // nothing is left that has tiers
	return out
}

// Expand appends the lane ops of a composed op, in the kernel's tier.
func (b *builder) Expand(op ir.Op, args ...kernel.Ref) kernel.Ref {
	e := expansionOf(op)
	if b.Kernel().Fast && e.fast != nil {
		return e.fast(b, args)
	}
	return e.normal(b, args)
}

// expansion holds the functions that write a composed op as lane ops.
type expansion struct {
	normal func(b *builder, a []kernel.Ref) kernel.Ref
	// fast does the same within 4 ULP in less time, for kernels of the fast tier. It is nil if that saves little: the tier
	// then uses the default expansion.
	fast func(b *builder, a []kernel.Ref) kernel.Ref
}

// expansions has a row for each composed op. The first call of expansionOf fills it, because rows refer to each other through the table, and
// an init function would link them to programs that compile no graph.
var expansions struct {
	once sync.Once
	rows map[ir.Op]expansion
}

// expansionOf returns the row of an op, which is zero if the op is not composed.
func expansionOf(op ir.Op) expansion {
	expansions.once.Do(func() {
		expansions.rows = map[ir.Op]expansion{
			ir.OpGt:          {normal: expandGt},
			ir.OpGe:          {normal: expandGe},
			ir.OpSign:        {normal: expandSign},
			ir.OpReciprocal:  {normal: expandReciprocal},
			ir.OpSquare:      {normal: expandSquare},
			ir.OpClip:        {normal: expandClip},
			ir.OpMod:         {normal: expandMod},
			ir.OpFloorDiv:    {normal: expandFloorDiv},
			ir.OpPopCount:    {normal: expandPopCount},
			ir.OpBitLen:      {normal: expandBitLen},
			ir.OpAddSat:      {normal: expandAddSat},
			ir.OpSubSat:      {normal: expandSubSat},
			ir.OpHalves:      {normal: expandHalves},
			ir.OpSignificand: {normal: expandSignificand},
			ir.OpExponent:    {normal: expandExponent},
			ir.OpLdexp:       {normal: expandLdexp},
			ir.OpIsNaN:       {normal: expandIsNaN},
			ir.OpIsInf:       {normal: expandIsInf},
			ir.OpIsFinite:    {normal: expandIsFinite},
			ir.OpExp:         {normal: expandExp, fast: fastExp},
			ir.OpExp2:        {normal: expandExp2},
			ir.OpExpm1:       {normal: expandExpm1, fast: fastExpm1},
			ir.OpLog:         {normal: expandLog, fast: fastLog},
			ir.OpLog2:        {normal: expandLog2, fast: fastLog2},
			ir.OpLog10:       {normal: expandLog10, fast: fastLog10},
			ir.OpLog1p:       {normal: expandLog1p, fast: fastLog1p},
			ir.OpPow:         {normal: expandPow},
			ir.OpCbrt:        {normal: expandCbrt},
			ir.OpRsqrt:       {normal: expandRsqrt},
			ir.OpHypot:       {normal: expandHypot},
			ir.OpSin:         {normal: expandSin, fast: fastSin},
			ir.OpCos:         {normal: expandCos, fast: fastCos},
			ir.OpTan:         {normal: expandTan, fast: fastTan},
			ir.OpAsin:        {normal: expandAsin, fast: fastAsin},
			ir.OpAcos:        {normal: expandAcos, fast: fastAcos},
			ir.OpAtan:        {normal: expandAtan, fast: fastAtan},
			ir.OpAtan2:       {normal: expandAtan2, fast: fastAtan2},
			ir.OpSinh:        {normal: expandSinh, fast: fastSinh},
			ir.OpCosh:        {normal: expandCosh, fast: fastCosh},
			ir.OpTanh:        {normal: expandTanh, fast: fastTanh},
			ir.OpAsinh:       {normal: expandAsinh, fast: fastAsinh},
			ir.OpAcosh:       {normal: expandAcosh, fast: fastAcosh},
			ir.OpAtanh:       {normal: expandAtanh, fast: fastAtanh},
			ir.OpErf:         {normal: expandErf},
			ir.OpErfc:        {normal: expandErfc},
			ir.OpFMod:        {normal: expandFMod},
			ir.OpSigmoid:     {normal: expandSigmoid, fast: fastSigmoid},
			ir.OpSiLU:        {normal: expandSiLU, fast: fastSiLU},
			ir.OpSoftplus:    {normal: expandSoftplus, fast: fastSoftplus},
			ir.OpGELU:        {normal: expandGELU},
			ir.OpGELUTanh:    {normal: expandGELUTanh, fast: fastGELUTanh},
			ir.OpMish:        {normal: expandMish, fast: fastMish},
			ir.OpELU:         {normal: expandELU, fast: fastELU},
			ir.OpSELU:        {normal: expandSELU, fast: fastSELU},
			ir.OpCELU:        {normal: expandCELU},
			ir.OpHardSwish:   {normal: expandHardSwish},
			ir.OpSoftsign:    {normal: expandSoftsign},
			ir.OpLogit:       {normal: expandLogit},
		}
	})
	return expansions.rows[op]
}
