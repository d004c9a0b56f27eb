package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// lineScan is what a scan along lines has: ir.ScanKernel's kernels, and the states
// of rows at their first elements.
type lineScan struct {
	alone, carrying   func(*abi.Frame) // without carries, with them
	addCarry          func(*abi.Frame) // ir.CarryKernel
	args              [2]int           // where its inputs are
	identity, noCarry unsafe.Pointer   // scanRows of each

	run, carry, next, tile, packed int // places in scratch
}

// linkLines finds the kernels of a scan along lines.
func (sc *scan) linkLines(f finder, s *step, by ir.Op) error {
	var err error
	l := &sc.along
	s.kernel = kernel.ScanKernel(by, sc.dtype, sc.n > ir.FoldChunk)
	if l.carrying, _, err = f.find(kernel.CodeOf(kernel.ScanKernel(by, sc.dtype, true)).Signature()); err != nil {
		return err
	}
	var on abi.Engine
	if l.alone, on, err = f.find(kernel.CodeOf(kernel.ScanKernel(by, sc.dtype, false)).Signature()); err != nil {
		return err
	}
	carry, order := kernel.CarryKernel(by, sc.dtype)
	if l.addCarry, _, err = f.find(carry.Signature()); err != nil {
		return err
	}
	for i, from := range order {
		l.args[from] = i
	}
	s.engine, s.compiled, sc.stream = on.String(), "kernel", s.stream
	if l.identity, err = identities(by, sc.dtype, scanRows); err != nil {
		return err
	}
	l.noCarry, err = identities(by, ir.PartialType(by, sc.dtype), scanRows)
	return err
}

// reserveLines gives everything its place in scratch.
func (sc *scan) reserveLines(_ *step, place func(int) int) {
	l := &sc.along
	l.run = place(scanRows * sc.size)
	if sc.n > ir.FoldChunk {
		l.carry, l.next = place((scanRows+1)*sc.carrySize), place(scanRows*sc.carrySize)
	}
	if sc.stream != nil || sc.n > ir.FoldChunk {
		l.tile = place(scanRows * sc.tileStep(ir.FoldChunk))
	}
	if sc.pack != nil {
		l.packed = place(scanRows * min(sc.n, ir.FoldChunk) * sc.size)
	}
}

// linePiece is how many columns are streamed at a time.
func (sc *scan) linePiece() int { return min(ir.FoldChunk, streamBytes/scanRows/sc.size) }

// lines scans a few lines side by side, chunk by chunk.
func (sc *scan) lines(ln *lane, f *abi.Frame, x, y unsafe.Pointer, rows int) {
	l := &sc.along
	var carry, next unsafe.Pointer
	if sc.n > ir.FoldChunk {
		carry, next = sc.place(ln, l.carry), sc.place(ln, l.next)
		copyBytes(carry, l.noCarry, rows*sc.carrySize)
	}
	for c := 0; c < sc.n; c += ir.FoldChunk {
		if c > 0 && c%(askElements/scanRows) == 0 && ln.stopped() {
			return
		}
		n := min(ir.FoldChunk, sc.n-c)
		from, step := sc.dense(ln, unsafe.Add(x, c*sc.in), rows, n, ln.block.Step[0])
		sc.chunks(ln, f, from, unsafe.Add(y, c*sc.out), rows, n, step, ln.block.Step[1], carry, next)
		carry, next = next, carry
	}
}

// line scans one line, several chunks side by side, whose carries are known when
// their running values are.
func (sc *scan) line(ln *lane, f *abi.Frame, x, y unsafe.Pointer) {
	l := &sc.along
	run, carry, tile := sc.place(ln, l.run), sc.place(ln, l.carry), sc.place(ln, l.tile)
	outStep, tileStep := ir.FoldChunk*sc.out, sc.tileStep(ir.FoldChunk)
	copyBytes(carry, l.noCarry, sc.carrySize)
	for c := 0; c < sc.n; {
		if c > 0 && c%askElements == 0 && ln.stopped() {
			return
		}
		rows, n := min(scanRows, (sc.n-c)/ir.FoldChunk), ir.FoldChunk
		if rows == 0 {
			rows, n = 1, sc.n-c
		}
		from, step := sc.dense(ln, unsafe.Add(x, c*sc.in), rows, n, ir.FoldChunk*sc.in)
		copyBytes(run, l.identity, rows*sc.size)
		sc.point(f, from, tile, run, step, tileStep, rows, n)
		call(l.alone, f)
		for r := range rows {
			at := unsafe.Add(carry, r*sc.carrySize)
			sc.carryOn(unsafe.Add(at, sc.carrySize), at, unsafe.Add(run, r*sc.size), 1, 0)
		}
		to, toStep := unsafe.Add(y, c*sc.out), outStep
		if sc.stream != nil {
			to, toStep = tile, tileStep
		}
		a, b := l.args[0], l.args[1]
		f.Ptr[a], f.Ptr[b], f.Ptr[2] = carry, tile, to
		f.Step[a], f.Step[b], f.Step[2] = sc.carrySize, tileStep, toStep
		call(l.addCarry, f)
		sc.streamed(ln, to, unsafe.Add(y, c*sc.out), rows, n, toStep, outStep)
		copyBytes(carry, unsafe.Add(carry, rows*sc.carrySize), sc.carrySize)
		c += rows * n
	}
}

// dense returns where rows of the operand are, one element after the other, and
// how far apart: in scratch if they are not so in memory.
func (sc *scan) dense(ln *lane, x unsafe.Pointer, rows, n, step int) (unsafe.Pointer, int) {
	if sc.pack == nil {
		return x, step
	}
	packed := sc.place(ln, sc.along.packed)
	sc.pack(&ln.many, packed, x, rows, n, step, sc.in)
	return packed, n * sc.size
}

// chunks scans rows of one chunk each. Without carries there is but one chunk.
func (sc *scan) chunks(ln *lane, f *abi.Frame, x, y unsafe.Pointer, rows, n, inStep, outStep int, carry, next unsafe.Pointer) {
	l := &sc.along
	run := sc.place(ln, l.run)
	copyBytes(run, l.identity, rows*sc.size)
	to, step, wide := y, outStep, n
	if sc.stream != nil { // the piece stays in the first-level cache
		wide = sc.linePiece()
		to, step = sc.place(ln, l.tile), sc.tileStep(wide)
	}
	for c := 0; c < n; c += wide {
		cols := min(wide, n-c)
		sc.point(f, unsafe.Add(x, c*sc.size), to, run, inStep, step, rows, cols)
		if carry == nil {
			call(l.alone, f)
		} else {
			f.Ptr[2], f.Ptr[3], f.Ptr[4], f.Ptr[5] = carry, to, run, next
			f.Step[2], f.Step[3], f.Step[4], f.Step[5] = sc.carrySize, step, sc.size, sc.carrySize
			call(l.carrying, f)
		}
		sc.streamed(ln, to, unsafe.Add(y, c*sc.out), rows, cols, step, outStep)
	}
}

// point makes the frame's operands the given ones, without carries.
func (sc *scan) point(f *abi.Frame, x, y, run unsafe.Pointer, inStep, outStep, rows, cols int) {
	f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3] = x, run, y, run
	f.Step[0], f.Step[1], f.Step[2], f.Step[3] = inStep, sc.size, outStep, sc.size
	f.Rows, f.Cols = rows, cols
}
