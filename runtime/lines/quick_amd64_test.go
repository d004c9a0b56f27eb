//go:build amd64 && !purego

package lines

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestQuicksort sorts words of all lengths up to some vectors, and of lengths about those from which on pivots are
// taken from more words, and words are sorted digit by digit: all or the first ones, random, few of them different,
// in order, in reverse, rising and falling, and equal.
func TestQuicksort(t *testing.T) {
	if abi.Best() < abi.AVX2 {
		t.Skip("no AVX2")
	}
	testQuicksort(t, quicksort32, 32)
	testQuicksort(t, quicksort64, 64)
}

func testQuicksort[K word](t *testing.T, sort func(words, spare []K, first, low, high int, stopped func() bool) []K, width int) {
	lengths := []int{1<<10 - 1, 1<<10 + 1, 1<<13 + 1, partitionTo, partitionTo + 1, 3*partitionTo + 5}
	for n := range 300 {
		lengths = append(lengths, n+1)
	}
	for _, n := range lengths {
		for shape := range 6 {
			if n > 1<<14 && shape > 1 {
				break
			}
			words := make([]K, n)
			for i := range words {
				words[i] = K(ir.Mix(uint64(shape), uint64(i)))
				if shape == 1 {
					words[i] &= 3 << (width - 2)
				}
			}
			sorted := slices.Sorted(slices.Values(words))
			switch shape {
			case 2:
				copy(words, sorted)
			case 3:
				copy(words, sorted)
				slices.Reverse(words)
			case 4:
				copy(words, sorted)
				slices.Reverse(words[n/2:])
			case 5:
				for i := range words {
					words[i], sorted[i] = words[0], words[0]
				}
			}
			for _, first := range []int{n, n/3 + 1} {
				got := sort(slices.Clone(words), make([]K, n), first, 0, width, nil)
				require.True(t, slices.Equal(sorted[:first], got[:first]), "%d words of %d bits, shape %d", n, width, shape)
			}
		}
	}
}

// TestQuicksortGivesUp: words that may be partitioned a few times alone are sorted digit by digit.
func TestQuicksortGivesUp(t *testing.T) {
	if abi.Best() < abi.AVX2 {
		t.Skip("no AVX2")
	}
	for splits := range 6 {
		words := make([]uint64, 1000)
		for i := range words {
			words[i] = ir.Mix(1, uint64(i/3))
		}
		want := slices.Sorted(slices.Values(words))
		q := vectorQuick64(words, make([]uint64, len(words)), len(words), 64, nil)
		q.sort(part[uint64]{end: len(words), most: ^uint64(0), splits: splits})
		require.Equal(t, want, words, "%d partitions", splits)
	}
}
