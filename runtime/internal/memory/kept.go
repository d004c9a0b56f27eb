package memory

import (
	"math/bits"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Memory of released results, kept for later results. Keep takes a block, and Take returns a block of the size class
// that a request needs. Blocks that nobody takes for a second go to the garbage collector: see trim.go.
//
// Invariant: a kept block belongs to nobody, and each block is in one shard at most.
//
// Blocks are in shards. Each shard has a lock, for which no run waits: a run that finds a shard locked uses the next
// one. A goroutine begins with the same shard each time, so it usually finds the block that it released last, which is
// still in its processor's caches.

// SizeClass returns the size of the blocks that hold n bytes, for n > 0, and the number of their class. Sizes are
// multiples of 64 bytes. Above 1,024 bytes each power of two has eight sizes, so a block is at most an eighth longer
// than n.
func SizeClass(n int) (size, class int) {
	shift := max(6, bits.Len(uint(n-1))-4)
	units := (n-1)>>shift + 1
	if size = units << shift; size < n { // exceeds int
		return n, sizeClasses - 1
	}
	return size, (shift-6)*8 + units
}

// sizeClasses is the number of size classes. The last class has no blocks: their sizes exceed int.
const sizeClasses = 8*(bits.UintSize-11) + 17

// keptClass has the blocks of one class in a shard, in the order of their release.
type keptClass struct {
	blocks []unsafe.Pointer
	size   int64 // of each block
	unused int   // the least number of blocks since the last trim
}

// shard is a part of the kept memory.
type shard struct {
	mu      sync.Mutex
	bytes   atomic.Int64 // of all blocks; written with the lock held
	classes [sizeClasses]keptClass
	_       [64]byte // keeps locks of different shards in different cache lines
}

// shards returns all shards. Their number is a power of two.
var shards = sync.OnceValue(func() []shard { return make([]shard, 1<<bits.Len(uint(goruntime.GOMAXPROCS(0)-1))) })

// ownShard returns a number that differs between goroutines, and is mostly the same for one goroutine: a part of the
// address of its stack.
func ownShard() int {
	var here byte
	return int(uintptr(unsafe.Pointer(&here)) >> 13)
}

// lockAny locks a shard and returns it. It only waits if all shards are locked.
func lockAny(all []shard) *shard {
	own := ownShard()
	for i := range all {
		if s := &all[(own+i)&(len(all)-1)]; s.mu.TryLock() {
			return s
		}
	}
	s := &all[own&(len(all)-1)]
	s.mu.Lock()
	return s
}

// Keep takes over a block that Block or Take has returned. If as much is kept as may be (see trim.go), the garbage
// collector gets it. In programs that are built with the race detector Keep overwrites the block with ones.
func Keep(block []byte) {
	block = block[:cap(block)]
	if len(block) == 0 {
		return
	}
	size, class := SizeClass(len(block))
	if size != len(block) {
		return
	}
	poison(block)
	all := shards()
	s := lockAny(all)
	s.push(class, size, unsafe.Pointer(unsafe.SliceData(block)))
	if Kept() > mostKept() { // counted with it, so that of goroutines that exceed the bound together the last one sees it
		s.pop(class, size)
		dropped.Add(int64(size))
	}
	s.mu.Unlock()
	trimLater()
}

// Take returns a kept block for n bytes, or nil if there is none. The bytes have any values.
func Take(n int) []byte {
	if n <= 0 || !trimming.Load() {
		return nil
	}
	size, class := SizeClass(n)
	all, own := shards(), ownShard()
	for i := range all {
		s := &all[(own+i)&(len(all)-1)]
		if s.bytes.Load() < int64(size) || !s.mu.TryLock() {
			continue
		}
		p := s.pop(class, size)
		s.mu.Unlock()
		if p != nil {
			return unsafe.Slice((*byte)(p), size)[:n]
		}
	}
	return nil
}

// push adds a block of a class. The caller holds the lock.
func (s *shard) push(class, size int, p unsafe.Pointer) {
	c := &s.classes[class]
	c.blocks, c.size = append(c.blocks, p), int64(size)
	s.bytes.Add(int64(size))
}

// pop removes the block of a class that was released last, and returns it, or nil. The caller holds the lock.
func (s *shard) pop(class, size int) unsafe.Pointer {
	c := &s.classes[class]
	last := len(c.blocks) - 1
	if last < 0 {
		return nil
	}
	p := c.blocks[last]
	c.blocks[last], c.blocks = nil, c.blocks[:last]
	c.unused = min(c.unused, last)
	s.bytes.Add(-int64(size))
	return p
}

// Kept returns the number of bytes that are kept.
func Kept() (n int64) {
	all := shards()
	for i := range all {
		n += all[i].bytes.Load()
	}
	return n
}

// dropUnused drops the blocks that were not needed since the last trim, those that were released first, and returns the
// number of bytes.
func dropUnused() (dropped int64) {
	all := shards()
	for i := range all {
		s := &all[i]
		s.mu.Lock()
		for class := range s.classes {
			c := &s.classes[class]
			if n := c.unused; n > 0 {
				dropped += s.drop(c, n)
			}
			c.unused = len(c.blocks)
		}
		s.mu.Unlock()
	}
	return dropped
}

// drop drops the n blocks of a class that were released first, and returns the number of bytes. The caller holds the
// lock.
func (s *shard) drop(c *keptClass, n int) int64 {
	c.blocks = slices.Delete(c.blocks, 0, n)
	if len(c.blocks) == 0 {
		c.blocks = nil
	}
	bytes := int64(n) * c.size
	s.bytes.Add(-bytes)
	return bytes
}
