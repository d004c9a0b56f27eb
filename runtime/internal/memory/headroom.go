package memory

import (
	"strconv"
	"sync"
)

// Headroom of the heap. Go collects garbage when the heap has doubled, and from 4 MiB on: a small program that makes
// results of 256 KiB collects every 16 results, and a collection takes as long as dozens of such results. While results
// are made fast, a block that is never written stands in the heap. It takes addresses and no memory, but Go counts it
// as live, so as many bytes of garbage may gather between two collections. Heaps that are as large by themselves get
// none. See the table in docs/speed.md for what it saves.

const (
	// headroomBytes is the size up to which the live heap is filled up.
	headroomBytes = 32 << 20
	// headroomShare is the part of memoryRoom that a block may have: it counts towards GOMEMLIMIT.
	headroomShare = 16
)

var headroom struct {
	sync.Mutex
	block  []byte
	needed bool // since the last trim
	active bool // needed at the last trim, or since
}

// makeHeadroom makes the block, if one is useful. Reserve calls it each time that it has counted lookBytes.
func makeHeadroom(room int64) {
	headroom.Lock()
	defer headroom.Unlock()
	headroom.needed, headroom.active = true, true
	trimLater()
	if headroom.block != nil || strconv.IntSize == 32 || limited() || metric(collectPercent) < 0 {
		return
	}
	if n := min(headroomBytes, room/headroomShare) - metric(live); n >= returnBytes {
		headroom.block, _ = makeUncleared(int(n))
	}
}

// headroomSize returns the bytes of the block.
func headroomSize() int64 {
	headroom.Lock()
	defer headroom.Unlock()
	return int64(len(headroom.block))
}

// makesResults reports whether as much memory as lookBytes was needed in the second before the last trim, or since.
func makesResults() bool {
	headroom.Lock()
	defer headroom.Unlock()
	return headroom.active
}

// trimHeadroom drops the block unless it was needed since the last trim.
func trimHeadroom() {
	headroom.Lock()
	defer headroom.Unlock()
	headroom.active, headroom.needed = headroom.needed, false
	if !headroom.active {
		headroom.block = nil
	}
}
