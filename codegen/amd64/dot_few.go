package amd64

import "github.com/stridefuse/stridefuse/ir/kernel"

// Tiles of one or two rows times a whole panel of bytes, for vectors of 32 bytes. A row of the panel is a cache line, which
// is 64 bytes of the product twice. A tile of one cache line of the product, as many rows use, would read each line of the
// panel two times, from two distant iterations. Here a vector is loaded, extended, and multiplied by the elements of all
// rows at once, so the sums of four vectors, the elements of A and one vector of B fit the registers. Two rows of 768
// elements times 3,072 columns take 0.8 of the time (Zen 3, third-level cache).

// fewRows is the greatest number of rows of these tiles.
const fewRows = 2

// fewForm returns the form of these tiles, or no form if the product has none.
func (w *dotWriter) fewForm() (f dotForm, ok bool) {
	vectors := kernel.DotBytesWidth / w.lanes
	return dotForm{name: "few", vectors: vectors, few: true}, w.ofBytes() && vectors == 2*dotBytes/w.width && w.width == 32
}

// fewTiles writes the tiles. The code before it jumps to the label if the rows are few and the columns are a panel.
func (w *dotWriter) fewTiles(f dotForm) {
	w.here(f.name+"Tiles", "few rows and a whole panel")
	tile := func(rows int) *dotTile { return &dotTile{w, f, rows, f.name + itoa(rows), 1, false} }
	w.do("CMPQ", gp(dotRows), imm(1))
	w.do("JEQ", label(tile(1).name))
	for rows := fewRows; rows > 0; rows-- {
		tile(rows).write()
	}
}

// fewProducts adds the products of the present column of A and the row of the panel.
func (t *dotTile) fewProducts(from Memory) {
	b := t.rowOfB
	ofA := func(row int) Arg { return t.vec(b + 1 + row) }
	for row := range t.rows {
		t.do("VPBROADCASTD", mem(t.element(row)), ofA(row))
	}
	for v := range t.vectors {
		t.do("VPMOVSXBW", mem(from.at(t.width/2*v)), t.vec(b))
		for row := range t.rows {
			t.do("VPMADDWD", t.vec(b), ofA(row), t.vec(t.scratch))
			t.do("VPADDD", t.vec(t.scratch), t.vec(t.sum(row, v, 0)), t.vec(t.sum(row, v, 0)))
		}
	}
}
