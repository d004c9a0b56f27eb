package graph

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Cotangents of slices. Slices of one axis that have no element in common, such as those of Unstack and Chunk, give the
// cotangent of what they slice as one concatenation: each element of it is a copy, where a sum of slices between zeros
// would add a zero for every other slice.

// gradientPart is the cotangent of a slice, of count consecutive elements of an axis.
type gradientPart struct {
	of           *node // the slice
	cotangent    Node  // with all axes of what is sliced
	axis         int
	begin, count int
}

func (p gradientPart) end() int { return p.begin + p.count }

// part returns the cotangent of a slice, or false if p is no slice, or its place is not known before the program runs.
func (p *pullback) part() (part gradientPart, ok bool) {
	if p.rule != nil || p.op != ir.OpSlice && p.op != ir.OpIndex || p.cotangent.Err() != nil {
		return part, false
	}
	a, g, step := p.attr, p.cotangent, p.attr.Step
	if p.op == ir.OpIndex {
		g, step = g.Unsqueeze(a.Axis), 1
	}
	begin, placed := a.Begin.Int()
	count, counted := g.n.typ.Shape[a.Axis].Int()
	if count == 1 {
		step = 1
	}
	if step == -1 {
		g, begin = g.Flip(a.Axis), begin-count+1
	}
	return gradientPart{p.node, g, a.Axis, begin, count}, placed && counted && count > 0 && (step == 1 || step == -1)
}

// gradientParts are parts of one cotangent along an axis that have no element in common. The last one comes first, as the
// backward pass meets slices from the last one on.
type gradientParts struct{ list []gradientPart }

// addPart adds the cotangent of a slice to the cotangent of what is sliced.
func (a *adjoint) addPart(part gradientPart) {
	for _, p := range a.parts {
		if p.take(part) {
			return
		}
	}
	a.parts = append(a.parts, &gradientParts{[]gradientPart{part}})
}

// take inserts a part if it has the axis and the type of the others and no element in common with them.
func (p *gradientParts) take(part gradientPart) bool {
	at, _ := slices.BinarySearchFunc(p.list, part.begin, func(q gradientPart, begin int) int { return cmp.Compare(begin, q.begin) })
	if part.axis != p.list[0].axis || part.cotangent.DType() != p.list[0].cotangent.DType() || at > 0 && p.list[at-1].begin < part.end() || at < len(p.list) && p.list[at].end() > part.begin {
		return false
	}
	p.list = slices.Insert(p.list, at, part)
	return true
}

// joined returns the parts between zeros.
func (p *gradientParts) joined() Node {
	first := p.list[0]
	axis, end := first.axis, 0
	var all []Node
	zeros := func(count Extent) {
		if !count.Is(0) {
			all = append(all, first.cotangent.zeros(axis, count))
		}
	}
	for _, q := range slices.Backward(p.list) {
		zeros(ir.Fixed(q.begin - end))
		all, end = append(all, q.cotangent), q.end()
	}
	zeros(first.of.args[0].typ.Shape[axis].Sub(ir.Fixed(end)))
	return Concat(axis, all...)
}
