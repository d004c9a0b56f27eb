package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// TestDefined compares what definitions compute in memory with what they say: kernels of each kind, with
// operands of every size, channels, fields and results in place of operands.
func TestDefined(t *testing.T) {
	for _, sig := range []string{
		"kernel (u0:f32, s1:f32) { t0 = add u0 s1; store t0 }",
		"kernel (u0:f64) { t0 = exp u0; store t0 }",
		"kernel (u0:i8) { t0 = cast:i16 u0; store t0 }",
		"kernel (u0:f16, u1:f16) { t0 = mul u0 u1; store t0 }",
		"kernel ((u0 u1 u2):f32) { t0 = add u2 u0; t1 = add u1 t0; store t1 }",
		"reduce [add] kernel (u0:u8) { t0 = cast:i64 u0; store t0 }",
		"reduce [argmax] kernel (u0:f32) { store u0 }",
		"reduce_columns add kernel (u0:f32, s1:f32) { t0 = mul u0 s1; store t0 }",
		"dot f32", "transpose u32", "pack u8",
	} {
		code, err := kernel.ParseCode(sig)
		require.NoError(t, err)
		_, err = kerneltest.Check(code, 1, kerneltest.Heap, kerneltest.Form{Call: runtime.Defined(sig)})
		require.NoError(t, err, sig)
	}
}
