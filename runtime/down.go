package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

const (
	// downBytes is the width of a tile that is folded down: a lane's accumulators
	// stay in the first-level cache while rows stream past them in long stretches.
	downBytes = 16 << 10
	// leastWidth is how many columns a block has at least, if there are as many.
	leastWidth = 128
	// lanesBytes is how much the accumulators of all lanes have at most to stay
	// there together.
	lanesBytes = 16 << 10
	// fewRows is up to how many rows a call for 32 rows each is better than one
	// for each lane.
	fewRows = 2 * ir.FoldLanes
)

// down folds blocks of at most ir.FoldChunk rows, each column as ir.FoldRow says.
// The lanes are a tile of accumulators, a row each. The step's kernel takes rows
// into them; then kernels of the folding op halve the tile until one row is left.
type down struct {
	accs  []accumulator
	width int   // columns of a block
	flat  bool  // rows lie densely: 32 of them make one row, and the lanes too
	many  *many // the kernel for many rows, or nil

	repeats []repeated // of a flat step
}

// repeated is an input that is the same row each time. A row of 32 is made of it.
type repeated struct {
	operand int
	row     int // place in scratch
}

// accumulator is an output that is folded.
type accumulator struct {
	in, out  int // operands of the step
	by       ir.Op
	dtype    ir.DType
	fn       func(*abi.Frame) // folds lanes
	lanes    int              // place in scratch
	identity unsafe.Pointer   // of by: a row, of lanes in a flat step
}

// newDown finds the accumulators and chooses the width of a block, so that there
// are so many, if it is wide enough.
func newDown(s *step, in *plan.FlatStep, pieces int) *down {
	d := &down{}
	bytes := 0
	for o, value := range s.kernel.Out {
		if !in.Accumulates(len(in.Kernel.In) + o) {
			continue
		}
		a := accumulator{out: s.ins + o, by: s.kernel.Inst(value).Op, dtype: s.kernel.DType(value)}
		for s.operands[a.in].buffer != s.operands[a.out].buffer {
			a.in++
		}
		s.operands[a.in].accumulates, s.operands[a.out].accumulates = true, true
		bytes += a.dtype.Size()
		d.accs = append(d.accs, a)
	}
	last := len(in.Extents) - 1
	rows, cols := in.Extents[last-1], in.Extents[last]
	d.width = min(cols, downBytes/bytes)
	for d.width > leastWidth && s.elems/rows/d.width*ir.Chunks(rows) < pieces {
		d.width /= 2
	}
	d.flat = rows > 1 && d.width == cols
	for i := range s.operands {
		o := &s.operands[i]
		unit := !o.packed && !o.splat
		if unit && o.rowStep == 0 && !o.accumulates {
			d.repeats = append(d.repeats, repeated{operand: i})
			bytes += o.size
		}
		dense := unit && o.rowStep == cols*o.size || !o.packed && o.rowStep == 0
		d.flat = d.flat && (dense || o.accumulates)
	}
	if d.flat = d.flat && ir.FoldLanes*cols*bytes <= lanesBytes; !d.flat {
		d.repeats = nil
	}
	return d
}

// callCols returns how many columns a kernel is called with.
func (d *down) callCols() int {
	if d.flat {
		return ir.FoldLanes * d.width
	}
	return d.width
}

// link finds the kernels that fold lanes and lays out the scratch, which begins
// at the given place. It returns the end.
func (d *down) link(s *step, f finder, at int) (end int, err error) {
	for i := range d.accs {
		a := &d.accs[i]
		key := pieceKey{n: 1, ins: 2, insts: [maxPiece]pieceInst{{op: a.by, dtype: a.dtype, args: [3]int8{0, 1}}}}
		key.in[0].DType, key.in[1].DType = a.dtype, a.dtype
		if a.fn, _, err = f.find(partOf(key).sig); err != nil {
			return 0, err
		}
		size := a.dtype.Size()
		if a.identity, err = identities(a.by, a.dtype, d.callCols()); err != nil {
			return 0, err
		}
		a.lanes = at
		at += (ir.FoldLanes*d.width*size+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
	}
	for i := range d.repeats {
		r := &d.repeats[i]
		r.row = at
		at += (ir.FoldLanes*d.width*s.operands[r.operand].size+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
	}
	return at, nil
}

// identities returns n elements that change nothing.
func identities(by ir.Op, dt ir.DType, n int) (unsafe.Pointer, error) {
	size := dt.Size()
	row, err := memory.Allocate(n * size)
	if err != nil {
		return nil, err
	}
	bits, _ := by.Info().Identity(dt)
	memory.StoreBits(dt, unsafe.Pointer(&row[0]), bits)
	for done := size; done < len(row); done *= 2 {
		copy(row[done:], row[:done])
	}
	return unsafe.Pointer(&row[0]), nil
}

// run folds the lane's block.
func (d *down) run(ln *lane, s *step) {
	rows, cols := ln.block.Rows, ln.block.Cols
	lanes := min(rows, ir.FoldLanes)
	if len(d.repeats) > 0 {
		block := ln.block.Ptr
		defer func() { ln.block.Ptr = block }()
		d.repeat(ln, s, lanes)
	}
	first := d.begin(ln, s, rows, cols)
	if first < rows {
		switch {
		case d.flat:
			d.takeFlat(ln, s, first, rows, cols)
		case rows-first <= fewRows || d.many != nil && rows-first <= manyRows*fewRows:
			d.takeRows(ln, s, first, rows, cols)
		default:
			d.takeLanes(ln, s, first, rows, cols)
		}
	}
	if lanes > 1 {
		d.join(ln, lanes, cols)
	}
}

// repeat makes long rows of the inputs that repeat, and points the block to them.
func (d *down) repeat(ln *lane, s *step, lanes int) {
	for _, r := range d.repeats {
		row := ln.block.Cols * s.operands[r.operand].size
		to := ln.scratch[r.row:]
		copy(to[:row], unsafe.Slice((*byte)(ln.block.Ptr[r.operand]), row))
		repeat(to, row, lanes)
		ln.block.Ptr[r.operand] = unsafe.Pointer(&to[0])
	}
}

// begin gives each lane its first row, or many, combined with the identity, and
// returns how many rows those are. One lane alone is the result.
func (d *down) begin(ln *lane, s *step, rows, cols int) int {
	f := d.frame(ln, s, 1, 1)
	lanes := min(rows, ir.FoldLanes)
	for i := range d.accs {
		a := &d.accs[i]
		f.Ptr[a.in], f.Step[a.in] = a.identity, 0
		if lanes == 1 {
			f.Ptr[a.out] = ln.block.Ptr[a.out]
		}
	}
	high, wide := lanes, cols
	if d.flat {
		high, wide = 1, lanes*cols
	}
	if d.many != nil && rows >= manyRows*ir.FoldLanes {
		d.many.call(ln, s, 0, 1, high, wide)
		return manyRows * ir.FoldLanes
	}
	d.call(ln, s, 0, high, wide)
	return lanes
}

// takeFlat takes rows from the given one on into the lanes, 32 at a time.
func (d *down) takeFlat(ln *lane, s *step, row, rows, cols int) {
	d.frame(ln, s, ir.FoldLanes, 0)
	row = d.take(ln, s, row, (rows-row)/ir.FoldLanes, ir.FoldLanes*cols)
	if n := rows - row; n > 0 {
		d.call(ln, s, row, 1, n*cols)
	}
}

// takeRows takes rows into the lanes one by one.
func (d *down) takeRows(ln *lane, s *step, row, rows, cols int) {
	d.frame(ln, s, 1, 1)
	for ; d.many != nil && rows-row >= manyRows*ir.FoldLanes; row += manyRows * ir.FoldLanes {
		d.many.call(ln, s, row, 1, ir.FoldLanes, cols)
	}
	for ; row < rows; row += ir.FoldLanes {
		d.call(ln, s, row, min(ir.FoldLanes, rows-row), cols)
	}
}

// takeLanes takes rows into one lane after the other.
func (d *down) takeLanes(ln *lane, s *step, row, rows, cols int) {
	f := d.frame(ln, s, ir.FoldLanes, 0)
	for b := range ir.FoldLanes {
		d.take(ln, s, row+b, (rows-row-b+ir.FoldLanes-1)/ir.FoldLanes, cols)
		for i := range d.accs {
			a := &d.accs[i]
			next := unsafe.Add(f.Ptr[a.in], cols*a.dtype.Size())
			f.Ptr[a.in], f.Ptr[a.out] = next, next
		}
	}
}

// take takes n rows, each 32 behind the one before, and returns the next.
func (d *down) take(ln *lane, s *step, row, n, cols int) int {
	if d.many != nil && n >= manyRows {
		d.many.call(ln, s, row, manyRows*ir.FoldLanes, n/manyRows, cols)
		row += n / manyRows * manyRows * ir.FoldLanes
		n %= manyRows
	}
	if n > 0 {
		d.call(ln, s, row, n, cols)
	}
	return row + n*ir.FoldLanes
}

// frame readies the lane's frame for calls whose rows are by rows of the block
// apart, and byLanes lanes.
func (d *down) frame(ln *lane, s *step, by, byLanes int) *abi.Frame {
	f := &ln.inner
	for i := range s.operands {
		f.Step[i] = by * s.operands[i].rowStep
	}
	for i := range d.accs {
		a := &d.accs[i]
		lanes := unsafe.Pointer(&ln.scratch[a.lanes])
		step := byLanes * ln.block.Cols * a.dtype.Size()
		f.Ptr[a.in], f.Ptr[a.out] = lanes, lanes
		f.Step[a.in], f.Step[a.out] = step, step
	}
	if s.program != nil {
		ln.benches[s.bench].width = -1 // the steps have changed
	}
	return f
}

// call takes rows of the block, from the given one on, into lanes.
func (d *down) call(ln *lane, s *step, row, rows, cols int) {
	f := &ln.inner
	for i := range s.operands {
		if o := &s.operands[i]; !o.accumulates {
			f.Ptr[i] = unsafe.Add(ln.block.Ptr[i], row*o.rowStep)
		}
	}
	f.Rows, f.Cols = rows, cols
	s.call(ln, f)
}

// join folds the lanes: the upper half into the lower until one is left, which
// goes to the output.
func (d *down) join(ln *lane, lanes, cols int) {
	f := &ln.inner
	f.Rows = 1
	f.Step[0], f.Step[1], f.Step[2] = 0, 0, 0
	for i := range d.accs {
		a := &d.accs[i]
		first := unsafe.Pointer(&ln.scratch[a.lanes])
		left := lanes
		for half := ir.FoldLanes / 2; half > 0; half /= 2 {
			if left <= half {
				continue
			}
			f.Ptr[0], f.Ptr[1], f.Ptr[2] = first, unsafe.Add(first, half*cols*a.dtype.Size()), first
			if half == 1 {
				f.Ptr[2] = ln.block.Ptr[a.out]
			}
			f.Cols = (left - half) * cols
			call(a.fn, f)
			left = half
		}
	}
}
