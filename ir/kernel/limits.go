package kernel

// The limits of one kernel. Fusion splits a group that would pass them.
const (
	// MaxOperands is how many operands, inputs and outputs, a kernel has at most.
	MaxOperands = 24
	// MaxPointers is how many of them may be outputs and unit operands, which have a
	// pointer each that moves from column to column.
	MaxPointers = 20
	// MaxBody is how many instructions a kernel has before expansion.
	MaxBody = 256
)

// Pointers returns how many operands need a pointer of their own: the unit
// inputs and the outputs. The channels of an array share one.
func (k *Kernel) Pointers() int {
	n := 0
	for i := range len(k.In) + len(k.Out) {
		if k.channel(i).At == 0 && (i >= len(k.In) || !k.In[i].Splat) {
			n++
		}
	}
	return n
}
