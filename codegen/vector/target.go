package vector

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Target is the instruction table of a CPU. Its methods add nodes to the graph of a kernel and return the values of the last
// ones. A mask is a vector value that a comparison returns and that Select, And, Or and Not take; the target chooses how its
// lanes represent true.
type Target interface {
	Machine() *Machine

	// Load returns input i of the kernel, under a mask in the last partial step.
	Load(c *Copy, i int) Value
	// Store returns the stores of a value to an operand.
	Store(c *Copy, operand int, d ir.DType, v Value) []Ref
	// StoreFirst stores the first element of a vector at the start of an operand.
	StoreFirst(g *Graph, to Place, d ir.DType, v Ref) Ref
	// Reload returns a loaded vector by an instruction of its own. Other instructions may read operands in place, any number
	// of times.
	Reload(g *Graph, v Ref) Ref

	// Apply returns the result of an elementwise instruction on whole values.
	Apply(c *Copy, in kernel.Inst, args [3]Value) Value
	// Lane applies an elementwise operation to one vector of each operand.
	Lane(g *Graph, op ir.Op, d ir.DType, args [3]Ref) Ref
	// Steps returns the indices first, first+1, ... counted from the first element of
	// the step, in lanes of type d.
	Steps(g *Graph, d ir.DType, first int) Ref

	// Select returns y in the lanes of the mask, and z in the others.
	Select(g *Graph, mask, y, z Ref) Ref
	And(g *Graph, a, b Ref) Ref
	Or(g *Graph, a, b Ref) Ref
	Not(g *Graph, mask Ref) Ref
	// WidenMask returns part p (0, 1) of a mask of narrow lanes as a mask of 8-byte
	// lanes; NarrowMask joins two such masks.
	WidenMask(g *Graph, mask Ref, p int) Ref
	NarrowMask(g *Graph, low, high Ref) Ref

	// Upper returns a vector whose first bytes are bytes 'bytes' to 2*bytes of v.
	Upper(g *Graph, v Ref, bytes int) Ref
	// Splat returns the first element of v in every lane.
	Splat(g *Graph, v Ref, d ir.DType) Ref
}
