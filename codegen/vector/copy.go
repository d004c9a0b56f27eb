package vector

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Copy lowers one copy of a kernel's body to nodes. The main loop has one copy or
// several, the tail one whose loads and stores are masked. The roots of a copy are
// its stores and the next values of the accumulators.
type Copy struct {
	Graph  *Graph
	Number int // the step of an unrolled iteration; in the tail it only selects accumulators
	Tail   bool
	Values []Value // the kernel's values known so far

	mask    [3]Ref   // the tail's masks: narrow lanes, the two parts of 8-byte lanes
	entries []*Entry // of cold blocks in this copy
	first   int      // the number of entries of other copies
}

func (g *Graph) newCopy(number int, tail bool) *Copy {
	return &Copy{Graph: g, Number: number, Tail: tail, mask: [3]Ref{None, None, None}, first: len(g.entries)}
}

// lower returns the roots of one copy of the body.
func (g *Graph) lower(number int, tail bool) []Ref {
	k, c := g.Kernel, g.newCopy(number, tail)
	g.loops = 0
	for i := range k.In {
		c.Values = append(c.Values, g.Load(c, i))
	}
	for j, in := range k.Body {
		c.Values = append(c.Values, c.value(kernel.Ref(len(k.In)+j), in))
	}
	c.finishEntries()
	var roots []Ref
	for _, r := range g.Reductions {
		roots = append(roots, c.reduce(r)...)
	}
	for i, r := range k.Out {
		if g.Combiner(i) == ir.OpInvalid {
			roots = append(roots, g.Store(c, len(k.In)+i, k.DType(r), c.Values[r])...)
		}
	}
	return roots
}

// value lowers an instruction if the main path computes it.
func (c *Copy) value(r kernel.Ref, in kernel.Inst) Value {
	o := c.Graph.outline
	if !o.main(r) {
		return Value{}
	}
	var v Value
	if b := o.blocks[r]; b != nil {
		v = c.enter(b, c.Values[in.Args[2]])
	} else {
		v = c.inst(in)
	}
	c.Graph.recordParts(v.Part)
	c.Graph.recordParts(v.Wide)
	return v
}

func (c *Copy) inst(in kernel.Inst) Value {
	if in.Op == ir.OpConst {
		return c.Graph.Constant(in.DType, in.Bits)
	}
	var a [3]Value
	for i, r := range in.Args[:in.Arity()] {
		a[i] = c.Values[r]
	}
	return c.Graph.Apply(c, in, a)
}

// Mask returns the tail's mask for part p of a value of type d.
func (c *Copy) Mask(d ir.DType, p int) Ref {
	i, class := 0, ClassMask
	if c.Graph.m.Parts(d) == 2 {
		i, class = 1+p, ClassWideMask
	}
	if c.mask[i] == None {
		c.mask[i] = c.Graph.Add(Node{Kind: KindOp, Class: c.Graph.m.class(class), Op: OpMask, Imm: uint8(i), Arg: Args()})
	}
	return c.mask[i]
}

// Where returns the place of part p of an operand's elements in this step.
func (c *Copy) Where(operand int, d ir.DType, p int) Place {
	m := c.Graph.m
	bytes := min(m.Width, m.Lanes()*d.Size())
	disp := bytes * p
	if !c.Tail {
		disp += m.Lanes() * d.Size() * c.Number
	}
	return PlaceOf(operand, d.Size(), disp, bytes).InTail(c.Tail)
}
