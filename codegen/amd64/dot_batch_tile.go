package amd64

import "github.com/stridefuse/stridefuse/ir"

// batchTile writes the instructions of a tile of products of small matrices.
type batchTile struct {
	*batchWriter
	form          string
	rows, vectors int
}

func (t *batchTile) label() string { return t.form + "Rows" + itoa(t.rows) }

// batchSteps names two registers: the bytes from one row of a matrix to the next, and three times that.
type batchSteps struct{ one, three int }

var stepsA, stepsC = batchSteps{batchStepA, batchStepA3}, batchSteps{batchStepC, batchStepC3}

// row returns the address of row 0 to 4, or row 8, counted from the address in register from.
func (s batchSteps) row(from, row int) Memory {
	switch row {
	case 0:
		return at(from, 0)
	case 3:
		return at(from, 0).indexed(s.three, 1)
	}
	return at(from, 0).indexed(s.one, row)
}

// write writes the tile. A tile that ends behind the limit is computed as single rows, which are stored under the mask.
func (t *batchTile) write() {
	t.here(t.label(), "a tile of "+counted(t.rows, "row"))
	if t.rows > 1 {
		one := batchTile{t.batchWriter, t.form, 1, t.vectors}
		t.do("LEAQ", mem(stepsC.row(batchC, (t.rows-1)%batchRowsMost)), gp(ax))
		if t.tall() {
			t.do("LEAQ", mem(stepsC.row(ax, batchRowsMost)), gp(ax))
		}
		t.do("CMPQ", gp(ax), gp(batchLimit))
		t.do("JHI", label(one.label()))
	}
	if t.tall() {
		t.do("MOVQ", gp(batchRows), mem(stack(t.held)))
		t.do("LEAQ", mem(stepsA.row(batchTop, batchRowsMost)), gp(batchRows))
	}
	t.do("MOVQ", gp(batchTop), gp(cx))
	t.do("MOVQ", gp(batchB), gp(dx))
	t.do("MOVQ", mem(stack(t.pairs)), gp(ax))
	for r := range t.rows * t.vectors {
		t.do("VXORPS", y(r), y(r), y(r))
	}
	t.sums()
	t.store()
	t.do("LEAQ", mem(stepsA.row(batchTop, t.rows)), gp(batchTop))
	t.do("LEAQ", mem(stepsC.row(batchC, t.rows)), gp(batchC))
	if t.tall() {
		t.do("MOVQ", mem(stack(t.held)), gp(batchRows))
	}
	t.do("SUBQ", imm(int64(t.rows)), gp(batchRows))
	t.do("JGT", label(t.form+"Tiles"))
	t.do("JMP", label(t.form+"Next"))
}

// tall reports whether the tile has twice the rows of others. Its second half is addressed by batchRows during the multiplication.
func (t *batchTile) tall() bool { return t.rows == batchTall }

// sums writes the loop over pairs.
func (t *batchTile) sums() {
	t.here(t.label()+"Pair", "each pair")
	last := t.vectors - 1
	for v := range last {
		t.do("VMOVUPS", mem(at(dx, vectorBytes(v))), y(batchRowB+v))
	}
	t.do(widthOf("VMASKMOV", t.d), mem(at(dx, vectorBytes(last))), y(batchMask), y(batchRowB+last))
	for row := range t.rows {
		from := []int{cx, batchRows}[row/batchRowsMost]
		t.do(batchAriths[t.d].broadcast, mem(stepsA.row(from, row%batchRowsMost)), y(batchElement))
		for v := range t.vectors {
			t.multiply(batchRowB+v, batchElement, row*t.vectors+v)
		}
	}
	t.do("ADDQ", gp(batchStepB), gp(dx))
	t.do("ADDQ", gp(batchAcross), gp(cx))
	if t.tall() {
		t.do("ADDQ", gp(batchAcross), gp(batchRows))
	}
	t.do("DECQ", gp(ax))
	t.do("JNE", label(t.label()+"Pair"))
}

// store stores the sums as whole vectors, or under the mask for a single row behind the limit.
func (t *batchTile) store() {
	if t.rows == 1 {
		last := t.vectors - 1
		t.do("CMPQ", gp(batchC), gp(batchLimit))
		t.do("JLS", label(t.label()+"Whole"))
		for v := range last {
			t.do("VMOVUPS", y(v), mem(at(batchC, vectorBytes(v))))
		}
		t.do(widthOf("VMASKMOV", t.d), y(last), y(batchMask), mem(at(batchC, vectorBytes(last))))
		t.do("JMP", label(t.label()+"Stored"))
		t.here(t.label()+"Whole", "rows stored without a mask")
	}
	if t.tall() {
		t.do("LEAQ", mem(stepsC.row(batchC, batchRowsMost)), gp(cx))
	}
	for row := range t.rows {
		to := []int{batchC, cx}[row/batchRowsMost]
		for v := range t.vectors {
			t.do("VMOVUPS", y(row*t.vectors+v), mem(stepsC.row(to, row%batchRowsMost).at(vectorBytes(v))))
		}
	}
	if t.rows == 1 {
		t.here(t.label() + "Stored")
	}
}

// batchAriths says how each type is multiplied.
var batchAriths = map[ir.DType]struct{ broadcast, fused, multiply, add string }{
	ir.Float32: {broadcast: "VBROADCASTSS", fused: "VFMADD231PS"},
	ir.Float64: {broadcast: "VBROADCASTSD", fused: "VFMADD231PD"},
	ir.Int32:   {broadcast: "VPBROADCASTD", multiply: "VPMULLD", add: "VPADDD"},
}

// multiply adds the products of two vectors to a third one. It may overwrite the second one.
func (w *batchWriter) multiply(a, b, sum int) {
	arith := batchAriths[w.d]
	if arith.fused != "" {
		w.do(arith.fused, y(a), y(b), y(sum))
		return
	}
	w.do(arith.multiply, y(a), y(b), y(b))
	w.do(arith.add, y(b), y(sum), y(sum))
}
