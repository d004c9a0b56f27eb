package nest

import (
	"fmt"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Eval runs a program, and is its definition: one call after another by the meanings of the kernels, and each call element by element.
// The input is, for each param, all locations of its buffer from 0 to the last one of its layout. The output is the results in
// row-major order. An element is a uint64, as the lane ops take it.
//
// Memory is bytes, as on a machine: slots may share them, and copies of bits need no types. Scratch is poisoned before each
// parallel iteration. An error names the task, the call and the argument whose elements are outside their slot. Verify a
// program of unknown origin first: Eval does not check sizes that exceed int or the memory.
func Eval(p *Program, inputs [][]uint64, options ...Option) ([][]uint64, error) {
	e := &evaluator{p: p, arithmetic: ir.Defined, references: map[string]kernel.Reference{}}
	for _, o := range options {
		o(e)
	}
	if err := e.reserve(inputs); err != nil {
		return nil, err
	}
	for i := range p.Tasks {
		if err := e.task(i); err != nil {
			return nil, fmt.Errorf("task %d: %w", i, err)
		}
	}
	return e.results(), nil
}

// Option changes how Eval runs a program.
type Option func(e *evaluator)

// In makes Eval compute in an arithmetic, such as ir.Uninterpreted.
func In(f ir.Arithmetic) Option { return func(e *evaluator) { e.arithmetic = f } }

// Shuffled makes Eval run the parts of each task, and their parallel iterations, in an order that depends on a seed. The
// results are the same.
func Shuffled(seed uint64) Option {
	return func(e *evaluator) { e.random = rand.New(rand.NewPCG(seed, seed)) }
}

// evaluator is a program and its memory.
type evaluator struct {
	p          *Program
	buffers    [][]byte                    // the program's
	references map[string]kernel.Reference // by signature
	random     *rand.Rand                  // nil for the forward order
	arithmetic ir.Arithmetic

	slots   []memory // of the present task
	scratch []byte   // of the present task
}

// poison is the content of uninitialized memory: a NaN in float types.
const poison = 0xff

func poisoned(bytes int) []byte {
	b := make([]byte, bytes)
	fill(b)
	return b
}

func fill(b []byte) {
	for i := range b {
		b[i] = poison
	}
}

// reserve allocates each buffer, and stores the elements of params, constants and iotas.
func (e *evaluator) reserve(inputs [][]uint64) error {
	params, arena := 0, poisoned(e.p.Arena)
	for i := range e.p.Buffers {
		b := &e.p.Buffers[i]
		n := b.Size()
		if b.At != nil {
			_, hi := b.At.Bounds()
			n = hi + 1
		}
		size := n * b.DType.Size()
		switch b.Kind {
		case plan.TempBuffer:
			if b.Offset < 0 || b.Offset+size > len(arena) {
				return fmt.Errorf("buffer %%%d: bytes %d to %d are outside the arena's %d", i, b.Offset, b.Offset+size, len(arena))
			}
			e.buffers = append(e.buffers, arena[b.Offset:][:size:size])
			continue
		case plan.ParamBuffer:
			params++
			if b.Index >= len(inputs) || len(inputs[b.Index]) != n {
				return fmt.Errorf("buffer %%%d: want %d elements of param %d", i, n, b.Index)
			}
		case plan.ScratchBuffer:
			return fmt.Errorf("buffer %%%d: the scratch of a program is in its tasks' slots", i)
		}
		m := memory{bytes: poisoned(size), size: b.DType.Size()}
		for k := range n {
			if b.Kind == plan.ResultBuffer {
				break
			}
			m.set(b.DType, k*m.size, element(b, inputs, k))
		}
		e.buffers = append(e.buffers, m.bytes)
	}
	if params != len(inputs) {
		return fmt.Errorf("%d inputs for %d params", len(inputs), params)
	}
	return nil
}

// results returns the elements of the results.
func (e *evaluator) results() [][]uint64 {
	var results [][]uint64
	for i := range e.p.Buffers {
		b := &e.p.Buffers[i]
		if b.Kind != plan.ResultBuffer {
			continue
		}
		m := memory{bytes: e.buffers[i], size: b.DType.Size()}
		elements := make([]uint64, b.Size())
		for k := range elements {
			elements[k] = m.get(b.DType, k*m.size)
		}
		results = append(results, elements)
	}
	return results
}

// task runs the parallel iterations of all parts of a task.
func (e *evaluator) task(index int) error {
	t := &e.p.Tasks[index]
	e.scratch, e.slots = poisoned(t.Scratch), nil
	for i := range t.Slots {
		m, err := e.slot(t, &t.Slots[i])
		if err != nil {
			return fmt.Errorf("slot %d: %w", i, err)
		}
		e.slots = append(e.slots, m)
	}
	type job struct {
		part int
		at   position
	}
	var jobs []job
	for i := range t.Parts {
		err := t.Parts[i].iterate(position{}, func(at position) error {
			jobs = append(jobs, job{i, at})
			return nil
		})
		if err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	if e.random != nil {
		e.random.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	for _, j := range jobs {
		fill(e.scratch)
		if err := e.items(t.Parts[j.part].Items, j.at); err != nil {
			return fmt.Errorf("part %d%w", j.part, err)
		}
	}
	return nil
}

// items runs the items of a nest for one iteration of its loops.
func (e *evaluator) items(items []Item, at position) error {
	for i, item := range items {
		var err error
		switch {
		case item.Call != nil && item.Nest == nil:
			err = e.call(item.Call, at)
		case item.Nest != nil && item.Call == nil:
			err = item.Nest.iterate(at, func(at position) error { return e.items(item.Nest.Items, at) })
		default:
			err = fmt.Errorf(": neither a call nor a nest")
		}
		if err != nil {
			return fmt.Errorf(", item %d%w", i, err)
		}
	}
	return nil
}
