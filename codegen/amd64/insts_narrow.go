package amd64

import "github.com/stridefuse/stridefuse/ir"

// Types that are computed in another type, in lanes of 32 bits. elementary.Expand leaves two
// kinds of operations on them: those that move elements, and the conversions from and to
// the compute type.

func (t *table) narrowRows() {
	for _, d := range (ir.AllTypes &^ ir.Native).List() {
		t.set(d, ir.OpCopy, same)
		if !ir.Signed.Has(d) { // those extend the sign: bitcasts of them expand to casts
			t.set(d, ir.OpBitcast, same)
		}
		if d == ir.BFloat16 || d == ir.Fixed16x16 || ir.Stored.Has(d) { // their conversions expand
			continue
		}
		t.casts[pair{d, d.Compute()}] = func(g *graph, v value) value { return one(g.widened(d, v.Part[0])) }
		t.casts[pair{d.Compute(), d}] = func(g *graph, v value) value { return one(g.narrowed(d, v.Part[0])) }
	}
}

// widened returns the compute type's elements.
func (g *graph) widened(d ir.DType, x ref) ref {
	switch {
	case d.Compute() == ir.Int32:
		return x
	case d == ir.Float16 && g.is(x, extends(d)):
		return g.op("VCVTPH2PS", g.At(x).Arg[0])
	case d == ir.Float16:
		return g.op("VCVTPH2PS", g.isa().words(g, d, x))
	}
	panic(noForm("conversion", d))
}

// narrowed wraps or rounds elements of the compute type to type d.
func (g *graph) narrowed(d ir.DType, x ref) ref {
	const nearestEven = 0
	shift := uint8(32 - 8*d.Size())
	switch {
	case d.Compute() == ir.Int32 && g.within(d, x):
		return x
	case d.Compute() == ir.Int32 && ir.Signed.Has(d):
		return g.imm("VPSRAD", shift, g.imm("VPSLLD", shift, x))
	case d.Compute() == ir.Int32:
		return g.op("VPAND", x, g.c32(1<<(8*d.Size())-1))
	case d == ir.Float16:
		return g.op(extends(d), g.imm("VCVTPS2PH", nearestEven, x))
	}
	panic(noForm("conversion", d))
}

// within reports whether x is min(max(_, least), greatest) with bounds that are numbers of type d.
func (g *graph) within(d ir.DType, x ref) bool {
	for _, name := range []string{"VPMINSD", "VPMAXSD"} {
		if !g.is(x, name) {
			return false
		}
		arg := g.At(x).Arg
		bits, ok := g.constant(arg[1])
		if c := uint64(int64(int32(bits))); !ok || ir.Defined.Cast(d, ir.Int64, ir.Wrap(d, int64(c))) != c {
			return false
		}
		x = arg[0]
	}
	return true
}
