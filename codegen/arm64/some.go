package arm64

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Parts of a vector in memory. There are no masked loads and stores: a part is two pieces at most times three, each a power of two.

// piecesOf divides a number of bytes, 1 to 15, into pieces of 8, 4, 2 and 1, the largest first.
func piecesOf(bytes int) []int {
	var all []int
	for piece := 8; piece > 0; piece /= 2 {
		if bytes&piece != 0 {
			all = append(all, piece)
		}
	}
	return all
}

// sizeName is the suffix of instructions on pieces of a size in bytes.
func sizeName(bytes int) string { return map[int]string{1: "B", 2: "H", 4: "S", 8: "D"}[bytes] }

// loadSome loads some elements into the first lanes of a vector and overwrites the scratch register. The other lanes are 0.
func (p *Program) loadSome(to, from, elements, size, scratch int) {
	done := 0
	for i, piece := range piecesOf(elements * size) {
		if i == 0 {
			p.do("LDR."+sizeName(piece), v(to), mem(at(from, 0)))
		} else {
			p.do("ADD", x(scratch), x(from), imm(done))
			p.do("LD1."+sizeName(piece), v(to), imm(done/piece), mem(at(scratch, 0)))
		}
		done += piece
	}
}

// storeSome stores some elements of the first lanes of a vector and overwrites the scratch register.
func (p *Program) storeSome(from, to, elements, size, scratch int) {
	done := 0
	for i, piece := range piecesOf(elements * size) {
		if i == 0 {
			p.do("STR."+sizeName(piece), v(from), mem(at(to, 0)))
		} else {
			p.do("ADD", x(scratch), x(to), imm(done))
			p.do("ST1."+sizeName(piece), v(from), imm(done/piece), mem(at(scratch, 0)))
		}
		done += piece
	}
}

// noMicro is the error of a micro-kernel of a type that NEON lacks.
func noMicro(kind string, d ir.DType) error {
	return fmt.Errorf("codegen/arm64: no %s of %v", kind, d)
}
