package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

const (
	// tileBytes is the size of a register of a cover. The registers and operands
	// of a few instructions then share the first-level cache; sizes from 4 to 8
	// KiB differ by a twentieth.
	tileBytes = 6 << 10
	// packBytes is the size of a packed tile that a single kernel reads.
	packBytes = 16 << 10
	// transposedCols is how many columns a tile has that is read across: the
	// fewer, the more rows, which are contiguous in memory there.
	transposedCols = 32
	// transposedRows is how many rows one has at least whose columns must be all.
	transposedRows = 16
)

// program computes a block in tiles: it packs operands into scratch, then calls
// kernels whose operands are the step's or registers in scratch.
type program struct {
	tileRows, tileCols int
	colsOuter          bool // tiles go down the rows first
	packs              []packing
	calls              []kernelCall // the first rowCalls when the rows change, the others for each tile
	rowCalls           int
	patches            []patch
	slots              []slot // the step's operands, then registers and constants
	scratch            int    // bytes
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
	size  int            // bytes of an element of a register
	step  int            // rowSlot: bytes from row to row
	ptr   unsafe.Pointer // constant
}

type slotClass uint8

const (
	operandSlot  slotClass = iota // of the step
	tileSlot                      // dense: a register of a tile, or a packed operand
	rowSlot                       // a register of one element a row
	constantSlot                  // one element for all rows
)

// kernelCall calls a kernel on slots.
type kernelCall struct {
	fn   func(*abi.Frame)
	args []kernelArg // the kernel's inputs, then its outputs
	once bool        // of rowCalls: the same for all rows
	fold bool        // one element a row is written
	wide int         // columns of the kernel for each of the tile, if not one: bytes
}

// kernelArg is an operand of a call.
type kernelArg struct {
	slot int
	size int // bytes of an element, 0 for a splat
}

// patch says which argument of a call is one of the step's operands. Those move
// from tile to tile; the registers stay.
type patch struct {
	call, arg, operand int
}

// laneCall is a kernelCall with its frame.
type laneCall struct {
	frame abi.Frame
	flat  bool // all operands lie densely: the rows make one
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
	mostRows, mostCols := s.callSize()
	if s.kernel.Fold != nil { // whole rows
		rows := max(1, limit/mostCols)
		if cols < limit {
			rows = max(rows, transposedRows)
		}
		p.tileRows, p.tileCols = min(mostRows, rows), mostCols
		return
	}
	p.tileCols = min(mostCols, cols)
	p.tileRows = min(mostRows, max(1, limit/p.tileCols))
	if cols < limit { // the rows may be few
		p.tileCols = min(mostCols, limit/p.tileRows)
	}
}

// reserve makes room for n bytes in scratch and returns where. Sizes are spread
// by a cache line more than they need, so that tiles do not all start in the
// same set of the cache.
func (p *program) reserve(n int) int {
	at := p.scratch
	p.scratch += (n+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
	return at
}

// reservePacks gives packed tiles their places. Their slots become dense.
func (p *program) reservePacks(s *step) {
	for i := range p.packs {
		k := p.packs[i].operand
		o := &s.operands[k]
		p.packs[i].at = p.reserve(p.tileRows * p.tileCols * o.size)
		p.slots[k] = slot{class: tileSlot, at: p.packs[i].at, size: o.size}
		if o.rowStep == 0 && !o.repeated { // one row for all
			p.slots[k].class = rowSlot
		}
	}
}

// addPatches notes the arguments that move from tile to tile.
func (p *program) addPatches() {
	for k := range p.calls {
		for i, a := range p.calls[k].args {
			if p.slots[a.slot].class == operandSlot {
				p.patches = append(p.patches, patch{k, i, a.slot})
			}
		}
	}
}

// wholeProgram runs one kernel for a body, over operands that must be packed.
func wholeProgram(s *step, fn func(*abi.Frame), f finder) (*program, error) {
	p := &program{}
	widest, repeated := 1, 0
	k := kernelCall{fn: fn, fold: s.kernel.Fold != nil}
	for i := range s.operands {
		o := &s.operands[i]
		arg := kernelArg{slot: i, size: o.size}
		if o.splat {
			arg.size = 0
		}
		k.args = append(k.args, arg)
		p.slots = append(p.slots, slot{})
		if o.packed || o.streamed {
			widest = max(widest, o.size)
			if o.repeated { // stays in the cache while others stream past
				repeated += o.size
			}
		}
		if o.packed {
			pack, err := packFor(o, f)
			if err != nil {
				return nil, err
			}
			p.packs = append(p.packs, packing{operand: i, fn: pack})
		}
	}
	bytes := packBytes
	if s.stream != nil {
		bytes = streamBytes
	}
	p.calls = []kernelCall{k}
	p.setTile(s, bytes/max(widest, repeated))
	p.reservePacks(s)
	p.addStreams(s)
	p.addPatches()
	return p, nil
}
