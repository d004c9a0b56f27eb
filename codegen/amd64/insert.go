package amd64

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Insertion (micro-kernel Insert): copies of rows, of which one column is another array's. Rows of two to four columns that
// follow one another are copied by whole vectors: 32 bytes of that array are spread over as many vectors as there are columns.
// A mask says which byte of 16 of the array VPSHUFB takes to each place, and VPBLENDVB takes from the rows what the mask does
// not have. The last vectors end where the rows end, so they may store elements a second time. Other rows are copied element
// by element.

// inserter writes the function of Insert.
type inserter struct {
	Program
	size int // of an element
}

// General registers of insertions, besides ax, dx, and cx with the address of the abi.Frame. A pointer is to elements, to rows
// of the input or to rows of the output, in this order, and so is a step, in bytes.
const (
	insertLeft  = index // how many rows are left
	insertPlace = cols  // bytes from the beginning of a row to the column
	insertPtr   = firstFree
	insertStep  = firstFree + 3
	insertRow   = firstFree + 6 // bytes of a row
)

// The vector registers: what is stored, and the masks from one on.
const (
	inserted   = 0
	insertMask = 1
)

// compileInsert returns the function of Insert.
func compileInsert(m *kernel.Micro) *Program {
	p := &inserter{size: m.Type.Size()}
	p.begin(m)
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.do("CMPQ", gp(insertRow), imm(int64(factor*p.size)))
		p.do("JEQ", label("by"+itoa(factor)))
	}
	p.rows()
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.vectors(interleave{p.size, factor})
	}
	return &p.Program
}

// begin reads the frame.
func (p *inserter) begin(m *kernel.Micro) {
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, frameRows)), gp(insertLeft))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(insertRow))
	p.do("MOVQ", mem(at(cx, frameStep+8*m.FieldAt(0))), gp(insertPlace))
	for _, r := range []int{insertLeft, insertRow} {
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	for i := range 3 {
		p.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(insertPtr+i))
		p.do("MOVQ", mem(at(cx, frameStep+8*i)), gp(insertStep+i))
	}
	if p.size > 1 {
		for _, r := range []int{insertRow, insertPlace} {
			p.do("SHLQ", imm(int64(bits.TrailingZeros(uint(p.size)))), gp(r))
		}
	}
}

// rows writes the loop over single rows.
func (p *inserter) rows() {
	p.here("row", "each row")
	p.do("XORQ", gp(dx), gp(dx))
	p.here("element", "each element")
	p.element(p.size, at(insertPtr+1, 0).indexed(dx, 1), at(insertPtr+2, 0).indexed(dx, 1))
	p.do("ADDQ", imm(int64(p.size)), gp(dx))
	p.do("CMPQ", gp(dx), gp(insertRow))
	p.do("JNE", label("element"))
	p.element(p.size, at(insertPtr, 0), at(insertPtr+2, 0).indexed(insertPlace, 1))
	for i := range 3 {
		p.do("ADDQ", gp(insertStep+i), gp(insertPtr+i))
	}
	p.do("DECQ", gp(insertLeft))
	p.do("JNE", label("row"))
}

// vectors writes the loop over rows that are dense, of as many columns as the factor.
func (p *inserter) vectors(t interleave) {
	name, lanes := "by"+itoa(t.factor), vectorBytes(1)/t.size
	p.here(name, "dense rows, the elements of a group of "+itoa(t.factor))
	for i, step := range []int{t.size, t.factor * t.size, t.factor * t.size} {
		p.do("CMPQ", gp(insertStep+i), imm(int64(step)))
		p.do("JNE", label("row"))
	}
	p.do("CMPQ", gp(insertLeft), imm(int64(lanes)))
	p.do("JLT", label("row"))
	for place := range t.factor {
		if place+1 < t.factor {
			p.do("CMPQ", gp(insertPlace), imm(int64(place*t.size)))
			p.do("JNE", label(name+"not"+itoa(place)))
		}
		for v := range t.factor {
			if t.spreadOf(v) != v {
				continue
			}
			p.do("VMOVDQU", mem(spread{t.size, t.factor, place, v}.symbol()), y(insertMask+v))
		}
		if place+1 < t.factor {
			p.do("JMP", label(name+"Vectors"))
			p.here(name + "not" + itoa(place))
		}
	}
	p.do("PCALIGN", imm(32))
	p.here(name+"Vectors", "vectors of groups")
	for v := range t.factor {
		mask := y(insertMask + t.spreadOf(v))
		p.do("VBROADCASTF128", mem(at(insertPtr, t.spreadFrom(v))), y(inserted))
		p.do("VPSHUFB", mask, y(inserted), y(inserted))
		p.do("VPBLENDVB", mask, mem(at(insertPtr+1, vectorBytes(v))), y(inserted), y(inserted))
		p.do("VMOVDQU", y(inserted), mem(at(insertPtr+2, vectorBytes(v))))
	}
	for i, vectors := range []int{1, t.factor, t.factor} {
		p.do("ADDQ", imm32(int64(vectorBytes(vectors))), gp(insertPtr+i))
	}
	p.do("SUBQ", imm(int64(lanes)), gp(insertLeft))
	p.do("CMPQ", gp(insertLeft), imm(int64(lanes)))
	p.do("JGE", label(name+"Vectors"))
	p.do("TESTQ", gp(insertLeft), gp(insertLeft))
	p.do("JEQ", label("done"))
	p.do("SUBQ", imm(int64(lanes)), gp(insertLeft)) // minus the number of rows that the vectors lack
	for i := range 3 {
		p.do("MOVQ", gp(insertLeft), gp(ax))
		p.do("IMULQ", gp(insertStep+i), gp(ax))
		p.do("ADDQ", gp(ax), gp(insertPtr+i))
	}
	p.do("MOVQ", imm32(int64(lanes)), gp(insertLeft))
	p.do("JMP", label(name+"Vectors"))
}

// spreadFrom returns from which byte of 32 on the 16 are that vector v of the rows has elements of.
func (t interleave) spreadFrom(v int) int {
	if t.factor == 3 {
		return 8 * v
	}
	return v * 2 / t.factor * blockBytes
}

// spreadOf returns which vector has the same masks as vector v, the first one.
func (t interleave) spreadOf(v int) int {
	if t.factor == 3 {
		return v
	}
	return v % (t.factor / 2)
}

// spread is the mask of a vector of the rows.
type spread struct{ size, factor, place, vector int }

func (s spread) symbol() Memory {
	return symbol(constant(constSpread, uint64(s.size|s.factor<<8|s.place<<16|s.vector<<24)))
}

// spread returns the mask that a constant is.
func (c Constant) spread() spread {
	field := func(i int) int { return int(uint8(c.bits[0] >> (8 * i))) }
	return spread{field(0), field(1), field(2), field(3)}
}

// words are the bytes of the mask: which of the 16 bytes is at each byte of the vector.
func (s spread) words() (w [4]uint64) {
	t := interleave{s.size, s.factor}
	for b := range vectorBytes(1) {
		from, at := uint64(0x80), vectorBytes(s.vector)+b
		if element := at / t.size; element%t.factor == s.place {
			from = uint64(element/t.factor*t.size + at%t.size - t.spreadFrom(s.vector))
		}
		w[b/8] |= from << (b % 8 * 8)
	}
	return w
}
