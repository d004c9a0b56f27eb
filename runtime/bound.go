package runtime

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Bound is a linked program with the tensors that it runs on. The checks and look-ups of Run are done once, by Bind.
type Bound struct {
	of        *Linked               // the program, whose schedule in place may be the one that runs
	st        atomic.Pointer[state] // of of, or of that schedule
	outs, ins []*tensor.Tensor      // kept alive
	files     []*tensor.Tensor      // tensors whose memory may disappear, because their file may be closed
}

// Bind checks the tensors as Run does. Their elements may change between runs.
func (l *Linked) Bind(outs, ins []*tensor.Tensor) (*Bound, error) {
	l = l.now()
	st, err := l.newState(context.Background())
	if err != nil {
		return nil, err
	}
	if l.shares {
		m, err := l.newLocal(nil)
		if err != nil {
			return nil, err
		}
		st.enter(m)
	}
	if fits, err := st.bind(outs, ins); !fits {
		return nil, l.mistake(outs, ins)
	} else if err != nil {
		return nil, err
	}
	if instead := st.instead(); instead != nil {
		b, err := instead.Bind(outs, ins)
		if b != nil {
			b.of = l
		}
		return b, err
	}
	st.worker.keeps = true
	st.free()
	b := &Bound{of: l, outs: slices.Clone(outs), ins: slices.Clone(ins)}
	b.st.Store(st)
	for _, t := range slices.Concat(b.outs, b.ins, l.captured) {
		if tensor.MayEnd(t) {
			b.files = append(b.files, t)
		}
	}
	return b, nil
}

// Run is Linked.Run on the bound tensors. It returns an error, and computes nothing, if another run of the Bound has not
// ended.
func (b *Bound) Run(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ContextError(ctx); err != nil {
		return err
	}
	st := b.st.Load()
	if !st.take() {
		return failf("it is running already: each goroutine binds tensors of its own")
	}
	if b.of.improvement != nil {
		st = b.improved(st)
	}
	for _, t := range b.files {
		if !t.Valid() {
			st.free()
			return st.l.mistake(b.outs, b.ins)
		}
	}
	if raceDetector { // bind reports to it what a run reads and writes
		st.release()
		fits, err := st.bind(b.outs, b.ins)
		if !fits {
			err = st.l.mistake(b.outs, b.ins)
		}
		if err != nil {
			st.free()
			return err
		}
	}
	err := st.run(ctx)
	goruntime.KeepAlive(b)
	return err
}

// improved returns the state of the program that replaces the bound one, taken for a run, or st. The old state stays taken: a
// goroutine that has found it is refused, as during a run.
func (b *Bound) improved(st *state) *state {
	l := b.of.improved(b.ins)
	if l == b.of {
		return st
	}
	to, err := l.Bind(b.outs, b.ins)
	if err != nil {
		return st // runs as before
	}
	b.of = to.of
	next := to.st.Load()
	next.take()
	b.st.Store(next)
	return next
}
