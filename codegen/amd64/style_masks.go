package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// maskRegisters is the style of AVX-512. A mask is in a mask register; partial vectors and
// elements of one or two bytes are loaded and stored under it.
type maskRegisters struct{}

var _ style = maskRegisters{}

// isMask reports whether x is a mask.
func (g *graph) isMask(x ref) bool { return g.At(x).Class != vector.ClassVector }

// lanes returns the suffix, PS or PD, of the names of instructions on vectors with the lanes of a mask.
func (g *graph) lanes(mask ref) string {
	if g.At(mask).Class == vector.ClassWideMask {
		return "PD"
	}
	return "PS"
}

// masks adds an instruction on masks. Constant masks have no width of their own.
func (g *graph) masks(name string, x ...ref) ref {
	for _, m := range x {
		if g.At(m).Class == vector.ClassWideMask {
			return g.op(name+"B", x...)
		}
	}
	return g.op(name+"W", x...)
}

func (s maskRegisters) choose(g *graph, mask, y, z ref) ref {
	bits, isConst := g.constant(mask)
	switch {
	case isConst && bits == 0:
		return z
	case isConst:
		return y
	case g.isMask(y):
		return g.masks("KOR", g.masks("KAND", mask, y), g.masks("KANDN", mask, z))
	case y == g.zero():
		return s.choose(g, g.not(mask), z, y)
	case z == g.zero() && (g.is(y, "VSCALEFPS") || g.is(y, "VSCALEFPD")): // it takes a hundred cycles if the result is near 0
		return g.op("VSCALEF"+g.lanes(mask)+".Z", mask, g.At(y).Arg[0], g.At(y).Arg[1])
	case z == g.zero():
		return g.op("VMOVU"+g.lanes(mask)+".Z", mask, y)
	}
	return g.op("VBLENDM"+g.lanes(mask), mask, z, y)
}

func (maskRegisters) not(g *graph, x ref) ref {
	if g.isMask(x) {
		return g.masks("KNOT", x)
	}
	return g.op("VPXOR", x, g.ones())
}

func (maskRegisters) logic(g *graph, name string, a, b ref) ref {
	on := map[string]string{"VANDPS": "KAND", "VPAND": "KAND", "VORPS": "KOR", "VPOR": "KOR", "VPXOR": "KXOR"}
	return g.masks(on[name], a, b)
}

func (s maskRegisters) setAll(g *graph, x, mask ref) ref { return s.choose(g, mask, g.ones(), x) }

func (maskRegisters) entry(g *graph, table uint64, index ref) ref {
	return g.op("VPERMPS", index, g.Table(table))
}

func (maskRegisters) widen(g *graph, mask ref, p int) ref {
	if p == 0 {
		return g.op("KMOVB", mask)
	}
	return g.imm("KSHIFTRW", 8, mask)
}

func (maskRegisters) narrow(g *graph, low, high ref) ref { return g.op("KUNPCKBW", high, low) }

func (maskRegisters) evens(g *graph, low, high ref) ref {
	return g.joined(g.op("VPMOVQD", low), g.op("VPMOVQD", high))
}

func (maskRegisters) words(g *graph, _ ir.DType, x ref) ref { return g.op("VPMOVDW", x) }

func (maskRegisters) loadNarrow(l *lowerer, at vector.Place, d ir.DType) ref {
	if l.Tail {
		return l.placed(extends(d)+".Z", at, l.Mask(ir.Int32, 0))
	}
	return l.op(extends(d), l.inPlace(at))
}

func (maskRegisters) storeNarrow(l *lowerer, at vector.Place, d ir.DType, v value) ref {
	name, x := map[int]string{1: "STOREDB", 2: "STOREDW"}[d.Size()], v.Part[0]
	if d == ir.Bool {
		x = l.where(l.MaskPart(v, 1, 0), l.i32(1))
	}
	if l.Tail {
		return l.placed("MASK"+name, at, l.Mask(ir.Int32, 0), x)
	}
	// The 16-bit elements that were widened are stored, unless they are loaded by the instruction that widens.
	if d.Size() == 2 && l.is(x, "VPMOVZXWD") && l.At(l.At(x).Arg[0]).Kind == vector.KindOp {
		return l.placed("STOREHALF", at, l.At(x).Arg[0])
	}
	return l.placed(name, at, x)
}
