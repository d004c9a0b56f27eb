package runtime

import (
	"context"
	goruntime "runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Runs share a table while one of them needs it, unless it is far too long.
func TestIotaTables(t *testing.T) {
	table := func(elems, size int) unsafe.Pointer {
		table, err := iotaTable(context.Background(), &buffer{elems: elems, size: size})
		require.NoError(t, err)
		return table
	}
	for _, size := range []int{4, 8} {
		long := table(100_000, size)
		require.Equal(t, long, table(30_000, size))
		short := table(10, size)
		require.NotEqual(t, long, short)
		require.Equal(t, short, table(iotaLeast, size))
		if size == 4 {
			require.EqualValues(t, 99_999, *(*uint32)(unsafe.Add(long, 99_999*size)))
		} else {
			require.EqualValues(t, 99_999, *(*uint64)(unsafe.Add(long, 99_999*size)))
		}
		last := iotas[size/8].Load()
		require.NotNil(t, last.table.Value())
		goruntime.KeepAlive(short)
		goruntime.GC()
		require.Nil(t, last.table.Value(), "it goes with the last that has it")
	}
}
