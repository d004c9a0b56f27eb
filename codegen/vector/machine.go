// Package vector compiles the body of an elementwise kernel to instructions over
// the vector registers of a CPU. It holds what all targets share; a target adds a
// table of instructions and prints the result.
//
//	lower     kernel body -> graph of vector values     copy.go value.go reduce.go region.go
//	schedule  graph -> list of values in order          schedule.go list.go
//	allocate  list -> instructions over registers       alloc*.go
//	compile   chooses among orders, unrolls and pins    body.go candidates.go fit.go
//
// The input is an expanded kernel (package elementary) and a Target; the output is a Body. The package knows the width and number of
// the registers only from the Target's Machine, and names no instruction of any CPU.
package vector

import "github.com/stridefuse/stridefuse/ir"

// Machine describes the vector registers of a target.
type Machine struct {
	Width     int // bytes of a vector register
	Lane      int // bytes of the narrowest lane that values are computed in
	Registers int // vector registers
	Masks     int // mask registers, numbered behind the vector registers; 0: masks are vectors
	Working   int // vector registers that are never pinned: the values of one instruction

	// Extremes says that the minimum and maximum of two float32 are one instruction, with NaN and signed zeros as ir.OpMin and
	// ir.OpMax define them.
	Extremes bool
	Tuning
}

// Tuning holds the measured constants by which Compile ranks the orders of a main
// loop. Work is counted in arithmetic instructions of one copy of the body.
type Tuning struct {
	Unroll     int // least work for which two copies are tried, if all values are of one vector
	UnrollWide int // the same for bodies with values of two vectors
	ListOrder  int // least work for which three copies in list order are tried

	// The time of two or four independent vectors side by side, and of three copies in list order, divided by the time of
	// the same instructions vector by vector.
	ByTwo, ByFour, ByList float64
	// LoopEnd is the number of instructions that end an iteration of the main loop.
	LoopEnd int

	UnrollReduced int     // longest body with reductions that is unrolled by phases
	ColdInputs    float64 // most cost that a cold block may recompute to save an input
}

// Lanes returns the number of elements that one step computes: the number of the narrowest lanes of a vector.
func (m *Machine) Lanes() int { return m.Width / m.Lane }

// Parts returns the number of vectors of the elements of a step: 2 for 8-byte elements, otherwise 1. Smaller elements are
// computed in the narrowest lanes.
func (m *Machine) Parts(d ir.DType) int { return max(1, m.Lanes()*d.Size()/m.Width) }

// class returns the class of masks: see Class.
func (m *Machine) class(mask Class) Class {
	if m.Masks == 0 {
		return ClassVector
	}
	return mask
}

// maxPinned returns the number of registers that may hold values throughout a loop.
func (m *Machine) maxPinned() int { return m.Registers - m.Working }
