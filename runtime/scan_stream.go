package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// downStream scans down rows whose results are stored past the caches: a few rows
// at a time, piece by piece, into a tile that is streamed. Memory is read faster
// from several rows by turns than from one after the other.
type downStream struct {
	first, firstOne downKernel // of the first chunk, which has no carries
	later, laterOne downKernel // of others
}

// downKernel goes down some rows: see ir.RowsKernel.
type downKernel struct {
	fn   func(*abi.Frame)
	rows int   // 0: one row, whose results are the running values
	args []int // the inputs: 0 is the carries, 1 the running values, from 2 on the rows
}

// newDownStream finds the kernels. The last rows of a chunk, fewer than
// ir.DownRows, are taken one by one.
func newDownStream(f finder, by ir.Op, d ir.DType, one func(*abi.Frame)) (*downStream, error) {
	ds := &downStream{firstOne: downKernel{fn: one, args: []int{1, 2}}}
	find := func(k *kernel.Kernel, order []int) (dk downKernel, err error) {
		dk.rows, dk.args = len(k.Out)-1, order
		dk.fn, _, err = f.find(k.Signature())
		return dk, err
	}
	var err error
	if ds.first, err = find(kernel.RowsKernel(by, d, false)); err != nil {
		return nil, err
	}
	if ds.later, err = find(kernel.RowsKernel(by, d, true)); err != nil {
		return nil, err
	}
	ds.laterOne, err = find(kernel.RowKernel(by, d))
	return ds, err
}

// streamPiece is how many columns a piece has.
func (sc *scan) streamPiece() int { return streamBytes / kernel.DownRows / sc.size }

// streamChunk scans the rows from c to end.
func (sc *scan) streamChunk(ln *lane, f *abi.Frame, x, y unsafe.Pointer, c, end, cols int) {
	four, one := &sc.streams.later, &sc.streams.laterOne
	if c == 0 {
		four, one = &sc.streams.first, &sc.streams.firstOne
	}
	r := c
	for ; r+kernel.DownRows <= end; r += kernel.DownRows {
		if r*cols%askElements < kernel.DownRows*cols && ln.stopped() {
			return
		}
		sc.streamDown(ln, f, four, unsafe.Add(x, r*sc.in), unsafe.Add(y, r*sc.out), cols)
	}
	for ; r < end; r++ {
		sc.streamDown(ln, f, one, unsafe.Add(x, r*sc.in), unsafe.Add(y, r*sc.out), cols)
	}
}

// streamDown scans the rows that one call takes.
func (sc *scan) streamDown(ln *lane, f *abi.Frame, by *downKernel, x, y unsafe.Pointer, cols int) {
	carry, run, tile := sc.place(ln, sc.carry), sc.place(ln, sc.next), sc.place(ln, sc.tile)
	wide := sc.streamPiece()
	step := sc.tileStep(wide)
	f.Rows = 1
	for k := 0; k < cols; k += wide {
		f.Cols = min(wide, cols-k)
		carry, run := unsafe.Add(carry, k*sc.carrySize), unsafe.Add(run, k*sc.size)
		x, y := unsafe.Add(x, k*sc.size), unsafe.Add(y, k*sc.size) // none goes beyond its memory
		results := tile
		if by.rows == 0 {
			results = run
		}
		by.point(f, carry, run, x, tile, sc.in, step)
		call(by.fn, f)
		sc.streamed(ln, results, y, max(1, by.rows), f.Cols, step, sc.out)
	}
}

// point makes the frame's operands the given ones, whose rows are so far apart.
func (d *downKernel) point(f *abi.Frame, carry, run, x, y unsafe.Pointer, inStep, outStep int) {
	for i, from := range d.args {
		switch from {
		case 0:
			f.Ptr[i] = carry
		case 1:
			f.Ptr[i] = run
		default:
			f.Ptr[i] = unsafe.Add(x, (from-2)*inStep)
		}
	}
	outs := f.Ptr[len(d.args):]
	outs[0] = run
	for r := range d.rows {
		outs[1+r] = unsafe.Add(y, r*outStep)
	}
}
