package memory

import (
	"math"
	goruntime "runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestAllocateAligns(t *testing.T) {
	sizes := []int{1 << 20, 3<<20 + 1, hugeBuffer - 1, hugeBuffer, hugeBuffer + 1, 9<<20 + 77}
	for n := 1; n < 9000; n++ {
		sizes = append(sizes, n)
	}
	for n := 9001; n < 400_000; n += 997 {
		sizes = append(sizes, n)
	}
	kept := [64][]byte{} // some stay alive, so that the heap has holes
	for i, n := range sizes {
		buf, err := Allocate(n)
		require.NoError(t, err)
		require.Len(t, buf, n)
		require.Zero(t, misaligned(buf), n)
		require.Zero(t, buf[0]|buf[n/2]|buf[n-1])
		for k := range buf {
			buf[k] = 0xff
		}
		kept[i%len(kept)] = buf
	}
	require.NotNil(t, sure(Allocate(0))(t))
}

func TestAlignBytes(t *testing.T) {
	whole := sure(Allocate(512))(t)
	for skip := range 130 {
		part := alignBytes(whole[skip:])
		require.Zero(t, misaligned(part))
		require.GreaterOrEqual(t, len(part), 512-skip-63)
	}
}

func TestWholePages(t *testing.T) {
	buf := sure(Allocate(3*hugePage + 4096))(t)
	pages := wholePages(buf[64:])
	require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(pages)))%hugePage)
	require.Zero(t, len(pages)%hugePage)
	require.GreaterOrEqual(t, len(pages), 2*hugePage)
	require.Empty(t, wholePages(pages[1:hugePage]))
}

func TestTooLargeIsAnError(t *testing.T) {
	for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 100} {
		_, err := Allocate(n)
		require.Error(t, err)
	}
}

func TestUnwrittenMemoryCounts(t *testing.T) {
	goruntime.GC()
	room := heapBytes() + 5*lookBytes/2
	kept := [][]byte{sure(Allocate(lookBytes))(t), sure(Allocate(lookBytes))(t)}
	require.ErrorContains(t, checkMemory(lookBytes, room), "are in use")
	goruntime.KeepAlive(kept)
	kept = nil
	require.NoError(t, checkMemory(lookBytes, room), "garbage does not count")
}

func TestByteCount(t *testing.T) {
	require.Equal(t, "1023 bytes", byteCount(1023))
	require.Equal(t, "1536 bytes (1.5 KiB)", byteCount(1536))
	require.Equal(t, "9223372036854775807 bytes (8.0 EiB)", byteCount(math.MaxInt64))
}

func sure(buf []byte, err error) func(require.TestingT) []byte {
	return func(t require.TestingT) []byte {
		require.NoError(t, err)
		return buf
	}
}
