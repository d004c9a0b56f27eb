package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Shuffles of interleave groups in the micro-kernels that pack, transpose and insert, of any element size. A period is one
// element of each member of a group. A block has a vector of 16 bytes of each member, and as many periods as that takes; the
// two halves of registers hold two blocks. A vector of the result is the union of the bytes that VPSHUFB takes from each
// vector of the operand, or of words that VSHUFPS takes from two of them.

// interleave is the size of the elements of an interleave group in bytes, and its factor.
type interleave struct{ size, factor int }

// blockBytes is the size of a vector of one member.
const blockBytes = 16

// place returns where a byte of a block goes: in which member's vector, and where in that.
func (t interleave) place(at int) (member, to int) {
	element, rest := at/t.size, at%t.size
	return element % t.factor, element/t.factor*t.size + rest
}

// shuffleMask is the bytes that VPSHUFB takes from one vector. From 128 on it is a zero of
// the result.
type shuffleMask [blockBytes]byte

func (m shuffleMask) symbol() Memory {
	words := [2]uint64{}
	for i, b := range m {
		words[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return symbol(Constant{constShuffle, words})
}

// deinterleave returns which bytes of vector v of a block make up the vector of a member.
func (t interleave) deinterleave(v, member int) (m shuffleMask) {
	for i := range m {
		m[i] = 0x80
	}
	for b := range blockBytes {
		if k, to := t.place(v*blockBytes + b); k == member {
			m[to] = byte(b)
		}
	}
	return m
}

// interleave returns which bytes of the vector of a member make up vector v of a block.
func (t interleave) interleave(member, v int) (m shuffleMask) {
	for b := range m {
		m[b] = 0x80
		if k, to := t.place(v*blockBytes + b); k == member {
			m[b] = byte(to)
		}
	}
	return m
}

// The registers: those of the blocks of an operand, of members, of what is shuffled, and of up to four pairs.
const (
	blockVectors  = 0
	memberVectors = blockVectors + kernel.MaxFactor
	union         = memberVectors + kernel.MaxFactor
	shuffled      = union + 1
	secondUnion   = union + 2
	joinedHalves  = union + 3
	pairVectors   = union + 4
)

// unions returns for each group of masks what puts the union of what they take from n registers, from
// the given one on, into a register that is none of them.
func (t interleave) unions(p *Program, from, n int, masks ...func(v int) shuffleMask) (put []func(to int)) {
	if t.size >= wordBytes {
		return shuffleWords(p, from, n, masks)
	}
	for _, mask := range masks {
		put = append(put, func(to int) {
			p.do("VPSHUFB", mem(mask(0).symbol()), y(from), y(to))
			for v := 1; v < n; v++ {
				p.do("VPSHUFB", mem(mask(v).symbol()), y(from+v), y(shuffled))
				p.do("VPOR", y(shuffled), y(to), y(to))
			}
		})
	}
	return put
}

// wordBytes is the size of what VSHUFPS moves.
const wordBytes = 4

// word is where a word of a result comes from: a register, and the place in it.
type word struct{ vector, at int }

// words are those of a vector of 16 bytes, in their order.
type words [blockBytes / wordBytes]word

// wordsOf returns the words that masks take from n registers, from the given one on.
func wordsOf(from, n int, mask func(v int) shuffleMask) (w words) {
	for v := range n {
		m := mask(v)
		for i := range w {
			if at := m[i*wordBytes]; at < 0x80 {
				w[i] = word{from + v, int(at) / wordBytes}
			}
		}
	}
	return w
}

// byTurns returns the instruction that takes words of two registers by turns, if w is that, or "".
func (w words) byTurns() string {
	a, b := w[0].vector, w[1].vector
	switch w {
	case words{{a, 0}, {b, 0}, {a, 1}, {b, 1}}:
		return "VUNPCKLPS"
	case words{{a, 2}, {b, 2}, {a, 3}, {b, 3}}:
		return "VUNPCKHPS"
	}
	return ""
}

// shuffle writes a VSHUFPS: its lower half is two words of one register, the upper half of one.
func (w words) shuffle(p *Program, to int) {
	p.do("VSHUFPS", imm(int64(w[0].at|w[1].at<<2|w[2].at<<4|w[3].at<<6)), y(w[2].vector), y(w[0].vector), y(to))
}

// shuffleWords is unions of words. Of a result whose half has words of two registers, a VSHUFPS before the
// last one puts these into a pair, with those of another half of the same registers.
func shuffleWords(p *Program, from, n int, masks []func(v int) shuffleMask) (put []func(to int)) {
	var pairs []words
	single := map[[2]int]int{} // the pairs for one half so far, by their two registers
	join := func(half []word) {
		first, second := &half[0], &half[1]
		if first.vector > second.vector {
			first, second = second, first
		}
		key := [2]int{first.vector, second.vector}
		i, found := single[key]
		if found {
			pairs[i][1], pairs[i][3] = *first, *second
			delete(single, key)
			*first, *second = word{pairVectors + i, 1}, word{pairVectors + i, 3}
			return
		}
		single[key] = len(pairs)
		pairs = append(pairs, words{*first, *first, *second, *second})
		*first, *second = word{pairVectors + single[key], 0}, word{pairVectors + single[key], 2}
	}
	for _, mask := range masks {
		w := wordsOf(from, n, mask)
		turns := w.byTurns()
		if turns != "" {
			put = append(put, func(to int) { p.do(turns, y(w[1].vector), y(w[0].vector), y(to)) })
			continue
		}
		for half := range slices.Chunk(w[:], 2) {
			if half[0].vector != half[1].vector {
				join(half)
			}
		}
		put = append(put, func(to int) { w.shuffle(p, to) })
	}
	for i, w := range pairs {
		w.shuffle(p, pairVectors+i)
	}
	return put
}

// loadBlocks loads the two blocks at an address.
func (t interleave) loadBlocks(p *Program, from Memory) {
	for v := range t.factor {
		p.do("VMOVDQU", mem(from.at(v*blockBytes)), x(blockVectors+v))
	}
	for v := range t.factor {
		r := y(blockVectors + v)
		p.do("VINSERTF128", imm(1), mem(from.at((t.factor+v)*blockBytes)), r, r)
	}
}

// member puts the vector of a member of the blocks that are loaded into a register.
func (t interleave) member(p *Program, member, to int) {
	t.unions(p, blockVectors, t.factor, t.memberMask(member))[0](to)
}

// memberMask returns which bytes of each vector of a block make up the vector of a member.
func (t interleave) memberMask(member int) func(v int) shuffleMask {
	return func(v int) shuffleMask { return t.deinterleave(v, member) }
}

// membersOf returns for each member what puts its vector of the blocks that are loaded into a register.
func (t interleave) membersOf(p *Program) (put []func(to int)) {
	masks := make([]func(v int) shuffleMask, t.factor)
	for member := range masks {
		masks[member] = t.memberMask(member)
	}
	return t.unions(p, blockVectors, t.factor, masks...)
}

// storeBlocks stores the two blocks whose members are in memberVectors. Two vectors of 16 bytes that
// are adjacent in a block are one store.
func (t interleave) storeBlocks(p *Program, to Memory) {
	masks := make([]func(member int) shuffleMask, t.factor)
	for v := range masks {
		masks[v] = func(member int) shuffleMask { return t.interleave(member, v) }
	}
	put := t.byUnpacking(p)
	if put == nil {
		put = t.unions(p, memberVectors, t.factor, masks...)
	}
	v := 0
	for ; v+2 <= t.factor; v += 2 {
		put[v](union)
		put[v+1](secondUnion)
		p.do("VINSERTF128", imm(1), x(secondUnion), y(union), y(joinedHalves))
		p.do("VMOVDQU", y(joinedHalves), mem(to.at(v*blockBytes)))
		p.do("VPERM2F128", imm(0x31), y(secondUnion), y(union), y(joinedHalves))
		p.do("VMOVDQU", y(joinedHalves), mem(to.at((t.factor+v)*blockBytes)))
	}
	if v < t.factor {
		put[v](union)
		p.do("VMOVDQU", x(union), mem(to.at(v*blockBytes)))
		p.do("VEXTRACTF128", imm(1), y(union), mem(to.at((t.factor+v)*blockBytes)))
	}
}
