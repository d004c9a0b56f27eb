package amd64

// The loop over the panels of a product's columns. A panel is as wide as a cache line, and all tiles of rows multiply one panel
// before the next. A call of a form with rows of two cache lines has one panel.

// beginPanels begins the loop over panels of columns. dotB has the address of the first row of B.
func (w *dotWriter) beginPanels() {
	w.do("MOVQ", gp(dotB), mem(stack(w.first)))
	w.do("MOVQ", gp(dotC), mem(stack(w.out)))
	w.do("MOVQ", gp(dotMask), mem(stack(w.rest)))
	w.here("panel", "each panel of columns")
}

// nextPanel goes on with the next panel of columns, if there is one.
func (w *dotWriter) nextPanel() {
	w.do("MOVQ", mem(stack(w.rest)), gp(dotMask))
	w.do("SUBQ", imm(int64(dotBytes/w.d.Size())), gp(dotMask))
	w.do("JLE", label("end"))
	w.do("MOVQ", gp(dotMask), mem(stack(w.rest)))
	w.do("MOVQ", mem(stack(w.first)), gp(dotB))
	w.do("ADDQ", imm(int64(w.bytesOfB())), gp(dotB))
	w.do("MOVQ", gp(dotB), mem(stack(w.first)))
	w.do("MOVQ", mem(stack(w.out)), gp(dotC))
	w.do("ADDQ", imm(dotBytes), gp(dotC))
	w.do("MOVQ", gp(dotC), mem(stack(w.out)))
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, framePtr)), gp(dotTop))
	w.do("MOVQ", mem(at(dotCount, frameRows)), gp(dotRows))
	w.do("JMP", label("panel"))
	w.here("end", "all panels are done")
}
