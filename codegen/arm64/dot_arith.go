package arm64

import "github.com/stridefuse/stridefuse/ir"

// The arithmetic of matrix products by element type.

// dotArith describes how products of a type are added up.
type dotArith struct {
	vectors  int                            // of a row of the widest panel
	parts    int                            // registers for each vector of sums
	scalar   string                         // the part of a register that an element of A fills
	add      string                         // the instruction that adds to the elements that the output holds
	prepare  func(t *dotTile)               // of a row of B; nil for nothing
	multiply func(t *dotTile, row, ofA int) // adds the products of the row of B and the element of A in a register
	finish   func(t *dotTile, sum int)      // makes one vector of the parts from register sum on; nil if there is one part
}

var dotAriths = map[ir.DType]dotArith{
	ir.Float32: {4, 1, "S", "FADD.4S", nil, byElement("FMLAE.4S"), nil},
	ir.Float64: {4, 1, "D", "FADD.2D", nil, byElement("FMLAE.2D"), nil},
	ir.Int32:   {4, 1, "S", "ADD.4S", nil, byElement("MLAE.4S"), nil},
	ir.Int64:   {2, 2, "D", "ADD.2D", prepare64, multiply64, finish64},
}

// dotOfHalves multiplies elements of two halves. One part has the sums of the products of both halves of the first elements of a
// vector, one that of the others; they are added at the end.
var dotOfHalves = dotArith{4, 2, "S", "ADD.4S", nil,
	func(t *dotTile, row, ofA int) {
		t.do("DUP.4S", v(ofA), v(ofA), imm(0))
		for i := range t.dotForm.vectors {
			t.do("SMLAL.4S", v(t.sum(row, i, 0)), v(dotRowOfB+i), v(ofA))
			t.do("SMLAL2.4S", v(t.sum(row, i, 1)), v(dotRowOfB+i), v(ofA))
		}
	},
	func(t *dotTile, sum int) { t.do("ADDP.4S", v(sum), v(sum), v(sum+1)) },
}

// byElement multiplies by the first lane of a register, and adds.
func byElement(name string) func(t *dotTile, row, ofA int) {
	return func(t *dotTile, row, ofA int) {
		for i := range t.dotForm.vectors {
			t.do(name, v(t.sum(row, i, 0)), v(dotRowOfB+i), v(ofA), imm(0))
		}
	}
}

// prepare64 separates the lower halves of elements of 64 bits.
func prepare64(t *dotTile) {
	for i := range t.dotForm.vectors {
		t.do("XTN.2D", v(dotNarrowOfB+i), v(dotRowOfB+i))
	}
}

// multiply64 multiplies elements of 64 bits by their halves. It adds the 64 bits of the product of the lower halves to the first part
// of the sum, and the lower 32 bits of the two products of a lower and an upper half to the second part, in lanes of 32 bits.
func multiply64(t *dotTile, row, ofA int) {
	for i := range t.dotForm.vectors {
		t.do("UMLALE.2D", v(t.sum(row, i, 0)), v(dotNarrowOfB+i), v(ofA), imm(0))
	}
	t.do("DUP.2D", v(ofA), v(ofA), imm(0))
	t.do("REV64.4S", v(ofA), v(ofA))
	for i := range t.dotForm.vectors {
		t.do("MLA.4S", v(t.sum(row, i, 1)), v(dotRowOfB+i), v(ofA))
	}
}

// finish64 adds both lanes of the second part to the upper half of the first.
func finish64(t *dotTile, sum int) {
	t.do("REV64.4S", v(dotRowOfB), v(sum+1))
	t.do("ADD.4S", v(dotRowOfB), v(dotRowOfB), v(sum+1))
	t.do("SHL.2D", v(dotRowOfB), v(dotRowOfB), imm(32))
	t.do("ADD.2D", v(sum), v(sum), v(dotRowOfB))
}
