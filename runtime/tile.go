package runtime

import (
	"fmt"
	"unsafe"
)

const (
	// tileBytes is the size of a register of a cover, and of a packed tile where
	// there are several: a handful of them stay in the first-level cache.
	tileBytes = 4 << 10
	// tileElements bounds the tile of a cover from the other side: of 1-byte
	// elements.
	tileElements = 1 << 10
	// packBytes is the size of a packed tile that a single kernel reads.
	packBytes = 16 << 10
	// transposedCols is how many columns a tile has that is read across: the
	// fewer, the more rows, which are contiguous in memory there.
	transposedCols = 32
)

// program computes a block in tiles: it packs operands into scratch, then calls
// kernels whose operands are the step's or registers in scratch.
type program struct {
	tileRows, tileCols int
	colsOuter          bool // tiles go down the rows first
	packs              []packing
	rowCalls           []kernelCall // values that are one element a row; when the rows change
	calls              []kernelCall // for each tile
	slots              []slot       // the step's operands, then registers and constants
	scratch            int          // bytes
}

// packing copies an operand's tile into scratch.
type packing struct {
	operand int
	fn      packFunc
	at      int // in scratch
}

// slot is a place that kernels read and write.
type slot struct {
	class slotClass
	at    int            // register: its place in scratch
	size  int            // register: bytes of an element
	step  int            // register of one element a row: bytes from row to row
	ptr   unsafe.Pointer // constant
}

// place is where a slot is in memory, for one lane and tile.
type place struct {
	ptr  unsafe.Pointer
	step int // bytes from row to row
}

type slotClass uint8

const (
	operandSlot  slotClass = iota // of the step; set for each tile
	tileSlot                      // register of a tile
	rowSlot                       // register of one element a row
	constantSlot                  // one element for all rows
)

// kernelCall calls a kernel on slots.
type kernelCall struct {
	fn   func(*Frame)
	args []kernelArg // the kernel's inputs, then its outputs
	once bool        // of rowCalls: the same for all rows
}

// kernelArg is an operand of a call.
type kernelArg struct {
	slot int
	size int // bytes of an element, 0 for a splat
}

// setTile chooses the tile, of at most limit elements: wide, but high where an
// operand is transposed.
func (p *program) setTile(s *step, limit int) {
	cols := limit
	for _, pk := range p.packs {
		if o := &s.operands[pk.operand]; o.transposed() {
			cols = min(limit, transposedCols)
		} else if o.rowStep == 0 {
			p.colsOuter = true
		}
	}
	p.tileCols = min(s.blockCols, cols)
	p.tileRows = min(s.blockRows, max(1, limit/p.tileCols))
	if cols < limit { // the rows may be few
		p.tileCols = min(s.blockCols, limit/p.tileRows)
	}
}

// reserve makes room for n bytes in scratch and returns where. Sizes are spread
// by a cache line more than they need, so that tiles do not all start in the
// same set of the cache.
func (p *program) reserve(n int) int {
	at := p.scratch
	p.scratch += (n+alignment-1)&^(alignment-1) + alignment
	return at
}

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
	if cap(ln.places) < len(p.slots) {
		ln.places = make([]place, len(p.slots))
	}
	ln.program, ln.width = p, -1
	ln.places = ln.places[:len(p.slots)]
	for i := range p.slots {
		switch v := &p.slots[i]; v.class {
		case tileSlot, rowSlot:
			ln.places[i] = place{unsafe.Pointer(&ln.scratch[v.at]), v.step}
		case constantSlot:
			ln.places[i] = place{v.ptr, 0}
		}
	}
	return nil
}

// run computes the lane's block.
func (p *program) run(ln *lane, s *step) {
	rows, cols := ln.block.Rows, ln.block.Cols
	lastR, lastC := -1, -1
	for r, c := 0, 0; ; {
		tileRows, tileCols := min(p.tileRows, rows-r), min(p.tileCols, cols-c)
		p.point(ln, s, r, c)
		p.pack(ln, s, tileRows, tileCols, c != lastC)
		if tileCols != ln.width {
			ln.setWidth(p, tileCols)
		}
		if r != lastR {
			for i := range p.rowCalls {
				k := &p.rowCalls[i]
				if k.once {
					k.run(ln, 1, 1)
				} else {
					k.run(ln, tileRows, 1)
				}
			}
		}
		for i := range p.calls {
			p.calls[i].run(ln, tileRows, tileCols)
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

// point sets the places of the step's operands to the tile at row r, column c.
func (p *program) point(ln *lane, s *step, r, c int) {
	for i := range s.operands {
		o, v := &s.operands[i], &ln.places[i]
		v.ptr = unsafe.Add(ln.block.Ptr[i], r*o.rowStep+c*o.colStep)
		if !o.packed {
			v.step = o.rowStep
		}
	}
}

// pack copies tiles into scratch; one that repeats over the rows only when the
// columns are new.
func (p *program) pack(ln *lane, s *step, rows, cols int, newCols bool) {
	for i := range p.packs {
		k := &p.packs[i]
		o, v := &s.operands[k.operand], &ln.places[k.operand]
		tile := unsafe.Pointer(&ln.scratch[k.at])
		switch {
		case o.rowStep != 0:
			k.fn(tile, v.ptr, rows, cols, o.rowStep, o.colStep)
			v.step = cols * o.size
		case newCols:
			k.fn(tile, v.ptr, 1, cols, 0, o.colStep)
			v.step = 0
		}
		v.ptr = tile
	}
}

// setWidth lays the registers out for tiles of that many columns, densely.
func (ln *lane) setWidth(p *program, cols int) {
	ln.width = cols
	for i := range p.slots {
		if v := &p.slots[i]; v.class == tileSlot {
			ln.places[i].step = cols * v.size
		}
	}
}

// run calls the kernel on a tile. Where all of its operands lie densely, the
// tile is one long row.
func (k *kernelCall) run(ln *lane, rows, cols int) {
	f, flat := &ln.call, true
	for i := range k.args {
		a := &k.args[i]
		v := &ln.places[a.slot]
		f.Ptr[i], f.Step[i] = v.ptr, v.step
		flat = flat && v.step == cols*a.size
	}
	if flat {
		rows, cols = 1, rows*cols
	}
	f.Rows, f.Cols = rows, cols
	call(k.fn, f)
}

// wholeProgram runs one kernel for a body, over operands that must be packed.
func wholeProgram(s *step, fn func(*Frame)) *program {
	p := &program{slots: make([]slot, len(s.operands))}
	widest := 1
	k := kernelCall{fn: fn}
	for i := range s.operands {
		o := &s.operands[i]
		arg := kernelArg{slot: i, size: o.size}
		if o.splat {
			arg.size = 0
		}
		k.args = append(k.args, arg)
		if o.packed {
			widest = max(widest, o.size)
			p.packs = append(p.packs, packing{operand: i, fn: packFor(o)})
		}
	}
	p.calls = []kernelCall{k}
	p.setTile(s, packBytes/widest)
	p.reservePacks(s)
	return p
}

// reservePacks gives packed tiles their places.
func (p *program) reservePacks(s *step) {
	for i := range p.packs {
		o := &s.operands[p.packs[i].operand]
		p.packs[i].at = p.reserve(p.tileRows * p.tileCols * o.size)
	}
}
