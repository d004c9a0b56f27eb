package nest

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Verify returns the first violations of a program's invariants, each with its line. A program without violations never touches memory
// outside its slots, and computes the same in any order of its parallel iterations. The latter assumes that the program reads
// nothing of the gaps between elements that it stores in local memory and in temporaries.
//
//   - buffers are as a plan's; there is no scratch buffer;
//   - slots are of buffers with their type, of scratch at a multiple of 64 within the
//     task's, or tables of an element;
//   - sizes and strides are of the enclosing loops, extents are not negative, tiles are
//     above 0, and the number of iterations is within int;
//   - a call has the arguments and fields of its kernel, sizes that the kernel takes, and
//     each argument's slot has elements of its type, or as wide ones where bits are copied;
//   - where the size of a reduction or product is that of a loop's iterations, the loop goes by
//     the chunks of the fixed tree, all but the last complete;
//   - all bytes of an argument, in all iterations, are inside its slot; what is read-only
//     is not stored to;
//   - what a call stores is where it reads the same elements, or one line further on, or
//     apart from what it reads;
//   - no parallel iteration of a task, of any part, touches what another one stores;
//   - an element of a buffer is stored once, or again by a call that reads it; what is
//     read is stored before, or something around it where calls store parts; a result is stored
//     in full;
//   - what a call reads of local memory its iteration has stored before, or something around it;
//   - temporaries that share bytes are not live at the same time, but for those that begin
//     at the same byte, where one is stored in the last task that reads the other.
//
// Whether a program computes what its plan says, with the chunks and lanes of each fixed tree
// in their order, does not follow from its text alone: eval.CheckTranslation compares the two.
//
// Loops whose last iteration is smaller count as whole ones where a comparison of regions
// can't be exact. All arithmetic is checked.
func (p *Program) Verify() error {
	if p == nil {
		return errors.New("no program")
	}
	if err := plan.VerifyBuffers(p.Buffers, p.Arena); err != nil {
		return err
	}
	v := &verifier{p: p, buffers: make([]bufferState, len(p.Buffers))}
	for i := range p.Buffers {
		v.buffers[i].born, v.buffers[i].dies = never, never
		if p.Buffers[i].Kind == plan.ScratchBuffer {
			return &ir.Violation{At: fmt.Sprint("buffer ", i), Msg: fmt.Sprintf("%%%d: a program has no scratch buffers: a task has slots for them", i)}
		}
	}
	for i := range p.Tasks {
		if v.task(i); len(v.errs) > 0 {
			return errors.Join(v.errs...) // what follows relies on what the task stores
		}
	}
	v.results()
	v.lifetimes()
	return errors.Join(v.errs...)
}

const never = -1

// maxErrors is about the number of violations that Verify returns.
const maxErrors = 20

// MaxTable is the greatest size of a table in bytes.
const MaxTable = 1 << 20

type verifier struct {
	p       *Program
	buffers []bufferState
	errs    []error

	now      *Task    // the task that is checked
	index    int      // its index
	part     int      // the part that is checked
	depth    int      // of nests
	outer    int      // loops of the part that are parallel
	blocks   int      // parallel iterations of the part
	loops    []loop   // around the nest or call that is checked
	lost     bool     // a loop is wrong: nothing in it and behind it is checked
	numLoops int      // number of loops of the task, in the order of the text, before the present one
	numCalls int      // number of calls
	dead     bool     // one of the loops has no iteration
	locals   []span   // spans of local memory that the part has stored
	accesses []access // of the task, to buffers that it may store to
	shared   *shared  // only set by InPlace
}

// bufferState records what tasks have done to a buffer.
type bufferState struct {
	born, dies int      // the first task that stores to it, the last that touches it
	stored     int      // number of elements stored
	regions    []region // the bytes stored
}

func (v *verifier) fail(at place, format string, args ...any) {
	v.violation(at.String(), "task %d: %s: %s", v.index, v.p.line(at), fmt.Sprintf(format, args...))
}

func (v *verifier) violation(at, format string, args ...any) {
	if len(v.errs) < maxErrors {
		v.errs = append(v.errs, &ir.Violation{At: at, Msg: fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) task(i int) {
	t := &v.p.Tasks[i]
	v.begin(i)
	next := 0
	if i > 0 {
		next = v.p.Tasks[i-1].Last + 1
	}
	if v.p.Continues(i) {
		next = t.First
	}
	at := place{task: i}
	steps, ok := layout.AddInt(t.Last, -t.First)
	switch {
	case t.First < next || t.Last < t.First || !ok:
		v.fail(at, "the steps are not behind those of the task before")
	case len(t.Choices) > 0 && (len(t.Choices)-1 != steps || v.p.Continues(i)):
		v.fail(at, "%d choices", len(t.Choices))
	case t.Scratch < 0 || t.Elems < 0 || t.Block < 0 || !(t.Work >= 0):
		v.fail(at, "scratch, elems, block or work are below 0")
	}
	for k := range t.Slots {
		if msg := v.slot(&t.Slots[k]); msg != "" {
			v.fail(place{task: i, kind: "slot", n: k}, "%s", msg)
		}
	}
	if len(v.errs) > 0 {
		return
	}
	var all checked
	blocks := 0 // of all parts
	for k := range t.Parts {
		v.part, v.outer, v.loops, v.locals = k, len(t.Parts[k].Loops), nil, nil
		v.nest(&t.Parts[k], 1)
		blocks = all.add(blocks, v.blocks)
	}
	if all.bad {
		v.fail(at, "the iterations of its parts pass int")
	}
	if len(v.errs) == 0 {
		v.races()
		v.coverage()
	}
}

// begin makes a task the one that is checked.
func (v *verifier) begin(task int) {
	v.now, v.index, v.accesses, v.lost = &v.p.Tasks[task], task, nil, false
	v.numLoops, v.numCalls = 0, 0
}

// slot returns the error text for a slot, or "".
func (v *verifier) slot(s *Slot) string {
	if err := s.DType.Check(); err != nil {
		return err.Error()
	}
	bytes, ok := layout.MulInt(s.Elems, s.DType.Size())
	end, fits := layout.AddInt(s.Offset, bytes)
	switch s.Kind {
	case Operand:
		if s.Buffer < 0 || s.Buffer >= len(v.p.Buffers) {
			return "there is no such buffer"
		}
		if d := v.p.Buffers[s.Buffer].DType; d != s.DType {
			return fmt.Sprintf("the buffer has %s", d.Text())
		}
	case Scratch:
		if s.Elems < 0 || s.Offset < 0 || s.Offset%64 != 0 || !ok || !fits || end > v.now.Scratch {
			return fmt.Sprintf("bytes %d to %d, want a multiple of 64 and an end within the scratch of %d", s.Offset, end, v.now.Scratch)
		}
	case Table:
		if s.Elems < 1 || !ok || bytes > MaxTable || !ir.IsElement(s.DType, s.Bits) {
			return fmt.Sprintf("a table is an element of its type, once or more, in at most %d bytes", MaxTable)
		}
	case Bytes:
		if !s.isBytes() {
			return errBytes.Error()
		}
	default:
		return "there is no such kind of slot"
	}
	return ""
}

// nest checks a nest and its items. iterations is the number of iterations of the enclosing loops.
func (v *verifier) nest(n *Nest, iterations int) {
	outer, dead := len(v.loops), v.dead
	v.depth++
	defer func() { v.loops, v.dead, v.depth = v.loops[:outer], dead, v.depth-1 }()
	if v.lost {
		return
	}
	if v.lost = v.depth > maxDepth; v.lost {
		v.fail(place{task: v.index}, "more than %d nests in each other", maxDepth)
		return
	}
	for _, l := range n.Loops {
		var c checked
		at := place{task: v.index, kind: "loop", n: v.numLoops, part: v.part, loop: l, at: len(v.loops)}
		v.numLoops++
		v.lost = true // unless the loop is right
		switch {
		case l.Extent.Loop < -1 || l.Extent.Loop >= len(v.loops):
			v.fail(at, "the extent is of no loop round it")
			return
		case l.Tile < 1 || l.Extent.N < 0:
			v.fail(at, "the tile is below 1, or the extent below 0")
			return
		case len(v.loops) >= maxDepth:
			v.fail(at, "more than %d loops in each other", maxDepth)
			return
		}
		if l.Extent.N == 0 {
			v.dead, l.Extent.N = true, 1
		}
		next := newLoop(&c, v.loops, l)
		if next.chain > maxChain {
			v.fail(at, "more than %d loops, each with an extent of the one before", maxChain)
			return
		}
		if iterations = c.mul(iterations, next.count()); c.bad {
			v.fail(at, "the iterations pass int")
			return
		}
		v.loops, v.lost = append(v.loops, next), false
	}
	if v.depth == 1 {
		v.blocks = iterations
	}
	for i, item := range n.Items {
		switch {
		case item.Step < 0 || item.Step > v.now.Last-v.now.First || item.Step > 0 && v.depth > 1:
			v.fail(place{task: v.index}, "item %d of part %d is of no step of the task", i, v.part)
		case item.Call != nil && item.Nest == nil:
			v.call(item.Call)
		case item.Nest != nil && item.Call == nil:
			v.nest(item.Nest, iterations)
		default:
			v.fail(place{task: v.index}, "item %d of part %d is neither a call nor a nest", i, v.part)
		}
	}
}
