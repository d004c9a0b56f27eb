package kernel

// The limits of one kernel. Fusion splits a group that would pass them.
const (
	// MaxOperands is the greatest number of operands of a kernel, inputs and outputs together.
	MaxOperands = 24
	// MaxPointers is the greatest number of outputs and unit operands. Each of them has a pointer that moves from column
	// to column.
	MaxPointers = 20
	// MaxBody is the greatest number of instructions of a kernel before expansion.
	MaxBody = 256
)

// Pointers returns the number of operands that need a pointer of their own: unit inputs and outputs. The members of an
// interleave group share one.
func (k *Kernel) Pointers() int {
	n := 0
	for i := range len(k.In) + len(k.Out) {
		if k.member(i).At == 0 && (i >= len(k.In) || !k.In[i].Splat) {
			n++
		}
	}
	return n
}
