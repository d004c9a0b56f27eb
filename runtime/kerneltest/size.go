package kerneltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// size has the extents of a block: its rows, columns and fields.
type size struct {
	rows, cols int
	fields     []int
}

func (s size) String() string { return fmt.Sprintf("%dx%d %v", s.rows, s.cols, s.fields) }

// extent returns one of the extents.
func (s size) extent(d kernel.Extent) int { return d.Of(s.rows, s.cols, s.fields) }

// widths are numbers of columns: around 4, 8, 16 and 32 lanes, and around twice each.
var widths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 23, 31, 32, 33, 63, 64, 65, 67, 130}

// reduceWidths are more columns for kernels that combine along rows: whole rounds of the lanes and partial ones, up to
// a chunk.
var reduceWidths = []int{2, 6, 12, 20, 24, 28, 32, 40, 56, 96, 101, 255, 256, 257, 512, ir.ReduceChunk - 9, ir.ReduceChunk}

// lengths are extents given by fields: partial lanes, whole rounds of them and partial ones, up to a chunk.
var lengths = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 256, 512, ir.ReduceChunk - 9, ir.ReduceChunk}

const (
	manyBlocks = 24      // blocks of each length; fewer of large ones
	mostRows   = 18      // the most rows for blocks of all heights: more than two tiles
	mostWork   = 1 << 14 // the most elements of a block, times its length
)

// sizesOf returns the block sizes on which a kernel is tested.
func sizesOf(c kernel.Code, rng *rand.Rand) []size {
	s := &sizer{code: c, rng: rng, limits: map[kernel.Extent]kernel.Limit{}}
	for _, l := range kernel.LimitsOf(c) {
		s.limits[l.Extent] = l
	}
	switch {
	case len(c.Fields()) == 0:
		s.rowsAndColumns()
	case len(s.limits) == 0: // copies
		s.allSmall()
	default:
		s.ofLengths()
	}
	return s.sizes
}

// sizer collects sizes.
type sizer struct {
	code   kernel.Code
	rng    *rand.Rand
	limits map[kernel.Extent]kernel.Limit
	sizes  []size
}

// within returns the extent nearest to n that the kernel takes.
func (z *sizer) within(e kernel.Extent, n int) int {
	if l, ok := z.limits[e]; ok {
		return min(max(n, l.Least), l.Most)
	}
	return n
}

// add adds a size. Fields with limits are as near to length as the limits allow.
func (z *sizer) add(rows, cols, length int) {
	s := size{rows: rows, cols: z.within(kernel.Cols, cols)}
	for i := range z.code.Fields() {
		s.fields = append(s.fields, []int{0, 0, 1, -1, 1 << 30}[z.rng.IntN(5)]) // a flag, a hint, or a field that is set below
		e := kernel.Field0 + kernel.Extent(i)
		if _, ok := z.limits[e]; ok {
			s.fields[i] = z.within(e, length)
		}
	}
	if m, ok := z.code.(*kernel.Micro); ok {
		switch m.Kind {
		case kernel.DotWindows, kernel.DotLeftWindows:
			s.rows = z.within(kernel.Rows, s.rows)
			setWindows(z.rng, s)
		case kernel.Insert:
			if z.rng.IntN(2) == 0 {
				s.rows, s.cols = z.rng.IntN(300), 2+z.rng.IntN(3)
			}
			s.fields[0] = z.rng.IntN(max(1, s.cols))
		case kernel.DotBatch:
			s.cols = setBatch(z.rng, s.fields)
		case kernel.WindowQuantile: // a line of so many windows, and its scratch memory
			size := 1 + z.rng.IntN(40)
			s.fields[0], s.fields[4] = s.cols+size-1, kernel.WindowQuantileWork(size)
		case kernel.Nth:
			s.fields[4] = kernel.NthWork(s.fields[0])
		}
	}
	z.sizes = append(z.sizes, s)
}

// rowsAndColumns adds blocks of few rows, with numbers of columns around the numbers of lanes.
func (z *sizer) rowsAndColumns() {
	z.add(0, 5, 0)
	for i, cols := range widths {
		z.add(1+i%3, cols, 0)
		z.add(z.rng.IntN(5), z.rng.IntN(81), 0)
	}
	if _, elementwise := z.code.(*kernel.Kernel); elementwise {
		return
	}
	for i, cols := range reduceWidths {
		z.add(1+i%3, cols, 0)
		z.add(1+(i+1)%7, min(cols, 600), 0)
	}
}

// allSmall adds all small blocks, and long narrow ones.
func (z *sizer) allSmall() {
	for rows := range mostRows {
		for cols := range mostRows {
			for range 4 {
				z.add(rows, cols, 0)
			}
		}
	}
	z.add(67, 130, 0)
	for _, n := range widths {
		for few := range 6 {
			z.add(few, n, 0)
			z.add(n, few, 0)
		}
	}
}

// ofLengths adds blocks of each length, limited in work.
func (z *sizer) ofLengths() {
	for _, n := range lengths {
		for range max(4, min(manyBlocks, mostWork/n/16)) {
			cols := z.within(kernel.Cols, widths[z.rng.IntN(len(widths))])
			if cols*n > mostWork {
				cols = z.within(kernel.Cols, z.rng.IntN(1+mostWork/n))
			}
			z.add(min(z.rng.IntN(mostRows), max(1, mostWork/n/max(1, cols))), cols, n)
		}
	}
	if m, ok := z.code.(*kernel.Micro); ok && m.Kind == kernel.Dot { // tiles whose rows are transposed
		for cols := 1; cols <= kernel.DotTransposedRows/2; cols++ {
			for range 100 {
				z.add(kernel.DotTransposedRows+z.rng.IntN(2*kernel.DotTransposedRows), cols, kernel.DotTransposedRows*(1+z.rng.IntN(3)))
			}
		}
	}
}

// edges returns the size that enumerates the pairs of edge cases, if the kernel takes it.
func edges(c kernel.Code) (size, bool) {
	return size{rows: edgeCount, cols: edgeCount}, len(c.Fields()) == 0
}

// setWindows sets the fields of a product of windows, except the first three, so that they fit together.
func setWindows(rng *rand.Rand, s size) {
	f := s.fields
	f[kernel.DotRuns], f[kernel.DotTaps] = 1+rng.IntN(3), 1+rng.IntN(5)
	often := rng.IntN(2) == 0 // as in most convolutions, for which kernels have loops
	if often {
		f[kernel.DotRuns], f[kernel.DotTaps] = 3, 3
	}
	f[kernel.DotRunStep], f[kernel.DotTapStep] = rng.IntN(40), rng.IntN(3)
	f[kernel.DotSkipRuns], f[kernel.DotSkipTaps] = rng.IntN(f[kernel.DotRuns]), rng.IntN(f[kernel.DotTaps])
	skipped := f[kernel.DotSkipRuns]*f[kernel.DotTaps] + f[kernel.DotSkipTaps]
	f[kernel.DotChannels] = (skipped+f[kernel.DotPairs]-1)/(f[kernel.DotRuns]*f[kernel.DotTaps]) + 1
	first := s.cols
	if len(f) > kernel.DotLine {
		f[kernel.DotStep], f[kernel.DotLine], f[kernel.DotLineStep] = rng.IntN(4), 1+rng.IntN([]int{8, 30}[rng.IntN(2)]), rng.IntN(50)
		if often && rng.IntN(2) == 0 {
			f[kernel.DotTapStep] = f[kernel.DotStep]
		}
		first = max(0, s.rows-1)/f[kernel.DotLine]*f[kernel.DotLineStep] + (min(max(1, s.rows), f[kernel.DotLine])-1)*f[kernel.DotStep] + 1
	}
	f[kernel.DotSpan] = (f[kernel.DotRuns]-1)*f[kernel.DotRunStep] + (f[kernel.DotTaps]-1)*f[kernel.DotTapStep] + first
}

// setBatch sets the fields of products of small matrices, except the first one, and returns the number of elements of a
// product. Kernels have loops for contiguous matrices of 2x2, 4x4 and 8x8.
func setBatch(rng *rand.Rand, f []int) (cols int) {
	rows, n, gap := 1+rng.IntN(9), 1+rng.IntN(kernel.DotBatchColumns), rng.IntN(2)*rng.IntN(4)
	if side := 2 << rng.IntN(3); rng.IntN(3) == 0 {
		rows, n, f[kernel.DotBatchPairs] = side, side, side
	}
	pairs := f[kernel.DotBatchPairs]
	f[kernel.DotBatchCols], f[kernel.DotBatchRightRow] = n, n+gap
	f[kernel.DotBatchLeftRow], f[kernel.DotBatchLeftPair] = pairs+gap, 1
	if rng.IntN(4) == 0 {
		f[kernel.DotBatchLeftRow], f[kernel.DotBatchLeftPair] = 1, rows+gap
	}
	f[kernel.DotBatchLeft] = (rows-1)*f[kernel.DotBatchLeftRow] + (pairs-1)*f[kernel.DotBatchLeftPair] + 1
	f[kernel.DotBatchRight] = (pairs-1)*f[kernel.DotBatchRightRow] + n
	return rows * n
}
