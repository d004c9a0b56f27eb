//go:build amd64 && !purego

package lines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

var bestSorters = vectorSorters

// TestPartition partitions words of lengths about those of vectors and of calls, by pivots below, between, equal to and above all
// words. Nothing outside the memory changes.
func TestPartition(t *testing.T) {
	if abi.Best() < abi.AVX2 {
		t.Skip("no AVX2")
	}
	testPartition[uint32](t)
	testPartition[uint64](t)
}

func testPartition[K word](t *testing.T) {
	var lengths []int
	for n := range 12 {
		lengths = append(lengths, fewVectors*8+1+n, partitionTo-3+n, 3*partitionTo-3+n)
	}
	for _, n := range lengths {
		from, sum := make([]K, n), K(0)
		for i := range from {
			from[i] = K(ir.Mix(uint64(n), uint64(i))) | 1
			sum += from[i]
		}
		for _, pivot := range []K{0, from[n/2], from[0], ^K(0) / 2, ^K(0) / 16 * 15, ^K(0)} {
			to := make([]K, n+2)
			to[0], to[n+1] = 77, 78
			middle, want, left := partition(from, to[1:n+1], pivot), 0, sum
			for i, w := range to[1 : n+1] {
				if (w <= pivot) != (i < middle) {
					t.Fatalf("%d words by %#x: word %d of %d lesser ones is %#x", n, pivot, i, middle, w)
				}
				left -= w
			}
			for _, w := range from {
				if w <= pivot {
					want++
				}
			}
			require.Equal(t, want, middle, "%d words by %#x", n, pivot)
			require.Equal(t, []K{77, 78, 0}, []K{to[0], to[n+1], left}, "%d words by %#x", n, pivot)
		}
	}
}
