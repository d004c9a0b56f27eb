package kernel

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// DotColumns returns how many columns of B a kernel takes at a time: 64 bytes of a
// row, a cache line. Packed panels of B have as many.
func DotColumns(d ir.DType) int { return 64 / d.Size() }

// DotKernel returns the kernel of a dot step: kernel (s0:f32, u1:f32) { t0 = dot
// s0 u1; store t0 }. It computes a block of the product, Rows x Cols with Cols at
// most DotColumns, from at most DotChunk pairs. In its frame, besides the steps
// from row to row of A (operand 0), B (1) and the product (2), Step has at
// DotAcross, DotPairs, DotAdds and DotNext what the constants say.
func DotKernel(d ir.DType) *Kernel {
	b := NewBuilder(Operand{DType: d, Splat: true}, Operand{DType: d})
	b.Store(b.Op(ir.OpDot, 0, 1))
	k, _ := b.Kernel().Canonical()
	return k
}

// Places in the Step of the frame of a DotKernel.
const (
	DotAcross = 3 + iota // bytes from one element of a row of A to the next
	DotPairs             // how many pairs: columns of A, rows of B; at least 1
	DotAdds              // not 0 to add to the block what else would be stored there
	DotNext              // bytes from B to what of it the next call reads: a hint
)

// Dots reports whether the kernel is a DotKernel.
func (k *Kernel) Dots() bool { return len(k.Body) > 0 && k.Body[0].Op == ir.OpDot }

// checkDot returns an error unless a kernel that has a dot has nothing else.
func (k *Kernel) checkDot() error {
	if len(k.Body) != 1 || len(k.In) != 2 || !k.In[0].Splat || k.In[1].Splat || k.Body[0].Args != [3]Ref{0, 1} || len(k.Out) != 1 || k.Out[0] != 2 || k.Fold != nil {
		return errors.New("a kernel with a dot has a splat, a unit operand and nothing else")
	}
	return nil
}
