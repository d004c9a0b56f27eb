package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// Loads and stores. A step of the main loop reads and writes all lanes; a step of
// the tail up to as many, under a mask, or byte by byte where an element is a byte.

// Load returns an input.
func (instructions) Load(c *machine.Copy, i int) value {
	l := lowerTo(c)
	d := l.Kernel.In[i].DType
	if l.Kernel.In[i].Splat {
		return l.splat(i, d)
	}
	switch d.Size() {
	case 1:
		r := l.op("VPMOVZXBD", l.bytes(i, d))
		if d == ir.Bool {
			r = l.op("VPCMPGTD", r, l.zero())
		}
		return one(r)
	case 4:
		return one(l.vector(i, d, 0))
	case 8:
		return two(l.vector(i, d, 0), l.vector(i, d, 1))
	}
	panic(fmt.Sprintf("BUG: codegen/avo: no load of %s", d))
}

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

func (l *lowerer) vector(i int, d ir.DType, p int) ref {
	at := l.Where(i, d, p)
	if l.Tail {
		return l.placed(widthOf("VMASKMOV", d), at, l.Mask(d, p))
	}
	return l.inPlace(at)
}

func (l *lowerer) bytes(i int, d ir.DType) ref {
	at := l.Where(i, d, 0)
	if l.Tail {
		return l.placed("BYTELOAD", at)
	}
	return l.inPlace(at)
}

// widthOf returns the name of an instruction on floating-point lanes as wide as d.
func widthOf(prefix string, d ir.DType) string {
	if d.Size() == 8 {
		return prefix + "PD"
	}
	return prefix + "PS"
}

// Store returns the stores of an output.
func (v instructions) Store(c *machine.Copy, operand int, d ir.DType, x value) []ref {
	l := lowerTo(c)
	if d.Size() == 1 {
		at := l.Where(operand, d, 0)
		if l.Tail {
			return []ref{l.placed("BYTESTORE", at, l.pack(d, x))}
		}
		return []ref{l.placed("VMOVQ", at, l.pack(d, x))}
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

// Reload returns an operand's vector by an instruction of its own. A store waits for
// the last instruction that reads what it may overwrite, so it must not be one.
func (instructions) Reload(g *machine.Graph, r ref) ref {
	if g.At(r).Kind == machine.KindLoad {
		return (&graph{g}).op("VMOVUPS", r)
	}
	return r
}

// pack returns a byte from each lane: uint8 from 0..255, bool from -1 and 0.
func (l *lowerer) pack(d ir.DType, v value) ref {
	if d == ir.Bool {
		m := l.MaskPart(v, 1, 0)
		words := l.op("VPACKSSDW", m, l.high(m))
		return l.op("VPABSB", l.op("VPACKSSWB", words, words))
	}
	words := l.op("VPACKUSDW", v.Part[0], l.high(v.Part[0]))
	return l.op("VPACKUSWB", words, words)
}
