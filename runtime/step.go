package runtime

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

const (
	// blockElements bounds a kernel call, during which Go's runtime can't stop
	// the goroutine. Plans keep below it; a larger block is cut.
	blockElements = 64 << 10
	// maxDims is how many axes an index space has: a row group and a fold cut one
	// in two each.
	maxDims = layout.MaxRank + 5
)

// step is a linked step: an index space cut into blocks, and what runs a block.
type step struct {
	kernel   *kernel.Kernel // canonical
	operands []operand      // the kernel's inputs, then its outputs
	ins      int
	elems    int

	rows, cols           int // extents
	blockRows, blockCols int
	counts               []int   // outer axes, blocks of rows, blocks of columns
	carry                [][]int // see next
	blocks               int

	fn      func(*abi.Frame) // computes a block as it lies, or
	program *program         // computes it in tiles
	bench   int              // which of a lane's is laid out for the program
	down    *down            // folds a block down its rows by calls of the former
	scan    *scan            // scans a block
	dot     *dot             // computes a block of a product
	long    *longRows        // folds a block of rows of several chunks
	crossed *crossed         // folds a block of rows that meet all of an axis
	turns   []turn           // of a step that none of these computes
	scratch int              // bytes that all that needs
	stream  func(*abi.Frame) // what stores streamed outputs

	engine   string
	compiled string // "kernel" or "cover of 5"
}

// operand is where a step finds an operand, in bytes.
type operand struct {
	buffer      int
	scratch     bool // not a buffer: in the lane's memory for the row group
	origin      int  // from the buffer's base to the element at index 0,...,0
	rowStep     int
	colStep     int   // 0 for a splat and for what is folded
	size        int   // of an element
	walk        []int // from one index of each of the step's counts to the next
	splat       bool
	accumulates bool // in a tile of lanes, but for the result: see down
	folded      bool // one element for all columns of a row
	streamed    bool // stored past the caches: see stream.go
	packed      bool // to be copied into scratch: the kernel wants it contiguous
	repeated    bool // packed as a tile of equal rows: see repeat
	narrow      bool // packed column by column: the rows are short
	turned      bool // copied there before: see turn
}

// newStep works out the geometry of a step that checkStep has passed, whose
// folded axis fits one kernel call. order is that of the inputs in the canonical
// kernel. So many of its outer axes are a row group's.
func (l *Linked) newStep(in *plan.FlatStep, kernel *kernel.Kernel, order []int, outer int) *step {
	elems, _ := layout.NumElems(in.Extents)
	s := &step{kernel: kernel, ins: len(kernel.In), elems: elems}
	rank := len(in.Extents)
	s.operands = make([]operand, 0, len(order)+len(kernel.Out))
	walks := make([]int, rank*cap(s.operands))
	for i := range cap(s.operands) {
		from := len(in.Kernel.In) + i - s.ins
		if i < s.ins {
			from = order[i]
		}
		s.addOperand(l, in, from, walks[i*rank:][:rank:rank])
	}
	if elems == 0 {
		return s
	}
	pieces := l.exec.pieces(s.work())
	switch {
	case in.Scan != plan.NoScan:
		s.scan = newScan(s, in, l.pool.parallelism())
	case kernel.Dots():
		s.dot = newDot(s, in)
	case in.Down:
		s.down = newDown(s, in, pieces)
	case kernel.Fold != nil && hasLongRows(in):
		s.long = newLongRows(s, in.Extents[len(in.Extents)-1])
	case in.ShortRows():
		s.joinRows(in.Extents[len(in.Extents)-1])
	default:
		if !l.exec.NoFused {
			s.crossed = newCrossed(s, in, l.exec.finder(), outer)
		}
		if s.crossed == nil {
			s.findTurns(in.Extents[len(in.Extents)-1])
		}
	}
	s.cut(in, l.exec.ChunkElems, pieces, l.pool.parallelism())
	return s
}

// addOperand appends operand from of the plan's step. walk is memory for its own.
func (s *step) addOperand(l *Linked, in *plan.FlatStep, from int, walk []int) {
	a, i := in.Operands[from], len(s.operands)
	b := &l.buffers[a.Buffer]
	o := operand{buffer: a.Buffer, size: b.size, splat: i < s.ins && s.kernel.In[i].Splat}
	o.folded = i >= s.ins && in.Scan == plan.NoScan && s.kernel.FoldOf(i-s.ins) != ir.OpInvalid
	o.origin = (a.Offset - b.layout.Offset) * b.size
	if b.kind == plan.ScratchBuffer {
		o.scratch = true
		o.origin += b.offset
	}
	last := len(in.Extents) - 1
	o.walk = walk
	for k, n := range in.Extents {
		if n > 1 {
			o.walk[k] = a.Strides[k] * b.size
		}
	}
	o.rowStep, o.colStep = o.walk[last-1], o.walk[last]
	o.packed = !o.splat && !o.folded && in.Extents[last] > 1 && o.colStep != o.size
	s.operands = append(s.operands, o)
}

// cut divides the index space into blocks: at least so many pieces, but for what
// must stay together. asked is Executor.ChunkElems.
func (s *step) cut(in *plan.FlatStep, asked, pieces, hands int) {
	block := min(blockElements, ((s.elems-1)/pieces+64)&^63)
	if asked > 0 {
		block = min(blockElements, asked)
	}
	last := len(in.Extents) - 1
	s.rows, s.cols = in.Extents[last-1], in.Extents[last]
	switch {
	case s.scan != nil:
		s.blockRows, s.blockCols = s.scan.block(s, min(in.Rows, block/s.cols), hands)
	case s.dot != nil:
		s.blockRows, s.blockCols = s.dot.block(s, hands)
	case s.down != nil:
		s.blockRows, s.blockCols = min(s.rows, ir.FoldChunk), s.down.width
	case s.long != nil:
		s.blockRows, s.blockCols = min(s.rows, max(1, block/s.cols)), s.cols
	case s.crossed != nil:
		s.blockRows, s.blockCols = s.crossed.cut(s, pieces), s.cols
	case s.kernel.Fold != nil: // whole rows
		s.blockCols = s.cols
		s.blockRows = min(in.Rows, s.rows, max(1, block/s.cols))
		if len(s.turns) > 0 {
			s.blockRows = min(s.rows, max(s.blockRows, transposedRows))
		}
	case len(s.turns) > 0:
		s.blockRows, s.blockCols = s.turnedBlock(min(block, in.Rows*in.Cols))
	default:
		s.blockCols = min(in.Cols, s.cols, block)
		s.blockRows = min(in.Rows, s.rows, block/s.blockCols)
	}
	s.counts = append([]int{}, in.Extents...)
	s.counts[last-1] = (s.rows-1)/s.blockRows + 1
	s.counts[last] = (s.cols-1)/s.blockCols + 1
	if s.dot != nil {
		s.counts[last-2] = 1 // the pairs, all in each block
	}
	if s.crossed != nil {
		s.counts[last-2] = s.crossed.blocks(s.operands, last-2)
	}
	s.blocks = 1
	for _, n := range s.counts {
		s.blocks *= n
	}
	s.setCarry(last)
}

// setCarry works out how far the operands move from block to block.
func (s *step) setCarry(last int) {
	table := make([]int, len(s.counts)*len(s.operands))
	s.carry = make([][]int, len(s.counts))
	back := make([]int, len(s.operands)) // from the last index of the inner axes to their first
	for k := last; k >= 0; k-- {
		s.carry[k] = table[k*len(s.operands):][:len(s.operands)]
		for i := range s.operands {
			walk := s.operands[i].walk
			switch {
			case k == last:
				walk[k] *= s.blockCols
			case k == last-1 && !s.operands[i].accumulates: // of which a block is one row
				walk[k] *= s.blockRows
			}
			s.carry[k][i] = walk[k] - back[i]
			back[i] += (s.counts[k] - 1) * walk[k]
		}
	}
}

// callSize returns the most rows and columns that a kernel of the step is called
// with.
func (s *step) callSize() (rows, cols int) {
	switch {
	case s.down != nil:
		return min(s.blockRows, ir.FoldLanes), s.down.callCols()
	case s.long != nil:
		return s.blockRows * s.long.chunks, ir.FoldChunk
	}
	return s.blockRows, s.blockCols
}

// work estimates what the step costs, in additions of assembly.
func (s *step) work() float64 {
	work := kernelWork(s.kernel, s.elems)
	if s.engine != "" && s.engine != abi.AVX2.String() {
		work *= 4
	}
	return work
}

// kernelWork estimates what a kernel costs for so many elements.
func kernelWork(k *kernel.Kernel, elems int) float64 {
	const loads = 8 // reading and writing an element
	work := float64(loads)
	for _, in := range k.Body {
		work += in.Op.Info().Cost
	}
	return work * float64(elems)
}
