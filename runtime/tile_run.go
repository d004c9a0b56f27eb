package runtime

import (
	"fmt"
	"unsafe"
)

// prepare points a lane's registers into its scratch. They stay there until the
// lane runs another program.
func (ln *lane) prepare(p *program) error {
	if ln.program == p {
		return nil
	}
	if len(ln.scratch) < p.scratch {
		scratch, err := allocate(p.scratch)
		if err != nil {
			return fmt.Errorf("run: scratch: %w", err)
		}
		ln.scratch = scratch
	}
	if cap(ln.calls) < len(p.calls) {
		ln.calls = make([]laneCall, len(p.calls))
	}
	ln.program, ln.width = p, -1
	ln.calls = ln.calls[:len(p.calls)]
	for k := range p.calls {
		f := &ln.calls[k].frame
		for i, a := range p.calls[k].args {
			switch v := &p.slots[a.slot]; v.class {
			case tileSlot, rowSlot:
				f.Ptr[i] = unsafe.Pointer(&ln.scratch[v.at])
			case constantSlot:
				f.Ptr[i] = v.ptr
			}
		}
	}
	return nil
}

// setWidth lays the registers out for tiles of that many columns, densely.
func (ln *lane) setWidth(p *program, cols int) {
	ln.width = cols
	for k := range p.calls {
		c := &ln.calls[k]
		c.flat = true
		for i, a := range p.calls[k].args {
			v := &p.slots[a.slot]
			step := v.step
			if v.class == tileSlot {
				step = cols * v.size
			}
			c.frame.Step[i] = step
			width := cols
			if k < p.rowCalls {
				width = 1
			}
			c.flat = c.flat && step == width*a.size
		}
	}
}

// run computes the lane's block.
func (p *program) run(ln *lane, s *step) {
	rows, cols := ln.block.Rows, ln.block.Cols
	lastR, lastC := -1, -1
	for r, c := 0, 0; ; {
		tileRows, tileCols := min(p.tileRows, rows-r), min(p.tileCols, cols-c)
		if tileCols != ln.width {
			ln.setWidth(p, tileCols)
		}
		p.pack(ln, s, r, c, tileRows, tileCols, c != lastC)
		p.point(ln, s, r, c)
		if r != lastR {
			for k := range p.rowCalls {
				n := tileRows
				if p.calls[k].once {
					n = 1
				}
				ln.calls[k].run(p.calls[k].fn, n, 1)
			}
		}
		for k := p.rowCalls; k < len(p.calls); k++ {
			ln.calls[k].run(p.calls[k].fn, tileRows, tileCols)
		}
		lastR, lastC = r, c
		if r, c = p.advance(r, c, rows, cols); r >= rows || c >= cols {
			return
		}
	}
}

// advance returns where the next tile is, outside the block after the last.
func (p *program) advance(r, c, rows, cols int) (int, int) {
	if p.colsOuter {
		if r += p.tileRows; r >= rows {
			return 0, c + p.tileCols
		}
		return r, c
	}
	if c += p.tileCols; c >= cols {
		return r + p.tileRows, 0
	}
	return r, c
}

// pack copies the packed operands of the tile at row r, column c into scratch;
// one that repeats over the rows only when the columns are new.
func (p *program) pack(ln *lane, s *step, r, c, rows, cols int, newCols bool) {
	for i := range p.packs {
		k := &p.packs[i]
		o := &s.operands[k.operand]
		from := unsafe.Add(ln.block.Ptr[k.operand], r*o.rowStep+c*o.colStep)
		if o.rowStep != 0 {
			k.fn(unsafe.Pointer(&ln.scratch[k.at]), from, rows, cols, o.rowStep, o.colStep)
		} else if newCols {
			k.fn(unsafe.Pointer(&ln.scratch[k.at]), from, 1, cols, 0, o.colStep)
		}
	}
}

// point gives the calls their addresses within the step's operands.
func (p *program) point(ln *lane, s *step, r, c int) {
	for i := range p.patches {
		at := &p.patches[i]
		o := &s.operands[at.operand]
		ln.calls[at.call].frame.Ptr[at.arg] = unsafe.Add(ln.block.Ptr[at.operand], r*o.rowStep+c*o.colStep)
	}
}

// run calls the kernel on a tile.
func (c *laneCall) run(fn func(*Frame), rows, cols int) {
	if c.flat {
		rows, cols = 1, rows*cols
	}
	c.frame.Rows, c.frame.Cols = rows, cols
	call(fn, &c.frame)
}

// forget drops the pointers that are not into scratch, so that an idle lane
// keeps no tensor alive.
func (ln *lane) forget(s *step) {
	clear(ln.block.Ptr[:len(s.operands)])
	if p := s.program; p != nil && ln.program == p {
		for _, at := range p.patches {
			ln.calls[at.call].frame.Ptr[at.arg] = nil
		}
	}
}
