package avo

import "github.com/stridefuse/stridefuse/ir"

// batchTile writes the instructions of a tile of products of small matrices.
type batchTile struct {
	*batchWriter
	form          string
	rows, vectors int
}

func (t *batchTile) label() string { return t.form + "Rows" + itoa(t.rows) }

// batchRow returns the address of row 0 to 4 from an address on. three has three times the step.
func batchRow(from, step, three, row int) memory {
	switch row {
	case 0:
		return at(from, 0)
	case 3:
		return at(from, 0).indexed(three, 1)
	}
	return at(from, 0).indexed(step, row)
}

func (t *batchTile) rowA(row int) memory { return batchRow(cx, batchStepA, batchStepA3, row) }

func (t *batchTile) rowC(row int) memory { return batchRow(batchC, batchStepC, batchStepC3, row) }

// write writes the tile. One that ends behind the limit goes on as single rows, which are stored under the mask there.
func (t *batchTile) write() {
	t.here(t.label())
	if t.rows > 1 {
		one := batchTile{t.batchWriter, t.form, 1, t.vectors}
		t.do("LEAQ", mem(t.rowC(t.rows-1)), gp(ax))
		t.do("CMPQ", gp(ax), gp(batchLimit))
		t.do("JHI", label(one.label()))
	}
	t.do("MOVQ", gp(batchTop), gp(cx))
	t.do("MOVQ", gp(batchB), gp(dx))
	t.do("MOVQ", mem(stack(t.pairs)), gp(ax))
	for r := range t.rows * t.vectors {
		t.do("VXORPS", y(r), y(r), y(r))
	}
	t.sums()
	t.store()
	t.do("LEAQ", mem(batchRow(batchTop, batchStepA, batchStepA3, t.rows)), gp(batchTop))
	t.do("LEAQ", mem(t.rowC(t.rows)), gp(batchC))
	t.do("SUBQ", imm(int64(t.rows)), gp(batchRows))
	t.do("JGT", label(t.form+"Tiles"))
	if t.rows < batchRowsMost {
		t.do("JMP", label(t.form+"Next"))
	}
}

// sums writes the loop over pairs.
func (t *batchTile) sums() {
	t.here(t.label() + "Pair")
	last := t.vectors - 1
	for v := range last {
		t.do("VMOVUPS", mem(at(dx, vectorBytes(v))), y(batchRowB+v))
	}
	t.do(widthOf("VMASKMOV", t.d), mem(at(dx, vectorBytes(last))), y(batchMask), y(batchRowB+last))
	for row := range t.rows {
		t.do(batchAriths[t.d].broadcast, mem(t.rowA(row)), y(batchElement))
		for v := range t.vectors {
			t.multiply(batchRowB+v, batchElement, row*t.vectors+v)
		}
	}
	t.do("ADDQ", gp(batchStepB), gp(dx))
	t.do("ADDQ", gp(batchAcross), gp(cx))
	t.do("DECQ", gp(ax))
	t.do("JNE", label(t.label()+"Pair"))
}

// store stores the sums: whole vectors, but a single row behind the limit under the mask.
func (t *batchTile) store() {
	last := t.vectors - 1
	if t.rows == 1 {
		t.do("CMPQ", gp(batchC), gp(batchLimit))
		t.do("JLS", label(t.label()+"Whole"))
		for v := range last {
			t.do("VMOVUPS", y(v), mem(at(batchC, vectorBytes(v))))
		}
		t.do(widthOf("VMASKMOV", t.d), y(last), y(batchMask), mem(at(batchC, vectorBytes(last))))
		t.do("JMP", label(t.label()+"Stored"))
		t.here(t.label() + "Whole")
	}
	for row := range t.rows {
		for v := range t.vectors {
			t.do("VMOVUPS", y(row*t.vectors+v), mem(t.rowC(row).at(vectorBytes(v))))
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

// multiply adds the products of two vectors to a third one. It may overwrite the second one with b.
func (w *batchWriter) multiply(a, b, sum int) {
	arith := batchAriths[w.d]
	if arith.fused != "" {
		w.do(arith.fused, y(a), y(b), y(sum))
		return
	}
	w.do(arith.multiply, y(a), y(b), y(b))
	w.do(arith.add, y(b), y(sum), y(sum))
}
