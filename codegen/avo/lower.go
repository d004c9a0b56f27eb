package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// value is a kernel's value in a step of 8 elements: one vector for types of up
// to 32 bits (those of 8 and 16 are extended), two for 64 bits. A bool is a mask:
// all ones or all zeros in each of 8 lanes, or of 2x4 lanes where it came from
// a comparison of 64-bit values and is used on such.
type value struct {
	part [2]ref
	wide [2]ref // bool only: the mask in 64-bit lanes
}

func one(r ref) value         { return value{[2]ref{r, none}, [2]ref{none, none}} }
func two(a, b ref) value      { return value{[2]ref{a, b}, [2]ref{none, none}} }
func wideMask(a, b ref) value { return value{[2]ref{none, none}, [2]ref{a, b}} }

// parts returns how many vectors 8 elements of a type take.
func parts(d ir.DType) int {
	switch d.Size() {
	case 1, 2, 4:
		return 1
	case 8:
		return 2
	}
	panic(noForm("vector", d))
}

// lowerer turns the body of a kernel into nodes, once for each copy.
type lowerer struct {
	*graph
	k    *kernel.Kernel
	copy int // which 8 elements of an unrolled step; in the tail only which accumulators
	tail bool
	mask [3]ref // the tail's masks: 32-bit lanes, lower and upper 64-bit lanes
	vals []value

	stubs []*stub // of this copy
	first int     // how many other copies have
}

// lower returns the stores of one copy of the body, and what its folds carry on.
func (g *graph) lower(k *kernel.Kernel, copy int, tail bool) []ref {
	l := &lowerer{graph: g, k: k, copy: copy, tail: tail, mask: [3]ref{none, none, none}, first: len(g.stubs)}
	g.divs = 0
	for i := range k.In {
		l.vals = append(l.vals, l.load(i))
	}
	for j, in := range k.Body {
		l.vals = append(l.vals, l.value(kernel.Ref(len(k.In)+j), in))
	}
	l.finish()
	var stores []ref
	for _, f := range foldsOf(k) {
		stores = append(stores, l.fold(f)...)
	}
	for i, r := range k.Out {
		if k.FoldOf(i) != ir.OpInvalid {
			continue
		}
		stores = append(stores, l.store(len(k.In)+i, k.DType(r), l.vals[r])...)
	}
	return stores
}

// value lowers an instruction where the main path computes it.
func (l *lowerer) value(r kernel.Ref, in kernel.Inst) value {
	if !l.outline.main(r) {
		return value{}
	}
	var v value
	if b := l.outline.blocks[r]; b != nil {
		v = l.seldom(b, l.vals[in.Args[2]])
	} else {
		v = l.inst(in)
	}
	l.pair(v.part)
	l.pair(v.wide)
	return v
}

func (l *lowerer) inst(in kernel.Inst) value {
	if in.Op == ir.OpConst {
		return l.constantOf(in.DType, in.Bits)
	}
	var a [3]value
	for i, r := range in.Args[:in.Arity()] {
		a[i] = l.vals[r]
	}
	from := l.k.DType(in.Args[in.Arity()-1])
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
	return l.lift(row, in, from, a)
}

// pair notes the two vectors of a value as twins.
func (g *graph) pair(p [2]ref) {
	if p[1] != none && p[0] != p[1] {
		g.twin[p[0]] = p[1]
	}
}

// lift applies a row to each vector of its operands.
func (l *lowerer) lift(row row, in kernel.Inst, from ir.DType, a [3]value) value {
	info := in.Op.Info()
	wide := from == ir.Bool && l.allWide(in, a)
	n := parts(from)
	if wide {
		n = 2
	}
	out := value{[2]ref{none, none}, [2]ref{none, none}}
	for p := range n {
		var x [3]ref
		for i := range in.Arity() {
			switch {
			case from == ir.Bool || info.Mask && i == 0:
				x[i] = l.maskPart(a[i], n, p)
			default:
				x[i] = a[i].part[p]
			}
		}
		r := row(l.graph, x)
		if in.DType == ir.Bool && n == 2 {
			out.wide[p] = r
		} else {
			out.part[p] = r
		}
	}
	return out
}

// allWide reports whether an op on bools is best done on 64-bit masks: no
// operand would have to be narrowed or widened for it.
func (l *lowerer) allWide(in kernel.Inst, a [3]value) bool {
	for i := range in.Arity() {
		if a[i].wide[0] == none || a[i].part[0] != none {
			return false
		}
	}
	return true
}

// maskPart returns a mask as n vectors, part p.
func (g *graph) maskPart(v value, n, p int) ref {
	switch {
	case n == 1 && v.part[0] != none:
		return v.part[0]
	case n == 1:
		return g.evens(v.wide[0], v.wide[1])
	case v.wide[0] != none:
		return v.wide[p]
	case g.at(v.part[0]).kind == kConst:
		return v.part[0]
	case p == 0:
		return g.op("VPMOVSXDQ", v.part[0])
	}
	return g.op("VPMOVSXDQ", g.high(v.part[0]))
}

func (g *graph) constantOf(d ir.DType, bits uint64) value {
	switch {
	case d == ir.Bool:
		return one(g.c64(-(bits & 1)))
	case d.Size() == 8:
		return two(g.c64(bits), g.c64(bits))
	}
	return one(g.c32(uint32(bits)))
}
