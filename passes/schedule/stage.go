package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// stage is the layout of an operand of an elementwise step for the calls: where it is, or in local memory.
type stage uint8

// The stages.
const (
	direct          stage = iota
	packed                // its tile is copied row by row
	packedAcross          // its tile is copied column by column
	transposedBlock       // its block is transposed, for all tiles
	repeated              // its tile is one row again and again: for joined rows
	filled                // its tile is one element a row again and again
	constant              // it is a table of one element
	nonTemporal           // an output: the kernel stores past the caches
	nonTemporalTile       // an output: its tile is copied out past the caches
	scattered             // an output whose elements are apart: its tile is copied out
	inserted              // an output between the members of an array: its tile is copied out with them
)

// once reports whether an operand is staged once for all rows of a block.
func (e *elemWriter) once(i int) bool {
	switch e.stages[i] {
	case packed, repeated, filled:
		return e.ops[i].row == 0
	}
	return false
}

// anyOnce reports whether some operand is staged once for all rows of a block.
func (e *elemWriter) anyOnce() bool {
	for i := range e.ops {
		if e.once(i) {
			return true
		}
	}
	return false
}

// stageWork returns the cost of staging an operand for each index, in additions.
func (e *elemWriter) stageWork(i int) float64 {
	if e.once(i) && e.step.Axes[e.row].Extent > 1 {
		return 0
	}
	switch e.stages[i] {
	case direct, repeated, constant:
		return 0
	case packed, transposedBlock:
		return e.t.StageWork
	case packedAcross:
		if e.joined { // a few columns, each of many elements
			return e.t.StageWork / 2
		}
		return 2 * e.t.StageWork
	case filled:
		return e.t.StageWork / 2
	case nonTemporal, nonTemporalTile: // memory is not read before it is written
		return -1
	case scattered, inserted:
		return 2 * e.t.StageWork
	}
	panic("BUG: schedule: there is no such stage")
}

// pack stages the operands that are strided along the columns, tile by tile. It returns which kernel is missing, or "".
func (e *elemWriter) pack() (why string) {
	for i := range e.step.In {
		o := &e.ops[i]
		if e.stages[i] != direct || e.groupOf(i) != nil {
			continue
		}
		switch o.class {
		case strided:
			e.stages[i] = packed
		case transposed:
			e.stages[i] = packedAcross
		}
		if why = e.checkStage(i); why != "" {
			return why
		}
	}
	return ""
}

// checkStage returns which kernel is missing to stage an operand, or "".
func (e *elemWriter) checkStage(i int) string {
	return e.t.lacks(e.stageKernels(i)...)
}

// stageKernels returns the kernels that stage an operand.
func (e *elemWriter) stageKernels(i int) []kernel.Code {
	o := &e.ops[i]
	switch e.stages[i] {
	case direct, constant, nonTemporal:
		return nil
	case packed:
		return []kernel.Code{packKernel(o.dtype)}
	case packedAcross, transposedBlock, scattered:
		return []kernel.Code{transposeKernel(o.dtype)}
	case inserted:
		return []kernel.Code{insertKernel(o.dtype)}
	case repeated:
		return []kernel.Code{packKernel(o.dtype), copyKernel(o.dtype, false)}
	case filled:
		return []kernel.Code{copyKernel(o.dtype, true)}
	case nonTemporalTile:
		return []kernel.Code{kernel.CopyNT}
	}
	panic("BUG: schedule: there is no such stage")
}

// packKernel returns the kernel that copies strided elements of a type.
func packKernel(d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.Pack, Type: kernel.BitsType(d)})
}

// transposeKernel returns the kernel that transposes elements of a type.
func transposeKernel(d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: kernel.Transpose, Type: kernel.BitsType(d)})
}

// microKernel returns the canonical form of a micro-kernel without a body.
func microKernel(m kernel.Micro) kernel.Code {
	k, _ := kernel.Canonical(&m)
	return k
}

// copyKernel returns the kernel that copies elements of a type, or one element a row to all columns.
func copyKernel(d ir.DType, splat bool) *kernel.Kernel {
	return oneOp(ir.OpCopy, ir.Invalid, kernel.Operand{DType: d, Splat: splat})
}
