package vector

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Entry is the use of a cold block in one copy of the body. The copy tests the condition
// of its elements. If it holds for any of them, control goes to the block, which computes
// the results of the selects. If it holds for none, the last operands of the selects (Z)
// are the results.
type Entry struct {
	Block   *ColdBlock
	Test    []Ref // the condition; of two vectors, they share a bit where it holds
	In      []Ref // the inputs, by place
	Z       []Ref // the last operands, by result
	Results []Ref
}

// enter returns the result of an unlikely select that has a cold block, with the
// vectors of its last operand.
func (c *Copy) enter(b *ColdBlock, z Value) Value {
	g := c.Graph
	i := slices.IndexFunc(c.entries, func(e *Entry) bool { return e.Block == b })
	if i < 0 {
		i = len(c.entries)
		c.entries = append(c.entries, &Entry{Block: b})
	}
	e := c.entries[i]
	test := g.Add(Node{Kind: KindOp, Op: OpCold, Slot: c.first + i, Arg: Args()})
	result := func(z Ref) Ref {
		if z == None {
			return None
		}
		r := g.Add(Node{Kind: KindResult, Class: g.At(z).Class, Arg: Args(test), Slot: len(e.Z)})
		e.Z, e.Results = append(e.Z, z), append(e.Results, r)
		return r
	}
	v := Value{}
	for p := range v.Part {
		v.Part[p] = result(z.Part[p])
	}
	for p := range v.Wide {
		v.Wide[p] = result(z.Wide[p])
	}
	return v
}

// finishEntries completes the entries of a copy when all its values are known.
func (c *Copy) finishEntries() {
	for _, e := range c.entries {
		e.Test = c.anywhere(c.Values[e.Block.Cond])
		e.Block.forms = nil
		for _, v := range e.Block.inputs {
			e.In = append(e.In, c.Values[v].vectors()...)
			e.Block.forms = append(e.Block.forms, c.Values[v])
		}
	}
	c.Graph.entries = append(c.Graph.entries, c.entries...)
}

// anywhere returns what an entry tests: one vector, or two that have a bit in common if the
// condition holds anywhere. In the tail the second vector is the mask, because the
// condition may hold for the elements beyond the end of the row, which are read as 0. A
// condition of two vectors is tested as one if the masks of the tail are in use anyway: a
// lane that the upper mask has is in the lower mask too, so it is enough to mask the upper
// vector and to test both under the lower mask.
func (c *Copy) anywhere(v Value) []Ref {
	g, cond := c.Graph, v.vectors()
	switch wide := len(cond) == 2; {
	case wide && !c.Tail:
		return []Ref{g.Or(g, cond[0], cond[1])}
	case wide && c.mask[2] != None:
		upper := g.And(g, cond[1], c.mask[2])
		return []Ref{g.Or(g, cond[0], upper), c.mask[1]}
	case c.Tail:
		return []Ref{g.MaskPart(v, 1, 0), c.Mask(ir.Bool, 0)}
	}
	return cond
}

// compile lowers, schedules and allocates the instructions of a block.
func (b *ColdBlock) compile(g *Graph) error {
	k := g.Kernel
	c := g.newCopy(0, false)
	c.Values = make([]Value, len(k.In)+len(k.Body))
	places := map[Ref]int{}
	for j, in := range k.Body {
		if in.Op == ir.OpConst {
			c.Values[len(k.In)+j] = c.inst(in)
		}
	}
	for i, v := range b.forms {
		for p := range v.Part {
			g.input(&v.Part[p], places)
		}
		for p := range v.Wide {
			g.input(&v.Wide[p], places)
		}
		c.Values[b.inputs[i]] = v
	}
	for _, r := range b.body {
		c.Values[r] = c.inst(*k.Inst(r))
	}
	var roots []Ref
	for _, r := range b.Selects {
		for _, v := range c.blend(k.Inst(r)) {
			roots = append(roots, g.keep(v, len(places)+len(roots)))
		}
	}
	known := func(r Ref) bool { return g.At(r).Kind == KindConst || g.At(r).Kind == KindInput }
	a, err := g.Allocate(g.Schedule(roots, known), nil, places)
	if err == nil {
		b.Insts, b.Spills = a.Insts, a.Spills
	}
	return err
}

// input replaces a vector of the main path by the next input on the stack.
func (g *Graph) input(r *Ref, places map[Ref]int) {
	if *r != None {
		*r = g.Add(Node{Kind: KindInput, Class: g.At(*r).Class, Slot: len(places), Arg: Args()})
		places[*r] = len(places)
	}
}

// blend computes an unlikely select in its cold block. It returns as many vectors as the
// last operand has.
func (c *Copy) blend(in *kernel.Inst) []Ref {
	g := c.Graph
	cond, y, z := c.Values[in.Args[0]], c.Values[in.Args[1]], c.Values[in.Args[2]]
	var out []Ref
	for p, r := range z.vectors() {
		n := len(z.vectors())
		part := y.Part[p]
		if in.DType == ir.Bool {
			part = g.MaskPart(y, n, p)
		}
		out = append(out, g.Select(g, g.MaskPart(cond, n, p), part, r))
	}
	return out
}

// Exit is an entry with the places of everything it moves.
type Exit struct {
	*Entry
	From  []Loc // of the inputs
	To    []int // the registers of the results
	Saved []int // the registers that the main path needs afterwards
}

// compileCold compiles the cold blocks that the loops of a body enter.
func (g *Graph) compileCold(b *Body) error {
	free := g.scratch / 4 // the loops use scratch vectors at the same time
	done := map[*ColdBlock]bool{}
	for _, e := range b.Exits() {
		if !done[e.Block] {
			done[e.Block] = true
			g.loops, g.loop = free, map[[4]Ref]int{} // no block reads the results of another's loops
			if err := e.Block.compile(g); err != nil {
				return err
			}
		}
	}
	b.Scratch = g.scratch
	return nil
}
