package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// instructions implements machine.Target: it looks operations up in the rows of the table,
// which add instructions to the graph.
type instructions struct{}

func (instructions) Machine() *machine.Machine { return avx2Machine }

// parts returns how many vectors the elements of a step take.
func parts(d ir.DType) int { return avx2Machine.Parts(d) }

// lowerer is one copy of a kernel's body, with the instructions of the graph.
type lowerer struct {
	*graph
	*machine.Copy
}

func lowerTo(c *machine.Copy) *lowerer { return &lowerer{&graph{c.Graph}, c} }

// Apply returns the result of an elementwise instruction on whole values.
func (instructions) Apply(c *machine.Copy, in kernel.Inst, a [3]value) value {
	l := lowerTo(c)
	from := l.Kernel.DType(in.Args[in.Arity()-1])
	switch in.Op {
	case ir.OpCast:
		row, ok := castRows[pair{from, in.DType}]
		if !ok {
			panic(fmt.Sprintf("BUG: codegen/avo: no instructions for a cast of %s to %s", from, in.DType))
		}
		return row(l.graph, a[0])
	case ir.OpSelect:
		if v, ok := l.clamp(in, a); ok {
			return v
		}
	}
	if row, ok := wholeRows[key{in.Op, from}]; ok {
		return row(l.graph, a)
	}
	row, ok := rows[key{in.Op, from}]
	if !ok {
		panic(fmt.Sprintf("BUG: codegen/avo: no instructions for %s on %s", in.Op, from))
	}
	return l.Lift(in, from, a, func(x [3]ref) ref { return row(l.graph, x) })
}

// Lane applies an elementwise operation to one vector of each operand.
func (instructions) Lane(g *machine.Graph, op ir.Op, d ir.DType, x [3]ref) ref {
	row, ok := rows[key{op, d}]
	if !ok {
		panic(fmt.Sprintf("BUG: codegen/avo: no instructions for %s on %s", op, d))
	}
	return row(&graph{g}, x)
}

// Steps returns the indices of the elements of a step, counted from first.
func (instructions) Steps(mg *machine.Graph, d ir.DType, first int) ref {
	g := &graph{mg}
	extend, add, wide := "VPMOVZXBD", "VPADDD", uint8(0)
	if d.Size() == 8 {
		extend, add, wide = "VPMOVZXBQ", "VPADDQ", 1
	}
	const bytes = 0x0706050403020100
	lanes := g.c64(bytes + uint64(first)*0x0101010101010101)
	index := g.Add(machine.Node{Kind: machine.KindOp, Op: machine.OpIndex, Imm: wide, Arg: machine.Args()})
	return g.op(add, index, g.op(extend, lanes))
}

// Select returns y where the mask is set, else z.
func (instructions) Select(g *machine.Graph, mask, y, z ref) ref {
	return (&graph{g}).choose(mask, y, z)
}

// And returns the lanes that both masks have.
func (instructions) And(g *machine.Graph, a, b ref) ref { return (&graph{g}).op("VANDPS", a, b) }

// Or returns the lanes that either mask has.
func (instructions) Or(g *machine.Graph, a, b ref) ref { return (&graph{g}).op("VORPS", a, b) }

// Not returns the lanes that a mask does not have.
func (instructions) Not(g *machine.Graph, mask ref) ref { return (&graph{g}).not(mask) }

// WidenMask returns half p of a mask in 64-bit lanes.
func (instructions) WidenMask(mg *machine.Graph, mask ref, p int) ref {
	g := &graph{mg}
	if p == 1 {
		mask = g.high(mask)
	}
	return g.op("VPMOVSXDQ", mask)
}

// NarrowMask returns the mask of two vectors of 64-bit lanes in 32-bit lanes.
func (instructions) NarrowMask(g *machine.Graph, low, high ref) ref {
	return (&graph{g}).evens(low, high)
}

// Upper returns a vector whose first bytes are bytes 'bytes' to 2*bytes of v.
func (instructions) Upper(mg *machine.Graph, v ref, bytes int) ref {
	g := &graph{mg}
	switch bytes {
	case 16:
		return g.high(v)
	case 8:
		return g.imm("VSHUFPS", 0xee, v, v)
	case 4:
		return g.imm("VSHUFPS", 0x55, v, v)
	}
	panic(fmt.Sprintf("BUG: codegen/avo: %d bytes of a vector", bytes))
}

// Splat returns the first element in every lane.
func (instructions) Splat(mg *machine.Graph, v ref, d ir.DType) ref {
	g, lanes := &graph{mg}, uint8(0)
	if parts(d) == 2 {
		lanes = 0x44
	}
	half := g.imm("VSHUFPS", lanes, v, v)
	return g.joined(half, half)
}
