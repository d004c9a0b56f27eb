package kernel_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestCopiesHaveNoSignature changes copies of canonical kernels, by hand and by each method that derives a
// kernel: the signature of a copy is its own text, and the original keeps its own.
func TestCopiesHaveNoSignature(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t)
		k.Fast = rapid.Bool().Draw(t, "fast")
		canon, _ := k.Canonical()
		text := canon.Signature()
		require.Equal(t, canon.String(), text)

		copied := *canon
		copied.Out = append(slices.Clone(canon.Out), canon.Out[0])
		derived := []*kernel.Kernel{&copied, canon.Prune(), canon.InTier(!canon.Fast), canon.WithSplats(func(i int) bool { return i%2 == 0 })}
		for _, r := range canon.Out {
			one := canon.Storing(r)
			require.Equal(t, canon.DType(r), one.OutType(0))
			require.Equal(t, canon.Fast, one.Fast)
			derived = append(derived, one)
		}
		for _, d := range derived {
			require.Equal(t, d.String(), d.Signature())
			again, _ := d.Canonical()
			require.Equal(t, again.String(), again.Signature())
			require.Len(t, again.Args(), len(again.In)+len(d.Out))
		}
		require.Equal(t, text, canon.Signature())
		require.NoError(t, kernel.CheckSignature(canon))
	})
}

// TestMicroCopiesHaveNoSignature is the same for micro-kernels.
func TestMicroCopiesHaveNoSignature(t *testing.T) {
	scan, _ := (&kernel.Micro{Kind: kernel.ScanRows, Op: ir.OpAdd, Type: ir.Float32}).Canonical()
	body := &kernel.Kernel{In: []kernel.Operand{{DType: ir.Float32}}, Out: []kernel.Ref{0}}
	reduce, _ := (&kernel.Micro{Kind: kernel.Reduce, Combine: []ir.Op{ir.OpAdd}, Body: body}).Canonical()
	for _, canon := range []*kernel.Micro{scan, reduce} {
		text, copied := canon.Signature(), *canon
		copied.Carry, copied.Combine = true, []ir.Op{ir.OpMax}
		require.Equal(t, copied.String(), copied.Signature())
		require.NotEqual(t, text, copied.Signature())
		require.Equal(t, text, canon.Signature())
	}
}

// TestCheckSignature finds kernels that were changed though they are canonical.
func TestCheckSignature(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:f32) { t0 = asinh u0; store t0 t0 }")
	require.NoError(t, err)
	canon, _ := k.Canonical()
	whole := *canon
	canon.Out = canon.Out[:1]
	require.EqualError(t, kernel.CheckSignature(canon), "kernel (u0:f32) { t0 = asinh u0; store t0 }: the kernel was changed in place; its signature is kernel (u0:f32) { t0 = asinh u0; store t0 t0 }")
	canon.Out = whole.Out
	require.NoError(t, kernel.CheckSignature(canon))
}
