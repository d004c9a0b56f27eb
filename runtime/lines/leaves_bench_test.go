package lines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// BenchmarkLeaves walks through forests of 100 trees: leaves of a tree, and rows of a call.
func BenchmarkLeaves(b *testing.B) {
	for _, leaves := range []int{8, 31, 60, 600} {
		for _, rows := range []int{1, 256} {
			const features, trees = 12, 100
			rng := rand.New(rand.NewPCG(1, 2))
			var nodes, roots []int32
			for range trees {
				at := int32(len(nodes) / ir.NodeWords)
				roots = append(roots, at)
				nodes = append(nodes, 0, math.MaxInt32, at)
				open := []int32{at}
				for n := 1; n < leaves; n++ {
					k := 0
					if rng.IntN(2) == 0 {
						k = rng.IntN(len(open))
					}
					child := int32(len(nodes) / ir.NodeWords)
					nodes = append(nodes, 0, math.MaxInt32, child, 0, math.MaxInt32, child+1)
					copy(nodes[open[k]*ir.NodeWords:], []int32{rng.Int32N(features), rng.Int32N(1000), child})
					open = append(append(open[:k:k], open[k+1:]...), child, child+1)
				}
			}
			x, out, work := make([]int32, rows*features*64), make([]int64, rows*trees), make([]int32, kernel.LeavesWork)
			for i := range x {
				x[i] = rng.Int32N(1000)
			}
			f := &abi.Frame{Rows: rows, Cols: trees}
			f.Ptr[1], f.Ptr[2], f.Ptr[3], f.Ptr[4] = unsafe.Pointer(&nodes[0]), unsafe.Pointer(&roots[0]), unsafe.Pointer(&out[0]), unsafe.Pointer(&work[0])
			f.Step[0], f.Step[3] = features*4, trees*8
			f.Step[5], f.Step[6], f.Step[7], f.Step[8], f.Step[9], f.Step[10], f.Step[11] = features, 4, len(nodes), 4, 4, 8, len(work)
			for e := range abi.Best() + 1 {
				fn, ok := abi.Lookup(e, "leaves leaves i32")
				if !ok {
					continue
				}
				b.Run(fmt.Sprintf("%s/leaves=%d/rows=%d", e, leaves, rows), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						f.Ptr[0] = unsafe.Pointer(&x[i%64*rows*features])
						fn(f)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*trees), "ns/walk")
				})
			}
		}
	}
}
