package arm64

import (
	mathbits "math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Lookups (micro-kernel Lookup). A table of bytes is in sixteen registers: TBL and TBX take 16 bytes from four of them each. Larger entries
// are loaded one by one.

// General registers of lookups.
const (
	lookupFrame = iota
	lookupRows  // how many rows are left
	lookupCols  // the columns of a row
	lookupLeft  // how many columns are left
	lookupTable // pointers to the present row of the table, the bytes and the output
	lookupBytes
	lookupOut
	lookupStep      = lookupOut + 1 // bytes from a row to the next, for each of these
	lookupAcross    = lookupStep + 3
	lookupAcrossOut = lookupAcross + 1
	lookupFrom      = lookupAcross + 2 // pointers to the present byte and element
	lookupTo        = lookupAcross + 3
	lookupByte      = lookupAcross + 4
)

// Vector registers of lookups: the table, then 64 in all bytes.
const (
	lookupEntries = 0
	lookup64      = 16
)

// looker writes the function of Lookup.
type looker struct {
	Program
	size int // of an entry
}

// compileLookup returns the function of Lookup.
func compileLookup(m *kernel.Micro) (*Program, error) {
	p := &looker{size: m.Type.Size()}
	p.do(OpFrame, x(lookupFrame))
	numbers := [][2]int{{lookupRows, frameRows}, {lookupCols, frameCols}, {lookupAcross, frameStep + 8*m.FieldAt(0)}, {lookupAcrossOut, frameStep + 8*m.FieldAt(1)}}
	for i := range 3 {
		numbers = append(numbers, [2]int{lookupTable + i, framePtr + 8*i}, [2]int{lookupStep + i, frameStep + 8*i})
	}
	for _, n := range numbers {
		p.do("LDR", x(n[0]), mem(at(lookupFrame, n[1])))
	}
	for _, extent := range []int{lookupRows, lookupCols} {
		p.do("CMP", x(extent), imm(0))
		p.do("BLE", label("done"))
	}
	p.do("MOVI.16B", v(lookup64), imm(64))
	p.here("row")
	p.do("MOV", x(lookupFrom), x(lookupBytes))
	p.do("MOV", x(lookupTo), x(lookupOut))
	p.do("MOV", x(lookupLeft), x(lookupCols))
	if p.size == 1 {
		p.vectors()
	}
	p.elements()
	for i := range 3 {
		p.do("ADD", x(lookupTable+i), x(lookupTable+i), x(lookupStep+i))
	}
	p.do("SUBS", x(lookupRows), x(lookupRows), imm(1))
	p.do("BNE", label("row"))
	p.here("done")
	p.do("RET")
	return &p.Program, nil
}

// vectors looks up 16 contiguous bytes at a time. Indices of 64 and more give 0 in TBL, and in TBX what was there.
func (p *looker) vectors() {
	const in, out = 17, 18
	for _, across := range []int{lookupAcross, lookupAcrossOut} {
		p.do("CMP", x(across), imm(1))
		p.do("BNE", label("each"))
	}
	p.do("CMP", x(lookupLeft), imm(64)) // fewer gain less than loading the table costs
	p.do("BLT", label("each"))
	p.do("MOV", x(lookupByte), x(lookupTable))
	for i := 0; i < 16; i += 4 {
		p.do("LD1x4.16B", v(lookupEntries+i), mem(then(lookupByte, 64)))
	}
	p.here("vector")
	p.do("LDR.Q", v(in), mem(then(lookupFrom, 16)))
	for i := 0; i < 16; i += 4 {
		if i == 0 {
			p.do("TBL4.16B", v(out), v(lookupEntries), v(in))
			continue
		}
		p.do("SUB.16B", v(in), v(in), v(lookup64))
		p.do("TBX4.16B", v(out), v(lookupEntries+i), v(in))
	}
	p.do("STR.Q", v(out), mem(then(lookupTo, 16)))
	p.do("SUB", x(lookupLeft), x(lookupLeft), imm(16))
	p.do("CMP", x(lookupLeft), imm(16))
	p.do("BGE", label("vector"))
	p.do("CBZ", x(lookupLeft), label("next"))
}

// elements looks up the bytes that are left one by one.
func (p *looker) elements() {
	s := sizeName(p.size)
	p.here("each")
	p.do("LDRB", x(lookupByte), mem(at(lookupFrom, 0)))
	p.do("LDR."+s, v(17), mem(indexed(lookupTable, lookupByte, mathbits.TrailingZeros(uint(p.size)))))
	p.do("STR."+s, v(17), mem(at(lookupTo, 0)))
	p.do("ADD", x(lookupFrom), x(lookupFrom), x(lookupAcross))
	p.do("ADD", x(lookupTo), x(lookupTo), x(lookupAcrossOut))
	p.do("SUBS", x(lookupLeft), x(lookupLeft), imm(1))
	p.do("BNE", label("each"))
	p.here("next")
}
