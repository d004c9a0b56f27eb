package runtime

import (
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

const (
	// crossedRows and crossedIndices are the least of both for which a step crosses
	// them: to transpose an element takes about as long as to fold eight.
	crossedRows    = kernel.DownCols
	crossedIndices = 16
	// crossedBytes is how much of the transposed elements stays in the first-level
	// cache while several indices meet them. Lines of which it does not hold
	// ir.DownCols are folded as they lie, which then is as fast.
	crossedBytes = 16 << 10
	// crossedWidth is up to how many rows a block has: its results are written in
	// pieces as long. What it has transposed stays within turnBytes.
	crossedWidth = 512
	// crossedBlock and leastCrossed are how many indices a block has, the latter
	// where there would be too few blocks to share out evenly.
	crossedBlock, leastCrossed = 1024, 64
)

// crossed folds the columns of a step whose rows meet all indices of the axis before
// them, as where the distances of all x to all y are taken. A block transposes the
// operands that differ from row to row, once for all of its indices; then a kernel
// folds down what were the columns, many rows a vector.
type crossed struct {
	indices int   // of the axis
	block   int   // how many of them a block has
	walk    []int // bytes from one to the next, of each operand of the step
	order   []int // the step's operand of each of the kernel's
	units   []crossedUnit
	name    string // the kernel's signature
	kernel  func(*abi.Frame)
	width   int // rows that a call takes, but for the last
}

// crossedUnit is an operand that is transposed.
type crossedUnit struct {
	turn
	place int // among the kernel's operands
}

// newCrossed returns nil for steps that are not of that kind. The first axes, as
// many as outer says, are not theirs.
func newCrossed(s *step, in *plan.FlatStep, f finder, outer int) *crossed {
	axis, last := len(in.Extents)-3, len(in.Extents)-1
	if axis < outer || s.kernel.Fold == nil || in.Extents[axis] < crossedIndices || in.Extents[last-1] < crossedRows {
		return nil
	}
	x := &crossed{indices: in.Extents[axis]}
	splats := 0
	for i := range s.operands {
		o := &s.operands[i]
		x.walk = append(x.walk, o.walk[axis])
		switch {
		case i >= s.ins:
			if o.rowStep != o.size {
				return nil
			}
		case o.splat || o.colStep != o.size:
			return nil
		case o.rowStep == 0:
			splats++
		case o.walk[axis] != 0:
			return nil
		default:
			x.units = append(x.units, crossedUnit{turn: turn{operand: i, across: o.size, next: o.rowStep}})
		}
	}
	if splats == 0 || len(x.units) == 0 || x.fit(crossedBytes, s, in.Extents[last]) == 0 {
		return nil
	}
	down, order := s.kernel.DownKernel(func(i int) bool { return s.operands[i].rowStep == 0 })
	if down == nil {
		return nil
	}
	x.name, x.order = kernel.CodeOf(down).Signature(), append(order, s.ins)
	if _, _, err := f.find(x.name); err != nil {
		return nil
	}
	for i := range x.units {
		t := &x.units[i]
		t.place = slices.Index(x.order, t.operand)
		s.operands[t.operand].turned = true
	}
	return x
}

// fit returns how many rows, a multiple of ir.DownCols, fit so many bytes.
func (x *crossed) fit(bytes int, s *step, cols int) int {
	return bytes / (cols * s.operands[s.ins].size * len(x.units) * kernel.DownCols) * kernel.DownCols
}

// cut returns how many rows a block has, and sets how many indices: blocks of an
// axis have about the same, and all have rows enough for the kernel.
func (x *crossed) cut(s *step, pieces int) (rows int) {
	x.width = x.fit(crossedBytes, s, s.cols)
	rows = min(s.rows, crossedWidth, x.fit(turnBytes, s, s.cols))
	for s.rows%rows > 0 && s.rows%rows < kernel.DownCols {
		rows++
	}
	most := crossedBlock
	for pieces > 1 && most > leastCrossed && s.elems/(rows*s.cols*min(most, x.indices)) < 2*pieces {
		most /= 2
	}
	parts := (x.indices-1)/most + 1
	x.block = (x.indices-1)/parts + 1
	return rows
}

// blocks makes the axis one of blocks, and returns how many.
func (x *crossed) blocks(operands []operand, axis int) int {
	for i := range operands {
		operands[i].walk[axis] *= x.block
	}
	return (x.indices-1)/x.block + 1
}

// link finds the kernels, and gives the transposed operands their places.
func (x *crossed) link(f finder, s *step) (err error) {
	var on abi.Engine
	if x.kernel, on, err = f.find(x.name); err != nil {
		return err
	}
	s.engine, s.compiled = on.String(), "kernel"
	for i := range x.units {
		t := &x.units[i]
		o := &s.operands[t.operand]
		if t.kernel, err = findTranspose(o, f); err != nil {
			return err
		}
		t.at = s.scratch
		t.line = (s.blockRows*o.size+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment // see linkTurns
		s.scratch += s.cols * t.line
	}
	return nil
}

// run computes a block: as many rows as stay in the first-level cache meet a few
// indices, then the next rows those, so that results go to the same memory.
func (x *crossed) run(ln *lane, s *step) {
	b, f, size := &ln.block, &ln.inner, s.operands[s.ins].size
	f.Step[s.ins+1] = b.Cols
	for i, from := range x.order {
		f.Step[i] = x.walk[from]
	}
	for _, t := range x.units {
		to := unsafe.Pointer(&ln.scratch[t.at])
		transpose(t.kernel, &ln.many, to, t.line, b.Ptr[t.operand], b.Cols, b.Rows, size, t.across, t.next)
		f.Step[t.place] = t.line
	}
	axis := len(s.counts) - 3
	n := min(x.block, x.indices-ln.index[axis]*x.block)
	for k := 0; k < n && !ln.stopped(); k += leastCrossed {
		f.Rows = min(leastCrossed, n-k)
		for r := 0; r < b.Rows; r += f.Cols {
			f.Cols = b.Rows - r
			if f.Cols >= x.width+kernel.DownCols {
				f.Cols = x.width
			}
			for i, from := range x.order {
				f.Ptr[i] = unsafe.Add(b.Ptr[from], k*x.walk[from])
			}
			for _, t := range x.units {
				f.Ptr[t.place] = unsafe.Pointer(&ln.scratch[t.at+r*size])
			}
			f.Ptr[s.ins] = unsafe.Add(f.Ptr[s.ins], r*size)
			call(x.kernel, f)
		}
	}
}
