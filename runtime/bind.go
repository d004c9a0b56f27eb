package runtime

import (
	"context"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// bind checks the tensors, but for the first ins, which Takes has accepted, and notes where their
// buffers start. Outs that share memory with another tensor get spare memory instead.
func (st *state) bind(outs, ins []*tensor.Tensor, taken int) error {
	l := st.l
	given := len(l.params) - len(l.captured)
	if len(ins) != given || len(outs) != len(l.results) {
		return failf("%d inputs and %d outputs given, the plan has %d and %d",
			len(ins), len(outs), given, len(l.results))
	}
	for i, t := range ins {
		if b := l.params[i]; i < taken || b.fits(t) {
			st.point(b, t)
		} else {
			return failf("input %d %s: %w", i, b.name, b.misfit(t))
		}
	}
	for i, t := range l.captured {
		if b := l.params[given+i]; b.fits(t) {
			st.point(b, t)
		} else {
			return failf("input %d %s: %w", given+i, b.name, b.misfit(t))
		}
	}
	for i, t := range outs {
		if b := l.results[i]; b.fits(t) {
			st.point(b, t)
		} else {
			return failf("output %d %s: %w", i, b.name, b.misfit(t))
		}
	}
	if !st.mayMeet() {
		return nil
	}
	st.listSpans()
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
		b := l.results[m.out]
		m.at, m.n, m.to = need, b.bytes, st.bases[b.number]
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
		st.bases[l.results[m.out].number] = unsafe.Pointer(&st.spare[m.at])
	}
	return nil
}

// point points a buffer at the element of a tensor at index 0,...,0, if there are elements.
func (st *state) point(b *buffer, t *tensor.Tensor) {
	if b.elems == 0 {
		return
	}
	_, l, base := t.Parts()
	start := unsafe.Add(base, l.Offset*b.size)
	st.bases[b.number] = start
	if b.kind == plan.ResultBuffer {
		raceWrite(start, b.bytes)
	} else if b.dense {
		raceRead(start, b.bytes)
	}
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
