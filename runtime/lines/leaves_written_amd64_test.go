//go:build unix && amd64 && !purego

package lines

import (
	"math"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestLeavesOfWrittenTables makes tops of trees while another goroutine writes the table. A top still compares only features that exist,
// and has only ends that do.
func TestLeavesOfWrittenTables(t *testing.T) {
	const count, features, block = 63, 4, 32
	mem := betweenPages(t, count*ir.NodeWords*4) // not of Go's heap: the race detector does not see it
	words := unsafe.Slice((*int32)(unsafe.Pointer(&mem[0])), count*ir.NodeWords)
	for i := range int32(count) {
		node := []int32{i % features, 0, 2*i + 1}
		if 2*i+2 >= count {
			node = []int32{0, math.MaxInt32, i}
		}
		copy(words[i*ir.NodeWords:], node)
	}
	var (
		done  atomic.Bool
		turns atomic.Int64 // of the writer
	)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ; !done.Load(); turns.Add(1) {
			for i := 0; i < count/2; i++ {
				atomic.StoreInt32(&words[i*ir.NodeWords], 1<<20)
				atomic.StoreInt32(&words[i*ir.NodeWords+2], 1<<20)
			}
			for i := 0; i < count/2; i++ {
				atomic.StoreInt32(&words[i*ir.NodeWords], int32(i%features))
				atomic.StoreInt32(&words[i*ir.NodeWords+2], int32(2*i+1))
			}
		}
	}()
	defer func() { done.Store(true); <-ended }()
	work := make([]int32, kernel.LeavesWork)
	s := crowd{features: features, count: count, nodes: unsafe.Pointer(&words[0]), x: unsafe.Pointer(&work[0]), out: unsafe.Pointer(&work[0])}
	for turns.Load() < 20_000 {
		var made top
		s.top(&made, 0, block)
		for i := range made.count {
			require.Less(t, made.nodes[i].offset, uint32(features*block*4))
			require.Less(t, max(made.ends[i], -1-made.ends[i]), int32(count))
		}
	}
}
