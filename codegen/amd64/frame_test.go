package amd64

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestFrameOffsets pins the layout that assembly reads, on the machines that
// have assembly: those of 64 bits.
func TestFrameOffsets(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("no assembly on a machine of 32 bits")
	}
	var f abi.Frame
	require.EqualValues(t, frameRows, unsafe.Offsetof(f.Rows))
	require.EqualValues(t, frameCols, unsafe.Offsetof(f.Cols))
	require.EqualValues(t, framePtr, unsafe.Offsetof(f.Ptr))
	require.EqualValues(t, frameStep, unsafe.Offsetof(f.Step))
	require.Equal(t, kernel.MaxOperands, abi.MaxOperands)
	require.EqualValues(t, frameNonTemporal, unsafe.Offsetof(f.NonTemporal))
	require.EqualValues(t, 8, unsafe.Sizeof(f.Ptr[0]))
	require.EqualValues(t, 8, unsafe.Sizeof(f.Step[0]))
}
