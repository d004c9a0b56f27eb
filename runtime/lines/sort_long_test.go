package lines

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
)

// TestMergePair merges runs of all lengths up to some, of few and of many different words. Nothing behind the output changes.
func TestMergePair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		testMergePair[uint32](t)
		testMergePair[uint64](t)
	})
}

func testMergePair[K word](t *rapid.T) {
	seed, mask := rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]uint64{0, 3, 1<<64 - 1}).Draw(t, "mask")
	runs := make([][]K, 2)
	for i := range runs {
		runs[i] = make([]K, rapid.IntRange(0, 60).Draw(t, "length"))
		for j := range runs[i] {
			runs[i][j] = K(ir.Mix(seed+uint64(i), uint64(j)) & mask)
		}
		if rapid.Bool().Draw(t, "greatest") && len(runs[i]) > 0 {
			runs[i][0] = ^K(0)
		}
		slices.Sort(runs[i])
	}
	want := slices.Sorted(slices.Values(slices.Concat(runs...)))
	guarded := append(make([]K, len(want)), 77)
	mergePair(runs[0], runs[1], guarded[:len(want)])
	require.Equal(t, append(want, 77), guarded)
}

// TestSortsStop: a sort of many words that is stopped after some questions returns words of the line: positions in them stay in range.
func TestSortsStop(t *testing.T) {
	of := []sorters{portableSorters}
	if len(enginesOfSorts()) > 1 {
		of = append(of, bestSorters)
	}
	for _, s := range of {
		for least := range 7 {
			questions, n := 0, 3*askFrom
			words := make([]uint64, n)
			for i := range words {
				words[i] = ir.Mix(1, uint64(i))<<32 | uint64(i)
			}
			got := s.wide.sortWords(words, make([]uint64, n), n, 32, 64, func() bool { questions++; return questions > least })
			require.Positive(t, questions)
			for _, w := range got {
				require.Less(t, uint32(w), uint32(n))
				require.Equal(t, ir.Mix(1, uint64(uint32(w)))<<32>>32, w>>32)
			}
		}
	}
}
