package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// style is the set of operations that targets implement differently: masks, partial vectors, elements of one or two bytes.
type style interface {
	// choose returns y where the mask is set, else z, which differs from y.
	choose(g *graph, mask, y, z ref) ref
	// not returns the complement of a mask that is neither a comparison nor a complement,
	// or of a vector.
	not(g *graph, x ref) ref
	// logic combines two masks as the named AVX2 instruction combines bits.
	logic(g *graph, name string, a, b ref) ref
	// widen returns half p of a mask in 64-bit lanes. narrow converts the mask of two vectors of 64-bit lanes to
	// 32-bit lanes.
	widen(g *graph, mask ref, p int) ref
	narrow(g *graph, low, high ref) ref
	// setAll sets all bits in the lanes of x that the mask has.
	setAll(g *graph, x, mask ref) ref

	// entry returns the entries of a table at indices modulo ir.TableLen.
	entry(g *graph, table uint64, index ref) ref

	// evens returns the lower 32 bits of each 64-bit lane of two vectors.
	evens(g *graph, low, high ref) ref
	// words returns the elements of two bytes of all lanes, contiguous.
	words(g *graph, d ir.DType, x ref) ref
	// loadNarrow returns elements of one or two bytes in lanes of 32 bits.
	loadNarrow(l *lowerer, at vector.Place, d ir.DType) ref
	// storeNarrow stores the elements of all lanes in one or two bytes each.
	storeNarrow(l *lowerer, at vector.Place, d ir.DType, v value) ref
}

// vectorMasks is the style of AVX2. A mask is a vector whose lanes have all bits set or
// none. Elements of one or two bytes are packed by steps, and in the tail moved one by one.
type vectorMasks struct{}

var _ style = vectorMasks{}

func (vectorMasks) choose(g *graph, mask, y, z ref) ref {
	switch {
	case z == g.zero():
		return g.op("VANDPS", mask, y)
	case y == g.zero():
		return g.op("VANDNPS", mask, z)
	case y == g.ones():
		return g.op("VORPS", mask, z)
	}
	return g.op("VBLENDVPS", z, y, mask)
}

func (vectorMasks) not(g *graph, x ref) ref                   { return g.op("VPXOR", x, g.ones()) }
func (vectorMasks) logic(g *graph, name string, a, b ref) ref { return g.op(name, a, b) }
func (vectorMasks) setAll(g *graph, x, mask ref) ref          { return g.op("VORPS", x, mask) }

// entry looks the index up in both halves of the table. Bit 3 of the index selects the half.
func (vectorMasks) entry(g *graph, table uint64, index ref) ref {
	return g.op("VPERMPS", index, g.Table(table))
}

func (vectorMasks) widen(g *graph, mask ref, p int) ref {
	if p == 1 {
		mask = g.high(mask)
	}
	return g.op("VPMOVSXDQ", mask)
}

func (s vectorMasks) narrow(g *graph, low, high ref) ref { return s.evens(g, low, high) }

func (vectorMasks) evens(g *graph, low, high ref) ref {
	return g.imm("VPERMQ", 0xd8, g.imm("VSHUFPS", 0x88, low, high))
}

func (vectorMasks) loadNarrow(l *lowerer, at vector.Place, d ir.DType) ref {
	if l.Tail {
		return l.op(extends(d), l.placed("NARROWLOAD", at))
	}
	return l.op(extends(d), l.inPlace(at))
}

func (s vectorMasks) storeNarrow(l *lowerer, at vector.Place, d ir.DType, v value) ref {
	name := "NARROWSTORE"
	if !l.Tail {
		name = map[int]string{1: "VMOVQ", 2: "STOREHALF"}[d.Size()]
	}
	return l.placed(name, at, s.pack(l, d, v))
}

// pack returns the elements of one or two bytes of all lanes, contiguous. The lanes are
// within the range of the type; those of bool are -1 and 0.
func (s vectorMasks) pack(l *lowerer, d ir.DType, v value) ref {
	switch {
	case d == ir.Bool:
		m := l.MaskPart(v, 1, 0)
		words := l.op("VPACKSSDW", m, l.high(m))
		return l.op("VPABSB", l.op("VPACKSSWB", words, words))
	case d == ir.Uint8 || ir.Stored.Has(d):
		words := l.op("VPACKUSDW", v.Part[0], l.high(v.Part[0]))
		return l.op("VPACKUSWB", words, words)
	case d == ir.Int8:
		words := l.op("VPACKSSDW", v.Part[0], l.high(v.Part[0]))
		return l.op("VPACKSSWB", words, words)
	case d.Size() == 2:
		return s.words(&l.graph, d, v.Part[0])
	}
	panic(noForm("store", d))
}

// upperWords returns a vector whose lanes have the signed upper 16 bits of another's, if x has them unsigned.
func (g *graph) upperWords(x ref) (ref, bool) {
	if !g.is(x, "VPAND") {
		return none, false
	}
	for i, y := range g.At(x).Arg[:2] {
		if bits, ok := g.constant(g.At(x).Arg[1-i]); ok && bits == 0x0000ffff_0000ffff && g.is(y, "VPSRAD") && g.At(y).Imm == 16 {
			return y, true
		}
	}
	return none, false
}

// words returns the elements of two bytes of all lanes, contiguous.
func (vectorMasks) words(g *graph, d ir.DType, x ref) ref {
	if n := g.At(x); g.is(x, extends(d)) && g.At(n.Arg[0]).Kind == vector.KindOp {
		return n.Arg[0]
	}
	if y, ok := g.upperWords(x); ok {
		return g.op("VPACKSSDW", y, g.high(y))
	}
	if ir.Signed.Has(d) {
		return g.op("VPACKSSDW", x, g.high(x))
	}
	return g.op("VPACKUSDW", x, g.high(x))
}
