package avo

import "github.com/stridefuse/stridefuse/ir"

// Loads and stores. A step of the main loop reads and writes 8 elements; a step
// of the tail up to 8, under a mask, or byte by byte where an element is a byte.

// at returns where part p of an operand is.
func (l *lowerer) where(operand int, d ir.DType, p int) place {
	bytes := 32
	if d.Size() == 1 {
		bytes = 8
	}
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
	case 1:
		r := l.op("VPMOVZXBD", l.bytes(i, d))
		if d == ir.Bool {
			r = l.op("VPCMPGTD", r, l.zero())
		}
		return one(r)
	case 4:
		return one(l.vector(i, d, 0))
	}
	return two(l.vector(i, d, 0), l.vector(i, d, 1))
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

func (l *lowerer) bytes(i int, d ir.DType) ref {
	at := l.where(i, d, 0)
	if l.tail {
		return l.placed("BYTELOAD", at)
	}
	return l.add(node{kind: kLoad, place: at, arg: noArgs})
}

// widthOf returns the name of an instruction on floating-point lanes as wide as d.
func widthOf(prefix string, d ir.DType) string {
	if d.Size() == 8 {
		return prefix + "PD"
	}
	return prefix + "PS"
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
	if d.Size() == 1 {
		at := l.where(operand, d, 0)
		if l.tail {
			return []ref{l.placed("BYTESTORE", at, l.pack(d, v))}
		}
		return []ref{l.placed("VMOVQ", at, l.pack(d, v))}
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

// pack returns 8 bytes from 8 lanes: uint8 from 0..255, bool from -1 and 0.
func (l *lowerer) pack(d ir.DType, v value) ref {
	if d == ir.Bool {
		m := l.maskPart(v, 1, 0)
		words := l.op("VPACKSSDW", m, l.high(m))
		return l.op("VPABSB", l.op("VPACKSSWB", words, words))
	}
	words := l.op("VPACKUSDW", v.part[0], l.high(v.part[0]))
	return l.op("VPACKUSWB", words, words)
}
