package arm64

import "github.com/stridefuse/stridefuse/ir/kernel"

// dotTile writes the code of a tile with a number of rows.
type dotTile struct {
	*dotWriter
	dotForm
	rows int
	name string // of its labels
}

// sum returns the register of a vector of a row's sums, or of part of them.
func (t *dotTile) sum(row, vector, part int) int {
	return (row*t.dotForm.vectors+vector)*t.parts + part
}

func (t *dotTile) write() {
	t.here(t.name)
	t.pointers()
	for s := range t.sum(t.rows, 0, 0) {
		t.do("MOVI.2D", v(s), imm(0))
	}
	t.do("MOV", x(dotB), x(dotPanel))
	t.do("MOV", x(dotAt), x(zr))
	pairs := kernel.DotPairs
	if t.micro.Kind == kernel.DotBatch {
		pairs = kernel.DotBatchPairs
	}
	t.read(dotCount, t.field(pairs))
	if t.windows() {
		t.startWindows()
	}
	t.do(OpAlign, imm(16))
	t.here(t.name + "Pair")
	t.pair()
	if t.windows() {
		t.nextTap()
	} else {
		t.do("ADD", x(dotAt), x(dotAt), x(dotAcross))
		t.do("ADD", x(dotB), x(dotB), x(dotStepB))
		t.do("SUBS", x(dotCount), x(dotCount), imm(1))
		t.do("BNE", label(t.name+"Pair"))
	}
	t.total()
	t.do("SUB", x(dotRows), x(dotRows), imm(t.rows))
	t.do("B", label(t.dotForm.name+"Tiles"))
}

// pointers sets the pointers to the tile's rows of A, and advances dotTop.
func (t *dotTile) pointers() {
	if t.micro.Kind == kernel.DotLeftWindows {
		t.windowPointers()
		return
	}
	t.do("MOV", x(dotRow), x(dotTop))
	t.apart(dotStepA, dotTop)
}

// apart sets the pointers to all rows but the first, and the pointer to the row behind them.
func (t *dotTile) apart(step, behind int) {
	for row := 1; row < t.rows; row++ {
		t.do("ADD", x(dotRow+row), x(dotRow+row-1), x(step))
	}
	t.do("ADD", x(behind), x(dotRow+t.rows-1), x(step))
}

// pair adds the products of a pair. Elements of A are loaded four rows ahead.
func (t *dotTile) pair() {
	t.loadOfB()
	if t.prepare != nil {
		t.prepare(t)
	}
	const ahead = 4
	for row := range t.rows + ahead {
		if row >= ahead {
			t.multiply(t, row-ahead, dotOfA+(row-ahead)%ahead)
		}
		if row < t.rows {
			t.do("LDR."+t.scalar, v(dotOfA+row%ahead), mem(indexed(dotRow+row, dotAt, 0)))
		}
	}
}

// total stores the sums, or adds them to the elements that are stored.
func (t *dotTile) total() {
	for s := 0; t.finish != nil && s < t.sum(t.rows, 0, 0); s += t.parts {
		t.finish(t, s)
	}
	t.do("MOV", x(dotRow), x(dotC))
	t.apart(dotStepC, dotC)
	if t.micro.Kind != kernel.DotBatch {
		t.read(dotScratch, t.field(kernel.DotAdds))
		t.do("CBZ", x(dotScratch), label(t.name+"Store"))
		for row := range t.rows {
			t.load(dotRowOfB, dotRow+row)
			for i := range t.dotForm.vectors {
				t.do(t.add, v(t.sum(row, i, 0)), v(dotRowOfB+i), v(t.sum(row, i, 0)))
			}
		}
		t.here(t.name + "Store")
	}
	for row := range t.rows {
		t.store(row)
	}
}

// loadOfB loads a row of B. Rows of bytes are whole, so that the last elements are loaded as a vector too.
func (t *dotTile) loadOfB() {
	if !t.ofBytes() {
		t.load(dotRowOfB, dotB)
		return
	}
	for i := range t.dotForm.vectors {
		t.do("LDR.D", v(dotRowOfB+i), mem(at(dotB, 8*i)))
		t.do("SXTL.8H", v(dotRowOfB+i), v(dotRowOfB+i))
	}
}

// load loads a row of the panel into registers from the given one on.
func (t *dotTile) load(to, from int) {
	switch {
	case t.some > 0:
		t.loadSome(to, from, t.some, t.d.Size(), dotScratch)
	case t.dotForm.vectors == 1:
		t.do("LDR.Q", v(to), mem(at(from, 0)))
	default:
		for i := 0; i < t.dotForm.vectors; i += 2 {
			t.do("LDP.Q", v(to+i), v(to+i+1), mem(at(from, 16*i)))
		}
	}
}

// store stores the sums of a row.
func (t *dotTile) store(row int) {
	sum := func(i int) Arg { return v(t.sum(row, i, 0)) }
	switch to := dotRow + row; {
	case t.some > 0:
		t.storeSome(t.sum(row, 0, 0), to, t.some, t.d.Size(), dotScratch)
	case t.dotForm.vectors == 1:
		t.do("STR.Q", sum(0), mem(at(to, 0)))
	default:
		for i := 0; i < t.dotForm.vectors; i += 2 {
			t.do("STP.Q", sum(i), sum(i+1), mem(at(to, 16*i)))
		}
	}
}
