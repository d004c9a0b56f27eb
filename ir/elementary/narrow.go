package elementary

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Ops on types that are computed in another type, such as uint16 and float16. The input is any body. The output is a body whose only
// instructions on such types are copies, bit casts, and casts from and to native types. An op becomes a conversion of its operands to the
// compute type, the op on that type, and a conversion of its result, which rounds or wraps once. So fused ops have the bits of
// separate ops.

// moves are the ops that remain on such types, besides casts.
var moves = []ir.Op{ir.OpConst, ir.OpCopy, ir.OpBitcast}

// exact are the ops whose result is an element of the narrow type if the operands are. The wide result then need not be rounded for the next
// op. Neg and abs are exact on floats only, and fixed-point numbers use those ops that neither exceed the greatest number nor return
// -0.
var exact = []ir.Op{ir.OpSelect, ir.OpUnlikely, ir.OpMin, ir.OpMax, ir.OpClip, ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound,
	ir.OpPopCount, ir.OpBitLen, ir.OpRem, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpShr, ir.OpNeg, ir.OpAbs}

func isExact(op ir.Op, d ir.DType) bool {
	if d == ir.Fixed16x16 {
		return slices.Contains(exactFixed, op)
	}
	return slices.Contains(exact, op) && (ir.Floats.Has(d) || op != ir.OpNeg && op != ir.OpAbs)
}

var exactFixed = []ir.Op{ir.OpSelect, ir.OpUnlikely, ir.OpMin, ir.OpMax, ir.OpClip, ir.OpFloor}

// ofBits are the ops that read the bits of an integer. Their signed operands are not extended by the sign.
var ofBits = []ir.Op{ir.OpPopCount, ir.OpBitLen}

// saturating maps ops whose results are clipped to the op without clipping.
var saturating = map[ir.Op]ir.Op{ir.OpAddSat: ir.OpAdd, ir.OpSubSat: ir.OpSub}

// Widen returns the kernel with every op on a type that is computed in another type replaced by casts and the op on its compute type. It
// keeps instructions for which keep, given the type of their operands, is true. Composed ops stay.
func Widen(k *kernel.Kernel, keep func(in kernel.Inst, d ir.DType) bool) *kernel.Kernel {
	for r := range kernel.Ref(len(k.In) + len(k.Body)) {
		if !k.DType(r).Native() {
			return rebuilt(k, func(b *builder, in kernel.Inst) kernel.Ref { return b.widen(in, keep) })
		}
	}
	return k
}

// KeepNone makes Widen replace every op.
func KeepNone(kernel.Inst, ir.DType) bool { return false }

// rebuilt returns the kernel with each instruction replaced by the result of add.
func rebuilt(k *kernel.Kernel, add func(b *builder, in kernel.Inst) kernel.Ref) *kernel.Kernel {
	b := newBuilder(kernel.NewBuilder(k.In...))
	b.SetFast(k.Fast)
	at := make([]kernel.Ref, len(k.In)+len(k.Body))
	for i := range k.In {
		at[i] = kernel.Ref(i)
	}
	for j, in := range k.Body {
		for i := range in.Arity() {
			in.Args[i] = at[in.Args[i]]
		}
		at[len(k.In)+j] = add(b, in)
	}
	out := *k
	out.Body, out.Out = b.Kernel().Body, make([]kernel.Ref, 0, len(k.Out))
	for _, r := range k.Out {
		out.Out = append(out.Out, at[r])
	}
	return out.Prune()
}

// widen appends an instruction on operands that are already widened.
func (b *builder) widen(in kernel.Inst, keep func(in kernel.Inst, d ir.DType) bool) kernel.Ref {
	args := in.Args[:in.Arity()]
	if len(args) == 0 {
		return b.Add(in)
	}
	x := args[len(args)-1]
	switch d := b.DType(x); {
	case keep(in, d):
		return b.Add(in)
	case in.Op == ir.OpCast:
		return b.cast(in.DType, x)
	case in.Op == ir.OpBitcast && !(in.DType.Native() && d.Native()):
		return b.bitcast(in.DType, x)
	case slices.Contains(moves, in.Op) || d.Native():
		return b.Add(in)
	case ir.Stored.Has(d): // a select
		for i := range args[1:] {
			in.Args[i+1] = b.bitcast(ir.Uint8, args[i+1])
		}
		return b.bitcast(d, b.Inst(in.Op, ir.Invalid, args))
	default:
		return b.narrowed(in, d)
	}
}

// narrowed appends an op on operands of a type that is computed in another type.
func (b *builder) narrowed(in kernel.Inst, d ir.DType) kernel.Ref {
	wide := d.Compute()
	if in.Op == ir.OpFMA && d == ir.Float16 { // float32 would round the sum a first time
		wide = ir.Float64
	}
	for i, a := range in.Args[:in.Arity()] {
		if slices.Contains(ofBits, in.Op) {
			a = b.cast(kernel.BitsType(d), a)
		}
		if i > 0 || !in.Op.Info().Mask {
			in.Args[i] = b.cast(wide, a)
		}
	}
	if in.Op.Info().Result == ir.GivesBool {
		return b.Add(in)
	}
	in.DType = wide
	plain, clipped := saturating[in.Op]
	if clipped {
		in.Op = plain
	}
	r := b.Add(in)
	if clipped {
		r = b.saturate(d, r)
	}
	narrow := b.cast(d, r)
	if clipped || isExact(in.Op, d) {
		b.wide[narrow] = r
	}
	return narrow
}

// bitcast reinterprets bits as another type, where one of the types is narrow, through unsigned integers: lanes of signed integers have their
// sign in all upper bits.
func (b *builder) bitcast(to ir.DType, x kernel.Ref) kernel.Ref {
	bits := kernel.BitsType(to)
	switch {
	case ir.Subbytes.Has(to): // the low bits
		return b.cast(to, b.bitcast(ir.Uint8, x))
	case ir.Ints.Has(b.DType(x)):
		x = b.cast(bits, x)
	case b.DType(x) != bits:
		x = b.Bitcast(bits, x)
	}
	if ir.Ints.Has(to) {
		return b.cast(to, x)
	}
	return b.Bitcast(to, x)
}

// cast appends a cast. A cast from a narrow type is a cast to its compute type, then one from that type. A cast to a narrow type goes through
// its compute type if that gives the same result.
func (b *builder) cast(to ir.DType, x kernel.Ref) kernel.Ref {
	from := b.DType(x)
	in := b.Kernel().Inst(x)
	switch {
	case from == to:
		return x
	case in != nil && in.Op == ir.OpConst && !(from.Native() && to.Native()):
		return b.Const(to, ir.RefCast(from, to, [3]uint64{in.Bits}))
	case !from.Native():
		wide, ok := b.wide[x]
		if !ok {
			wide = b.Cast(from.Compute(), x)
		}
		if !to.Native() && (ir.Floats.Has(to) || ir.Minifloats.Has(to)) && from.Size() <= 2 { // 16 bits fit into 24
			wide = b.cast(ir.Float32, wide)
		}
		return b.cast(to, wide)
	case ir.Stored.Has(to) && from != to.Compute():
		return b.Cast(to, b.toStored(to, x))
	case !to.Native() && from != to.Compute() && !ir.Floats.Has(from) && (ir.Ints.Has(to) || from.Size() == 1):
		return b.Cast(to, b.Cast(to.Compute(), x))
	}
	return b.Cast(to, x)
}
