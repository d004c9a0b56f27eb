package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// bench is a program laid out in a lane's scratch, where it stays until the lane
// runs another in its place.
type bench struct {
	program *program
	calls   []laneCall
	width   int // columns of the tile that the calls are for
}

// prepare points a program's registers into scratch.
func (b *bench) prepare(p *program, scratch []byte) {
	if b.program == p {
		return
	}
	if cap(b.calls) < len(p.calls) {
		b.calls = make([]laneCall, len(p.calls))
	}
	b.program, b.width = p, -1
	b.calls = b.calls[:len(p.calls)]
	for k := range p.calls {
		f := &b.calls[k].frame
		for i, a := range p.calls[k].args {
			switch v := &p.slots[a.slot]; v.class {
			case tileSlot, rowSlot:
				f.Ptr[i] = unsafe.Pointer(&scratch[v.at])
			case constantSlot:
				f.Ptr[i] = v.ptr
			}
		}
	}
}

// setWidth lays the registers out for tiles of that many columns, densely. The
// rows of the step's operands are as far apart as those of the block.
func (b *bench) setWidth(block *abi.Frame, cols int) {
	b.width = cols
	p := b.program
	for k := range p.calls {
		c := &b.calls[k]
		c.flat = !p.calls[k].fold
		for i, a := range p.calls[k].args {
			v := &p.slots[a.slot]
			step := v.step
			switch v.class {
			case tileSlot:
				step = cols * v.size
			case operandSlot:
				step = block.Step[a.slot]
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

// run computes a block of the step.
func (b *bench) run(ln *lane, s *step, block *abi.Frame) {
	p, rows, cols := b.program, block.Rows, block.Cols
	lastR, lastC := -1, -1
	for r, c := 0, 0; ; {
		tileRows, tileCols := min(p.tileRows, rows-r), min(p.tileCols, cols-c)
		if tileCols != b.width {
			b.setWidth(block, tileCols)
		}
		p.pack(ln, s, block, r, c, tileRows, tileCols, c != lastC)
		b.point(s, block, r, c)
		if r != lastR {
			for k := range p.rowCalls {
				n := tileRows
				if p.calls[k].once {
					n = 1
				}
				b.calls[k].run(p.calls[k].fn, n, 1)
			}
		}
		for k := p.rowCalls; k < len(p.calls); k++ {
			b.calls[k].run(p.calls[k].fn, tileRows, tileCols*max(1, p.calls[k].wide))
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
func (p *program) pack(ln *lane, s *step, block *abi.Frame, r, c, rows, cols int, newCols bool) {
	for i := range p.packs {
		k := &p.packs[i]
		o, step := &s.operands[k.operand], block.Step[k.operand]
		from := unsafe.Add(block.Ptr[k.operand], r*step+c*o.colStep)
		if o.rowStep != 0 {
			k.fn(&ln.many, unsafe.Pointer(&ln.scratch[k.at]), from, rows, cols, step, o.colStep)
		} else if newCols {
			k.fn(&ln.many, unsafe.Pointer(&ln.scratch[k.at]), from, 1, cols, 0, o.colStep)
			if o.repeated {
				repeat(ln.scratch[k.at:], cols*o.size, rows)
			}
		}
	}
}

// point gives the calls their addresses within the step's operands.
func (b *bench) point(s *step, block *abi.Frame, r, c int) {
	for i := range b.program.patches {
		at := &b.program.patches[i]
		o := &s.operands[at.operand]
		b.calls[at.call].frame.Ptr[at.arg] = unsafe.Add(block.Ptr[at.operand], r*block.Step[at.operand]+c*o.colStep)
	}
}

// forget drops the pointers that are not into scratch.
func (b *bench) forget() {
	if b.program == nil {
		return
	}
	for _, at := range b.program.patches {
		b.calls[at.call].frame.Ptr[at.arg] = nil
	}
}

// run calls the kernel on a tile.
func (c *laneCall) run(fn func(*abi.Frame), rows, cols int) {
	if c.flat {
		rows, cols = 1, rows*cols
	}
	c.frame.Rows, c.frame.Cols = rows, cols
	call(fn, &c.frame)
}
