package memory

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"sync"
)

// foundRun is the largest free run of the heap when it was last searched. A search takes a collection and some
// milliseconds, so its result is used until as many bytes have been allocated as the run has, any of which may be from
// the run.
type foundRun struct {
	bytes  int64
	allocs int64 // bytes that the process had allocated by then
}

// limited reports whether the process started with a limit on addresses.
var limited = sync.OnceValue(func() bool { return spaceLeft() != unknownMemory })

// heldPages is the number of bytes in free pages that a processor of Go's scheduler may hold.
const heldPages = 512 << 10

// heapPadding is the largest number of bytes before the random address at which Go's heap starts. They are counted as
// free, but are never given out.
const heapPadding = 4 << 20

// check returns an error if addresses are limited and no free run holds n bytes. The caller holds the lock counting.
func (f *foundRun) check(n int64) error {
	left := spaceLeft()
	if n <= left || n <= f.bytes-(metric(allocated)-f.allocs) {
		return nil
	}
	debug.FreeOSMemory() // collects first
	f.allocs = metric(allocated)
	f.bytes = largestRun(metric(released)-heapPadding) - int64(goruntime.GOMAXPROCS(0))*heldPages
	if n <= f.bytes {
		return nil
	}
	return fmt.Errorf("%s asked, but the limit on addresses (ulimit -v) leaves %s, and the largest free run of the heap has %s",
		byteCount(n), byteCount(max(left, 0)), byteCount(max(f.bytes, 0)))
}
