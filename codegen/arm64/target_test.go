package arm64

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestGoLoops compares the built-in kernels that NEON has not with a list, so that none becomes a Go loop unseen.
func TestGoLoops(t *testing.T) {
	var loops strings.Builder
	for _, c := range codegen.Builtins() {
		if !NEON().Emits(c) {
			loops.WriteString(c.Signature() + "\n")
		}
	}
	path := filepath.Join("testdata", "go_loops.txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(loops.String()), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), loops.String(), "run go test ./codegen/arm64 -update")
}

// TestTotal has instructions for every op that expansions leave, on every type that it takes.
func TestTotal(t *testing.T) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Lane {
			continue
		}
		for _, d := range info.Domain.List() {
			for _, to := range ir.AllTypes.List() {
				operands := make([]kernel.Operand, info.Arity)
				for i := range operands {
					operands[i].DType = d
				}
				if info.Mask {
					operands[0].DType = ir.Bool
				}
				k, err := kernel.SingleOp(op, to, operands...)
				if err != nil {
					continue // not every bitcast exists
				}
				e := elementary.Expand(k)
				for _, in := range e.Body {
					require.True(t, NEON().has(e, in), "%s of %s in %s", in.Op, in.DType, k.Signature())
				}
			}
		}
	}
}

// TestFrameOffsets pins the layout that assembly reads.
func TestFrameOffsets(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("no assembly on a machine of 32 bits")
	}
	var f abi.Frame
	require.EqualValues(t, frameRows, unsafe.Offsetof(f.Rows))
	require.EqualValues(t, frameCols, unsafe.Offsetof(f.Cols))
	require.EqualValues(t, framePtr, unsafe.Offsetof(f.Ptr))
	require.EqualValues(t, frameStep, unsafe.Offsetof(f.Step))
}

// TestOperands refuses a kernel with more operands than registers for their pointers, which then is a Go loop.
func TestOperands(t *testing.T) {
	of := func(inputs int) *kernel.Kernel {
		operands := make([]kernel.Operand, inputs)
		for i := range operands {
			operands[i].DType = ir.Float32
		}
		b := kernel.NewBuilder(operands...)
		sum := kernel.Ref(0)
		for i := 1; i < inputs; i++ {
			sum = b.Op(ir.OpAdd, sum, kernel.Ref(i))
		}
		b.Store(sum)
		return b.Kernel()
	}
	require.True(t, NEON().Emits(of(unitPointers-1)))
	require.False(t, NEON().Emits(of(unitPointers)))
}
