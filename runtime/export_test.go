package runtime

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// PieceNanos is how long a worker computes between two looks at the context, about.
var PieceNanos = pieceNanos

// CallNanos returns how long a call of a kernel takes at most by the estimate, and whether it could
// be divided further.
func CallNanos(on abi.Engine, code kernel.Code, f *abi.Frame) (nanos float64, divides bool) {
	k := linkKernel(code, code.Signature(), on)
	each := k.elementNanos(f.Cols, func(i int) int { return f.Step[k.fieldsAt+i] })
	return each * float64(f.Rows) * float64(f.Cols), f.Rows > 1 || f.Cols > 64 && !k.wholeRows
}

// RaceDetector reports whether the race detector is on, under which sync.Pool forgets at
// random.
const RaceDetector = raceDetector

// Lookup finds the kernel of a signature.
type Lookup func(abi.Engine, string) (func(*abi.Frame), bool)

// SetLookup replaces the registry of kernels of an executor.
func (e *Executor) SetLookup(f Lookup) { e.lookup = f }

// Helped returns how many chunks the pool's workers have computed so far. Chunks that
// the callers of Run computed are not counted.
func (e *Executor) Helped() int {
	return int(e.workers().helped.Load())
}

// StopWorkers ends the workers of an executor: its runs are on their own.
func (e *Executor) StopWorkers() { e.workers().stop() }

// Alive returns a function that tells how many workers of an executor are alive, and
// does not keep the executor alive.
func (e *Executor) Alive() func() int {
	p := e.workers()
	return func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.alive
	}
}

// Chunks returns how many chunks each task has that has elements.
func (l *Linked) Chunks() []int {
	var chunks []int
	for _, t := range l.tasks {
		chunks = append(chunks, t.chunks)
	}
	return chunks
}

// Short reports whether runs of the program are lists of calls.
func (l *Linked) Short() bool { return l.short() }

// Frames returns the frames of the list of calls of the state that the next run has, if no other is running.
func (l *Linked) Frames() []*abi.Frame { return l.first.Load().direct.frames() }

// Frames is the same of bound tensors.
func (b *Bound) Frames() []*abi.Frame { return b.st.Load().direct.frames() }

func (d *direct) frames() (frames []*abi.Frame) {
	for i := range d.calls {
		frames = append(frames, d.calls[i].frame)
	}
	return frames
}

// Poison fills the memory that the next run takes over with bits that are NaN in floats.
func (l *Linked) Poison() error {
	m, err := l.newLocal(nil)
	if err != nil {
		return err
	}
	scratch := 0
	for _, t := range l.tasks {
		scratch = max(scratch, t.computation.(*nestTask).scratch)
	}
	if m.scratch, err = memory.Allocate(scratch); err != nil {
		return err
	}
	for _, bytes := range [][]byte{m.arena, m.scratch} {
		for i := range bytes {
			bytes[i] = 0xff
		}
	}
	l.exec.locals.give(m)
	return nil
}
