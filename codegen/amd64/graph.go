package amd64

import (
	"math"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The graph of a kernel, to which the instruction tables (insts_*.go) add instructions by
// name.

type (
	ref   = vector.Ref
	value = vector.Value
)

const none = vector.None

// graph is a kernel's graph of vector values.
type graph struct {
	*vector.Graph
	once [3]bool // whether operand i of the kernel's present instruction is a value that nothing else needs
}

func one(r ref) value         { return vector.One(r) }
func two(a, b ref) value      { return vector.Two(a, b) }
func wideMask(a, b ref) value { return vector.WideMask(a, b) }

// isa returns the target.
func (g *graph) isa() *Target { return g.Target.(*Target) }

// parts returns the number of vectors of the elements of a step.
func (g *graph) parts(d ir.DType) int { return g.Machine().Parts(d) }

// op adds an instruction.
func (g *graph) op(name string, args ...ref) ref { return g.imm(name, 0, args...) }

// imm adds an instruction with an immediate operand.
func (g *graph) imm(name string, imm uint8, args ...ref) ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: g.isa().opcode(name), Imm: imm, Arg: vector.Args(args...)})
}

// placed adds an instruction that addresses an operand.
func (g *graph) placed(name string, p vector.Place, args ...ref) ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: g.isa().opcode(name), Place: p, Arg: vector.Args(args...)})
}

// inPlace adds a vector of an operand that is read in place.
func (g *graph) inPlace(p vector.Place) ref {
	return g.Add(vector.Node{Kind: vector.KindLoad, Place: p, Arg: vector.Args()})
}

func (g *graph) c64(bits uint64) ref { return g.Const(bits) }
func (g *graph) c32(bits uint32) ref { return g.c64(uint64(bits)<<32 | uint64(bits)) }
func (g *graph) i32(v int32) ref     { return g.c32(uint32(v)) }
func (g *graph) i64(v int64) ref     { return g.c64(uint64(v)) }
func (g *graph) f32(v float32) ref   { return g.c32(math.Float32bits(v)) }
func (g *graph) f64(v float64) ref   { return g.c64(math.Float64bits(v)) }
func (g *graph) zero() ref           { return g.c64(0) }
func (g *graph) ones() ref           { return g.c64(^uint64(0)) }

// constant reports whether r is a constant, and its bits.
func (g *graph) constant(r ref) (uint64, bool) {
	n := g.At(r)
	return n.Bits, n.Kind == vector.KindConst
}

// is reports whether r is the result of the named instruction.
func (g *graph) is(r ref, name string) bool {
	n := g.At(r)
	return n.Kind == vector.KindOp && n.Op == g.isa().forms[name]
}

// high returns the upper half of r in the lower half of a register. If r is in memory, this
// is a load of half a vector.
func (g *graph) high(r ref) ref {
	n := *g.At(r)
	switch width := g.Machine().Width; {
	case n.Kind == vector.KindLoad && n.Place.Bytes() == width:
		n.Place = n.Place.At(n.Place.Disp()+width/2, width/2)
		return g.Add(n)
	case n.Kind == vector.KindConst || n.Kind == vector.KindSplat:
		return r
	}
	return g.imm("VEXTRACTF128", 1, r)
}

// joined returns a vector of two halves.
func (g *graph) joined(low, high ref) ref { return g.imm("VINSERTF128", 1, low, high) }
