package runtime

import (
	"context"
	"fmt"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// iotas are the newest tables of 0, 1, 2, ... of 4-byte and 8-byte elements, which all plans share. Only the states of runs keep a table alive.
var iotas [2]atomic.Pointer[numbers]

type numbers struct {
	table weak.Pointer[byte]
	bytes int
}

// iotaLeast is the least number of elements of a table.
const iotaLeast = 1 << 12

func checkIota(b *buffer) error {
	limit, ok := map[ir.DType]int64{ir.Int32: 1 << 31, ir.Uint32: 1 << 32, ir.Int64: 1 << 62}[b.dtype]
	if !ok {
		return fmt.Errorf("there are no tables of numbers of type %s: cast one of int32", b.dtype)
	}
	if int64(b.elems) > limit {
		return fmt.Errorf("no table of the numbers below %d has type %s", b.elems, b.dtype)
	}
	return nil
}

// iotaTable returns the address of a table for the buffer. It returns the newest table if that is long enough, but not so long that a short line
// would keep much memory alive. Two concurrent callers may each make a table.
func iotaTable(ctx context.Context, b *buffer) (unsafe.Pointer, error) {
	shared, bytes := &iotas[b.size/8], max(b.bytes(), iotaLeast*b.size)
	if it := shared.Load(); it != nil && it.bytes >= bytes && it.bytes/4 <= bytes {
		if table := it.table.Value(); table != nil {
			return unsafe.Pointer(table), nil
		}
	}
	r, err := memory.Reserve(bytes)
	if err != nil {
		return nil, failf("a table of %d numbers: %w", b.elems, err)
	}
	defer r.Release()
	table, err := r.Uncleared(bytes)
	if err != nil {
		return nil, failf("a table of %d numbers: %w", b.elems, err)
	}
	for at := 0; at < bytes; at += copyPiece {
		if err := ContextError(ctx); err != nil {
			return nil, err
		}
		if piece := table[at:min(at+copyPiece, bytes)]; b.size == 4 {
			count(piece, uint32(at/4))
		} else {
			count(piece, uint64(at/8))
		}
	}
	shared.Store(&numbers{weak.Make(&table[0]), len(table)})
	return unsafe.Pointer(&table[0]), nil
}

// count writes first, first+1, ... into a table.
func count[T uint32 | uint64](table []byte, first T) {
	t := unsafe.Slice((*T)(unsafe.Pointer(&table[0])), len(table)/int(unsafe.Sizeof(first)))
	for i := range t {
		t[i] = first + T(i)
	}
}
