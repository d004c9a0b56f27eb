package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Leaves: walks through binary trees. It is written by hand.

var leavesOps = lineOps(func(op *ir.OpInfo) bool { return op.Walks })

// LeavesWork is the number of words of scratch memory, and LeavesRows the fewest rows of a call, if there are as many: a kernel
// prepares each tree for all rows of a call.
const LeavesWork, LeavesRows = 1 << 14, 256

// leavesArgs are the elements that are compared, the nodes, the roots, the nodes at which the walks end, and scratch memory.
func leavesArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Field0, Across: Field0 + 1}, {DType: m.Type, Outer: Rows, Inner: Field0 + 2, Across: Field0 + 3},
		{DType: m.Type, Outer: Rows, Inner: Cols, Across: Field0 + 4}, {DType: ir.LineType(m.Op, m.Type), Out: true, Outer: Rows, Inner: Cols, Across: Field0 + 5},
		{DType: m.Type, Out: true, Work: true, Outer: One, Inner: Field0 + 6, Across: One}}
}

// leavesLimits bounds the number of words: a place in them, in bytes, is an int.
func leavesLimits(*Micro) []Limit { return []Limit{{Extent: Field0 + 2, Most: math.MaxInt32}} }

func leavesMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		x, nodes, roots := make([]uint64, b.Field(0)), make([]uint64, b.Field(2)), make([]uint64, b.Cols())
		for r := range b.Rows() {
			for arg, line := range [][]uint64{x, nodes, roots} {
				for i := range line {
					line[i] = b.Get(arg, r, i)
				}
			}
			for c, leaf := range m.Op.Info().Line(f, m.Op, m.Type, [][]uint64{x, nodes, roots}) {
				b.Set(3, r, c, leaf)
			}
		}
	}
}
