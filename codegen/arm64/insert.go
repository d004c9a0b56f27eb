package arm64

import (
	mathbits "math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Insertion (micro-kernel Insert): copies of rows, of which one column is another array's. Rows of two to four columns that follow one
// another are separated into columns by LD2 to LD4, of which one is replaced, and stored by ST2 to ST4. Other rows are copied element
// by element.

// General registers of insertions. Pointers are to elements, to rows of the input and to rows of the output, in this order, and so are
// the steps, in bytes.
const (
	insertFrame = iota
	insertLeft  // how many rows are left
	insertPlace // bytes from the beginning of a row to the column
	insertRow   // bytes of a row
	insertPtr
	insertStep    = insertPtr + 3
	insertAt      = insertStep + 3 // the present byte of a row
	insertScratch = insertAt + 1
)

// inserter writes the function of Insert.
type inserter struct {
	Program
	size int
}

// compileInsert returns the function of Insert.
func compileInsert(m *kernel.Micro) (*Program, error) {
	p := &inserter{size: m.Type.Size()}
	p.do(OpFrame, x(insertFrame))
	for _, n := range [][2]int{{insertLeft, frameRows}, {insertRow, frameCols}, {insertPlace, frameStep + 8*m.FieldAt(0)}} {
		p.do("LDR", x(n[0]), mem(at(insertFrame, n[1])))
	}
	for _, extent := range []int{insertLeft, insertRow} {
		p.do("CMP", x(extent), imm(0))
		p.do("BLE", label("done"))
	}
	for i := range 3 {
		p.do("LDR", x(insertPtr+i), mem(at(insertFrame, framePtr+8*i)))
		p.do("LDR", x(insertStep+i), mem(at(insertFrame, frameStep+8*i)))
	}
	if shift := mathbits.TrailingZeros(uint(p.size)); shift > 0 {
		p.do("LSL", x(insertRow), x(insertRow), imm(shift))
		p.do("LSL", x(insertPlace), x(insertPlace), imm(shift))
	}
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.do("CMP", x(insertRow), imm(factor*p.size))
		p.do("BEQ", label("by"+itoa(factor)))
	}
	p.rows()
	p.here("done")
	p.do("RET")
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.vectors(factor)
	}
	return &p.Program, nil
}

// rows writes the loop over single rows.
func (p *inserter) rows() {
	s := sizeName(p.size)
	p.here("row")
	p.do("MOV", x(insertAt), x(zr))
	p.here("element")
	p.do("LDR."+s, v(0), mem(indexed(insertPtr+1, insertAt, 0)))
	p.do("STR."+s, v(0), mem(indexed(insertPtr+2, insertAt, 0)))
	p.do("ADD", x(insertAt), x(insertAt), imm(p.size))
	p.do("CMP", x(insertAt), x(insertRow))
	p.do("BNE", label("element"))
	p.do("LDR."+s, v(0), mem(at(insertPtr, 0)))
	p.do("STR."+s, v(0), mem(indexed(insertPtr+2, insertPlace, 0)))
	for i := range 3 {
		p.do("ADD", x(insertPtr+i), x(insertPtr+i), x(insertStep+i))
	}
	p.do("SUBS", x(insertLeft), x(insertLeft), imm(1))
	p.do("BNE", label("row"))
}

// vectors writes the loops over rows that are dense, of as many columns as the factor: one for each place.
func (p *inserter) vectors(factor int) {
	name, lanes := "by"+itoa(factor), 16/p.size
	p.here(name)
	for i, step := range []int{p.size, factor * p.size, factor * p.size} {
		p.do("CMP", x(insertStep+i), imm(step))
		p.do("BNE", label("row"))
	}
	p.do("CMP", x(insertLeft), imm(lanes))
	p.do("BLT", label("row"))
	for place := range factor {
		p.do("CMP", x(insertPlace), imm(place*p.size))
		p.do("BEQ", label(name+"at"+itoa(place)))
	}
	for place := range factor {
		loop := name + "at" + itoa(place)
		p.here(loop)
		p.do("LD"+itoa(factor)+"."+whole(p.size), v(0), mem(then(insertPtr+1, 16*factor)))
		p.do("LDR.Q", v(place), mem(then(insertPtr, 16)))
		p.do("ST"+itoa(factor)+"."+whole(p.size), v(0), mem(then(insertPtr+2, 16*factor)))
		p.do("SUB", x(insertLeft), x(insertLeft), imm(lanes))
		p.do("CMP", x(insertLeft), imm(lanes))
		p.do("BGE", label(loop))
		p.do("CBNZ", x(insertLeft), label("row"))
		p.do("RET")
	}
}
