package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

const (
	// scanWidth is how many bytes of a row a block has that is scanned down: long
	// stretches of memory, while the row, the running values and the carries stay in
	// the second-level cache. leastScanWidth is how many it has at least where
	// narrower blocks give work to more hands: they stay in the first-level cache.
	scanWidth      = 32 << 10
	leastScanWidth = 4 << 10
	// flatCols is from how many columns on dense rows are one long row, of which a
	// kernel reads elements that it has written long before.
	flatCols = 32
)

// packedRows returns how many rows are copied into scratch at a time, if they are.
func (sc *scan) packedRows(cols int) int { return min(sc.n, max(1, packBytes/(cols*sc.size))) }

// linkRows finds the kernels of a scan down rows.
func (sc *scan) linkRows(f finder, s *step, by ir.Op) error {
	s.kernel = kernel.ScanKernel(by, sc.dtype, false)
	row, order := kernel.RowKernel(by, sc.dtype)
	for i, from := range order {
		sc.args[from] = i
	}
	one, err := kernel.SingleOp(by, ir.Invalid, kernel.Operand{DType: sc.dtype}, kernel.Operand{DType: sc.dtype})
	if err != nil {
		return err
	}
	if sc.identity, err = identities(by, sc.dtype, s.blockCols); err != nil {
		return err
	}
	var on abi.Engine
	if sc.addRow, _, err = f.find(row.Signature()); err != nil {
		return err
	}
	if sc.combine, on, err = f.find(one.Signature()); err != nil {
		return err
	}
	s.engine, s.compiled = on.String(), "kernel"
	if sc.stream = s.stream; sc.stream != nil {
		sc.streams, err = newDownStream(f, by, sc.dtype, sc.combine)
	}
	return err
}

// reserveRows gives everything its place in scratch.
func (sc *scan) reserveRows(s *step, place func(int) int) {
	if sc.n > ir.FoldChunk || sc.stream != nil {
		sc.carry, sc.next = place(s.blockCols*sc.carrySize), place(s.blockCols*sc.carrySize)
	}
	switch {
	case sc.stream != nil:
		sc.tile = place(kernel.DownRows * sc.tileStep(sc.streamPiece()))
	case sc.pack != nil:
		sc.tile = place(s.blockCols * sc.packedRows(s.blockCols) * sc.size)
	}
}

// rows scans down the rows of a tile.
func (sc *scan) rows(ln *lane, f *abi.Frame, x, y unsafe.Pointer) {
	cols := ln.block.Cols
	carry, run := sc.place(ln, sc.carry), sc.place(ln, sc.next)
	for c := 0; c < sc.n; c += ir.FoldChunk {
		end := min(sc.n, c+ir.FoldChunk)
		last := run
		switch {
		case sc.stream != nil:
			copyBytes(run, sc.identity, cols*sc.size)
			sc.streamChunk(ln, f, x, y, c, end, cols)
		case c == 0:
			sc.firstRows(ln, f, x, y, end, cols)
			last = unsafe.Add(y, (end-1)*sc.out)
		default:
			copyBytes(run, sc.identity, cols*sc.size)
			sc.laterRows(ln, f, x, y, c, end, cols)
		}
		switch {
		case end == sc.n || ln.stopped():
			return
		case c == 0:
			sc.carryOn(carry, nil, last, cols, sc.size)
		default:
			sc.carryOn(carry, carry, last, cols, sc.size)
		}
	}
}

// firstRows scans the first chunk: each row is the one above it combined with
// its own elements.
func (sc *scan) firstRows(ln *lane, f *abi.Frame, x, y unsafe.Pointer, end, cols int) {
	for r := 0; r < end && !ln.stopped(); {
		from, step, rows := sc.some(ln, x, r, end, cols)
		to := unsafe.Add(y, r*sc.out)
		r += rows
		if r == rows { // the first
			copyBytes(to, from, cols*sc.size)
			if rows--; rows == 0 {
				continue
			}
			from, to = unsafe.Add(from, step), unsafe.Add(to, sc.out)
		}
		f.Ptr[0], f.Ptr[1], f.Ptr[2] = unsafe.Add(to, -sc.out), from, to
		f.Step[0], f.Step[1], f.Step[2] = sc.out, step, sc.out
		f.Rows, f.Cols = rows, cols
		if dense := cols * sc.size; step == dense && sc.out == dense && cols >= flatCols {
			f.Rows, f.Cols = 1, rows*cols
		}
		call(sc.combine, f)
	}
}

// laterRows scans another chunk, whose running values are apart from the results.
func (sc *scan) laterRows(ln *lane, f *abi.Frame, x, y unsafe.Pointer, c, end, cols int) {
	carry, run := sc.place(ln, sc.carry), sc.place(ln, sc.next)
	for r := c; r < end && !ln.stopped(); {
		from, step, rows := sc.some(ln, x, r, end, cols)
		f.Ptr[sc.args[0]], f.Ptr[sc.args[1]], f.Ptr[sc.args[2]] = carry, run, from
		f.Step[sc.args[0]], f.Step[sc.args[1]], f.Step[sc.args[2]] = 0, 0, step
		f.Ptr[3], f.Ptr[4] = run, unsafe.Add(y, r*sc.out)
		f.Step[3], f.Step[4] = 0, sc.out
		f.Rows, f.Cols = rows, cols
		call(sc.addRow, f)
		r += rows
	}
}

// some returns rows of the operand for one call, from row r on, how far apart
// they are, and how many.
func (sc *scan) some(ln *lane, x unsafe.Pointer, r, end, cols int) (from unsafe.Pointer, step, rows int) {
	from = unsafe.Add(x, r*sc.in)
	if sc.pack == nil {
		return from, sc.in, min(end-r, max(1, chunkElements/cols))
	}
	rows = min(end-r, sc.packedRows(cols))
	tile := sc.place(ln, sc.tile)
	sc.pack(&ln.many, tile, from, rows, cols, sc.in, sc.col)
	return tile, cols * sc.size, rows
}
