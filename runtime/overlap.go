package runtime

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Outs that share memory with other tensors of a run. An out that is exactly one in is computed in place if in_place.go allows it. Any other is
// computed in spare memory and copied at the end.

// span is the address range of the bytes of an in or an out.
type span struct {
	first, end uintptr
	isOut      bool
	index      int // among the ins or the outs
}

// spans implements sort.Interface. Package sort allocates nothing for it.
type spans []span

func (s *spans) Len() int           { return len(*s) }
func (s *spans) Less(i, j int) bool { return (*s)[i].first < (*s)[j].first }
func (s *spans) Swap(i, j int)      { (*s)[i], (*s)[j] = (*s)[j], (*s)[i] }

// bytesAt returns the address range of the tensor of a buffer, which is empty without elements.
func (b *buffer) bytesAt(bases []unsafe.Pointer) (first, end uintptr) {
	start := uintptr(bases[b.number])
	return start + b.first, start + b.end
}

// fewPairs is the greatest number of pairs of tensors that are compared directly; more tensors are sorted.
const fewPairs = 64

// mayMeet reports whether an out shares a byte with another tensor. For many tensors it may return true without being certain.
func (st *state) mayMeet() bool {
	l := st.l
	if len(l.results)*(len(l.params)+len(l.results)) > fewPairs {
		return true
	}
	bases := st.bases
	for i, out := range l.results {
		first, end := out.bytesAt(bases)
		for _, b := range l.params {
			if from, to := b.bytesAt(bases); from < end && first < to {
				return true
			}
		}
		for _, b := range l.results[:i] {
			if from, to := b.bytesAt(bases); from < end && first < to {
				return true
			}
		}
	}
	return false
}

// listSpans lists the tensors that have elements.
func (st *state) listSpans() {
	for _, list := range [2][]*buffer{st.l.params, st.l.results} {
		for i, b := range list {
			if b.elems > 0 {
				first, end := b.bytesAt(st.bases)
				st.span = append(st.span, span{first, end, b.kind == plan.ResultBuffer, i})
			}
		}
	}
}

// findMoves finds the outs that are computed in spare memory. In the order of their first bytes, a tensor that shares bytes with any other shares
// bytes with an earlier one or with the next one.
func (st *state) findMoves() {
	sort.Sort(&st.span)
	end := uintptr(0) // of the earlier ones
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
		slices.SortStableFunc(st.moves, func(a, b spareOut) int { return cmp.Compare(a.out, b.out) })
	}
}

// checkSame returns an error if two outs are the same tensor. Such outs begin at one byte, and findMoves has sorted the spans by
// their first bytes.
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

// isInPlace reports whether spans k and k+1 are an in and an out that is computed there, and share no byte with the next one. Span k must share
// none with an earlier one.
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
