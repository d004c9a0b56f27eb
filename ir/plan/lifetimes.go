package plan

import (
	"cmp"
	"slices"
	"sort"
)

// Life is the range of steps or tasks in which a buffer is in use: from the first that stores to it to the last that touches it.
type Life struct{ Buffer, Born, Dies int }

// Together calls f for pairs of buffers that share bytes of the arena, or of one scratch, if the later one is born before or when the
// earlier one dies. It visits the lives in the order of their births, and keeps the buffers that are in memory, ordered by
// their first byte. A new buffer is only compared with the ones whose bytes it takes, which are then dropped. So the time
// grows little faster than the number of buffers.
func Together(buffers []Buffer, lives []Life, f func(early, late Life)) {
	lives = slices.Clone(lives)
	sort.SliceStable(lives, func(i, j int) bool { return lives[i].Born < lives[j].Born })
	begin := func(l Life) int { return buffers[l.Buffer].Offset }
	var in []Life // in memory; they share no bytes unless they begin at the same byte
	for _, late := range lives {
		b := &buffers[late.Buffer]
		end := b.Offset + b.Size()*b.DType.Size()
		if end == b.Offset {
			continue // it has no bytes
		}
		last, _ := slices.BinarySearchFunc(in, end, func(l Life, end int) int { return cmp.Compare(begin(l), end) })
		first := last
		for ; first > 0; first-- {
			early := in[first-1]
			met := buffers[early.Buffer].SharesBytes(b)
			if !met && (first == 1 || begin(in[first-2]) != begin(early)) && begin(early) < b.Offset {
				break // earlier buffers end earlier
			}
			if met && early.Dies >= late.Born {
				f(early, late)
			}
		}
		kept := slices.DeleteFunc(slices.Clone(in[first:last]), func(early Life) bool {
			return early.Dies < late.Born && buffers[early.Buffer].SharesBytes(b)
		})
		at, _ := slices.BinarySearchFunc(kept, b.Offset, func(l Life, n int) int { return cmp.Compare(begin(l), n) })
		in = slices.Replace(in, first, last, slices.Insert(kept, at, late)...)
	}
}
