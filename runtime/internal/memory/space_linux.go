package memory

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Address space under a limit (ulimit -v). Go never unmaps its heap, and ends the process if the heap cannot grow. So a
// buffer must fit into the remaining addresses or into one free run of the heap. Go's metrics count free bytes but do
// not tell their runs; these are found as pages of the heap that are not in memory.

// spaceSlack is what the heap takes besides a new buffer, in bytes: it grows by whole arenas, with bookkeeping.
const spaceSlack = 256 << 20

// spaceLeft returns the bytes by which the heap can certainly grow within the limit on addresses, or unknownMemory
// without a limit.
func spaceLeft() int64 {
	var space syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &space) != nil || space.Cur >= math.MaxInt64 {
		return unknownMemory
	}
	virtual, _ := ownPages()
	return int64(space.Cur) - virtual - spaceSlack
}

// largestRun returns the size of the largest run of free pages of the heap. It is right just after debug.FreeOSMemory,
// which gives all free pages back to the system, so that none is in memory; released is the number of those bytes.
// Pages of objects that were not yet written are not in memory either. Their number is known but not their location, so
// all of them are subtracted from the run. Buffers of this package do not split a run, because their first and last
// pages are in memory.
func largestRun(released int64) int64 {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0
	}
	defer maps.Close()
	run := pageRun{page: int64(os.Getpagesize()), there: make([]byte, 1<<16)}
	heap := uint64(uintptr(unsafe.Pointer(&run.there[0]))) >> heapBits
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		span, mode, _ := strings.Cut(lines.Text(), " ") // "c000000000-c004000000 rw-p 00000000 00:00 0 [anon: Go: heap]"
		first, end, _ := strings.Cut(span, "-")
		begin, err1 := strconv.ParseUint(first, 16, strconv.IntSize)
		behind, err2 := strconv.ParseUint(end, 16, strconv.IntSize)
		from, to := uintptr(begin), uintptr(behind)
		if err1 != nil || err2 != nil || begin>>heapBits != heap || !strings.HasPrefix(mode, "rw") {
			continue
		}
		if from != run.end {
			run.now = 0
		}
		if err := run.add(from, to); err != nil {
			return 0
		}
	}
	return max(0, run.most-max(0, run.absent-released))
}

// heapBits is the number of low bits in which addresses of Go's heap differ: the heap begins at a multiple of 2^40, or
// at a random address after one, and grows upwards.
const heapBits = 40

// pageRun finds runs of pages that are not in memory, in order of address.
type pageRun struct {
	page      int64
	there     []byte // bit 0 of each page
	end       uintptr
	now, most int64 // bytes of the run that ends at end, and of the longest run
	absent    int64 // total bytes
}

// add scans the pages of a mapping.
func (r *pageRun) add(from, to uintptr) error {
	for from < to {
		n := min(to-from, uintptr(len(r.there))*uintptr(r.page))
		if _, _, e := syscall.Syscall(syscall.SYS_MINCORE, from, n, uintptr(unsafe.Pointer(&r.there[0]))); e != 0 {
			return e
		}
		for _, there := range r.there[:int64(n)/r.page] {
			if there&1 != 0 {
				r.now = 0
				continue
			}
			r.now, r.absent = r.now+r.page, r.absent+r.page
			r.most = max(r.most, r.now)
		}
		from += n
	}
	r.end = to
	return nil
}
