//go:build !purego

package avo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// byteBodies are bodies whose values all have one byte, and sums of bytes.
var byteBodies = []string{
	"kernel (u0:u8, u1:u8) { t0 = addsat u0 u1; store t0 }",
	"kernel (u0:i8, s1:i8) { t0 = subsat u0 s1; t1 = abs t0; store t1 }",
	"kernel (u0:u8, s1:u8, s2:u8) { t0 = gt u0 s1; t1 = const:u8:fe; t2 = select t0 t1 s2; store t2 }",
	"kernel (u0:i8, u1:i8) { t0 = lt u0 u1; t1 = le u1 u0; t2 = xor t0 t1; t3 = not t2; store t2 t3 }",
	"kernel (u0:bool, u1:u8, u2:u8, s3:bool) { t0 = eq u1 u2; t1 = and t0 u0; t2 = or t1 s3; store t2 }",
	"kernel (u0:u8, u1:u8) { t0 = sub u0 u1; t1 = min t0 u1; t2 = max t1 u0; t3 = clip t2 u0 u1; store t3 }",
	"kernel (u0:i8, u1:i8) { t0 = add u0 u1; t1 = neg t0; t2 = clip t1 u0 u1; t3 = ge t2 u1; store t3 t2 }",
	"reduce [add] kernel (u0:bool) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:u8) { t0 = cast:u32 u0; store t0 }",
}

// TestDifferentialBytes runs bodies in byte lanes on both engines.
func TestDifferentialBytes(t *testing.T) {
	t.Parallel()
	var ks []kernel.Code
	for _, text := range byteBodies {
		c, err := kernel.ParseCode(text)
		require.NoError(t, err, text)
		canon, _ := kernel.Canonical(c)
		require.False(t, avo.AVX512.Emits(canon), "AVX2 has as many lanes: %s", text)
		ks = append(ks, canon)
	}
	files, err := codegen.Generate(codegen.Options{Package: "main"}, ks)
	require.NoError(t, err)
	differ(t, ks, files[0])
}

// TestByteLanes counts the instructions of a loop over 32 bytes: a load, a maximum with the
// other operand in memory, and a store, and the end of the loop.
func TestByteLanes(t *testing.T) {
	k, err := kernel.SingleOp(ir.OpMax, ir.Invalid, kernel.Operand{DType: ir.Uint8}, kernel.Operand{DType: ir.Uint8})
	require.NoError(t, err)
	asm, err := avo.AVX2.Assemble("kernels", []kernel.Code{k})
	require.NoError(t, err)
	require.Regexp(t, `loop:\n\tVMOVUPS .*\n\tVPMAXUB .*\n\tVMOVUPS .*\n\tADDQ +\$0x20, BX`, string(asm))
}
