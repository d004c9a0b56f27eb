package avo

import "fmt"

// Interleaved elements of two to four lines, such as the channels of pixels and the parts of
// complex numbers: parts of packing and of transposes. A period is one element of each line.
// A block is a vector of 16 bytes of each line, and as many periods; the two halves of
// registers hold two blocks. A vector of the result is the union of the bytes that VPSHUFB
// takes from each vector of the operand, or of words that VSHUFPS takes from pairs of them.

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
	secondUnion  = union + 2
	joinedHalves = union + 3
)

// unite puts the union of what masks take from n registers, from the given one on, into a
// register that is none of them.
func (t interleaving) unite(p *program, from, n, to int, mask func(v int) shuffleMask) {
	if t.size >= wordBytes {
		words := wordsOf(n, mask)
		for i := range words {
			words[i].vector += from
		}
		shuffleWords(p, words, to)
		return
	}
	p.do("VPSHUFB", mem(mask(0).symbol()), y(from), y(to))
	for v := 1; v < n; v++ {
		p.do("VPSHUFB", mem(mask(v).symbol()), y(from+v), y(shuffled))
		p.do("VPOR", y(shuffled), y(to), y(to))
	}
}

// wordBytes is the size of what VSHUFPS moves.
const wordBytes = 4

// word is where a word of a result comes from: a vector, and the place in it.
type word struct{ vector, at int }

// wordsOf returns the words that masks of n vectors take.
func wordsOf(n int, mask func(v int) shuffleMask) (words [blockBytes / wordBytes]word) {
	for v := range n {
		m := mask(v)
		for i := range words {
			if at := m[i*wordBytes]; at < 0x80 {
				words[i] = word{v, int(at) / wordBytes}
			}
		}
	}
	return words
}

// shuffleWords puts words of vectors into a register: words of two vectors by turns by one VUNPCKLPS
// or VUNPCKHPS, others by one VSHUFPS, whose lower half is of one vector and whose upper half is of
// one, or by two or three.
func shuffleWords(p *program, w [4]word, to int) {
	shuffle := func(a, b, c, d word, to int) {
		p.do("VSHUFPS", imm(int64(a.at|b.at<<2|c.at<<4|d.at<<6)), y(c.vector), y(a.vector), y(to))
	}
	in := func(r, at int) word { return word{r, at} }
	switch {
	case w[0].vector == w[1].vector && w[2].vector == w[3].vector:
		shuffle(w[0], w[1], w[2], w[3], to)
	case w == [4]word{{w[0].vector, 0}, {w[1].vector, 0}, {w[0].vector, 1}, {w[1].vector, 1}}:
		p.do("VUNPCKLPS", y(w[1].vector), y(w[0].vector), y(to))
	case w == [4]word{{w[0].vector, 2}, {w[1].vector, 2}, {w[0].vector, 3}, {w[1].vector, 3}}:
		p.do("VUNPCKHPS", y(w[1].vector), y(w[0].vector), y(to))
	case w[0].vector == w[2].vector && w[1].vector == w[3].vector:
		shuffle(w[0], w[2], w[1], w[3], to)
		shuffle(in(to, 0), in(to, 2), in(to, 1), in(to, 3), to)
	default:
		shuffle(w[0], w[0], w[1], w[1], to)
		shuffle(w[2], w[2], w[3], w[3], shuffled)
		shuffle(in(to, 0), in(to, 2), in(shuffled, 0), in(shuffled, 2), to)
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
	t.unite(p, blockVectors, t.lines, to, func(v int) shuffleMask { return t.apart(v, line) })
}

// storeBlocks stores the two blocks whose lines are in lineVectors. Two vectors of 16 bytes that
// are adjacent in a block are one store.
func (t interleaving) storeBlocks(p *program, to memory) {
	unite := func(v, into int) {
		t.unite(p, lineVectors, t.lines, into, func(line int) shuffleMask { return t.together(line, v) })
	}
	v := 0
	for ; v+2 <= t.lines; v += 2 {
		unite(v, union)
		unite(v+1, secondUnion)
		p.do("VINSERTF128", imm(1), x(secondUnion), y(union), y(joinedHalves))
		p.do("VMOVDQU", y(joinedHalves), mem(to.at(v*blockBytes)))
		p.do("VPERM2F128", imm(0x31), y(secondUnion), y(union), y(joinedHalves))
		p.do("VMOVDQU", y(joinedHalves), mem(to.at((t.lines+v)*blockBytes)))
	}
	if v < t.lines {
		unite(v, union)
		p.do("VMOVDQU", x(union), mem(to.at(v*blockBytes)))
		p.do("VEXTRACTF128", imm(1), y(union), mem(to.at((t.lines+v)*blockBytes)))
	}
}
