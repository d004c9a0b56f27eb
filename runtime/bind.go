package runtime

import (
	"context"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// bind checks the tensors and records where their buffers start. It reports whether the ins fit the program. Outs that share memory with
// another tensor get spare memory instead.
func (st *state) bind(outs, ins []*tensor.Tensor) (fits bool, err error) {
	l := st.l
	given := len(l.params) - len(l.captured)
	if len(ins) != given || !st.point(l.params, ins) {
		return false, nil
	}
	if len(l.captured) > 0 && !st.point(l.params[given:], l.captured) || len(outs) != len(l.results) || !st.point(l.results, outs) {
		return true, l.mistake(outs, ins)
	}
	if st.mayMeet() {
		return true, st.separate(outs)
	}
	return true, nil
}

// separate finds the outs that share memory with other tensors, and arranges for them to be computed in place or in spare memory.
func (st *state) separate(outs []*tensor.Tensor) error {
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

// mistake returns the error of the tensors of a run.
func (l *Linked) mistake(outs, ins []*tensor.Tensor) error {
	if given := len(l.params) - len(l.captured); len(ins) != given || len(outs) != len(l.results) {
		return failf("%d inputs and %d outputs given, the plan has %d and %d",
			len(ins), len(outs), given, len(l.results))
	}
	for i, t := range slices.Concat(ins, l.captured) {
		if b := l.params[i]; !b.takes(t) {
			return failf("input %d %s: %w", i, b.name, b.mistake(t))
		}
	}
	for i, t := range outs {
		if b := l.results[i]; !b.takes(t) {
			return failf("output %d %s: %w", i, b.name, b.mistake(t))
		}
	}
	return failf("the inputs or outputs were changed meanwhile")
}

// bindSpare arranges for outs that share memory to be computed in spare memory.
func (st *state) bindSpare() error {
	l, need := st.l, 0
	for k := range st.moves {
		m := &st.moves[k]
		b := l.results[m.out]
		m.at, m.n, m.to = need, b.bytes(), st.bases[b.number]
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

// point points buffers at the elements of tensors at index 0,...,0, if they have elements. It reports whether the tensors have the types
// and layouts of the buffers.
func (st *state) point(buffers []*buffer, ts []*tensor.Tensor) bool {
	bases := st.bases
	for i, b := range buffers[:len(ts)] {
		dtype, l, base := ts[i].Parts()
		if !b.fits(dtype, l) {
			return false
		}
		if b.elems == 0 {
			continue
		}
		start := unsafe.Add(base, l.Offset*b.size)
		bases[b.number] = start
		if b.kind == plan.ResultBuffer {
			raceWrite(start, b.bytes())
		} else if b.dense {
			raceRead(start, b.bytes())
		}
	}
	return true
}

// copyPiece is the number of bytes that are copied or filled between two looks at the context.
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
