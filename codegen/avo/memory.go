package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// Loads and stores. A step of the main loop reads and writes all lanes. A step of the tail
// reads and writes the first lanes: under a mask, or element by element if they have one or
// two bytes.

// Load returns an input.
func (instructions) Load(c *machine.Copy, i int) value {
	l := lowerTo(c)
	d := l.Kernel.In[i].DType
	if l.Kernel.In[i].Splat {
		return l.splat(i, d)
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

// extends returns the instruction that makes 32-bit lanes of narrower elements.
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

// noForm is the text of a panic in a switch on types that lacks a case.
func noForm(what string, d ir.DType) string {
	return fmt.Sprintf("BUG: codegen/avo: there is no %s of %s, %d bytes", what, d, d.Size())
}

// splat returns a splat operand.
func (l *lowerer) splat(i int, d ir.DType) value {
	r := l.Add(machine.Node{Kind: machine.KindSplat, Place: machine.Place{Operand: i, Size: d.Size()}, Arg: machine.Args()})
	switch {
	case d == ir.Bool:
		return one(l.op("VPCMPGTD", r, l.zero()))
	case parts(d) == 2:
		return two(r, r)
	}
	return one(r)
}

// vector returns part p of a unit operand.
func (l *lowerer) vector(i int, d ir.DType, p int) ref {
	at := l.Where(i, d, p)
	if l.Tail {
		return l.placed(widthOf("VMASKMOV", d), at, l.Mask(d, p))
	}
	return l.inPlace(at)
}

// narrow returns elements of one or two bytes in the first lanes of a register.
func (l *lowerer) narrow(i int, d ir.DType) ref {
	at := l.Where(i, d, 0)
	if l.Tail {
		return l.placed("NARROWLOAD", at)
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
func (v instructions) Store(c *machine.Copy, operand int, d ir.DType, x value) []ref {
	l := lowerTo(c)
	if d.Size() < 4 {
		name := "NARROWSTORE"
		if !l.Tail {
			name = map[int]string{1: "VMOVQ", 2: "STOREHALF"}[d.Size()]
		}
		return []ref{l.placed(name, l.Where(operand, d, 0), l.pack(d, x))}
	}
	var out []ref
	for p := range parts(d) {
		at := l.Where(operand, d, p)
		if l.Tail {
			out = append(out, l.placed(widthOf("MASKSTORE", d), at, l.Mask(d, p), x.Part[p]))
		} else {
			out = append(out, l.placed("STORE", at, v.Reload(c.Graph, x.Part[p])))
		}
	}
	return out
}

// StoreFirst stores the first element of a vector.
func (instructions) StoreFirst(mg *machine.Graph, to machine.Place, d ir.DType, v ref) ref {
	g := &graph{mg}
	if d == ir.Bool {
		v = g.op("VPABSD", v) // true is -1 in a lane
	}
	return g.Add(machine.Node{Kind: machine.KindOp, Op: machine.OpFirst, Place: to, Arg: machine.Args(v)})
}

// Reload returns an operand's vector by an instruction of its own. The source of a store
// must not be read in place, because the store may overwrite it.
func (instructions) Reload(g *machine.Graph, r ref) ref {
	if g.At(r).Kind == machine.KindLoad {
		return (&graph{g}).op("VMOVUPS", r)
	}
	return r
}

// pack returns the elements of one or two bytes of all lanes, contiguous. The lanes are
// within the range of the type; those of bool are -1 and 0.
func (l *lowerer) pack(d ir.DType, v value) ref {
	switch {
	case d == ir.Bool:
		m := l.MaskPart(v, 1, 0)
		words := l.op("VPACKSSDW", m, l.high(m))
		return l.op("VPABSB", l.op("VPACKSSWB", words, words))
	case d == ir.Uint8:
		words := l.op("VPACKUSDW", v.Part[0], l.high(v.Part[0]))
		return l.op("VPACKUSWB", words, words)
	case d == ir.Int8:
		words := l.op("VPACKSSDW", v.Part[0], l.high(v.Part[0]))
		return l.op("VPACKSSWB", words, words)
	case d.Size() == 2:
		return l.words(d, v.Part[0])
	}
	panic(noForm("store", d))
}

// words returns the elements of two bytes of all lanes, contiguous.
func (g *graph) words(d ir.DType, x ref) ref {
	if n := g.At(x); g.is(x, extends(d)) && g.At(n.Arg[0]).Kind == machine.KindOp {
		return n.Arg[0]
	}
	if ir.Signed.Has(d) {
		return g.op("VPACKSSDW", x, g.high(x))
	}
	return g.op("VPACKUSDW", x, g.high(x))
}
