package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

const (
	// scanRows is how many lines are scanned side by side: a kernel takes eight of
	// four bytes in a vector. The results of a chunk stay in the first-level cache
	// until the carries are added.
	scanRows = 8
	// askElements is how many elements are scanned, about, before a cancelled run
	// is noticed.
	askElements = 128 << 10
)

// scan computes the running values of lines, as ir.ScanLine says. An exclusive
// scan of n elements is an inclusive one of n-1, stored one further on, after
// the result of no elements.
type scan struct {
	down      bool
	exclusive bool
	n         int // elements of a line that are taken in
	width     int // down: columns of a block
	in, out   int // bytes from one to the next
	col       int // bytes from one of the operand's columns to the next
	size      int
	pack      packFunc // copies a block of the operand, or nil
	carrySize int

	running  func(*Frame) // along: ir.ScanKernel
	addCarry func(*Frame) // along: ir.CarryKernel
	stream   func(*Frame) // of the step, if its output is streamed
	combine  func(*Frame) // down: by(in 0, in 1)
	addRow   func(*Frame) // down: ir.RowKernel
	args     [3]int       // where the inputs of addCarry or addRow are
	streams  *downStream  // down: if it is streamed
	carryOn  carrier

	carry, next, tile int            // places in scratch
	identity          unsafe.Pointer // down: a row
	empty             uint64
	dtype             ir.DType
}

// newScan returns the scan of a step, with blocks for each of the hands.
func newScan(s *step, in *ir.Step, hands int) *scan {
	axis := len(in.Extents) - 1
	if in.Down {
		axis--
	}
	sc := &scan{down: in.Down, exclusive: in.Scan == ir.Exclusive, n: in.Extents[axis], dtype: s.kernel.In[0].DType}
	sc.size = sc.dtype.Size()
	sc.in, sc.out, sc.col = s.operands[0].walk[axis], s.operands[1].walk[axis], s.operands[0].colStep
	sc.empty = ir.EmptyFold(s.kernel.Fold[0], sc.dtype)
	if sc.exclusive {
		sc.n--
	}
	sc.width = scanWidth / sc.size
	for rows := in.Extents[axis]; sc.down && s.elems/rows < hands*sc.width && sc.width > leastScanWidth/sc.size; {
		sc.width /= 2
	}
	return sc
}

// block returns the rows and columns of a block. One line is a block if it has
// chunks enough to fill a vector, and lines side by side would leave a hand idle.
// Otherwise it has about so many rows.
func (sc *scan) block(s *step, rows, hands int) (int, int) {
	if sc.down {
		return s.rows, min(s.cols, sc.width)
	}
	if lines := s.elems / s.cols; sc.n >= scanRows*ir.FoldChunk && hands > 1 && lines < 2*scanRows*hands {
		return 1, s.cols
	}
	return min(s.rows, max(scanRows, rows/scanRows*scanRows)), s.cols
}

// link finds the kernels and lays out the scratch, and returns its size.
func (sc *scan) link(f finder, s *step) (int, error) {
	by := s.kernel.Fold[0]
	s.kernel = ir.ScanKernel(by.ScannedBy(), sc.dtype)
	sc.carryOn = carriers[carrierKey{by, sc.dtype}]
	sc.carrySize = ir.PartialType(by, sc.dtype).Size()
	one, carry, order := s.kernel, (*ir.Kernel)(nil), []int(nil)
	first, second := &sc.running, &sc.addCarry
	if sc.down {
		first, second = &sc.combine, &sc.addRow
		carry, order = ir.RowKernel(by, sc.dtype)
		var err error
		if one, err = ir.SingleOp(by, ir.Invalid, ir.Operand{DType: sc.dtype}, ir.Operand{DType: sc.dtype}); err != nil {
			return 0, err
		}
		if sc.identity, err = identities(by, sc.dtype, s.blockCols); err != nil {
			return 0, err
		}
	} else {
		carry, order = ir.CarryKernel(by, sc.dtype)
	}
	for i, from := range order {
		sc.args[from] = i
	}
	var on Engine
	var err error
	if *second, _, err = f.find(carry.Signature()); err != nil {
		return 0, err
	}
	if *first, on, err = f.find(one.Signature()); err != nil {
		return 0, err
	}
	s.engine, s.compiled = on.String(), "kernel"
	if sc.stream = s.stream; sc.down && sc.stream != nil {
		if sc.streams, err = newDownStream(f, by, sc.dtype, sc.combine); err != nil {
			return 0, err
		}
	}
	return sc.reserve(s, f)
}

// reserve gives everything its place in scratch and returns the end.
func (sc *scan) reserve(s *step, f finder) (int, error) {
	end := 0
	place := func(n int) int {
		at := end
		end += (n+alignment-1)&^(alignment-1) + alignment
		return at
	}
	carries, tile := scanRows+1, scanRows*sc.tileStep(min(sc.n, ir.FoldChunk))
	switch {
	case sc.stream != nil && sc.down:
		carries, tile = s.blockCols, ir.DownRows*sc.tileStep(sc.streamPiece())
	case sc.down:
		carries, tile = s.blockCols, s.blockCols*sc.packedRows(s.blockCols)*sc.size
	}
	if sc.n > ir.FoldChunk || sc.stream != nil {
		sc.carry, sc.next = place(carries*sc.carrySize), place(carries*sc.carrySize)
	}
	if o := &s.operands[0]; o.packed {
		var err error
		if sc.pack, err = packFor(o, f); err != nil {
			return 0, err
		}
	}
	if sc.pack != nil || sc.stream != nil || !sc.down {
		sc.tile = place(tile)
	}
	return end, nil
}

// chunked reports whether the chunks of one line are scanned side by side, as
// the block has few lines.
func (sc *scan) chunked(rows int) bool { return rows < scanRows/2 && sc.n >= 2*ir.FoldChunk }

// run scans the lane's block.
func (sc *scan) run(ln *lane, s *step) {
	b := &ln.block
	x, y := b.Ptr[0], b.Ptr[1]
	if sc.exclusive {
		sc.begin(b)
		if sc.n == 0 {
			return
		}
		y = unsafe.Add(y, sc.out)
	}
	f := &ln.inner
	switch {
	case sc.down:
		sc.rows(ln, f, x, y)
	case sc.chunked(b.Rows):
		for r := 0; r < b.Rows && !ln.stopped(); r++ {
			sc.line(ln, f, unsafe.Add(x, r*b.Step[0]), unsafe.Add(y, r*b.Step[1]))
		}
	default:
		for r := 0; r < b.Rows && !ln.stopped(); r += scanRows {
			sc.lines(ln, f, unsafe.Add(x, r*b.Step[0]), unsafe.Add(y, r*b.Step[1]), min(scanRows, b.Rows-r))
		}
	}
}

// begin stores the result of no elements at the head of each line.
func (sc *scan) begin(b *Frame) {
	n, by := b.Rows, b.Step[1]
	if sc.down {
		n, by = b.Cols, sc.size
	}
	for i := range n {
		storeBits(sc.dtype, unsafe.Add(b.Ptr[1], i*by), sc.empty)
	}
}

// lines scans a few lines side by side, chunk by chunk.
func (sc *scan) lines(ln *lane, f *Frame, x, y unsafe.Pointer, rows int) {
	inStep, outStep := ln.block.Step[0], ln.block.Step[1]
	carry, next := sc.place(ln, sc.carry), sc.place(ln, sc.next)
	for c := 0; c < sc.n; c += ir.FoldChunk {
		if c > 0 && c%(askElements/scanRows) == 0 && ln.stopped() {
			return
		}
		n := min(ir.FoldChunk, sc.n-c)
		at := unsafe.Add(y, c*sc.out)
		run, step := sc.chunks(ln, f, unsafe.Add(x, c*sc.in), at, rows, n, inStep, outStep, c > 0)
		end := unsafe.Add(run, (n-1)*sc.size)
		switch {
		case c+n == sc.n:
		case c == 0:
			sc.carryOn(carry, nil, end, rows, step)
		default:
			sc.carryOn(next, carry, end, rows, step)
		}
		if c > 0 {
			sc.carried(ln, f, carry, run, at, rows, n, step, outStep)
			carry, next = next, carry
		} else {
			sc.streamed(ln, run, at, rows, n, step, outStep)
		}
	}
}

// line scans one line, several chunks side by side.
func (sc *scan) line(ln *lane, f *Frame, x, y unsafe.Pointer) {
	carries := sc.place(ln, sc.carry)
	inStep, outStep := ir.FoldChunk*sc.in, ir.FoldChunk*sc.out
	for c := 0; c < sc.n; {
		if c > 0 && c%askElements == 0 && ln.stopped() {
			return
		}
		rows := min(scanRows, (sc.n-c)/ir.FoldChunk)
		n := ir.FoldChunk
		if rows == 0 {
			rows, n = 1, sc.n-c
		}
		at := unsafe.Add(y, c*sc.out)
		run, step := sc.chunks(ln, f, unsafe.Add(x, c*sc.in), at, rows, n, inStep, outStep, c > 0)
		for r := range rows { // the carry of chunk r is at place r
			var before unsafe.Pointer
			if c+r > 0 {
				before = unsafe.Add(carries, r*sc.carrySize)
			}
			sc.carryOn(unsafe.Add(carries, (r+1)*sc.carrySize), before, unsafe.Add(run, r*step+(n-1)*sc.size), 1, 0)
		}
		first := 0
		if c == 0 { // which has no carry
			first = 1
			sc.streamed(ln, run, at, 1, n, step, outStep)
		}
		if first < rows {
			sc.carried(ln, f, unsafe.Add(carries, first*sc.carrySize), unsafe.Add(run, first*step), unsafe.Add(at, first*outStep), rows-first, n, step, outStep)
		}
		copyBytes(carries, unsafe.Add(carries, rows*sc.carrySize), sc.carrySize)
		c += rows * n
	}
}

// chunks scans rows of one chunk each and returns where the running values are
// and how far apart the rows: at y, or in the tile if carries are to be added
// or it is to be streamed.
func (sc *scan) chunks(ln *lane, f *Frame, x, y unsafe.Pointer, rows, n, inStep, outStep int, carries bool) (run unsafe.Pointer, step int) {
	tile := sc.place(ln, sc.tile)
	switch {
	case sc.pack != nil:
		sc.pack(&ln.many, tile, x, rows, n, inStep, sc.in)
		x, inStep = tile, n*sc.size
	case sc.stream != nil:
		y, outStep = tile, sc.tileStep(n)
	case carries && crowds(outStep):
		y, outStep = tile, sc.tileStep(n)
	}
	f.Ptr[0], f.Ptr[1] = x, y
	f.Step[0], f.Step[1] = inStep, outStep
	f.Rows, f.Cols = rows, n
	call(sc.running, f)
	return y, outStep
}

// crowds reports whether rows that are step bytes apart share few sets of the
// first-level cache, so that a square of the operand and one of running values
// drive each other out.
func crowds(step int) bool { return step%2048 == 0 }

// tileStep returns how far apart rows of n elements are in the tile.
func (sc *scan) tileStep(n int) int { return (n*sc.size+alignment-1)&^(alignment-1) + alignment }

// carried stores running values combined with their carries.
func (sc *scan) carried(ln *lane, f *Frame, carry, run, y unsafe.Pointer, rows, cols, step, outStep int) {
	c := sc.args[0]
	f.Ptr[c], f.Ptr[1-c], f.Ptr[2] = carry, run, y
	f.Step[c], f.Step[1-c], f.Step[2] = sc.carrySize, step, outStep
	f.Rows, f.Cols = rows, cols
	if sc.stream == nil {
		call(sc.addCarry, f)
		return
	}
	f.Rows = 1
	for r := range rows { // a row stays in the first-level cache
		run := unsafe.Add(run, r*step)
		f.Ptr[c], f.Ptr[1-c], f.Ptr[2] = unsafe.Add(carry, r*sc.carrySize), run, run
		call(sc.addCarry, f)
		sc.streamed(ln, run, unsafe.Add(y, r*outStep), 1, cols, 0, 0)
	}
}

func (sc *scan) place(ln *lane, at int) unsafe.Pointer {
	if at >= len(ln.scratch) {
		return nil
	}
	return unsafe.Pointer(&ln.scratch[at])
}

func copyBytes(to, from unsafe.Pointer, n int) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}
