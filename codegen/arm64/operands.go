package arm64

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// Loads and stores of bodies. A step of the main loop moves all lanes, a step of the tail the first ones.

// Load returns an input.
func (t *Target) Load(c *vector.Copy, i int) value {
	g := graph{c.Graph}
	d := g.Kernel.In[i].DType
	var v value
	if g.Kernel.In[i].Splat {
		r := g.Add(vector.Node{Kind: vector.KindSplat, Place: vector.PlaceOf(i, d.Size(), 0, 0), Arg: vector.Args()})
		if v = one(r); g.parts(d) == 2 {
			v = two(r, r)
		}
	} else {
		load := func(p int) ref {
			if g.Kernel.In[i].Member.Of > 0 {
				return g.placed(opMemberLoad, whereMember(c, i, d, p))
			}
			return g.load(c.Where(i, d, p))
		}
		if v = one(none); g.parts(d) == 2 {
			v.Part[1] = load(1)
		}
		v.Part[0] = g.extended(d, load(0))
	}
	if d == ir.Bool {
		return one(g.op("CMTST.4S", v.Part[0], v.Part[0]))
	}
	return v
}

// load returns the vector at a place.
func (g graph) load(at vector.Place) ref {
	if at.Tail {
		return g.placed(opTailLoad, at)
	}
	return g.Add(vector.Node{Kind: vector.KindLoad, Place: at, Arg: vector.Args()})
}

// extended returns elements in lanes of 4 bytes, if they are narrower.
func (g graph) extended(d ir.DType, x ref) ref {
	sign := "U"
	if ir.Signed.Has(d) {
		sign = "S"
	}
	if d.Size() == 1 {
		x = g.op(sign+"XTL.8H", x)
	}
	if d.Size() <= 2 {
		x = g.op(sign+"XTL.4S", x)
	}
	return x
}

// words returns the low 16 bits of each lane in half a register.
func (g graph) words(x ref) ref {
	for _, name := range []string{"UXTL.4S", "SXTL.4S"} {
		if y, ok := g.is(x, name); ok {
			return y
		}
	}
	return g.op("XTN.4S", x)
}

// bytes returns the low bytes of each lane in a quarter of a register.
func (g graph) bytes(x ref) ref {
	words := g.words(x)
	for _, name := range []string{"UXTL.8H", "SXTL.8H"} {
		if y, ok := g.is(words, name); ok {
			return y
		}
	}
	return g.op("XTN.8H", words)
}

// Store returns the stores of an output.
func (t *Target) Store(c *vector.Copy, operand int, d ir.DType, x value) []ref {
	g := graph{c.Graph}
	switch {
	case d == ir.Bool:
		x.Part[0] = g.op("NEG.8B", g.bytes(g.MaskPart(x, 1, 0))) // true is -1 in a lane
	case d.Size() == 1:
		x.Part[0] = g.bytes(x.Part[0])
	case d.Size() == 2:
		x.Part[0] = g.words(x.Part[0])
	}
	var out []ref
	for p := range g.parts(d) {
		name, v, where := opStore, t.Reload(c.Graph, x.Part[p]), c.Where(operand, d, p)
		switch {
		case member(g.Kernel, operand).Of > 0:
			name, where = opMemberStore, whereMember(c, operand, d, p)
		case c.Tail:
			name = opTailStore
		}
		out = append(out, g.placed(name, where, v))
	}
	return out
}

// StoreFirst stores the first element of a vector.
func (t *Target) StoreFirst(mg *vector.Graph, to vector.Place, d ir.DType, v ref) ref {
	g := graph{mg}
	if d == ir.Bool {
		v = g.op("NEG.4S", v)
	}
	return g.Add(vector.Node{Kind: vector.KindOp, Op: vector.OpFirst, Place: to, Arg: vector.Args(v)})
}

// Reload returns an operand's vector by an instruction of its own: an earlier store may overwrite the operand.
func (t *Target) Reload(g *vector.Graph, r ref) ref {
	if g.At(r).Kind == vector.KindLoad {
		return graph{g}.op(opReload, r)
	}
	return r
}

// noForm returns the text of the panic in a switch that lacks a case for a type.
func noForm(what string, d ir.DType) string {
	return fmt.Sprintf("BUG: codegen/arm64: there is no %s of %s, %d bytes", what, d, d.Size())
}
