package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The arithmetic of matrix products by element type.

// dotArith describes how products of a type are added up.
type dotArith struct {
	rows     int                                       // of a whole tile
	parts    int                                       // vector registers for each vector of sums
	add      string                                    // the instruction that adds to the elements that the output holds
	multiply func(t *dotTile, element Memory, row int) // adds the products of an element of A and the row of B
	finish   func(t *dotTile, low, high int)           // makes one sum of two parts; nil if there is one part
	twoLines func(t *dotTile, element Memory, row int) // multiply for rows of two cache lines; nil for none
}

// arith returns the arithmetic of a micro-kernel; it has no rows if there is none.
func (s *dotStyle) arith(m *kernel.Micro) dotArith {
	switch m.Kind {
	case kernel.DotHalves, kernel.DotBytes:
		return s.halves
	case kernel.Dot:
		return s.ariths[m.Type]
	case kernel.DotWindows:
		a := s.ariths[m.Type]
		a.twoLines = nil
		return a
	case kernel.DotLeftWindows:
		a := s.ariths[m.Type]
		a.rows, a.twoLines = s.lined, nil
		return a
	}
	return dotArith{}
}

func dotAriths() map[ir.DType]dotArith {
	return map[ir.DType]dotArith{
		ir.Float32: {kernel.DotRows, 1, "VADDPS", broadcast("VBROADCASTSS", fusedMultiplyAdd("VFMADD231PS")), nil, nil},
		ir.Float64: {kernel.DotRows, 1, "VADDPD", broadcast("VBROADCASTSD", fusedMultiplyAdd("VFMADD231PD")), nil, nil},
		ir.Int32:   {kernel.DotRows, 1, "VPADDD", broadcast("VPBROADCASTD", multiplyAdd("VPMULLD")), nil, nil},
		ir.Int64:   {kernel.DotRows / 2, 2, "VPADDQ", broadcast("VPBROADCASTQ", mulAdd64), finish64, nil},
	}
}

func dotAriths512() map[ir.DType]dotArith {
	return map[ir.DType]dotArith{
		ir.Float32: {2 * kernel.DotRows, 1, "VADDPS", multiplyBroadcast("VFMADD231PS.BCST"), nil, broadcast("VBROADCASTSS", fusedMultiplyAdd("VFMADD231PS"))},
		ir.Float64: {2 * kernel.DotRows, 1, "VADDPD", multiplyBroadcast("VFMADD231PD.BCST"), nil, broadcast("VBROADCASTSD", fusedMultiplyAdd("VFMADD231PD"))},
	}
}

// broadcast loads the element into all lanes of a register before it multiplies.
func broadcast(name string, multiply func(t *dotTile, row int)) func(t *dotTile, element Memory, row int) {
	return func(t *dotTile, element Memory, row int) {
		t.do(name, mem(element), t.vec(t.ofA))
		multiply(t, row)
	}
}

func multiplyBroadcast(name string) func(t *dotTile, element Memory, row int) {
	return func(t *dotTile, element Memory, row int) {
		for v := range t.vectors {
			t.do(name, mem(element), t.vec(t.rowOfB+v), t.vec(t.sum(row, v, 0)))
		}
	}
}

func fusedMultiplyAdd(name string) func(t *dotTile, row int) {
	return func(t *dotTile, row int) {
		for v := range t.vectors {
			t.do(name, t.vec(t.rowOfB+v), t.vec(t.ofA), t.vec(t.sum(row, v, 0)))
		}
	}
}

// multiplyAdd multiplies elements of 32 bits by an instruction, and adds.
func multiplyAdd(multiply string) func(t *dotTile, row int) {
	return func(t *dotTile, row int) {
		for v := range t.vectors {
			t.do(multiply, t.vec(t.rowOfB+v), t.vec(t.ofA), t.vec(t.scratch))
			t.do("VPADDD", t.vec(t.scratch), t.vec(t.sum(row, v, 0)), t.vec(t.sum(row, v, 0)))
		}
	}
}

// mulAdd64 multiplies elements of 64 bits by their 32-bit halves. It adds the 64 bits of
// the product of the lower halves to the first part of the sum. Of the two products of a
// lower and an upper half it adds the lower 32 bits to the second part, in lanes of 32
// bits. finish64 adds the parts.
func mulAdd64(t *dotTile, row int) {
	for part, op := range [][2]string{{"VPMULUDQ", "VPADDQ"}, {"VPMULLD", "VPADDD"}} {
		if part == 1 {
			t.do("VPSHUFD", imm(0xb1), t.vec(t.ofA), t.vec(t.ofA))
		}
		for v := range t.vectors {
			t.do(op[0], t.vec(t.rowOfB+v), t.vec(t.ofA), t.vec(t.scratch))
			t.do(op[1], t.vec(t.scratch), t.vec(t.sum(row, v, part)), t.vec(t.sum(row, v, part)))
		}
	}
}

// finish64 adds both 32-bit halves of high to the upper half of low: see mulAdd64.
func finish64(t *dotTile, low, high int) {
	t.do("VPSLLQ", imm(32), t.vec(high), t.vec(t.scratch))
	t.do("VPADDQ", t.vec(t.scratch), t.vec(low), t.vec(low))
	t.do("VPSRLQ", imm(32), t.vec(high), t.vec(high))
	t.do("VPSLLQ", imm(32), t.vec(high), t.vec(high))
	t.do("VPADDQ", t.vec(high), t.vec(low), t.vec(low))
}
