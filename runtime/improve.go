package runtime

import (
	"sync/atomic"

	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Replacing a linked program by a better one for the same tensors, between two runs. A run that has begun ends in the program
// that it began in. A program without an Improvement tests one pointer for each run.

// Kernels finds kernels beside the registered ones, by signature.
type Kernels func(signature string) (fn func(*abi.Frame), on abi.Engine, ok bool)

// Improvement says when a better program is made. Each run adds Nanos to Spent. The first run after which Spent is Due or more
// has Make called: by itself, if Nanos alone is Due, so that it already runs the better program; otherwise in a goroutine of
// its own.
type Improvement struct {
	Nanos int64
	Spent *atomic.Int64 // several programs may share it
	Due   int64
	// Make returns the better program, or nil if there is none. again says that a later call may find one.
	Make func() (better *Linked, again bool)
}

// improvement is the state of an Improvement.
type improvement struct {
	Improvement
	due   atomic.Int64
	begun atomic.Bool // Make has been called
	made  atomic.Pointer[Linked]
}

// Improve sets the improvement of the program. It must be called before the first run.
func (l *Linked) Improve(by Improvement) {
	l.improvement = &improvement{Improvement: by}
	l.improvement.due.Store(by.Due)
}

// now returns the program that replaces l, or l.
func (l *Linked) now() *Linked {
	for l.improvement != nil {
		better := l.improvement.made.Load()
		if better == nil {
			break
		}
		l = better
	}
	return l
}

// improved returns the program for a run on some tensors, and counts the run.
func (l *Linked) improved(ins []*tensor.Tensor) *Linked {
	l = l.now()
	i := l.improvement
	if i == nil || i.begun.Load() || len(ins) != len(l.params)-len(l.captured) || !l.Takes(ins) {
		return l
	}
	if due := i.due.Load(); i.Spent.Add(i.Nanos) < due || !i.begun.CompareAndSwap(false, true) {
		return l
	} else if i.Nanos < due {
		go l.improve()
		return l
	}
	l.improve()
	return l.now()
}

// improve makes the better program, with the captured tensors of this one. If it can't be made yet, it becomes due again when
// runs have taken as much time once more.
func (l *Linked) improve() {
	i := l.improvement
	better, again := i.make()
	if again {
		i.due.Store(2 * i.Spent.Load())
		i.begun.Store(false)
	}
	if better == nil {
		return
	}
	better.captured = l.captured
	i.made.Store(better)
	if st := l.first.Load(); st != nil && st.take() {
		l.first.CompareAndSwap(st, nil)
	}
}

// make is Make. A panic, which is a bug, leaves the program as it is, which computes the same.
func (i *improvement) make() (better *Linked, again bool) {
	defer func() {
		if recover() != nil {
			better, again = nil, false
		}
	}()
	return i.Make()
}

// replaced reports whether another program replaces l, so that it keeps no memory for later runs.
func (l *Linked) replaced() bool { return l.improvement != nil && l.improvement.made.Load() != nil }
