package amd64

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The methods of vector.Target. Each finds an operation in the rows of the table, which add
// instructions to the graph, or calls the target's style.

// Machine returns the registers and the tuning.
func (t *Target) Machine() *vector.Machine { return t.m }

// lowerer is one copy of a kernel's body, with the instructions of the graph.
type lowerer struct {
	graph
	*vector.Copy
}

func lowerTo(c *vector.Copy) *lowerer { return &lowerer{graph{Graph: c.Graph}, c} }

// Apply returns the result of an elementwise instruction on whole values.
func (t *Target) Apply(c *vector.Copy, in kernel.Inst, a [3]value) value {
	l := lowerTo(c)
	from := l.Kernel.DType(in.Args[in.Arity()-1])
	switch in.Op {
	case ir.OpCast:
		row, ok := t.casts[pair{from, in.DType}]
		if !ok {
			panic(fmt.Sprintf("BUG: codegen/amd64: no instructions for a cast of %s to %s", from, in.DType))
		}
		return row(&l.graph, a[0])
	case ir.OpTable:
		return one(t.entry(&l.graph, in.Bits, a[0].Part[0]))
	case ir.OpSelect:
		if v, ok := l.clamp(in, a); ok {
			return v
		}
	}
	if row, ok := t.whole[key{in.Op, from}]; ok {
		return row(&l.graph, a)
	}
	for i, r := range in.Args[:in.Arity()] {
		l.once[i] = l.Uses(r) == 1
	}
	row := t.row(in.Op, from)
	return l.Lift(in, from, a, func(x [3]ref) ref { return row(&l.graph, x) })
}

// Lane applies an elementwise operation to one vector of each operand.
func (t *Target) Lane(g *vector.Graph, op ir.Op, d ir.DType, x [3]ref) ref {
	return t.row(op, d)(&graph{Graph: g}, x)
}

func (t *table) row(op ir.Op, d ir.DType) row {
	row, ok := t.rows[key{op, d}]
	if !ok {
		panic(fmt.Sprintf("BUG: codegen/amd64: no instructions for %s on %s", op, d))
	}
	return row
}

// Steps returns the indices of the elements of a step, counted from first.
func (t *Target) Steps(mg *vector.Graph, d ir.DType, first int) ref {
	g := &graph{Graph: mg}
	extend, add, wide := "VPMOVZXBD", "VPADDD", uint8(0)
	if d.Size() == 8 {
		extend, add, wide = "VPMOVZXBQ", "VPADDQ", 1
	}
	const bytes = 0x0706050403020100
	lanes := g.c64(bytes + uint64(first)*0x0101010101010101)
	index := g.Add(vector.Node{Kind: vector.KindOp, Op: vector.OpIndex, Imm: wide, Arg: vector.Args()})
	return g.op(add, index, g.op(extend, lanes))
}

// Select returns y where the mask is set, else z.
func (t *Target) Select(g *vector.Graph, mask, y, z ref) ref {
	return (&graph{Graph: g}).choose(mask, y, z)
}

// And returns the lanes that both masks have.
func (t *Target) And(g *vector.Graph, a, b ref) ref { return t.logic(&graph{Graph: g}, "VANDPS", a, b) }

// Or returns the lanes that either mask has.
func (t *Target) Or(g *vector.Graph, a, b ref) ref { return t.logic(&graph{Graph: g}, "VORPS", a, b) }

// Not returns the lanes that a mask does not have.
func (t *Target) Not(g *vector.Graph, mask ref) ref { return (&graph{Graph: g}).not(mask) }

// WidenMask returns half p of a mask in 64-bit lanes.
func (t *Target) WidenMask(g *vector.Graph, mask ref, p int) ref {
	return t.widen(&graph{Graph: g}, mask, p)
}

// NarrowMask converts the mask of two vectors of 64-bit lanes to 32-bit lanes.
func (t *Target) NarrowMask(g *vector.Graph, low, high ref) ref {
	return t.narrow(&graph{Graph: g}, low, high)
}

// Upper returns a vector whose first bytes are bytes 'bytes' to 2*bytes of v.
func (t *Target) Upper(mg *vector.Graph, v ref, bytes int) ref {
	g := &graph{Graph: mg}
	switch bytes {
	case t.m.Width / 2:
		return g.high(v)
	case 16:
		return g.imm("VSHUFF64X2", 1, v, v)
	case 8:
		return g.imm("VSHUFPS", 0xee, v, v)
	case 4:
		return g.imm("VSHUFPS", 0x55, v, v)
	}
	panic(fmt.Sprintf("BUG: codegen/amd64: %d bytes of a vector", bytes))
}

// Splat returns the first element in every lane.
func (t *Target) Splat(mg *vector.Graph, v ref, d ir.DType) ref {
	g, lanes := &graph{Graph: mg}, uint8(0)
	if g.parts(d) == 2 {
		lanes = 0x44
	}
	half := g.imm("VSHUFPS", lanes, v, v)
	return g.joined(half, half)
}
