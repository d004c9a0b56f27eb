package runtime

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

const (
	// chunkElements is the least work handed to a worker, some tens of
	// microseconds of it.
	chunkElements = 32 << 10
	// handWork is the least work worth waking a worker for, about ten microseconds,
	// in additions of assembly.
	handWork = 1 << 20
	// blockElements bounds a kernel call, during which Go's runtime can't stop
	// the goroutine. Plans keep below it; a larger block is cut.
	blockElements = 64 << 10
	// maxDims is how many axes an index space has, after folding.
	maxDims = ir.MaxRank + 2
)

// step is a linked step: an index space cut into blocks, and what runs a block.
type step struct {
	kernel   *ir.Kernel // canonical
	operands []operand  // the kernel's inputs, then its outputs
	ins      int
	elems    int

	rows, cols           int // extents
	blockRows, blockCols int
	counts               []int   // outer axes, blocks of rows, blocks of columns
	carry                [][]int // see next
	blocks               int
	chunk, chunks        int  // blocks of a chunk; chunks
	hands                int  // how many goroutines are worth their waking
	yields               bool // after each chunk

	fn      func(*Frame) // computes a block as it lies, or
	program *program     // computes it in tiles

	engine   string
	compiled string // "kernel" or "cover of 5"
	touched  [2]int // bytes read, written
}

// operand is where a step finds an operand, in bytes.
type operand struct {
	buffer  int
	origin  int // from the buffer's base to the element at index 0,...,0
	rowStep int
	colStep int   // 0 for a splat
	size    int   // of an element
	walk    []int // from one index of each of the step's counts to the next
	splat   bool
	packed  bool // to be copied into scratch: the kernel wants it contiguous
}

// linkStep checks a step and works out its geometry.
func (l *Linked) linkStep(p *ir.Plan, in *ir.Step) (*step, error) {
	if in.Kernel == nil {
		return nil, fmt.Errorf("it has no kernel")
	}
	if err := in.Kernel.Verify(); err != nil {
		return nil, err
	}
	if n := len(in.Kernel.In) + len(in.Kernel.Out); len(in.Operands) != n {
		return nil, fmt.Errorf("%d operands for a kernel of %d", len(in.Operands), n)
	}
	if len(in.Extents) < 2 || len(in.Extents) > maxDims {
		return nil, fmt.Errorf("%d axes: there must be 2 to %d", len(in.Extents), maxDims)
	}
	elems, err := ir.NumElems(in.Extents)
	if err != nil {
		return nil, err
	}
	kernel, order := in.Kernel.Canonical()
	s := &step{kernel: kernel, ins: len(kernel.In), elems: elems}
	for _, from := range order {
		if err := s.addOperand(l, in, from); err != nil {
			return nil, fmt.Errorf("operand %d: %w", from, err)
		}
	}
	for o := range kernel.Out {
		if err := s.addOperand(l, in, len(in.Kernel.In)+o); err != nil {
			return nil, fmt.Errorf("output %d: %w", o, err)
		}
	}
	if elems > 0 {
		if in.Rows < 1 || in.Cols < 1 {
			return nil, fmt.Errorf("blocks of %d x %d elements", in.Rows, in.Cols)
		}
		s.cut(in, l.exec.ChunkElems)
	}
	return s, nil
}

// addOperand appends operand from of the plan's step.
func (s *step) addOperand(l *Linked, in *ir.Step, from int) error {
	a, i := in.Operands[from], len(s.operands)
	isOut := i >= s.ins
	if len(a.Strides) != len(in.Extents) {
		return fmt.Errorf("%d strides for %d axes", len(a.Strides), len(in.Extents))
	}
	if a.Buffer < 0 || a.Buffer >= len(l.buffers) {
		return fmt.Errorf("buffer %d does not exist", a.Buffer)
	}
	b := &l.buffers[a.Buffer]
	value := ir.Ref(i)
	if isOut {
		value = s.kernel.Out[i-s.ins]
	}
	if dt := s.kernel.DType(value); b.dtype != dt {
		return fmt.Errorf("buffer %d holds %s, the kernel has %s", a.Buffer, b.dtype, dt)
	}
	o := operand{buffer: a.Buffer, size: b.size, splat: !isOut && s.kernel.In[i].Splat}
	o.origin = (a.Offset - b.layout.Offset) * b.size
	last := len(in.Extents) - 1
	o.walk = make([]int, len(in.Extents))
	for k, n := range in.Extents {
		if n > 1 {
			o.walk[k] = a.Strides[k] * b.size
		}
	}
	o.rowStep, o.colStep = o.walk[last-1], o.walk[last]
	if s.elems > 0 {
		if err := s.checkAccess(in, a, b, isOut); err != nil {
			return err
		}
	}
	switch wide := in.Extents[last] > 1; {
	case o.splat && wide && o.colStep != 0:
		return fmt.Errorf("stride %d along the columns for a splat", a.Inner())
	case o.splat || !wide || o.colStep == o.size:
	case isOut:
		return fmt.Errorf("stride %d along the columns of an output: it must be 1", a.Inner())
	default:
		o.packed = true
	}
	s.operands = append(s.operands, o)
	return nil
}

func (s *step) checkAccess(in *ir.Step, a ir.Access, b *buffer, isOut bool) error {
	lo, hi := ir.Layout{Shape: in.Extents, Strides: a.Strides, Offset: a.Offset}.Bounds()
	if lo < b.lo || hi > b.hi {
		return fmt.Errorf("locations %d to %d of buffer %d, which has %d to %d", lo, hi, a.Buffer, b.lo, b.hi)
	}
	touched := b.size
	for k, n := range in.Extents {
		if n > 1 && a.Strides[k] != 0 {
			touched *= n
		} else if n > 1 && isOut {
			return fmt.Errorf("axis %d writes the same elements %d times", k, n)
		}
	}
	if isOut {
		if b.kind == ir.ParamBuffer || b.kind == ir.ConstBuffer {
			return fmt.Errorf("a write to buffer %d, a param or a constant", a.Buffer)
		}
		s.touched[1] += touched
	} else {
		s.touched[0] += touched
	}
	return nil
}

// cut divides the index space into blocks and those into chunks. asked is
// Executor.ChunkElems.
func (s *step) cut(in *ir.Step, asked int) {
	block, chunk := blockElements, chunkElements
	if asked > 0 {
		block, chunk = min(block, asked), asked
	}
	last := len(in.Extents) - 1
	s.rows, s.cols = in.Extents[last-1], in.Extents[last]
	s.blockCols = min(in.Cols, s.cols, block)
	s.blockRows = min(in.Rows, s.rows, block/s.blockCols)
	s.counts = append([]int{}, in.Extents...)
	s.counts[last-1] = (s.rows-1)/s.blockRows + 1
	s.counts[last] = (s.cols-1)/s.blockCols + 1
	s.blocks = 1
	for _, n := range s.counts {
		s.blocks *= n
	}
	s.chunk = (chunk-1)/(s.blockRows*s.blockCols) + 1
	s.chunks = (s.blocks-1)/s.chunk + 1

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
			switch k {
			case last:
				walk[k] *= s.blockCols
			case last - 1:
				walk[k] *= s.blockRows
			}
			s.carry[k][i] = walk[k] - back[i]
			back[i] += (s.counts[k] - 1) * walk[k]
		}
	}
}

// setHands decides how many goroutines share the work, once the engine is known.
func (s *step) setHands(e *Executor) {
	if e.ChunkElems > 0 {
		s.hands, s.yields = s.chunks, true
		return
	}
	const loads = 8 // reading and writing an element, in additions
	work := float64(loads)
	for _, in := range s.kernel.Body {
		work += in.Op.Info().Cost
	}
	if s.engine != AVX2.String() {
		work *= 4
	}
	s.hands = int(min(float64(s.chunks), work*float64(s.elems)/handWork))
}
