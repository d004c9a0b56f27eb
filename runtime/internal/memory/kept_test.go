package memory

import (
	"math"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// block returns a new block of n bytes.
func block(t require.TestingT, n int) []byte {
	r, err := Reserve(n)
	require.NoError(t, err)
	defer r.Release()
	b, err := r.Block(n)
	require.NoError(t, err)
	require.Len(t, b, n)
	return b
}

func TestSizeClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1<<rapid.IntRange(1, 29).Draw(t, "bits")).Draw(t, "n")
		size, class := SizeClass(n)
		require.GreaterOrEqual(t, size, n)
		require.LessOrEqual(t, size-n, max(63, n/8))
		require.Zero(t, size%Alignment)
		same, at := SizeClass(size)
		require.Equal(t, []int{size, class}, []int{same, at})
		_, next := SizeClass(size + 1)
		require.Equal(t, class+1, next)
	})
	size, class := SizeClass(math.MaxInt)
	require.Equal(t, []int{math.MaxInt, sizeClasses - 1}, []int{size, class}, "blocks of that size would exceed int")
	_, class = SizeClass(math.MaxInt / 16 * 15)
	require.Equal(t, sizeClasses-2, class)
}

// alone empties the kept memory, and prevents trims until the test ends.
func alone(t *testing.T) {
	require.Eventually(t, func() bool {
		dropAll()
		return trimming.CompareAndSwap(false, true)
	}, time.Minute, trimEvery/10)
	t.Cleanup(func() {
		dropAll()
		keptMost.Store(0)
		trimming.Store(false)
	})
}

// TestKeptBlocks takes and keeps blocks at random: no block is with two owners, and Kept counts them.
func TestKeptBlocks(t *testing.T) {
	alone(t)
	rapid.Check(t, func(t *rapid.T) {
		dropAll()
		require.Zero(t, Kept())
		var own [][]byte
		kept := map[*byte]int{}
		bytes := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch n := rapid.IntRange(1, 3000).Draw(t, "n"); {
			case len(own) > 0 && rapid.Bool().Draw(t, "keep"):
				last := own[len(own)-1]
				own = own[:len(own)-1]
				Keep(last)
				kept[unsafe.SliceData(last)] = cap(last)
				bytes += cap(last)
			default:
				b := Take(n)
				if b == nil {
					size, _ := SizeClass(n)
					for _, have := range kept {
						require.NotEqual(t, size, have, "a block was not found")
					}
					b = block(t, n)
				} else {
					require.Len(t, b, n)
					require.Contains(t, kept, unsafe.SliceData(b))
					bytes -= kept[unsafe.SliceData(b)]
					delete(kept, unsafe.SliceData(b))
				}
				own = append(own, b)
			}
			require.EqualValues(t, bytes, Kept())
		}
	})
}

// TestKeptConcurrently stamps blocks with their owners, who find their stamps in the end.
func TestKeptConcurrently(t *testing.T) {
	alone(t)
	for _, n := range []int{1, 2, 8, 64} {
		var all sync.WaitGroup
		for id := range n {
			all.Go(func() {
				for i := range 2000 / n {
					size := 64 * (1 + (i+id)%5)
					b := Take(size)
					if b == nil {
						b = block(t, size)
					}
					for k := range b {
						b[k] = byte(id)
					}
					goruntime.Gosched()
					for k := range b {
						if b[k] != byte(id) {
							t.Errorf("byte %d of a block of owner %d is of %d", k, id, b[k])
							return
						}
					}
					Keep(b)
				}
			})
		}
		all.Wait()
	}
}

// TestTrim: blocks that are used stay, in the number that is used at a time; others go.
func TestTrim(t *testing.T) {
	alone(t)
	const n = 5 << 20
	a, b, c := block(t, n), block(t, n), block(t, n)
	for _, block := range [][]byte{a, b, c} {
		Keep(block)
	}
	size := int64(cap(a))
	require.Equal(t, 3*size, Kept())
	dropUnused() // the blocks are new
	require.Equal(t, 3*size, Kept())
	Keep(Take(n))
	dropUnused()
	require.Equal(t, size, Kept(), "one is used at a time")
	require.Same(t, unsafe.SliceData(c), unsafe.SliceData(Take(n)), "that was released last")
	Keep(c)
	dropUnused()
	dropUnused()
	require.Zero(t, Kept())
}

// TestIdle: what is kept goes to the system soon after its last use, with nobody's help.
func TestIdle(t *testing.T) {
	t.Parallel()
	const n = 64 << 20
	b := block(t, n)
	for i := range b {
		b[i] = 1
	}
	Keep(b)
	b = nil
	require.Eventually(t, func() bool {
		return Kept() == 0 && heapBytes() < n && metric(released) > n/2
	}, time.Minute, trimEvery/4)
}

// TestKeptBound keeps too much in one shard after the other, and then on several goroutines.
func TestKeptBound(t *testing.T) {
	alone(t)
	old := mostKept()
	defer keptMost.Store(old)
	keptMost.Store(1 << 20)
	all := shards()
	for own := range all {
		for i := range all {
			if i != own {
				all[i].mu.Lock()
			}
		}
		for range 4 {
			Keep(block(t, 400<<10))
		}
		for i := range all {
			if i != own {
				all[i].mu.Unlock()
			}
		}
		require.LessOrEqual(t, Kept(), int64(1<<20))
		require.Positive(t, Kept())
	}
	for range 50 {
		dropAll()
		var wait sync.WaitGroup
		for range 8 {
			b := block(t, 400<<10)
			wait.Go(func() { Keep(b) })
		}
		wait.Wait()
		require.LessOrEqual(t, Kept(), int64(1<<20))
	}
}

// TestKeptFollowsTheLimit: the next trim drops what a lower limit has no room for.
func TestKeptFollowsTheLimit(t *testing.T) {
	alone(t)
	Keep(block(t, 2<<20))
	trim()
	require.Positive(t, Kept())
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(8 << 20))
	trim()
	require.Zero(t, Kept())
	require.LessOrEqual(t, mostKept(), int64(1<<20+1))
	Keep(block(t, 2<<20))
	require.Zero(t, Kept())
}

// TestKeptMemoryIsFree: a request that only fits into kept memory is granted.
func TestKeptMemoryIsFree(t *testing.T) {
	alone(t)
	goruntime.GC()
	before := heapBytes()
	Keep(block(t, 8<<20))
	require.NoError(t, checkMemory(6<<20, before+10<<20))
	require.Zero(t, Kept())
}

func TestHeadroom(t *testing.T) {
	alone(t)
	makeHeadroom(memoryRoom())
	size := headroomSize()
	if metric(live) < headroomBytes/2 && memoryRoom() > headroomBytes*headroomShare && !limited() && sizeClasses > 300 {
		require.Positive(t, size)
	}
	require.LessOrEqual(t, size, int64(headroomBytes))
	trimHeadroom()
	require.True(t, makesResults())
	require.Equal(t, size, headroomSize())
	trimHeadroom()
	require.False(t, makesResults())
	require.Zero(t, headroomSize())
	makeHeadroom(headroomShare * (returnBytes - 1))
	require.Zero(t, headroomSize(), "memory is small")
}
