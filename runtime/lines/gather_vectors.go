//go:build (amd64 || arm64) && !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Gather by assembly, which copies vectors. On amd64 it prefetches rows of a large table before it copies them, because the
// instructions of one copied row fill much of the processor's reorder buffer. The assembly is written by hand: it stops at an index
// outside its line, and generated code neither stops nor prefetches by an index. Zen 4, a million rows of 256 bytes of 32 MB:
// 25 to 29 ms; in Go 50 to 55.

// prefetchedLines is the greatest number of cache lines of a row that are prefetched. The processor's own prefetcher
// fetches the following ones.
const prefetchedLines = 8

// registerGather registers the gathers that copy vectors.
func registerGather() {
	abi.RegisterBuiltin(rowEngine, []abi.Kernel{
		{Sig: gatherOf(ir.Uint8), Fn: gatherVectors[uint8]}, {Sig: gatherOf(ir.Uint16), Fn: gatherVectors[uint16]},
		{Sig: gatherOf(ir.Uint32), Fn: gatherVectors[uint32]}, {Sig: gatherOf(ir.Int64), Fn: gatherVectors[uint64]},
	})
}

func gatherOf(d ir.DType) string { return (&kernel.Micro{Kind: kernel.Gather, Type: d}).Signature() }

// gatherVectors copies rows by their indices.
func gatherVectors[T any](f *abi.Frame) {
	bytes, extent, lines := f.Cols*int(unsafe.Sizeof(*new(T))), f.Step[3], 0
	if isFar(f.Step[0], extent) {
		lines = min((bytes-1)/kernel.CacheLine+1, prefetchedLines)
	}
	if f.Cols == 0 || f.Cols == 1 && lines == 0 {
		gather[T](f)
		return
	}
	copied, outside := copyRows(f.Ptr[2], f.Ptr[0], f.Ptr[1], f.Step[2], f.Step[0], f.Step[1], f.Rows, bytes, extent, lines)
	if copied < f.Rows {
		panic(&ir.IndexError{Index: outside, Extent: extent})
	}
}

// copyRows copies rows of bytes by their indices, and prefetches the given number of cache lines of later rows. It returns the
// number of rows copied. If the next row's index is not below the extent, it stops and returns that index too: each index is
// read only once, as another goroutine may change it.
//
//go:noescape
func copyRows(to, from, index unsafe.Pointer, toStep, fromStep, indexStep, rows, bytes, extent, lines int) (copied int, outside int64)
