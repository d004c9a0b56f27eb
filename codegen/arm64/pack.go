package arm64

import (
	mathbits "math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Packing (micro-kernel Pack): copies of strided elements. Contiguous rows, reversed ones, and one repeated element are stored as whole
// vectors. Elements two to four apart are loaded by LD2 to LD4, which separate them, while there is another element behind the vector.
// Other elements are loaded into the lanes of a vector one by one.

// packer writes the function of Pack.
type packer struct {
	Program
	size, lanes int
}

// General registers of packing.
const (
	packFrame  = iota // the kernel's argument
	packAcross        // bytes from one element of an input row to the next
	packLeft          // how many columns are left
	packRows          // how many rows are left
	packFrom          // pointer to the present element of the input
	packTo            // pointer to the present element of the output
	packNextA         // pointer to the next row of the input
	packNextB         // pointer to the next row of the output
	packCols          // the columns of a row
	packStepA         // bytes from one row to the next
	packStepB
	packScratch
)

// compilePack returns the function of Pack.
func compilePack(m *kernel.Micro) (*Program, error) {
	p := &packer{size: m.Type.Size(), lanes: 16 / m.Type.Size()}
	p.begin()
	p.do("LDR", x(packAcross), mem(at(packFrame, frameStep+8*m.FieldAt(0))))
	p.here("row")
	p.startRow()
	p.do("CMP", x(packCols), imm(p.lanes))
	p.do("BLT", label("each"))
	p.do("CBZ", x(packAcross), label("repeat"))
	p.do("CMN", x(packAcross), imm(p.size))
	p.do("BEQ", label("reverse"))
	for factor := 1; factor <= kernel.MaxFactor; factor++ {
		p.do("CMP", x(packAcross), imm(factor*p.size))
		p.do("BEQ", label("apart"+itoa(factor)))
	}
	p.elements()
	p.nextRow()
	p.repeat()
	p.reverse()
	for factor := 1; factor <= kernel.MaxFactor; factor++ {
		p.apart(factor)
	}
	return &p.Program, nil
}

// begin reads the frame.
func (p *packer) begin() {
	p.do(OpFrame, x(packFrame))
	for _, n := range [][2]int{{packRows, frameRows}, {packCols, frameCols}, {packNextA, framePtr}, {packNextB, framePtr + 8}, {packStepA, frameStep}, {packStepB, frameStep + 8}} {
		p.do("LDR", x(n[0]), mem(at(packFrame, n[1])))
	}
	for _, extent := range []int{packRows, packCols} {
		p.do("CMP", x(extent), imm(0))
		p.do("BLE", label("done"))
	}
}

// startRow sets the pointers to the next row.
func (p *packer) startRow() {
	p.do("MOV", x(packFrom), x(packNextA))
	p.do("MOV", x(packTo), x(packNextB))
	p.do("MOV", x(packLeft), x(packCols))
}

// nextRow continues with the next row, if there is one.
func (p *packer) nextRow() {
	p.here("next")
	p.do("ADD", x(packNextA), x(packNextA), x(packStepA))
	p.do("ADD", x(packNextB), x(packNextB), x(packStepB))
	p.do("SUBS", x(packRows), x(packRows), imm(1))
	p.do("BNE", label("row"))
	p.here("done")
	p.do("RET")
}

// shift is the log2 of the bytes of an element.
func (p *packer) shift() int { return mathbits.TrailingZeros(uint(p.size)) }

// whole returns the arrangement of a whole vector of elements.
func whole(size int) string { return map[int]string{1: "16B", 2: "8H", 4: "4S", 8: "2D"}[size] }

// gather loads a number of elements into a vector, and advances from by across for each. The other lanes are 0.
func (p *Program) gather(to, from, across, lanes, size int) {
	p.do("LDR."+sizeName(size), v(to), mem(at(from, 0)))
	p.do("ADD", x(from), x(from), x(across))
	for lane := 1; lane < lanes; lane++ {
		p.do("LD1."+sizeName(size), v(to), imm(lane), mem(thenBy(from, across)))
	}
}

// elements writes the loops over the elements that are left: a few at a time, then one by one.
func (p *packer) elements() {
	lanes := max(2, min(4, p.lanes))
	p.here("each")
	p.do("SUBS", x(packLeft), x(packLeft), imm(lanes))
	p.do("BLT", label("some"))
	p.here("few")
	p.gather(0, packFrom, packAcross, lanes, p.size)
	p.do("STR."+vectorName(lanes*p.size), v(0), mem(then(packTo, lanes*p.size)))
	p.do("SUBS", x(packLeft), x(packLeft), imm(lanes))
	p.do("BGE", label("few"))
	p.here("some")
	p.do("ADDS", x(packLeft), x(packLeft), imm(lanes))
	p.do("BEQ", label("next"))
	p.here("single")
	p.do("LDR."+sizeName(p.size), v(0), mem(at(packFrom, 0)))
	p.do("ADD", x(packFrom), x(packFrom), x(packAcross))
	p.do("STR."+sizeName(p.size), v(0), mem(then(packTo, p.size)))
	p.do("SUBS", x(packLeft), x(packLeft), imm(1))
	p.do("BNE", label("single"))
}

// vectorName is the suffix of loads and stores of a size in bytes.
func vectorName(bytes int) string {
	if bytes == 16 {
		return "Q"
	}
	return sizeName(bytes)
}

// repeat writes rows of one element.
func (p *packer) repeat() {
	p.here("repeat")
	p.do("LD1R."+whole(p.size), v(0), mem(at(packFrom, 0)))
	p.fill("repeat", func() {})
}

// reverse writes rows whose elements are in reverse order. A vector is loaded from its last element on.
func (p *packer) reverse() {
	p.here("reverse")
	p.do("SUB", x(packFrom), x(packFrom), imm(16-p.size))
	p.fill("reverse", func() {
		p.do("LDR.Q", v(0), mem(then(packFrom, -16)))
		if p.size < 8 {
			p.do("REV64."+whole(p.size), v(0), v(0))
		}
		p.do("EXT.16B", v(0), v(0), v(0), imm(8))
	})
}

// fill writes a loop that loads vectors and stores them. The last vector of a row ends with the row, so it may store elements a second time.
func (p *packer) fill(name string, load func()) {
	p.do("SUB", x(packLeft), x(packLeft), imm(p.lanes))
	p.here(name + "Vector")
	load()
	p.do("STR.Q", v(0), mem(then(packTo, 16)))
	p.do("SUBS", x(packLeft), x(packLeft), imm(p.lanes))
	p.do("BGE", label(name+"Vector"))
	p.do("ADDS", x(packLeft), x(packLeft), imm(p.lanes))
	p.do("BEQ", label("next"))
	p.do("SUB", x(packLeft), x(packLeft), imm(p.lanes)) // minus the number of elements that the vector lacks
	p.do("LSL", x(packScratch), x(packLeft), imm(p.shift()))
	p.do("ADD", x(packTo), x(packTo), x(packScratch))
	p.do("SUB", x(packFrom), x(packFrom), x(packScratch)) // only the reversed rows read on
	load()
	p.do("STR.Q", v(0), mem(at(packTo, 0)))
	p.do("B", label("next"))
}

// apart copies elements that are one to four apart. LD2 to LD4 read up to the element before the next one that is copied.
func (p *packer) apart(factor int) {
	name := "apart" + itoa(factor)
	p.here(name)
	if factor == 1 {
		p.contiguous(name)
		return
	}
	p.do("SUBS", x(packLeft), x(packLeft), imm(p.lanes+1))
	p.do("BLT", label(name+"Rest"))
	p.here(name + "Vector")
	p.do("LD"+itoa(factor)+"."+whole(p.size), v(0), mem(then(packFrom, 16*factor)))
	p.do("STR.Q", v(0), mem(then(packTo, 16)))
	p.do("SUBS", x(packLeft), x(packLeft), imm(p.lanes))
	p.do("BGE", label(name+"Vector"))
	p.here(name + "Rest")
	p.do("ADD", x(packLeft), x(packLeft), imm(p.lanes+1)) // one at least
	p.do("B", label("each"))
}

// contiguous copies a row by pairs of vectors, then by a vector, then by one that ends with the row.
func (p *packer) contiguous(name string) {
	p.do("SUBS", x(packLeft), x(packLeft), imm(2*p.lanes))
	p.do("BLT", label(name+"Single"))
	p.here(name + "Pair")
	p.do("LDP.Q", v(0), v(1), mem(then(packFrom, 32)))
	p.do("STP.Q", v(0), v(1), mem(then(packTo, 32)))
	p.do("SUBS", x(packLeft), x(packLeft), imm(2*p.lanes))
	p.do("BGE", label(name+"Pair"))
	p.here(name + "Single")
	p.do("ADDS", x(packLeft), x(packLeft), imm(2*p.lanes))
	p.do("BEQ", label("next"))
	p.do("SUBS", x(packLeft), x(packLeft), imm(p.lanes))
	p.do("BLE", label(name+"Last"))
	p.do("LDR.Q", v(0), mem(then(packFrom, 16)))
	p.do("STR.Q", v(0), mem(then(packTo, 16)))
	p.do("SUB", x(packLeft), x(packLeft), imm(p.lanes))
	p.here(name + "Last")
	p.do("LSL", x(packLeft), x(packLeft), imm(p.shift())) // minus the bytes that the vector lacks
	p.do("LDR.Q", v(0), mem(indexed(packFrom, packLeft, 0)))
	p.do("STR.Q", v(0), mem(indexed(packTo, packLeft, 0)))
	p.do("B", label("next"))
}
