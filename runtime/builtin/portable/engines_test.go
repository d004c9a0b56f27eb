package portable_test

import (
	"reflect"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() {
	portable.Register()
	builtin.Register() // the assembly of the same kernels
}

// TestLoopsInPlaceOfTilings looks up a kernel that package builtin has as a Go loop too: the
// one of this package, which computes several elements at a time, is used.
func TestLoopsInPlaceOfTilings(t *testing.T) {
	fn, ok := abi.Lookup(abi.Portable, "kernel (u0:f32) { t0 = exp u0; store t0 }")
	require.True(t, ok)
	require.Contains(t, goruntime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name(), "builtin/portable.")
}
