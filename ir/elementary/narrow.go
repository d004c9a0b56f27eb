package elementary

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Types that are not computed in themselves, uint16 and float16. What targets get of
// them is what moves elements, and the conversions from and to their compute type. An
// op converts its operands, is the op of the compute type, and converts its result:
// one rounding or one wrap each, so that fused ops have the bits of ops on their own.

// moves are the ops whose result is an operand, or its bits.
var moves = []ir.Op{ir.OpConst, ir.OpCopy, ir.OpSelect, ir.OpUnlikely, ir.OpBitcast}

// exact are the ops that give an element of the narrow type for elements of it, so
// that the wide result need not be rounded for the next op. The last two wrap
// integers.
var exact = []ir.Op{ir.OpMin, ir.OpMax, ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRound, ir.OpClip, ir.OpNeg, ir.OpAbs}

func isExact(op ir.Op, d ir.DType) bool {
	return slices.Contains(exact, op) && (ir.Floats.Has(d) || op != ir.OpNeg && op != ir.OpAbs)
}

// inst appends an instruction on operands that are expanded already.
func (b *builder) inst(in kernel.Inst) kernel.Ref {
	args := in.Args[:in.Arity()]
	switch {
	case in.Op == ir.OpCast:
		return b.convert(in.DType, args[0])
	case in.Op == ir.OpBitcast && !in.DType.Native():
		return b.bitcast(in.DType, args[0])
	case in.Op.IsElementwise() && !slices.Contains(moves, in.Op) && !b.DType(args[len(args)-1]).Native():
		return b.narrowed(in, args)
	case in.Op.Info().Kind == ir.Composed:
		return b.Expand(in.Op, args...)
	}
	return b.Add(in)
}

// narrowed appends an op on operands of a type that is not computed in itself.
func (b *builder) narrowed(in kernel.Inst, args []kernel.Ref) kernel.Ref {
	d := b.DType(args[len(args)-1])
	in.DType = d.Compute()
	if in.Op == ir.OpFMA && d == ir.Float16 { // float32 would round the sum a first time
		in.DType = ir.Float64
	}
	for i, a := range args {
		in.Args[i] = b.convert(in.DType, a)
	}
	if in.Op.Info().Result == ir.GivesBool {
		in.DType, d = ir.Bool, ir.Bool
	}
	wide := b.inst(in)
	narrow := b.convert(d, wide)
	if isExact(in.Op, d) {
		b.wide[narrow] = wide
	}
	return narrow
}

// bitcast takes bits as those of a narrow type, by way of unsigned integers: lanes of
// signed ones have their sign in all bits above.
func (b *builder) bitcast(to ir.DType, x kernel.Ref) kernel.Ref {
	bits := kernel.BitsType(to)
	if ir.Ints.Has(b.DType(x)) {
		x = b.convert(bits, x)
	}
	if !ir.Ints.Has(to) {
		return b.Bitcast(to, x)
	}
	if b.DType(x) != bits {
		x = b.Bitcast(bits, x)
	}
	return b.convert(to, x)
}

// convert appends a cast, as casts between compute types and those from a compute
// type to a type that is computed in it, and back.
func (b *builder) convert(to ir.DType, x kernel.Ref) kernel.Ref {
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
		if to == ir.Float16 && from.Compute() == ir.Int32 { // 16 bits fit into 24
			wide = b.Cast(ir.Float32, wide)
		}
		return b.convert(to, wide)
	case to.Native() || from == to.Compute():
		return b.Cast(to, x)
	case ir.Ints.Has(to) && ir.Floats.Has(from):
		return b.Cast(to, b.saturate(to, b.Cast(to.Compute(), x)))
	case to == ir.Float16 && from != ir.Bool && from != ir.Uint8:
		return b.Cast(to, b.Cast(ir.Float32, b.roundToOdd(b.Cast(ir.Float64, x))))
	}
	return b.Cast(to, b.Cast(to.Compute(), x))
}

// saturate clips x, of the compute type of an integer type, to the range of that. x
// has been saturated itself.
func (b *builder) saturate(to ir.DType, x kernel.Ref) kernel.Ref {
	least, _ := ir.OpMax.Info().Identity(to)
	greatest, _ := ir.OpMin.Info().Identity(to)
	d := b.DType(x)
	return b.Op(ir.OpMin, b.Op(ir.OpMax, x, b.Int(d, int64(least))), b.Int(d, int64(greatest)))
}

// roundToOdd is ir's: float64 in 24 bits, of which the last says whether any were
// lost. So the rounding to float16 by way of float32 is one.
func (b *builder) roundToOdd(x kernel.Ref) kernel.Ref {
	bits, lost := b.Bitcast(ir.Int64, x), b.Int(ir.Int64, 1<<29-1)
	odd := b.Op(ir.OpOr, bits, b.Op(ir.OpAdd, b.Op(ir.OpAnd, bits, lost), lost))
	return b.Bitcast(ir.Float64, b.Op(ir.OpAnd, odd, b.Int(ir.Int64, -1<<29)))
}
