package vector

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Value is a kernel's value in one step: one vector, or two for elements of 8
// bytes. A bool is a mask, in narrow lanes (Part[0]), or in the 8-byte lanes of two
// vectors (Wide) if it comes from a comparison of such elements.
type Value struct {
	Part [2]Ref
	Wide [2]Ref // bool only
}

// One returns a value of one vector.
func One(r Ref) Value { return Value{[2]Ref{r, None}, [2]Ref{None, None}} }

// Two returns a value of two vectors.
func Two(a, b Ref) Value { return Value{[2]Ref{a, b}, [2]Ref{None, None}} }

// WideMask returns a mask of 8-byte lanes.
func WideMask(a, b Ref) Value { return Value{[2]Ref{None, None}, [2]Ref{a, b}} }

// vectors lists the vectors of a value.
func (v Value) vectors() []Ref {
	var out []Ref
	for _, r := range append(v.Part[:], v.Wide[:]...) {
		if r != None {
			out = append(out, r)
		}
	}
	return out
}

// recordParts records the two vectors of a value, for the scheduler.
func (g *Graph) recordParts(p [2]Ref) {
	if p[1] != None && p[0] != p[1] {
		g.secondPart[p[0]] = p[1]
	}
}

// MaskPart returns part p of a mask that covers a step with n vectors.
func (g *Graph) MaskPart(v Value, n, p int) Ref {
	switch {
	case n == 1 && v.Part[0] != None:
		return v.Part[0]
	case n == 1:
		return g.NarrowMask(g, v.Wide[0], v.Wide[1])
	case v.Wide[0] != None:
		return v.Wide[p]
	case g.At(v.Part[0]).Kind == KindConst:
		return v.Part[0]
	}
	return g.WidenMask(g, v.Part[0], p)
}

// Lift applies an instruction of one vector to each vector of its operands. from is
// the type of the last operand.
func (c *Copy) Lift(in kernel.Inst, from ir.DType, a [3]Value, row func(x [3]Ref) Ref) Value {
	g, info := c.Graph, in.Op.Info()
	n := g.m.Parts(from)
	if from == ir.Bool && allWide(in, a) {
		n = 2
	}
	out := Value{[2]Ref{None, None}, [2]Ref{None, None}}
	for p := range n {
		var x [3]Ref
		for i := range in.Arity() {
			if from == ir.Bool || info.Mask && i == 0 {
				x[i] = g.MaskPart(a[i], n, p)
			} else {
				x[i] = a[i].Part[p]
			}
		}
		if r := row(x); in.DType == ir.Bool && n == 2 {
			out.Wide[p] = r
		} else {
			out.Part[p] = r
		}
	}
	return out
}

// allWide reports whether all operands of an operation on bools are masks of 8-byte
// lanes only: the operation then needs no conversion of masks.
func allWide(in kernel.Inst, a [3]Value) bool {
	for i := range in.Arity() {
		if a[i].Wide[0] == None || a[i].Part[0] != None {
			return false
		}
	}
	return true
}
