package arm64

import (
	"math"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The graph of a kernel, to which the instruction tables (insts*.go) add instructions by name.

type (
	ref   = vector.Ref
	value = vector.Value
)

const none = vector.None

// graph is a kernel's graph of vector values.
type graph struct{ *vector.Graph }

func one(r ref) value         { return vector.One(r) }
func two(a, b ref) value      { return vector.Two(a, b) }
func wideMask(a, b ref) value { return vector.WideMask(a, b) }

func (g graph) isa() *Target { return g.Target.(*Target) }

// parts returns the number of vectors of the elements of a step.
func (g graph) parts(d ir.DType) int { return g.Machine().Parts(d) }

// op adds an instruction.
func (g graph) op(name string, args ...ref) ref { return g.imm(name, 0, args...) }

// imm adds an instruction with a constant operand.
func (g graph) imm(name string, imm uint8, args ...ref) ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: g.isa().opcode(name), Imm: imm, Arg: vector.Args(args...)})
}

// placed adds an instruction that addresses an operand.
func (g graph) placed(name string, p vector.Place, args ...ref) ref {
	return g.Add(vector.Node{Kind: vector.KindOp, Op: g.isa().opcode(name), Place: p, Arg: vector.Args(args...)})
}

func (g graph) c64(bits uint64) ref { return g.Const(bits) }
func (g graph) c32(bits uint32) ref { return g.c64(uint64(bits)<<32 | uint64(bits)) }
func (g graph) f32(v float32) ref   { return g.c32(math.Float32bits(v)) }
func (g graph) f64(v float64) ref   { return g.c64(math.Float64bits(v)) }
func (g graph) zero() ref           { return g.c64(0) }
func (g graph) ones() ref           { return g.c64(^uint64(0)) }

// constant reports whether r is a constant, and its bits.
func (g graph) constant(r ref) (uint64, bool) {
	n := g.At(r)
	return n.Bits, n.Kind == vector.KindConst
}

// is reports whether r is the result of the named instruction, and returns its first source.
func (g graph) is(r ref, name string) (ref, bool) {
	n := g.At(r)
	return n.Arg[0], n.Kind == vector.KindOp && n.Op == g.isa().opcode(name)
}
