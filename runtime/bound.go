package runtime

import (
	"context"
	goruntime "runtime"
	"slices"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Bound is a linked program with the tensors that it runs on. The checks and look-ups of Run are done once, by Bind.
type Bound struct {
	st        *state
	outs, ins []*tensor.Tensor // kept alive
	files     []*tensor.Tensor // tensors whose memory may disappear, because their file may be closed
}

// Bind checks the tensors as Run does. Their elements may change between runs.
func (l *Linked) Bind(outs, ins []*tensor.Tensor) (*Bound, error) {
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
		return instead.Bind(outs, ins)
	}
	st.worker.keeps = true
	st.free()
	b := &Bound{st: st, outs: slices.Clone(outs), ins: slices.Clone(ins)}
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
	if !b.st.take() {
		return failf("it is running already: each goroutine binds tensors of its own")
	}
	for _, t := range b.files {
		if !t.Valid() {
			b.st.free()
			return b.st.l.mistake(b.outs, b.ins)
		}
	}
	if raceDetector { // bind reports to it what a run reads and writes
		b.st.release()
		fits, err := b.st.bind(b.outs, b.ins)
		if !fits {
			err = b.st.l.mistake(b.outs, b.ins)
		}
		if err != nil {
			b.st.free()
			return err
		}
	}
	err := b.st.run(ctx)
	goruntime.KeepAlive(b)
	return err
}
