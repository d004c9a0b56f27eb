package amd64

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// Constant is read-only data that instructions address. Equal constants are one in a file or a kernel.
type Constant struct {
	kind constantKind
	bits [2]uint64
}

// constantKind is how the bits of a constant fill it.
type constantKind byte

const (
	constBytes   constantKind = 'c' // bits[0], repeated to a vector unless the target's instructions broadcast 8 bytes
	constVector  constantKind = 'v' // bits[0], repeated to a vector
	constShuffle constantKind = 's' // both, repeated to a vector: the mask of a shuffle of 16 bytes
	constTable   constantKind = 't' // the table that bits[0] names (ir.Table), repeated to a vector
	constSpread  constantKind = 'i' // a spread, whose fields are bytes of bits[0]
	constMasks   constantKind = 'm' // 2*Width bytes with all bits set, followed by as many zero bytes
)

// maskMiddle is the middle of the constant of masks: a vector that begins k lanes before it is a mask of the first k lanes.
func maskMiddle(m *vector.Machine) Memory { return symbol(Constant{kind: constMasks}).at(2 * m.Width) }

// String returns the name of the constant in assembly.
func (c Constant) String() string {
	switch c.kind {
	case constMasks:
		return "masks"
	case constSpread:
		s := c.spread()
		return fmt.Sprintf("i%d_%d_%d_%d", s.size, s.factor, s.place, s.vector)
	case constShuffle:
		return fmt.Sprintf("s%016x%016x", c.bits[0], c.bits[1])
	case constTable:
		return fmt.Sprintf("t%016x", c.bits[0])
	case constVector:
		return "v_" + valueName(c.bits[0])
	}
	return valueName(c.bits[0])
}

// valueName names 8 bytes of equal elements by the element: f32_1p5en07 is 1.5e-07, i16_0080 has that word four times. A float has
// p for its point and n for minus.
func valueName(bits uint64) string {
	float := func(x float64, size int) (string, bool) {
		if e := math.Ilogb(x); x == 0 || e < -64 || e > 64 {
			return "", false // an integer or a mask; Ilogb of NaN and infinities is large
		}
		return fmt.Sprintf("f%d_%s", size, strings.NewReplacer(".", "p", "-", "n", "+", "").Replace(strconv.FormatFloat(x, 'g', -1, size))), true
	}
	switch {
	case bits == 0x0101010101010101*(bits&0xff):
		return fmt.Sprintf("i8_%02x", bits&0xff)
	case bits == 0x0001000100010001*(bits&0xffff):
		return fmt.Sprintf("i16_%04x", bits&0xffff)
	case bits == 1<<32*(bits&0xffffffff)+bits&0xffffffff:
		if name, ok := float(float64(math.Float32frombits(uint32(bits))), 32); ok {
			return name
		}
		return fmt.Sprintf("i32_%08x", uint32(bits))
	}
	if name, ok := float(math.Float64frombits(bits), 64); ok {
		return name
	}
	return fmt.Sprintf("i64_%016x", bits)
}

// Words returns the contents of a constant.
func (t *Target) Words(c Constant) []uint64 {
	words := t.m.Width / 8
	switch c.kind {
	case constMasks:
		return append(repeated(2*words, ^uint64(0)), make([]uint64, 2*words)...)
	case constSpread:
		mask := c.spread().words()
		return mask[:]
	case constTable:
		return t.tableWords(c.bits[0])
	case constShuffle:
		return repeated(words, c.bits[:]...)
	case constBytes:
		if t.broadcasts {
			words = 1
		}
	}
	return repeated(words, c.bits[0])
}

// repeated returns n words, which repeat the given ones.
func repeated(n int, words ...uint64) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = words[i%len(words)]
	}
	return out
}

// tableWords returns the entries of a lookup table, two in each word, repeated up to the width of a vector.
func (t *Target) tableWords(name uint64) []uint64 {
	entries, _ := ir.Table(name)
	out := make([]uint64, t.m.Width/8)
	for i := range out {
		low, high := entries[2*i%len(entries)], entries[(2*i+1)%len(entries)]
		out[i] = uint64(math.Float32bits(high))<<32 | uint64(math.Float32bits(low))
	}
	return out
}
