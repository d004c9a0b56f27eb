package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Tiles of few columns whose rows of A are contiguous (AVX-512, float32). A block is sixteen elements of each of sixteen
// rows, transposed in registers. A vector is then a column of A, so one multiplication serves sixteen rows; in other tiles it
// serves as many elements as B has columns. A block of 256 elements takes 32 loads, 48 shuffles, and 16 multiplications for
// each column of B. Emerald Rapids, a matrix in the second-level cache: two, four and eight columns take 0.52, 0.65 and 0.9 of
// the time. Prefetching the rows makes that 1.05 to 1.2 times as long; for a matrix in memory 0.9 times.
//
// The sums are columns of the tile. Each adds up its pairs in their order, as in other tiles.

// The vector registers: the sums are in 16 to 23, columns of A in any others.
const (
	transposedRows    = kernel.DotTransposedRows // of a tile, and pairs of a block of it
	transposedSums    = transposedRows
	transposedColumns = 8 // at most
	vectors512        = 32
)

// transposes reports whether tiles of a form may be transposed.
func (w *dotWriter) transposes(f dotForm) bool {
	return w.width == 64 && w.d == ir.Float32 && w.micro.Kind == kernel.Dot && f.half
}

// transposed writes a tile of transposed rows, after a test of its conditions. If the test fails, the code continues at the label other.
func (w *dotWriter) transposed(f dotForm, other string) {
	t := &dotTile{w, f, transposedRows, f.name + "Transposed", 1, true}
	w.do("CMPQ", gp(dotRows), imm(transposedRows))
	w.do("JLT", label(other))
	w.do("CMPQ", gp(dotAcross), imm(int64(w.d.Size())))
	w.do("JNE", label(other))
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotPairs))), gp(dotCount))
	w.do("TESTQ", imm32(transposedRows-1), gp(dotCount))
	w.do("JNE", label(other))
	t.write()
}

// transposedB are the pointers to pairs 0, 4, 8 and 12 of a block of B. A tile uses these registers otherwise before and after its
// pairs. dotA, dotMask and dotAcross point to rows 0, 7 and 14 of A.
var transposedB = [...]int{dotB, dotTop, dotC, dotStepC}

// transposedPairs writes the loop over blocks of pairs.
func (t *dotTile) transposedPairs() {
	for i, r := range transposedB[1:] {
		t.do("MOVQ", gp(r), mem(stack(t.kept[i])))
	}
	t.do("LEAQ", mem(at(dotMask, 0).indexed(dotStepA3, 2)), gp(dotAcross))
	t.do("ADDQ", gp(dotStepA), gp(dotAcross))
	for i, r := range transposedB[1:] {
		t.do("LEAQ", mem(at(transposedB[i], 0).indexed(dotStepB, 4)), gp(r))
	}
	for c := range transposedColumns {
		t.do("VXORPS", y(transposedSums+c), y(transposedSums+c), y(transposedSums+c))
	}
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Loop", "rows of A are transposed, then multiplied")
	columns := t.columnsOfA()
	t.columns(columns)
	t.here(t.name + "Next")
	for _, r := range []int{dotA, dotMask, dotAcross} {
		t.do("ADDQ", imm(int64(transposedRows*t.d.Size())), gp(r))
	}
	for range 2 {
		for _, r := range transposedB {
			t.do("LEAQ", mem(at(r, 0).indexed(dotStepB, 8)), gp(r))
		}
	}
	t.do("SUBQ", imm(transposedRows), gp(dotCount))
	t.do("JNE", label(t.name+"Loop"))
	for i, r := range transposedB[1:] {
		t.do("MOVQ", mem(stack(t.kept[i])), gp(r))
	}
	t.do("MOVQ", imm32(int64(t.d.Size())), gp(dotAcross))
	t.sumsToRows()
}

// columns writes the multiplications of a block for any number of columns of B. The multiplications of two, four and eight
// columns alternate, so that none waits for the one before it. Other numbers are computed one column after another, then in such
// groups.
func (t *dotTile) columns(columnsOfA []int) {
	name := func(columns int) string { return t.name + "Columns" + itoa(columns) }
	for columns := 1; columns < transposedColumns; columns++ {
		t.do("CMPQ", mem(stack(t.rest)), imm(int64(columns)))
		t.do("JEQ", label(name(columns)))
	}
	for _, from := range []struct{ most, together int }{{8, 8}, {7, 4}, {3, 2}, {1, 1}} {
		for columns := from.most; columns > from.together; columns-- {
			t.here(name(columns))
			t.multiplyColumns(columnsOfA, columns-1, 1)
		}
		t.here(name(from.together))
		t.multiplyColumns(columnsOfA, 0, from.together)
		if from.most > 1 {
			t.do("JMP", label(t.name+"Next"))
		}
	}
}

// multiplyColumns multiplies the columns of A by n columns of B together, beginning with column first.
func (t *dotTile) multiplyColumns(columnsOfA []int, first, n int) {
	for pair, column := range columnsOfA {
		for c := first; c < first+n; c++ {
			from := at(transposedB[pair/4], c*t.d.Size())
			from = []Memory{from, from.indexed(dotStepB, 1), from.indexed(dotStepB, 2), from.indexed(dotStepB3, 1)}[pair%4]
			t.do("VFMADD231PS.BCST", mem(from), y(column), y(transposedSums+c))
		}
	}
}

// columnsOfA loads a block of A, and returns the registers of sixteen columns of A.
func (t *dotTile) columnsOfA() []int {
	columns := make([]int, transposedRows)
	var free []int
	for r := range vectors512 {
		if r < transposedSums || r >= transposedSums+transposedColumns {
			free = append(free, r)
		}
	}
	s := &shuffles{&t.Program, free}
	const eight = transposedRows / 2
	for from := 0; from < transposedRows; from += eight {
		var parts [2][]int // of rows 0 to 7 and 8 to 15, a vector of row i and row i + 4
		for part := range parts {
			rows := make([]int, eight/2)
			for i := range rows {
				rows[i] = s.alloc()
				t.do("VMOVUPS", mem(t.rowOfA(eight*part+i).at(from*t.d.Size())), half(rows[i]))
				t.do("VINSERTF64X4", imm(1), mem(t.rowOfA(eight*part+i+eight/2).at(from*t.d.Size())), y(rows[i]), y(rows[i]))
			}
			parts[part] = s.lanes(rows)
		}
		for j := range eight / 2 { // vector j has columns j and j + 4 of four rows, then of the next four
			low, high := parts[0][j], parts[1][j]
			columns[from+j] = s.op("VSHUFF32X4", low, high, imm(0x88))
			columns[from+j+eight/2] = s.op("VSHUFF32X4", low, high, imm(0xdd))
			s.free = append(s.free, low, high)
		}
	}
	return columns
}

// rowOfA returns the address of the present elements of a row.
func (t *dotTile) rowOfA(i int) Memory {
	from := at([]int{dotA, dotMask, dotAcross}[i/dotAddressed], 0)
	return []Memory{from, from.indexed(dotStepA, 1), from.indexed(dotStepA, 2), from.indexed(dotStepA3, 1),
		from.indexed(dotStepA, 4), from.indexed(dotStepA5, 1), from.indexed(dotStepA3, 2)}[i%dotAddressed]
}

// sumsToRows leaves the sums of row i in half of register i, as dotTile.total expects.
func (t *dotTile) sumsToRows() {
	s := &shuffles{&t.Program, nil}
	for r := transposedSums + transposedColumns; r < vectors512; r++ {
		s.free = append(s.free, r)
	}
	var parts [2][]int // of columns 0 to 3 and 4 to 7: vector j has rows j, j + 4, j + 8 and j + 12
	for part := range parts {
		columns := make([]int, 4)
		for i := range columns {
			columns[i] = transposedSums + 4*part + i
		}
		parts[part] = s.lanes(columns)
	}
	for j := range 4 {
		for i, lanes := range []int64{0x44, 0xee} { // the first two and the last two of those rows
			row := 8*i + j
			t.do("VSHUFF32X4", imm(lanes), y(parts[1][j]), y(parts[0][j]), y(row))
			t.do("VSHUFF32X4", imm(0xd8), y(row), y(row), y(row))
			t.do("VEXTRACTF64X4", imm(1), y(row), half(row+4))
		}
	}
}

// shuffles writes AVX-512 instructions that shuffle vectors, and tracks free registers.
type shuffles struct {
	*Program
	free []int
}

func (s *shuffles) alloc() int {
	r := s.free[0]
	s.free = s.free[1:]
	return r
}

// op writes an instruction of two vectors, and returns the register of its result.
func (s *shuffles) op(name string, a, b int, how ...Arg) int {
	to := s.alloc()
	s.do(name, append(how, y(b), y(a), y(to))...)
	return to
}

// lanes transposes the 4x4 elements in each group of four lanes of four vectors, and frees the vectors' registers.
func (s *shuffles) lanes(v []int) []int {
	var two [4]int // elements 0 and 1 of vectors 0 and 1, elements 2 and 3, and the same of vectors 2 and 3
	for i := range two {
		two[i] = s.op([]string{"VUNPCKLPS", "VUNPCKHPS"}[i%2], v[i/2*2], v[i/2*2+1])
	}
	s.free = append(s.free, v...)
	four := make([]int, 4)
	for i := range four {
		four[i] = s.op([]string{"VUNPCKLPD", "VUNPCKHPD"}[i%2], two[i/2], two[i/2+2])
	}
	s.free = append(s.free, two[:]...)
	return four
}
