package runtime

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// The memory of a run: outputs that it makes, and a state if no earlier run has left one. All of it is counted before any of it is
// allocated, and allocated before work starts.

// MadeResults reports whether the last run into new tensors took new memory for a result, not that of a released one.
func (l *Linked) MadeResults() bool { return l.now().made.Load() }

// reserve makes the missing outs, a state if st is nil, and memory for it if it needs any and m is nil.
func (l *Linked) reserve(ctx context.Context, st *state, m *local, outs []*tensor.Tensor) (_ *state, _ *local, err error) {
	defer func() {
		if err != nil {
			l.putBack(st, m)
		}
	}()
	if n := len(outs); n > 0 && n != len(l.results) {
		return nil, nil, failf("%d outputs given, the plan has %d", n, len(l.results))
	}
	results, state := 0, 0
	if m == nil && l.shares {
		state, _ = arenaClass(l.arena)
	}
	for i := range outs {
		if outs[i] = l.exec.kept(l.results[i]); outs[i] == nil {
			results = sum(results, l.results[i].bytes())
		}
	}
	if made := results > 0; len(outs) > 0 && l.made.Load() != made {
		l.made.Store(made)
	}
	r, err := memory.Reserve(sum(results, state))
	if err != nil {
		return nil, nil, failf("%d bytes for outputs and %d for temporaries, which Explain names: %w", results, state, err)
	}
	defer r.Release()
	for i := range outs {
		if outs[i] != nil {
			continue
		}
		if outs[i], err = l.exec.newResult(&r, l.results[i]); err != nil {
			return nil, nil, failf("output %d: %w", i, err)
		}
	}
	if m == nil && l.shares {
		if m, err = l.newLocal(&r); err != nil {
			return nil, nil, err
		}
	}
	if st == nil {
		st, err = l.newState(ctx)
	}
	return st, m, err
}

// Results returns a tensor for each result of the plan, all in one block of memory: for results that live equally long, such as
// constants. A large block is on huge pages, and many small ones would not be.
func (l *Linked) Results() ([]*tensor.Tensor, error) {
	n := 0
	for _, b := range l.results {
		n = sum(n, b.bytes()+memory.Alignment-1) &^ (memory.Alignment - 1)
	}
	r, err := memory.Reserve(n)
	if err != nil {
		return nil, failf("%d bytes for outputs, which Explain names: %w", n, err)
	}
	defer r.Release()
	block, err := l.exec.allocate(&r, n)
	if err != nil {
		return nil, failf("%d bytes for outputs, which Explain names: %w", n, err)
	}
	outs := make([]*tensor.Tensor, len(l.results))
	for i, b := range l.results {
		outs[i] = tensor.OfMemory(b.dtype, b.layout, block[:b.bytes():b.bytes()])
		block = block[min(len(block), (b.bytes()+memory.Alignment-1)&^(memory.Alignment-1)):]
	}
	return outs, nil
}

// newLocal returns memory for one run, counted in reservation r. If r is nil, it makes a reservation of its own.
func (l *Linked) newLocal(r *memory.Reservation) (*local, error) {
	size, class := arenaClass(l.arena)
	if r == nil {
		own, err := memory.Reserve(size)
		if err != nil {
			return nil, failf("temporaries, which Explain names: %w", err)
		}
		defer own.Release()
		r = &own
	}
	arena, err := l.exec.allocate(r, size)
	if err != nil {
		return nil, failf("temporaries, which Explain names: %w", err)
	}
	return &local{arena: arena, class: class}, nil
}

// failf returns an error of a run. Package graph adds the user's line that called it.
func failf(format string, args ...any) error {
	return &ir.Error{Op: "run", Msg: fmt.Errorf(format, args...).Error()}
}

// sum adds numbers of bytes. A sum that exceeds int is the greatest int, which is more than any memory.
func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// scratchBase returns the index of the base of scratch memory in a state.
func (l *Linked) scratchBase() int { return len(l.buffers) + 1 }

// newState returns a state, taken for one run, without its memory.
func (l *Linked) newState(ctx context.Context) (*state, error) {
	st := &state{l: l, bases: make([]unsafe.Pointer, l.scratchBase()+1)}
	st.bases[len(l.buffers)] = unsafe.Pointer(&allBytes[0])
	st.worker.frames, st.worker.job = make([]frames, len(l.tasks)), &st.job
	st.job.bases, st.job.left.L = st.bases, &l.pool.mu
	st.direct.layOut(l, &st.worker)
	st.take()
	var err error
	for i, b := range l.buffers {
		switch b.kind {
		case plan.ConstBuffer:
			st.bases[i] = unsafe.Pointer(&l.consts[b.index])
		case plan.IotaBuffer:
			if st.bases[i], err = iotaTable(ctx, &l.buffers[i]); err != nil {
				return nil, err
			}
		}
	}
	return st, nil
}

// clears reports whether memory that programs compute into is zeroed before. It need not be for programs from package passes/schedule,
// which store everything before they read it.
func (e *Executor) clears() bool { return e.Verify || e.Memory != nil }

// allocate returns memory for a program to compute into.
func (e *Executor) allocate(r *memory.Reservation, bytes int) ([]byte, error) {
	if e.clears() {
		return e.zeroed()(bytes)
	}
	return r.Uncleared(bytes)
}

// KeptBytes returns the bytes of released results that are kept for results of later runs, of all programs.
func KeptBytes() int64 { return memory.Kept() }

// kept returns a tensor for a result in memory of a result that has been released, or nil if there is none.
func (e *Executor) kept(b *buffer) *tensor.Tensor {
	if e.clears() {
		return nil
	}
	block := memory.Take(b.bytes())
	if block == nil {
		return nil
	}
	return tensor.OverResult(b.dtype, b.layout, block, true)
}

// newResult returns a tensor for a result in new memory.
func (e *Executor) newResult(r *memory.Reservation, b *buffer) (*tensor.Tensor, error) {
	allocate := r.Block
	if e.clears() {
		allocate = e.zeroed()
	}
	block, err := allocate(b.bytes())
	if err != nil {
		return nil, err
	}
	return tensor.OverResult(b.dtype, b.layout, block, !e.clears()), nil
}

// allocator returns zeroed memory.
type allocator func(bytes int) ([]byte, error)

// zeroed returns the allocator of an executor, which returns zeroed memory.
func (e *Executor) zeroed() allocator {
	if e.Memory != nil {
		return e.Memory
	}
	return memory.Allocate
}
