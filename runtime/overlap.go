package runtime

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Outs that share memory with other tensors of a run. An out that is exactly one in is computed
// in place, if in_place.go finds that it can be; any other is computed in spare memory and
// copied at the end.

// span is the address range of the bytes of an in or an out.
type span struct {
	first, end uintptr
	isOut      bool
	index      int // among the ins or the outs
}

// span returns the address range of a tensor of b's layout whose element at index 0,...,0 is
// at start.
func (b *buffer) span(start unsafe.Pointer, isOut bool, index int) span {
	return span{uintptr(start) + b.first, uintptr(start) + b.end, isOut, index}
}

// findMoves finds the outs that are computed in spare memory. In the order of their first
// bytes, a tensor shares bytes with one before it or with the next if with any.
func (st *state) findMoves() {
	if len(st.span) <= fewSpans && !st.anyMeets() {
		return
	}
	slices.SortFunc(st.span, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	end := uintptr(0) // of those before
	for k := 0; k < len(st.span); k++ {
		r := &st.span[k]
		before, next := r.first < end, k+1 < len(st.span) && st.span[k+1].first < r.end
		end = max(end, r.end)
		switch {
		case !before && next && st.isInPlace(k):
			k++
		case r.isOut && (before || next):
			st.moves = append(st.moves, spareOut{out: r.index})
		}
	}
	if len(st.moves) > 1 { // they are copied in their order
		slices.SortFunc(st.moves, func(a, b spareOut) int { return a.out - b.out })
	}
}

// checkSame returns an error if two outs are one tensor. They begin at one byte: findMoves has
// put them into the order of their first bytes.
func (st *state) checkSame(outs []*tensor.Tensor) error {
	for k := range st.span {
		a := &st.span[k]
		for m := k + 1; m < len(st.span) && st.span[m].first == a.first; m++ {
			if b := &st.span[m]; a.isOut && b.isOut && outs[a.index] == outs[b.index] {
				return failf("outputs %d and %d are one tensor, which can hold one of them only", min(a.index, b.index), max(a.index, b.index))
			}
		}
	}
	return nil
}

// fewSpans is how many tensors are compared each with each, rather than sorted.
const fewSpans = 8

// anyMeets reports whether an out has a byte in common with another tensor. The ins come
// before the outs.
func (st *state) anyMeets() bool {
	for k := len(st.span) - 1; k > 0 && st.span[k].isOut; k-- {
		a := &st.span[k]
		for m := range st.span[:k] {
			if b := &st.span[m]; a.first < b.end && b.first < a.end {
				return true
			}
		}
	}
	return false
}

// isInPlace reports whether spans k and k+1, of which the first shares no byte with one before
// it, are an in and an out that is computed there, and share none with the next one.
func (st *state) isInPlace(k int) bool {
	in, out := &st.span[k], &st.span[k+1]
	if in.isOut {
		in, out = out, in
	}
	if in.isOut || !out.isOut || in.first != out.first || in.end != out.end || k+2 < len(st.span) && st.span[k+2].first < out.end {
		return false
	}
	a := st.l.inPlace.allows(st.l, out.index, in.index)
	st.inPlace = st.inPlace || a.ok
	st.kept = append(st.kept, a.kept...)
	return a.ok
}
