package runtime

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// iotas are tables of 0, 1, 2, ..., by element size, that all plans read. A plan
// that needs more makes a longer one; a run keeps the one that it has.
var iotas struct {
	sync.Mutex
	tables map[int][]byte
}

// iotaLeast is how many elements a table has at least.
const iotaLeast = 1 << 12

func checkIota(b *buffer) error {
	limit := map[ir.DType]int64{ir.Int32: 1 << 31, ir.Uint32: 1 << 32, ir.Int64: 1 << 62}[b.dtype]
	if int64(b.elems) > limit {
		return fmt.Errorf("no table of the numbers below %d has type %s", b.elems, b.dtype)
	}
	return nil
}

// iotaTable returns the address of a table for the buffer.
func iotaTable(b *buffer) (unsafe.Pointer, error) {
	iotas.Lock()
	defer iotas.Unlock()
	table := iotas.tables[b.size]
	if len(table) < b.bytes || table == nil {
		var err error
		if table, err = allocate(max(b.bytes, iotaLeast*b.size)); err != nil {
			return nil, err
		}
		if b.size == 4 {
			count[uint32](table)
		} else {
			count[uint64](table)
		}
		if iotas.tables == nil {
			iotas.tables = map[int][]byte{}
		}
		iotas.tables[b.size] = table
	}
	return unsafe.Pointer(&table[0]), nil
}

// count writes 0, 1, 2, ...
func count[T uint32 | uint64](table []byte) {
	t := unsafe.Slice((*T)(unsafe.Pointer(&table[0])), len(table)/int(unsafe.Sizeof(T(0))))
	for i := range t {
		t[i] = T(i)
	}
}
