package kernel

import (
	"github.com/stridefuse/stridefuse/ir"
)

// StreamKernel returns the kernel that copies rows of bytes to memory that is not
// read soon: kernel (u0:u8) { t0 = stream u0; store t0 }. Stores past the caches
// leave out that each line is first read, and keep in the caches what is there. What
// calls have stored is sure to be seen by other processors after one for no rows.
func StreamKernel() *Kernel {
	b := NewBuilder(Operand{DType: ir.Uint8})
	b.Store(b.Op(ir.OpStream, 0))
	k, _ := b.Kernel().Canonical()
	return k
}

// Streams reports whether the kernel is StreamKernel's. In any other kernel a
// stream is a copy.
func (k *Kernel) Streams() bool {
	return len(k.In) == 1 && !k.In[0].Splat && len(k.Body) == 1 && k.Body[0].Op == ir.OpStream && len(k.Out) == 1 && k.Out[0] == 1 && k.Fold == nil
}
