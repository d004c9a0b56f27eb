//go:build amd64 && !purego

package lines

import (
	"io"
	"runtime/trace"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestSumsKeepTheFramePointer: while an index outside the table panics, a goroutine is waked up under an execution
// trace. The trace walks the stack by frame pointers, and crashes if the assembly has changed the one of its caller.
func TestSumsKeepTheFramePointer(t *testing.T) {
	if trace.Start(io.Discard) != nil {
		t.Skip("there is a trace already")
	}
	defer trace.Stop()
	table, weights, work, out := make([]float64, 100), make([]float64, 40), make([]float64, kernel.GatherRows*100), make([]float64, 100)
	offsets, indices := []int64{0, 40}, make([]int64, 40)
	indices[39] = 1
	for _, length := range []int{3, 8, 30, 40} {
		for _, m := range []*kernel.Micro{{Kind: kernel.GatherReduce, Op: ir.OpGatherAdd}, {Kind: kernel.GatherReduce, Op: ir.OpGatherMulAdd}, {Kind: kernel.Ragged, Op: ir.OpRaggedMulAdd}} {
			f := &abi.Frame{Rows: 1}
			f.Ptr[0], f.Step[0] = unsafe.Pointer(&table[0]), 800
			if m.Kind == kernel.Ragged {
				f.Ptr[1], f.Ptr[2], f.Ptr[3] = unsafe.Pointer(&offsets[0]), unsafe.Pointer(&offsets[0]), unsafe.Pointer(&offsets[1])
				f.Ptr[4], f.Ptr[5], f.Ptr[6] = unsafe.Pointer(&indices[0]), unsafe.Pointer(&weights[0]), unsafe.Pointer(&out[0])
				f.Step[1], f.Step[4], f.Step[5], f.Step[7], f.Step[8], f.Step[9] = 8, 8, 8, 1, 2, 40
			} else {
				o := gatherOut(m.Op.Info())
				f.Ptr[1], f.Ptr[2] = unsafe.Pointer(&indices[40-length]), unsafe.Pointer(&weights[0])
				f.Ptr[o], f.Ptr[o+1], f.Step[o+1] = unsafe.Pointer(&out[0]), unsafe.Pointer(&work[0]), 800
				f.Step[o+2], f.Step[o+3], f.Step[o+4], f.Step[o+6] = 1, length, 8, 8
			}
			for _, m.Type = range []ir.DType{ir.Float32, ir.Float64} {
				for e := abi.AVX2; e <= abi.Best(); e++ {
					fn, ok := abi.Lookup(e, m.Signature())
					require.True(t, ok, "%s on %s", m.Signature(), e)
					for _, f.Cols = range []int{64, 3} {
						require.Panics(t, func() { wakeAfter(func() { fn(f) }) })
					}
				}
			}
		}
	}
}

// wakeAfter wakes up a goroutine after f, though that panics.
func wakeAfter(f func()) {
	waits, done := make(chan bool), make(chan bool)
	go func() {
		<-waits
		close(done)
	}()
	defer func() { waits <- true; <-done }()
	f()
}
