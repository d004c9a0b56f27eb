package amd64

import (
	endian "encoding/binary"
	"math/bits"
)

// The prefixes of instructions and the bytes that address operands.

// rmVector returns the number of the vector register in the field rm, or 0.
func (o *operands) rmVector() int {
	if o.rm != nil && kindsOf(o.rm) == aReg {
		return int(o.rm.Reg)
	}
	return 0
}

// extensions returns the fourth bits of the fields reg, index, and rm or base.
func (o *operands) extensions() (r, x, b int) {
	r = o.reg >> 3 & 1
	switch {
	case o.rm == nil:
	case o.rm.Kind != ArgMem:
		b = o.rm.number() >> 3 & 1
	default:
		if m := &o.rm.Mem; m.Base >= 0 {
			b = generalNumber(m.Base) >> 3
		}
		if m := &o.rm.Mem; m.Index != NoIndex {
			x = generalNumber(m.Index) >> 3
		}
	}
	return r, x, b
}

// legacyPrefix appends the prefixes of a general instruction. It reports false if the operands exclude one another.
func (a *encoder) legacyPrefix(e *encoding, o *operands) bool {
	r, x, b := o.extensions()
	rex := r<<2 | x<<1 | b | o.low>>3
	if e.flags&wide64 != 0 {
		rex |= 8
	}
	if o.highByte && (rex != 0 || o.byteReg) {
		return false
	}
	if e.flags&data16 != 0 {
		a.code = append(a.code, 0x66)
	}
	if rex != 0 || o.byteReg {
		a.code = append(a.code, uint8(0x40|rex))
	}
	if e.prefix == m0F {
		a.code = append(a.code, 0x0f)
	}
	return true
}

// vexPrefix appends the prefix of AVX: two bytes if they suffice.
func (a *encoder) vexPrefix(e *encoding, o *operands) {
	r, x, b := o.extensions()
	last := uint8(^o.v&15)<<3 | uint8(o.length>>5)<<2 | e.prefix.mandatory()
	if e.prefix.opcodeMap() == 1 && x|b == 0 && e.vex == w0 {
		a.code = append(a.code, 0xc5, uint8(r^1)<<7|last)
		return
	}
	a.code = append(a.code, 0xc4, uint8(r^1)<<7|uint8(x^1)<<6|uint8(b^1)<<5|e.prefix.opcodeMap(), e.vex.bit()<<7|last)
}

// evexPrefix appends the prefix of AVX-512. If rm is a register, its fifth bit is in the place of the index's fourth.
func (a *encoder) evexPrefix(e *encoding, o *operands) {
	r, x, b := o.extensions()
	x |= o.rmVector() >> 4
	first := uint8(r^1)<<7 | uint8(x^1)<<6 | uint8(b^1)<<5 | uint8(^o.reg>>4&1)<<4 | e.prefix.opcodeMap()
	second := e.evex.bit()<<7 | uint8(^o.v&15)<<3 | 4 | e.prefix.mandatory()
	third := uint8(o.length>>5)<<5 | uint8(^o.v>>4&1)<<3 | uint8(o.mask)
	if e.zero {
		third |= 0x80
	}
	if e.element {
		third |= 0x10
	}
	a.code = append(a.code, 0x62, first, second, third)
}

// Values of rm that stand for no register, and the index of a SIB byte without an index.
const (
	rmSIB    = 4 // a SIB byte follows
	rmNoBase = 5 // with mod 0: relative to the instruction's end
	noSIB    = 4
)

// modRM appends the bytes that address rm. The factor of one-byte displacements is short.
func (a *encoder) modRM(reg int, rm *Arg, short int) {
	field := uint8(reg&7) << 3
	if rm.Kind != ArgMem {
		a.code = append(a.code, 0xc0|field|uint8(rm.number()&7))
		return
	}
	m, base := &rm.Mem, 4 // SP
	disp := int(m.Disp)
	switch m.Base {
	case BaseSymbol:
		a.refs = append(a.refs, reference{at: len(a.code) + 1, Constant: *m.Const, disp: disp})
		a.code = append(a.code, field|rmNoBase, 0, 0, 0, 0)
		return
	case BaseParam:
		disp += a.argument
	case BaseStack:
		disp += a.locals
	default:
		base = generalNumber(m.Base)
	}
	mod := uint8(0x80)
	switch {
	case disp == 0 && base&7 != rmNoBase:
		mod = 0
	case disp%short == 0 && disp/short == int(int8(disp/short)):
		mod = 0x40
	}
	switch {
	case m.Index != NoIndex:
		index := uint8(generalNumber(m.Index) & 7)
		a.code = append(a.code, mod|field|rmSIB, uint8(bits.TrailingZeros(uint(m.Scale)))<<6|index<<3|uint8(base&7))
	case base&7 == rmSIB:
		a.code = append(a.code, mod|field|rmSIB, noSIB<<3|uint8(base&7))
	default:
		a.code = append(a.code, mod|field|uint8(base&7))
	}
	switch mod {
	case 0x40:
		a.code = append(a.code, uint8(disp/short))
	case 0x80:
		a.code = endian.LittleEndian.AppendUint32(a.code, uint32(disp))
	}
}
