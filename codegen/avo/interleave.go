package avo

import "fmt"

// Interleaved elements of two to four lines, such as the channels of pixels and the parts of
// complex numbers: parts of packing and of transposes. A period is one element of each line.
// A block is a vector of 16 bytes of each line, and as many periods; the two halves of
// registers hold two blocks. A vector of the result is the union of the bytes that VPSHUFB
// takes from each vector of the operand.

// mostLines is how many lines are interleaved at most.
const mostLines = 4

// interleaving is a number of interleaved lines, and the size of an element in bytes.
type interleaving struct{ size, lines int }

// blockBytes is the size of a vector of one line.
const blockBytes = 16

// place returns where a byte of the period's sequence is: in which line's vector, and where
// in that.
func (t interleaving) place(at int) (line, to int) {
	element, rest := at/t.size, at%t.size
	return element % t.lines, element/t.lines*t.size + rest
}

// shuffleMask is the bytes that VPSHUFB takes from one vector. From 128 on it is a zero of
// the result.
type shuffleMask [blockBytes]byte

func (m shuffleMask) symbol() memory {
	words := [2]uint64{}
	for i, b := range m {
		words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return symbol(fmt.Sprintf("s%016x%016x", words[0], words[1]))
}

// apart returns which bytes of vector v of a block make up the vector of a line.
func (t interleaving) apart(v, line int) (m shuffleMask) {
	for i := range m {
		m[i] = 0x80
	}
	for b := range blockBytes {
		if l, to := t.place(v*blockBytes + b); l == line {
			m[to] = byte(b)
		}
	}
	return m
}

// together returns which bytes of the vector of a line make up vector v of a block.
func (t interleaving) together(line, v int) (m shuffleMask) {
	for b := range m {
		m[b] = 0x80
		if l, to := t.place(v*blockBytes + b); l == line {
			m[b] = byte(to)
		}
	}
	return m
}

// The registers: those of the blocks of an operand, of lines, and of what is shuffled.
const (
	blockVectors = 0
	lineVectors  = blockVectors + mostLines
	union        = lineVectors + mostLines
	shuffled     = union + 1
)

// unite puts the union of what masks take from n registers, from the given one on, into a
// register.
func (p *program) unite(from, n, to int, mask func(v int) shuffleMask) {
	p.do("VPSHUFB", mem(mask(0).symbol()), y(from), y(to))
	for v := 1; v < n; v++ {
		p.do("VPSHUFB", mem(mask(v).symbol()), y(from+v), y(shuffled))
		p.do("VPOR", y(shuffled), y(to), y(to))
	}
}

// loadBlocks loads the two blocks at an address.
func (t interleaving) loadBlocks(p *program, from memory) {
	for v := range t.lines {
		p.do("VMOVDQU", mem(from.at(v*blockBytes)), x(blockVectors+v))
	}
	for v := range t.lines {
		r := y(blockVectors + v)
		p.do("VINSERTF128", imm(1), mem(from.at((t.lines+v)*blockBytes)), r, r)
	}
}

// line puts the vector of a line of the blocks that are loaded into a register.
func (t interleaving) line(p *program, line, to int) {
	p.unite(blockVectors, t.lines, to, func(v int) shuffleMask { return t.apart(v, line) })
}

// storeBlocks stores the two blocks whose lines are in lineVectors.
func (t interleaving) storeBlocks(p *program, to memory) {
	for v := range t.lines {
		p.unite(lineVectors, t.lines, union, func(line int) shuffleMask { return t.together(line, v) })
		p.do("VMOVDQU", x(union), mem(to.at(v*blockBytes)))
		p.do("VEXTRACTF128", imm(1), y(union), mem(to.at((t.lines+v)*blockBytes)))
	}
}
