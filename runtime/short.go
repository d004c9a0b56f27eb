package runtime

// narrowCols is below how many columns a tile is packed column by column: the
// loop along a row would hardly start.
const narrowCols = 8

// joinRows makes one long row of many short ones, see ir.Step.ShortRows: packs
// what does not lie densely, so that every tile of the step is dense.
func (s *step) joinRows(cols int) {
	for i := range s.operands {
		if o := &s.operands[i]; o.splat && o.rowStep != 0 {
			return
		}
	}
	for i := range s.operands {
		o := &s.operands[i]
		o.repeated = o.rowStep == 0 && !o.splat
		o.packed = o.packed || !o.splat && o.rowStep != cols*o.size
		o.narrow = cols < narrowCols
	}
}

// repeat copies the first row of a tile to all others.
func repeat(tile []byte, row, rows int) {
	for done := row; done < row*rows; done *= 2 {
		copy(tile[done:row*rows], tile[:done])
	}
}
