package runtime

import (
	"context"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// bind checks the tensors, but for the first ins, which Takes has accepted, and notes where their
// buffers start. Outs that share memory with another tensor get spare memory instead.
func (st *state) bind(outs, ins []*tensor.Tensor, taken int) error {
	l := st.l
	if len(ins) != len(l.params) || len(outs) != len(l.results) {
		return failf("%d inputs and %d outputs given, the plan has %d and %d",
			len(ins), len(outs), len(l.params), len(l.results))
	}
	for i, t := range ins {
		b := &l.buffers[l.params[i]]
		if i >= taken {
			if err := b.check(t); err != nil {
				return failf("input %d %s: %w", i, b.name, err)
			}
		}
		if b.elems > 0 {
			start := b.start(t)
			st.bases[l.params[i]] = start
			st.span = append(st.span, b.span(start, false, i))
			if b.dense {
				raceRead(start, b.elems*b.size)
			}
		}
	}
	for i, t := range outs {
		b := &l.buffers[l.results[i]]
		if err := b.check(t); err != nil {
			return failf("output %d %s: %w", i, b.name, err)
		}
		if b.elems > 0 {
			start := b.start(t)
			st.bases[l.results[i]] = start
			st.span = append(st.span, b.span(start, true, i))
			raceWrite(start, b.elems*b.size)
		}
	}
	st.findMoves()
	if len(st.moves) == 0 || st.instead() != nil {
		return nil
	}
	if err := st.checkSame(outs); err != nil {
		return err
	}
	return st.bindSpare()
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

// start returns the address of the element at index 0,...,0.
func (b *buffer) start(t *tensor.Tensor) unsafe.Pointer {
	_, l, base := t.Parts()
	return unsafe.Add(base, l.Offset*b.size)
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
