package runtime

import (
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// Large results are stored past the caches. A step computes a tile of them in
// scratch, which stays in the first-level cache, and kernel.StoreNT copies it
// out: memory then is not read before it is written, and what else is in the
// caches stays. There is no second form of each kernel for that, as copying from
// the first-level cache costs little against memory.
const (
	// streamFrom is how many bytes a step writes at least to an output that it
	// streams: half the last-level cache of the machine where BenchmarkStream found
	// both ways about equal at 8 MiB; from here on this one is a little faster.
	streamFrom = 16 << 20
	// streamWork is how much work an element is at most, in additions. Storing past
	// the caches is no background work as writing back from them is, so a step that
	// computes for long is faster without.
	streamWork = 8
	// streamBytes is the size of a tile that is streamed.
	streamBytes = 8 << 10
)

// streamOuts decides which outputs of a step are streamed: large ones that no
// step reads, of a body that costs little, whose rows begin where lines of the
// caches do, as a part of a line goes to memory alone. For tests, Executor.ChunkElems makes
// it all that can be.
func (s *step) streamOuts(f finder, e *Executor, buffers []buffer) {
	from, work := streamFrom, float64(streamWork)
	if e.ChunkElems > 0 {
		from, work = 1, math.Inf(1)
	}
	if e.stream > 0 {
		from = e.stream
	}
	if e.ChunkElems == 0 && s.scan != nil && s.scan.down && s.blockCols < s.scan.streamPiece() {
		return // short rows take a call for every few of them
	}
	if s.down != nil || s.dot != nil || f.engines[0] != abi.AVX2 || s.cost() > work {
		return
	}
	fn, ok := f.lookup(abi.AVX2, (&kernel.Micro{Row: kernel.StoreNT, Type: ir.Uint8}).Signature())
	if !ok || slices.ContainsFunc(s.operands, func(o operand) bool { return o.packed || o.turned }) {
		return
	}
	for i := s.ins; i < len(s.operands); i++ {
		o := &s.operands[i]
		ragged := e.ChunkElems == 0 && s.rows > 1 && o.rowStep%memory.Alignment != 0
		if !o.scratch && !o.folded && !ragged && !buffers[o.buffer].read && s.elems*o.size >= from {
			o.streamed, s.stream = true, fn
		}
	}
}

// cost estimates what an element costs within the caches, in additions.
func (s *step) cost() float64 {
	cost := 0.0
	for i := range s.ins {
		if !s.operands[i].splat {
			cost++
		}
	}
	for i := range s.kernel.Body {
		cost += s.kernel.Body[i].Op.Info().Cost
	}
	return cost
}

// fence waits until other processors see what the calling goroutine has streamed.
// If it has moved from one thread to another, the first did so then: interrupts
// and locked instructions drain the buffers of such stores too.
func (t *task) fence() {
	if t.stream != nil {
		call(t.stream, &noRows)
	}
}

var noRows abi.Frame

// addStreams makes the one call of a program write tiles in place of streamed
// outputs, and adds those that copy them out.
func (p *program) addStreams(s *step) {
	for i := range s.operands {
		o := &s.operands[i]
		if !o.streamed {
			continue
		}
		tile := len(p.slots)
		p.slots = append(p.slots, slot{class: tileSlot, at: p.reserve(p.tileRows * p.tileCols * o.size), size: o.size})
		p.calls[0].args[i].slot = tile
		p.calls = append(p.calls, kernelCall{fn: s.stream, wide: o.size, args: []kernelArg{{tile, o.size}, {i, o.size}}})
	}
}

// streamStores makes the instructions that store to streamed outputs write
// registers, and adds those that copy these out.
func (c *cover) streamStores() {
	for p := 0; p < len(c.insts); p++ {
		i := &c.insts[p]
		if i.out < 0 || i.fold || !c.s.operands[c.s.ins+i.out].streamed {
			continue
		}
		copies := coverInst{fn: c.s.stream, order: []int{0}, value: -1, out: i.out, wide: c.s.operands[c.s.ins+i.out].size}
		if from := i.args[0]; i.value < 0 && !c.values[from].splat { // a copy
			copies.args = []kernel.Ref{from}
			c.insts[p] = copies
			continue
		}
		if i.value < 0 {
			i.value = kernel.Ref(len(c.values))
			c.values = append(c.values, coverValue{dtype: c.values[i.args[0]].dtype, slot: -1})
		}
		i.out, copies.args = -1, []kernel.Ref{i.value}
		p++
		c.insts = slices.Insert(c.insts, p, copies)
	}
}

// streamed stores the running values of a tile.
func (sc *scan) streamed(ln *lane, run, y unsafe.Pointer, rows, cols, step, outStep int) {
	if sc.stream == nil {
		return
	}
	f := &ln.many
	f.Ptr[0], f.Ptr[1] = run, y
	f.Step[0], f.Step[1] = step, outStep
	f.Rows, f.Cols = rows, cols*sc.size
	call(sc.stream, f)
}

// markRead notes which buffers are read by the plan itself.
func (l *Linked) markRead(p *plan.Plan) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel == nil {
			continue
		}
		for _, a := range s.Operands[:min(len(s.Operands), len(s.Kernel.In))] {
			if a.Buffer >= 0 && a.Buffer < len(l.buffers) {
				l.buffers[a.Buffer].read = true
			}
		}
	}
}
