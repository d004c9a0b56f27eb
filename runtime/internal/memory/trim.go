package memory

import (
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Trimming of the memory that is kept: once a second, as long as anything is kept or results are made fast. A trim drops
// the blocks that were not needed since the last one. So kept memory follows the need of the last second, and a program
// that makes no results for two seconds keeps nothing. The last trim gives the memory back to the system.

const (
	// trimEvery is the time between two trims.
	trimEvery = time.Second
	// keptShare is the part of the memory that the process may have (see memoryRoom) that may be kept.
	keptShare = 8
	// returnShare is the part of the live heap, and returnBytes the number of bytes, from which on garbage is worth a
	// collection that gives it back to the system. Go itself would do so after the next collections.
	returnShare = 4
	returnBytes = 4 << 20
)

var (
	trimming atomic.Bool  // whether a trim is due; blocks are only taken then
	dropped  atomic.Int64 // bytes that were not kept any more, or not at all, since a trim gave memory back
	keptMost atomic.Int64 // the greatest number of bytes that are kept, as of the last trim; 0 before the first use
)

// mostKept returns the greatest number of bytes that are kept.
func mostKept() int64 {
	if n := keptMost.Load(); n > 0 {
		return n
	}
	return boundKept()
}

// boundKept sets and returns the greatest number of bytes that are kept. Where addresses are limited it is 1, which no
// block fits into.
func boundKept() int64 {
	n := memoryRoom()/keptShare + 1
	if limited() {
		n = 1
	}
	keptMost.Store(n)
	return n
}

// trimLater makes sure that a trim is due.
func trimLater() {
	if !trimming.Load() && trimming.CompareAndSwap(false, true) {
		time.AfterFunc(trimEvery, trim)
	}
}

// trim drops what was not needed since the last trim. It arranges for the next trim, or is the last one.
func trim() {
	dropped.Add(dropUnused())
	trimHeadroom()
	if Kept() > boundKept() { // memory has become less
		dropped.Add(dropAll())
	}
	trimming.Store(false)
	if Kept() > 0 || makesResults() { // a block that is kept from now on arranges for a trim itself
		trimLater()
		return
	}
	garbage, alive := dropped.Swap(0)+heapBytes()-metric(live), metric(live)
	if garbage >= max(returnBytes, alive/returnShare) {
		debug.FreeOSMemory()
	}
}

// dropAll drops all that is kept, and the headroom, and returns the bytes of blocks.
func dropAll() (bytes int64) {
	for range 2 { // the first marks all blocks as not needed
		bytes += dropUnused()
		trimHeadroom()
	}
	return bytes
}
