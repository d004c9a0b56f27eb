package arm64

import "github.com/stridefuse/stridefuse/ir/kernel"

// Transposes (micro-kernel Transpose). A block is transposed in square tiles of as many rows as a vector has elements, but at most
// eight. The inner loop advances along the rows of the input. The last tile of a row or column of tiles ends where the block ends, so it
// may store elements a second time. Two to four rows or columns that are dense are interleaved by ST2 to ST4, or separated by LD2 to LD4.
// Other blocks are copied row by row, element by element.

// transposer writes the function of a transpose.
type transposer struct {
	Program
	size, lanes int
	name        string // of loads and stores of a row of a tile
}

// General registers of transposes. Rows and columns are those of the output.
const (
	transposeFrame  = iota
	transposeRows   // the rows of the block
	transposeCols   // the columns
	transposeFrom   // pointer to the input
	transposeTo     // pointer to the output
	transposeStepA  // bytes from one row of the input to the next
	transposeStepB  // bytes from one row of the output to the next
	transposeAcross // bytes from one element of a row of the input to the next
	transposeRow    // the first row of the present tile
	transposeCol    // its first column
	transposeA      // pointers to the present elements
	transposeB
	transposeLeft
	transposeSpan // of rows in a line of the input, in bytes
	transposeScratch
	transposeOthers // pointers to the second and further lines
)

// compileTranspose returns the function of a transpose.
func compileTranspose(m *kernel.Micro) (*Program, error) {
	t := &transposer{size: m.Type.Size()}
	t.lanes = min(8, 16/t.size)
	t.name = vectorName(t.lanes * t.size)
	t.do(OpFrame, x(transposeFrame))
	for _, n := range [][2]int{{transposeRows, frameRows}, {transposeCols, frameCols}, {transposeFrom, framePtr}, {transposeTo, framePtr + 8},
		{transposeStepA, frameStep}, {transposeStepB, frameStep + 8}, {transposeAcross, frameStep + 8*m.FieldAt(0)}} {
		t.do("LDR", x(n[0]), mem(at(transposeFrame, n[1])))
	}
	for _, extent := range []int{transposeRows, transposeCols} {
		t.do("CMP", x(extent), imm(0))
		t.do("BLE", label("done"))
	}
	t.do("CMP", x(transposeAcross), imm(t.size))
	t.do("BNE", label("elements"))
	t.choose()
	t.tiles()
	t.elements()
	t.here("done")
	t.do("RET")
	for lines := 2; lines <= kernel.MaxFactor; lines++ {
		t.interleave(lines)
		t.separate(lines)
	}
	return &t.Program, nil
}

// choose jumps to the loop for dense lines, or to the copy of elements if the block is smaller than a tile.
func (t *transposer) choose() {
	for lines := 2; lines <= kernel.MaxFactor; lines++ {
		next := t.fresh("not")
		t.do("CMP", x(transposeCols), imm(lines))
		t.do("BNE", label(next))
		t.do("CMP", x(transposeStepB), imm(lines*t.size))
		t.do("BEQ", label("interleave"+itoa(lines)))
		t.here(next)
		next = t.fresh("not")
		t.do("CMP", x(transposeRows), imm(lines))
		t.do("BNE", label(next))
		t.do("CMP", x(transposeStepA), imm(lines*t.size))
		t.do("BEQ", label("separate"+itoa(lines)))
		t.here(next)
	}
	for _, extent := range []int{transposeRows, transposeCols} {
		t.do("CMP", x(extent), imm(t.lanes))
		t.do("BLT", label("elements"))
	}
}

// tiles writes the loops over tiles: columns of the output, within them rows.
func (t *transposer) tiles() {
	t.do("MOV", x(transposeCol), x(zr))
	t.here("columns")
	t.do("MOV", x(transposeRow), x(zr))
	t.here("tile")
	// The pointers to the tile's first elements.
	t.do("MADD", x(transposeA), x(transposeCol), x(transposeStepA), x(transposeFrom))
	t.scaled(transposeScratch, transposeRow)
	t.do("ADD", x(transposeA), x(transposeA), x(transposeScratch))
	t.do("MADD", x(transposeB), x(transposeRow), x(transposeStepB), x(transposeTo))
	t.scaled(transposeScratch, transposeCol)
	t.do("ADD", x(transposeB), x(transposeB), x(transposeScratch))
	for i := range t.lanes {
		t.do("LDR."+t.name, v(i), mem(at(transposeA, 0)))
		if i < t.lanes-1 {
			t.do("ADD", x(transposeA), x(transposeA), x(transposeStepA))
		}
	}
	for i, r := range t.transposed() {
		t.do("STR."+t.name, v(r), mem(at(transposeB, 0)))
		if i < t.lanes-1 {
			t.do("ADD", x(transposeB), x(transposeB), x(transposeStepB))
		}
	}
	t.nextTile(transposeRow, transposeRows, "tile")
	t.nextTile(transposeCol, transposeCols, "columns")
	t.do("B", label("done"))
}

// nextTile advances to the next tile, or to the one that ends with the block, if the present one does not.
func (t *transposer) nextTile(first, extent int, loop string) {
	end := t.fresh("end")
	t.do("SUB", x(transposeScratch), x(extent), imm(t.lanes)) // the first element of the last tile
	t.do("CMP", x(first), x(transposeScratch))
	t.do("BEQ", label(end))
	t.do("ADD", x(first), x(first), imm(t.lanes))
	t.do("CMP", x(first), x(transposeScratch))
	t.do("CSEL", x(first), x(first), x(transposeScratch), imm(condLE))
	t.do("B", label(loop))
	t.here(end)
}

// scaled converts elements to bytes.
func (t *transposer) scaled(to, from int) {
	if t.size == 1 {
		t.do("MOV", x(to), x(from))
	} else {
		t.do("LSL", x(to), x(from), imm(map[int]int{2: 1, 4: 2, 8: 3}[t.size]))
	}
}

// transposed exchanges the rows and columns of a tile in the first registers, and returns the registers of the new rows. A step
// exchanges elements of pairs of registers, then pairs of elements, and so on.
func (t *transposer) transposed() []int {
	from, free := seq(0, t.lanes), seq(t.lanes, t.lanes)
	half := t.lanes*t.size == 8
	for d, size := 1, t.size; d < t.lanes; d, size = 2*d, 2*size {
		a := whole(size)
		if half {
			a = map[int]string{1: "8B", 2: "4H", 4: "2S"}[size]
		}
		to := make([]int, t.lanes)
		next := 0
		for i := range t.lanes {
			if i&d != 0 {
				continue
			}
			to[i], to[i+d] = free[next], free[next+1]
			next += 2
			t.do("TRN1."+a, v(to[i]), v(from[i]), v(from[i+d]))
			t.do("TRN2."+a, v(to[i+d]), v(from[i]), v(from[i+d]))
		}
		from, free = to, from
	}
	return from
}

func seq(first, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = first + i
	}
	return all
}

// elements copies each row of the output element by element.
func (t *transposer) elements() {
	lanes := max(2, min(4, 16/t.size))
	t.here("elements")
	t.do("MOV", x(transposeA), x(transposeFrom))
	t.do("MOV", x(transposeB), x(transposeTo))
	t.do("SUBS", x(transposeLeft), x(transposeCols), imm(lanes))
	t.do("BLT", label("some"))
	t.here("few")
	t.gather(0, transposeA, transposeStepA, lanes, t.size)
	t.do("STR."+vectorName(lanes*t.size), v(0), mem(then(transposeB, lanes*t.size)))
	t.do("SUBS", x(transposeLeft), x(transposeLeft), imm(lanes))
	t.do("BGE", label("few"))
	t.here("some")
	t.do("ADDS", x(transposeLeft), x(transposeLeft), imm(lanes))
	t.do("BEQ", label("nextRow"))
	t.here("single")
	t.do("LDR."+sizeName(t.size), v(0), mem(at(transposeA, 0)))
	t.do("ADD", x(transposeA), x(transposeA), x(transposeStepA))
	t.do("STR."+sizeName(t.size), v(0), mem(then(transposeB, t.size)))
	t.do("SUBS", x(transposeLeft), x(transposeLeft), imm(1))
	t.do("BNE", label("single"))
	t.here("nextRow")
	t.do("ADD", x(transposeFrom), x(transposeFrom), x(transposeAcross))
	t.do("ADD", x(transposeTo), x(transposeTo), x(transposeStepB))
	t.do("SUBS", x(transposeRows), x(transposeRows), imm(1))
	t.do("BNE", label("elements"))
}

// interleave writes the loop over a block of so many columns, which are contiguous lines of the input, and dense in the output. The rows
// that are left are copied element by element.
func (t *transposer) interleave(lines int) {
	t.lines("interleave"+itoa(lines), lines, transposeRows, transposeFrom, transposeStepA, transposeTo, "LDR.Q", "ST")
}

// separate writes the loop over a block of so many rows, which are dense in the input, and contiguous lines of the output.
func (t *transposer) separate(lines int) {
	t.lines("separate"+itoa(lines), lines, transposeCols, transposeTo, transposeStepB, transposeFrom, "STR.Q", "LD")
}

// lines writes a loop over vectors of so many lines on one side, which on the other are dense. extent is the register of their length.
func (t *transposer) lines(name string, lines, extent, line, step, dense int, move, structure string) {
	lanes := 16 / t.size
	t.here(name)
	t.do("CMP", x(extent), imm(lanes))
	t.do("BLT", label("elements"))
	for i := 1; i < lines; i++ {
		before := transposeOthers + i - 2
		if i == 1 {
			before = line
		}
		t.do("ADD", x(transposeOthers+i-1), x(before), x(step))
	}
	t.here(name + "Vectors")
	each := func() {
		for i := range lines {
			from := line
			if i > 0 {
				from = transposeOthers + i - 1
			}
			t.do(move, v(i), mem(then(from, 16)))
		}
	}
	structured := func() {
		t.do(structure+itoa(lines)+"."+whole(t.size), v(0), mem(then(dense, 16*lines)))
	}
	if structure == "ST" {
		each()
		structured()
	} else {
		structured()
		each()
	}
	t.do("SUB", x(extent), x(extent), imm(lanes))
	t.do("CMP", x(extent), imm(lanes))
	t.do("BGE", label(name+"Vectors"))
	t.do("CMP", x(extent), imm(0))
	t.do("BNE", label("elements"))
	t.do("B", label("done"))
}
