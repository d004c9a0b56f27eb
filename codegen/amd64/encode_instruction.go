package amd64

import (
	endian "encoding/binary"
	"errors"
	"math"
)

// Instructions to bytes, by the tables of encodings.

// operands are an instruction's, in the places where an encoding has them.
type operands struct {
	reg, v, is4, mask int  // numbers of registers
	low               int  // that of the register in the opcode's low bits
	rm                *Arg // a register or memory; nil: none
	imm               int32
	immBytes          int
	length            int  // of the vectors
	byteReg           bool // the low bytes of registers 4 to 7 need REX
	highByte          bool // the high bytes of registers exclude REX
}

var errForm = errors.New("no such form of an instruction")

// instruction appends the bytes of an instruction, in the first encoding that takes its operands.
func (a *encoder) instruction(l *Line) error {
	encodings := encodingsOf()[l.Op]
	for i := range encodings {
		var o operands
		if e := &encodings[i]; e.match(a.t, l.Args, &o) && a.append(e, &o) {
			return nil
		}
	}
	return errForm
}

// match puts operands where an encoding has them. It reports whether the encoding takes them.
func (e *encoding) match(t *Target, args []Arg, o *operands) bool {
	if len(args) != len(e.form) {
		return false
	}
	o.length = int(e.vector)
	for i := 0; o.length == 0 && i < len(args); i++ {
		if e.form[i].part == 1 {
			o.length = t.registerBytes(&args[i])
		}
	}
	if e.flags&no128 != 0 && o.length == 16 {
		return false
	}
	for i := range e.form {
		if !e.form[i].take(t, &args[i], o) {
			return false
		}
	}
	return !e.element || o.rm.Kind == ArgMem
}

// take puts an operand into its slot, if the slot takes it.
func (s *slot) take(t *Target, x *Arg, o *operands) bool {
	have := kindsOf(x)
	if s.kinds&have == 0 || int(x.Reg) >= t.registers(have) {
		return false
	}
	if have == aReg {
		want := 16
		if s.part > 0 {
			want = max(want, o.length/int(s.part))
		}
		if t.registerBytes(x) != want {
			return false
		}
	}
	o.byteReg = o.byteReg || have == aGP8 && x.number() >= 4
	o.highByte = o.highByte || have == aHigh
	switch s.role {
	case inReg:
		o.reg = x.number()
	case inRM:
		if have == aMem && !x.Mem.valid() {
			return false
		}
		o.rm = x
	case inV:
		o.v = x.number()
	case inMask:
		o.mask = int(x.Reg)
		return o.mask > 0
	case inIs4:
		o.imm, o.immBytes = int32(x.number()<<4), 1
		o.is4 = x.number()
	case inOpcode:
		o.low = x.number()
	case inImm8:
		o.imm, o.immBytes = x.Imm, 1
	case inImm32:
		o.imm, o.immBytes = x.Imm, 4
	}
	return true
}

// valid reports whether an address has an encoding.
func (m *Memory) valid() bool {
	if m.Index != NoIndex && m.Scale != 1 && m.Scale != 2 && m.Scale != 4 && m.Scale != 8 {
		return false
	}
	return m.Base >= 0 || m.Index == NoIndex || m.Base == BaseStack
}

// kindsOf returns what an operand is.
func kindsOf(x *Arg) kinds {
	switch x.Kind {
	case ArgX, ArgHalf, ArgY:
		return aReg
	case ArgMask:
		return aMask
	case ArgMem:
		return aMem
	case ArgGP:
		if x.Reg == ax {
			return aGP64 | anAX
		}
		return aGP64
	case ArgGP32:
		return aGP32
	case ArgGP16:
		return aGP16
	case ArgGP8:
		return aGP8
	case ArgHigh:
		return aHigh
	case ArgImm, ArgImm32:
		return kindsOfInt(x.Imm)
	}
	return 0
}

func kindsOfInt(v int32) kinds {
	k := anInt
	if v == 1 {
		k |= aOne
	}
	if v >= math.MinInt8 && v <= math.MaxUint8 {
		k |= aByte
	}
	if v == int32(int8(v)) {
		k |= anInt8
	}
	return k
}

// registers returns how many registers of a kind programs may use.
func (t *Target) registers(k kinds) int {
	switch {
	case k == aReg:
		return t.m.Registers
	case k == aHigh:
		return 4
	case k == aMask && t.m.Masks > 0:
		return t.m.Masks + 1
	case k == aMask:
		return 0
	}
	return GeneralRegisters
}

// registerBytes returns the bytes of a vector register that an operand is, or 0.
func (t *Target) registerBytes(x *Arg) int {
	switch x.Kind {
	case ArgX:
		return 16
	case ArgHalf:
		return t.m.Width / 2
	case ArgY:
		return t.m.Width
	}
	return 0
}

// number returns the number that the CPU has for a register. Those of SP and BP are left out in programs.
func (x *Arg) number() int {
	switch x.Kind {
	case ArgX, ArgHalf, ArgY, ArgMask:
		return int(x.Reg)
	case ArgHigh:
		return int(x.Reg) + 4
	}
	return generalNumber(x.Reg)
}

func generalNumber(r int8) int {
	if r >= 4 {
		return int(r) + 2
	}
	return int(r)
}

// append appends an instruction. It reports whether there is an encoding for the operands: that of AVX where it suffices.
func (a *encoder) append(e *encoding, o *operands) bool {
	if e.digit != noDigit {
		o.reg = int(e.digit)
	}
	short := 1 // the factor of a short displacement
	switch {
	case e.vex == noEncoding && e.evex == noEncoding:
		if !a.legacyPrefix(e, o) {
			return false
		}
	case e.vex != noEncoding && !o.needEVEX(e):
		a.vexPrefix(e, o)
	case e.evex != noEncoding && a.t.m.Masks > 0:
		a.evexPrefix(e, o)
		short = e.memory.of(o.length)
		if e.element {
			short = 4 << e.evex.bit()
		}
	default:
		return false
	}
	a.code = append(a.code, e.opcode|uint8(o.low&7))
	references := len(a.refs)
	switch {
	case o.rm != nil:
		a.modRM(o.reg, o.rm, short)
	case e.digit != noDigit:
		a.code = append(a.code, 0xc0|uint8(o.reg)<<3)
	}
	switch o.immBytes {
	case 1:
		a.code = append(a.code, uint8(o.imm))
	case 4:
		a.code = endian.LittleEndian.AppendUint32(a.code, uint32(o.imm))
	}
	if len(a.refs) > references {
		a.refs[references].end = len(a.code)
	}
	return true
}

// needEVEX reports whether AVX lacks the operands: registers from 16 on, vectors of 64 bytes, masks and broadcast elements.
func (o *operands) needEVEX(e *encoding) bool {
	return o.length == 64 || o.mask > 0 || e.element || max(o.reg, o.v, o.is4, o.rmVector()) >= 16
}
