package embed

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// This file divides texts into batches. Input: the tokens of each text. Output: batches in which every text appears
// once. Few different sizes occur, since the program makes a plan for each.

const (
	batchTokens = 1024 // tokens of a batch, with padding: more are no faster, and take more memory
	shortTokens = 128  // with so many tokens, reading the weights takes as long as computing
)

// batch is a set of texts that are computed together.
type batch struct {
	texts  []int // their indices
	tokens int   // the length to which they are padded
}

// batches yields batches, the longest texts first. A text is in a batch only if padding makes it at most half as long
// again, or if the batch is short. The number of texts is a power of two.
func batches(ids [][]int32, most int) iter.Seq[batch] {
	return func(yield func(batch) bool) {
		order := make([]int, len(ids))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })
		for len(order) > 0 {
			tokens := min(rounded(len(ids[order[0]])), most)
			n := 1
			for n < len(order) && (n+1)*tokens <= batchTokens && (n*tokens < shortTokens || 3*len(ids[order[n]]) >= 2*tokens) {
				n++
			}
			n = 1 << (bits.Len(uint(n)) - 1)
			if !yield(batch{order[:n], tokens}) {
				return
			}
			order = order[n:]
		}
	}
}

// rounded returns a length that is at least n, greater by less than a quarter, and has at most three significant bits.
func rounded(n int) int {
	step := 1 << max(0, bits.Len(uint(n))-3)
	return (n + step - 1) / step * step
}
