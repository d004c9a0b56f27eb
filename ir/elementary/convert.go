package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The expansions of casts that round or saturate to a type that is not computed in itself
// from another type than its compute type. Each rounds once.

// convert appends a cast.
func (b *builder) convert(to ir.DType, x kernel.Ref) kernel.Ref {
	from := b.DType(x)
	switch {
	case to.Native() || from == to.Compute():
		return b.Cast(to, x)
	case ir.Ints.Has(to) && ir.Floats.Has(from):
		return b.Cast(to, b.saturate(to, b.Cast(to.Compute(), x)))
	case ir.Floats.Has(to):
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
