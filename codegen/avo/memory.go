package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Loads and stores. A step of the main loop reads and writes 8 elements; a step
// of the tail up to 8, under a mask, or one by one where an element has one or two
// bytes. In a register those are 32-bit lanes, extended by zeros or by the sign.

// at returns where part p of an operand is.
func (l *lowerer) where(operand int, d ir.DType, p int) place {
	bytes := 8 * min(d.Size(), 4)
	disp := 32 * p
	if !l.tail {
		disp += 8 * d.Size() * l.copy
	}
	return place{operand: operand, size: d.Size(), disp: disp, bytes: bytes, tail: l.tail}
}

// load returns an input.
func (l *lowerer) load(i int) value {
	d := l.k.In[i].DType
	if l.k.In[i].Splat {
		r := l.add(node{kind: kSplat, place: place{operand: i, size: d.Size()}, arg: noArgs})
		if d == ir.Bool {
			return one(l.op("VPCMPGTD", r, l.zero()))
		}
		return l.repeat(d, r)
	}
	switch d.Size() {
	case 1, 2:
		r := l.op(extends(d), l.narrow(i, d))
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

// extends returns the instruction that makes 32-bit lanes of 8 elements.
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

// noForm is the text of a panic: a switch on types met one that it has no case for.
func noForm(what string, d ir.DType) string {
	return fmt.Sprintf("BUG: codegen/avo: there is no %s of %s, %d bytes", what, d, d.Size())
}

func (l *lowerer) repeat(d ir.DType, r ref) value {
	if parts(d) == 2 {
		return two(r, r)
	}
	return one(r)
}

func (l *lowerer) vector(i int, d ir.DType, p int) ref {
	at := l.where(i, d, p)
	if l.tail {
		return l.placed(widthOf("VMASKMOV", d), at, l.maskOf(d, p))
	}
	return l.add(node{kind: kLoad, place: at, arg: noArgs})
}

// narrow returns 8 elements of one or two bytes in the lower half of a register.
func (l *lowerer) narrow(i int, d ir.DType) ref {
	at := l.where(i, d, 0)
	if l.tail {
		return l.placed("NARROWLOAD", at)
	}
	return l.add(node{kind: kLoad, place: at, arg: noArgs})
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

// maskOf returns the tail's mask for a vector: 0 for 32-bit lanes, 1 and 2 for
// the two vectors of 64-bit lanes.
func (l *lowerer) maskOf(d ir.DType, p int) ref {
	i := 0
	if d.Size() == 8 {
		i = 1 + p
	}
	if l.mask[i] == none {
		l.mask[i] = l.imm("MASK", uint8(i))
	}
	return l.mask[i]
}

// store returns the stores of an output.
func (l *lowerer) store(operand int, d ir.DType, v value) []ref {
	if d.Size() < 4 {
		name := "NARROWSTORE"
		if !l.tail {
			name = map[int]string{1: "VMOVQ", 2: "STOREHALF"}[d.Size()]
		}
		return []ref{l.placed(name, l.where(operand, d, 0), l.pack(d, v))}
	}
	var out []ref
	for p := range parts(d) {
		at := l.where(operand, d, p)
		if l.tail {
			out = append(out, l.placed(widthOf("MASKSTORE", d), at, l.maskOf(d, p), v.part[p]))
		} else {
			out = append(out, l.placed("STORE", at, l.loaded(v.part[p])))
		}
	}
	return out
}

// loaded returns an operand's vector by an instruction of its own. A store
// waits for the last instruction that reads what it may overwrite, so it must
// not be one.
func (l *lowerer) loaded(r ref) ref {
	if l.graph.at(r).kind == kLoad {
		return l.op("VMOVUPS", r)
	}
	return r
}

// pack returns 8 elements of one or two bytes from 8 lanes, which hold nothing beyond
// the type's range: bool has -1 and 0.
func (l *lowerer) pack(d ir.DType, v value) ref {
	switch {
	case d == ir.Bool:
		m := l.maskPart(v, 1, 0)
		words := l.op("VPACKSSDW", m, l.high(m))
		return l.op("VPABSB", l.op("VPACKSSWB", words, words))
	case d == ir.Uint8:
		words := l.op("VPACKUSDW", v.part[0], l.high(v.part[0]))
		return l.op("VPACKUSWB", words, words)
	case d.Size() == 2:
		return l.words(d, v.part[0])
	}
	panic(noForm("store", d))
}

// words returns 8 elements of two bytes from 8 lanes.
func (g *graph) words(d ir.DType, x ref) ref {
	if n := g.at(x); g.is(x, extends(d)) && g.at(n.arg[0]).kind == kOp {
		return n.arg[0]
	}
	if ir.Signed.Has(d) {
		return g.op("VPACKSSDW", x, g.high(x))
	}
	return g.op("VPACKUSDW", x, g.high(x))
}
