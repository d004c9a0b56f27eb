package amd64

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// Loads and stores. A step of the main loop moves all lanes. A step of the tail moves the first lanes: under a mask, or
// one by one for elements of one or two bytes.

// Load returns an input.
func (t *Target) Load(c *vector.Copy, i int) value {
	l := lowerTo(c)
	d := l.Kernel.In[i].DType
	switch {
	case l.Kernel.In[i].Splat:
		return l.splat(i, d)
	case l.Kernel.In[i].Member.Of > 0:
		return t.loadMember(l, i)
	}
	switch d.Size() {
	case 1, 2:
		r := t.loadNarrow(l, l.Where(i, d, 0), d)
		if d == ir.Bool {
			r = l.op("VPCMPGTD", r, l.zero())
		}
		return one(r)
	case 4:
		return one(l.vector(i, d, 0))
	case 8:
		return two(l.vector(i, d, 0), l.vector(i, d, 1))
	}
	panic(noForm("load", d))
}

// extends returns the instruction that extends narrower elements to 32-bit lanes.
func extends(d ir.DType) string {
	name := map[int]string{1: "BD", 2: "WD"}[d.Size()]
	switch {
	case name == "":
		panic(noForm("extension", d))
	case ir.Signed.Has(d):
		return "VPMOVSX" + name
	}
	return "VPMOVZX" + name
}

// noForm returns the text of the panic in a switch that lacks a case for a type.
func noForm(what string, d ir.DType) string {
	return fmt.Sprintf("BUG: codegen/amd64: there is no %s of %s, %d bytes", what, d, d.Size())
}

// splat returns a splat operand.
func (l *lowerer) splat(i int, d ir.DType) value {
	r := l.Add(vector.Node{Kind: vector.KindSplat, Place: vector.PlaceOf(i, d.Size(), 0, 0), Arg: vector.Args()})
	switch {
	case d == ir.Bool:
		return one(l.op("VPCMPGTD", r, l.zero()))
	case l.parts(d) == 2:
		return two(r, r)
	}
	return one(r)
}

// vector returns part p of a unit operand.
func (l *lowerer) vector(i int, d ir.DType, p int) ref {
	at := l.Where(i, d, p)
	if l.Tail {
		return l.placed(widthOf("MASKLOAD", d), at, l.Mask(d, p))
	}
	return l.inPlace(at)
}

// widthOf returns the name of an instruction on floating-point lanes as wide as d.
func widthOf(prefix string, d ir.DType) string {
	switch d.Size() {
	case 4:
		return prefix + "PS"
	case 8:
		return prefix + "PD"
	}
	panic(noForm(prefix, d))
}

// Store returns the stores of an output.
func (t *Target) Store(c *vector.Copy, operand int, d ir.DType, x value) []ref {
	l := lowerTo(c)
	if i := operand - len(l.Kernel.In); l.Kernel.OutMemberOf(i).Of > 0 {
		return t.storeGroup(l, i)
	}
	if d.Size() < 4 {
		return []ref{t.storeNarrow(l, l.Where(operand, d, 0), d, x)}
	}
	var out []ref
	for p := range l.parts(d) {
		at := l.Where(operand, d, p)
		if l.Tail {
			out = append(out, l.placed(widthOf("MASKSTORE", d), at, l.Mask(d, p), x.Part[p]))
		} else {
			out = append(out, l.placed("STORE", at, t.Reload(c.Graph, x.Part[p])))
		}
	}
	return out
}

// StoreFirst stores the first element of a vector.
func (t *Target) StoreFirst(mg *vector.Graph, to vector.Place, d ir.DType, v ref) ref {
	g := &graph{Graph: mg}
	if d == ir.Bool {
		v = g.op("VPABSD", v) // true is -1 in a lane
	}
	return g.Add(vector.Node{Kind: vector.KindOp, Op: vector.OpFirst, Place: to, Arg: vector.Args(v)})
}

// Reload returns an operand's vector by an instruction of its own, for the source of a store: the store may overwrite a source
// that is read in place.
func (t *Target) Reload(g *vector.Graph, r ref) ref {
	if g.At(r).Kind == vector.KindLoad {
		return (&graph{Graph: g}).op("VMOVUPS", r)
	}
	return r
}
