package runtime

import (
	"context"
	"fmt"
	"unsafe"
)

// bind checks the tensors and notes where their buffers start. Outs that share
// memory with another tensor get spare memory instead.
func (st *state) bind(outs, ins []*Tensor) error {
	l := st.l
	if len(ins) != len(l.params) || len(outs) != len(l.results) {
		return fmt.Errorf("run: %d inputs and %d outputs given, the plan has %d and %d",
			len(ins), len(outs), len(l.params), len(l.results))
	}
	for i, t := range ins {
		b := &l.buffers[l.params[i]]
		if err := b.check(t); err != nil {
			return fmt.Errorf("run: input %d %s: %w", i, b.name, err)
		}
		if b.elems > 0 {
			st.bases[l.params[i]] = b.start(t)
			if b.dense {
				raceRead(b.start(t), b.elems*b.size)
			}
		}
	}
	need := 0
	for i, t := range outs {
		b := &l.buffers[l.results[i]]
		if err := b.check(t); err != nil {
			return fmt.Errorf("run: output %d %s: %w", i, b.name, err)
		}
		if b.elems == 0 {
			continue
		}
		raceWrite(b.start(t), b.elems*b.size)
		if n := b.elems * b.size; st.overlaps(i, outs, ins) {
			st.moves = append(st.moves, spareOut{out: i, at: need, n: n})
			need += (n + alignment - 1) &^ (alignment - 1)
			if need < 0 {
				return fmt.Errorf("run: the outputs that overlap other tensors pass int together")
			}
		} else {
			st.bases[l.results[i]] = b.start(t)
		}
	}
	if need > 0 {
		return st.bindSpare(outs, need)
	}
	return nil
}

func (st *state) bindSpare(outs []*Tensor, need int) error {
	if len(st.spare) < need {
		st.spare = nil // not both at once
		spare, err := allocate(need)
		if err != nil {
			return fmt.Errorf("run: memory for outputs that overlap other tensors: %w", err)
		}
		st.spare = spare
	}
	for k := range st.moves {
		m := &st.moves[k]
		b := st.l.results[m.out]
		m.to = st.l.buffers[b].start(outs[m.out])
		st.bases[b] = unsafe.Pointer(&st.spare[m.at])
	}
	return nil
}

// overlaps reports whether out i has a byte in common with an in or another out.
func (st *state) overlaps(i int, outs, ins []*Tensor) bool {
	l := st.l
	lo, hi := l.buffers[l.results[i]].reach(outs[i])
	for j, t := range ins {
		if first, end := l.buffers[l.params[j]].reach(t); lo < end && first < hi {
			return true
		}
	}
	for j, t := range outs {
		// An out not checked yet may not be a tensor at all; then bind fails.
		if j == i || !t.valid() {
			continue
		}
		if first, end := l.buffers[l.results[j]].reach(t); lo < end && first < hi {
			return true
		}
	}
	return false
}

// start returns the address of the element at index 0,...,0.
func (b *buffer) start(t *Tensor) unsafe.Pointer {
	return unsafe.Add(t.base, t.layout.Offset*b.size)
}

// reach returns the addresses of the first byte of a tensor of b's layout and
// of the one after its last, 0 and 0 without elements.
func (b *buffer) reach(t *Tensor) (first, end uintptr) {
	if b.elems == 0 {
		return 0, 0
	}
	at := uintptr(t.base) + uintptr((t.layout.Offset-b.layout.Offset)*b.size)
	return at + uintptr(b.lo*b.size), at + uintptr((b.hi+1)*b.size)
}

// copyPiece is what is copied between two looks at the context, in bytes.
const copyPiece = 1 << 20

// copyOuts moves the outs that were computed in spare memory to their places.
func (st *state) copyOuts(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("run: copying an output: %v", p)
		}
	}()
	for _, m := range st.moves {
		for at := 0; at < m.n; at += copyPiece {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(copyPiece, m.n-at)
			copy(unsafe.Slice((*byte)(unsafe.Add(m.to, at)), n), st.spare[m.at+at:m.at+at+n])
		}
	}
	return nil
}
