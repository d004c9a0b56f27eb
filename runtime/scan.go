package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

const (
	// scanRows is how many lines are scanned side by side: a kernel takes eight of
	// four bytes in a vector.
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

	along   lineScan
	stream  func(*abi.Frame) // of the step, if its output is streamed
	combine func(*abi.Frame) // down: by(in 0, in 1)
	addRow  func(*abi.Frame) // down: ir.RowKernel
	args    [3]int           // down: where the inputs of addRow are
	streams *downStream      // down: if it is streamed
	carryOn carrier

	carry, next, tile int            // down: places in scratch
	identity          unsafe.Pointer // down: a row
	empty             uint64
	dtype             ir.DType
}

// newScan returns the scan of a step, with blocks for each of the hands.
func newScan(s *step, in *plan.FlatStep, hands int) *scan {
	axis := len(in.Extents) - 1
	if in.Down {
		axis--
	}
	sc := &scan{down: in.Down, exclusive: in.Scan == plan.Exclusive, n: in.Extents[axis], dtype: s.kernel.In[0].DType}
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
func (sc *scan) link(f finder, s *step) (end int, err error) {
	by := s.kernel.Fold[0]
	sc.carryOn = carrierOf(by, sc.dtype)
	sc.carrySize = ir.PartialType(by, sc.dtype).Size()
	link, reserve := sc.linkLines, sc.reserveLines
	if sc.down {
		link, reserve = sc.linkRows, sc.reserveRows
	}
	if err := link(f, s, by); err != nil {
		return 0, err
	}
	if o := &s.operands[0]; o.packed {
		if sc.pack, err = packFor(o, f); err != nil {
			return 0, err
		}
	}
	reserve(s, func(n int) int {
		at := end
		end += (n+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
		return at
	})
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
func (sc *scan) begin(b *abi.Frame) {
	n, by := b.Rows, b.Step[1]
	if sc.down {
		n, by = b.Cols, sc.size
	}
	for i := range n {
		memory.StoreBits(sc.dtype, unsafe.Add(b.Ptr[1], i*by), sc.empty)
	}
}

// tileStep returns how far apart rows of n elements are in the tile.
func (sc *scan) tileStep(n int) int {
	return (n*sc.size+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
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
