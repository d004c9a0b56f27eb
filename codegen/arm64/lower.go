package arm64

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The methods of vector.Target. A mask is a vector whose lanes have all bits set or none.

// has reports whether NEON has an instruction of an expanded body.
func (t *Target) has(k *kernel.Kernel, in kernel.Inst) bool {
	if in.Op == ir.OpConst || in.Op == ir.OpTable {
		return true
	}
	from := k.DType(in.Args[in.Arity()-1])
	if in.Op == ir.OpCast {
		return t.casts[pair{from, in.DType}] != nil
	}
	return t.rows[key{in.Op, from}] != nil
}

// Apply returns the result of an elementwise instruction on whole values.
func (t *Target) Apply(c *vector.Copy, in kernel.Inst, a [3]value) value {
	g := graph{c.Graph}
	from := g.Kernel.DType(in.Args[in.Arity()-1])
	switch in.Op {
	case ir.OpCast:
		row, ok := t.casts[pair{from, in.DType}]
		if !ok {
			panic(fmt.Sprintf("BUG: codegen/arm64: no instructions for a cast of %s to %s", from, in.DType))
		}
		return row(g, a[0])
	case ir.OpTable:
		return one(g.entry(in.Bits, a[0].Part[0]))
	}
	row := t.row(in.Op, from)
	return c.Lift(in, from, a, func(x [3]ref) ref { return row(g, x) })
}

// Lane applies an elementwise operation to one vector of each operand.
func (t *Target) Lane(g *vector.Graph, op ir.Op, d ir.DType, x [3]ref) ref {
	return t.row(op, d)(graph{g}, x)
}

func (t *Target) row(op ir.Op, d ir.DType) row {
	row, ok := t.rows[key{op, d}]
	if !ok {
		panic(fmt.Sprintf("BUG: codegen/arm64: no instructions for %s on %s", op, d))
	}
	return row
}

// entry returns the entries of a table at indices modulo ir.TableLen. The table takes two vectors; TBL gives 0 for bytes beyond the
// first, and TBX leaves them.
func (g graph) entry(table uint64, index ref) ref {
	half := func(slot int) ref {
		return g.Add(vector.Node{Kind: vector.KindConst, Bits: table, Slot: slot, Arg: vector.Args()})
	}
	bytes := g.op("MUL.4S", g.op("AND.16B", index, g.c32(ir.TableLen-1)), g.c32(0x04040404))
	bytes = g.op("ADD.16B", bytes, g.c32(0x03020100))
	low := g.op("TBL1.16B", half(1), bytes)
	return g.op("TBX1.16B", half(2), g.op("SUB.16B", bytes, g.c32(0x10101010)), low)
}

// Steps returns the indices of the elements of a step, counted from first.
func (t *Target) Steps(mg *vector.Graph, d ir.DType, first int) ref {
	g, wide := graph{mg}, uint8(0)
	name, lanes := "ADD.4S", uint64(1)<<32 // the constant repeats 8 bytes
	if d.Size() == 8 {
		name, wide = "ADD.2D", 1
	}
	index := g.Add(vector.Node{Kind: vector.KindOp, Op: vector.OpIndex, Imm: wide, Arg: vector.Args()})
	if wide == 1 {
		both := g.op("ZIP1.2D", g.c64(uint64(first)), g.c64(uint64(first)+1))
		return g.op(name, index, both)
	}
	at := func(n int) ref { return g.c64(lanes*uint64(n+1) | uint64(n)) }
	return g.op(name, index, g.op("ZIP1.2D", at(first), at(first+2)))
}

// Select returns y where the mask is set, else z.
func (t *Target) Select(g *vector.Graph, mask, y, z ref) ref { return graph{g}.choose(mask, y, z) }

// And returns the lanes that both masks have.
func (t *Target) And(g *vector.Graph, a, b ref) ref { return graph{g}.op("AND.16B", a, b) }

// Or returns the lanes that either mask has.
func (t *Target) Or(g *vector.Graph, a, b ref) ref { return graph{g}.op("ORR.16B", a, b) }

// Not returns the lanes that a mask does not have.
func (t *Target) Not(g *vector.Graph, mask ref) ref { return graph{g}.not(mask) }

// WidenMask returns half p of a mask in 64-bit lanes.
func (t *Target) WidenMask(g *vector.Graph, mask ref, p int) ref {
	return graph{g}.op([]string{"SXTL.2D", "SXTL2.2D"}[p], mask)
}

// NarrowMask converts the mask of two vectors of 64-bit lanes to 32-bit lanes.
func (t *Target) NarrowMask(g *vector.Graph, low, high ref) ref { return graph{g}.evens(low, high) }

// evens returns the lower 32 bits of each 64-bit lane of two vectors.
func (g graph) evens(low, high ref) ref { return g.op("UZP1.4S", low, high) }

// Upper returns a vector whose first bytes are bytes 'bytes' to 2*bytes of v.
func (t *Target) Upper(g *vector.Graph, v ref, bytes int) ref {
	return graph{g}.imm("EXT.16B", uint8(bytes), v, v)
}

// Splat returns the first element in every lane.
func (t *Target) Splat(g *vector.Graph, v ref, d ir.DType) ref {
	if machine.Parts(d) == 2 {
		return graph{g}.imm("DUP.2D", 0, v)
	}
	return graph{g}.imm("DUP.4S", 0, v)
}
