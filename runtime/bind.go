package runtime

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// bind checks the tensors and notes where their buffers start. Outs that share
// memory with another tensor get spare memory instead.
func (st *state) bind(outs, ins []*tensor.Tensor) error {
	l := st.l
	if len(ins) != len(l.params) || len(outs) != len(l.results) {
		return failf("%d inputs and %d outputs given, the plan has %d and %d",
			len(ins), len(outs), len(l.params), len(l.results))
	}
	for i, t := range ins {
		b := &l.buffers[l.params[i]]
		if err := b.check(t); err != nil {
			return failf("input %d %s: %w", i, b.name, err)
		}
		if b.elems > 0 {
			st.bases[l.params[i]] = b.start(t)
			st.span = append(st.span, b.span(t, -1))
			if b.dense {
				raceRead(b.start(t), b.elems*b.size)
			}
		}
	}
	for i, t := range outs {
		b := &l.buffers[l.results[i]]
		if err := b.check(t); err != nil {
			return failf("output %d %s: %w", i, b.name, err)
		}
		if b.elems > 0 {
			st.bases[l.results[i]] = b.start(t)
			st.span = append(st.span, b.span(t, i))
			raceWrite(b.start(t), b.elems*b.size)
		}
	}
	st.findMoves()
	if len(st.moves) > 0 {
		return st.bindSpare()
	}
	return nil
}

// bindSpare has the outs that overlap computed in spare memory.
func (st *state) bindSpare() error {
	l, need := st.l, 0
	for k := range st.moves {
		m := &st.moves[k]
		b := &l.buffers[l.results[m.out]]
		m.at, m.n, m.to = need, b.elems*b.size, st.bases[l.results[m.out]]
		if need += (m.n + memory.Alignment - 1) &^ (memory.Alignment - 1); need < 0 {
			return failf("the outputs that overlap other tensors pass int together")
		}
	}
	if len(st.spare) < need {
		st.spare = nil // not both at once
		r, err := memory.Reserve(need)
		if err != nil {
			return failf("copies of outputs that overlap other tensors: %w", err)
		}
		defer r.Release()
		spare, err := st.l.exec.allocate(&r, need)
		if err != nil {
			return failf("copies of outputs that overlap other tensors: %w", err)
		}
		st.spare = spare
	}
	for _, m := range st.moves {
		st.bases[l.results[m.out]] = unsafe.Pointer(&st.spare[m.at])
	}
	return nil
}

// span is the address range of a tensor's bytes, and which out the tensor is, -1 for an in.
type span struct {
	first, end uintptr
	out        int
}

// findMoves finds the outs that have a byte in common with an in or another out: in
// the order of their first bytes, with one before them or with the next.
func (st *state) findMoves() {
	if len(st.span) <= fewSpans && !st.anyMeets() {
		return
	}
	slices.SortFunc(st.span, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	end := uintptr(0) // of those before
	for k, r := range st.span {
		next := k+1 < len(st.span) && st.span[k+1].first < r.end
		if r.out >= 0 && (r.first < end || next) {
			st.moves = append(st.moves, spareOut{out: r.out})
		}
		end = max(end, r.end)
	}
	if len(st.moves) > 1 { // they are copied in their order
		slices.SortFunc(st.moves, func(a, b spareOut) int { return a.out - b.out })
	}
}

// fewSpans is how many tensors are compared each with each, rather than sorted.
const fewSpans = 8

// anyMeets reports whether an out has a byte in common with another tensor.
func (st *state) anyMeets() bool {
	for k := range st.span {
		a := &st.span[k]
		for m := range st.span[:k] {
			b := &st.span[m]
			if a.first < b.end && b.first < a.end && (a.out >= 0 || b.out >= 0) {
				return true
			}
		}
	}
	return false
}

// start returns the address of the element at index 0,...,0.
func (b *buffer) start(t *tensor.Tensor) unsafe.Pointer {
	_, l, base := t.Parts()
	return unsafe.Add(base, l.Offset*b.size)
}

// span returns the address range of a tensor of b's layout, which has elements.
func (b *buffer) span(t *tensor.Tensor, out int) span {
	at := uintptr(b.start(t)) - uintptr(b.layout.Offset*b.size)
	return span{at + uintptr(b.lo*b.size), at + uintptr((b.hi+1)*b.size), out}
}

// copyPiece is what is copied or filled between two looks at the context, in bytes.
const copyPiece = 256 << 10

// copyOuts moves the outs that were computed in spare memory to their places.
func (st *state) copyOuts(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failf("copying an output: %v", p)
		}
	}()
	for _, m := range st.moves {
		for at := 0; at < m.n; at += copyPiece {
			if err := ContextError(ctx); err != nil {
				return err
			}
			n := min(copyPiece, m.n-at)
			copy(unsafe.Slice((*byte)(unsafe.Add(m.to, at)), n), st.spare[m.at+at:m.at+at+n])
		}
	}
	return nil
}
