package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// channels calls one kernel for the whole body, which loads and stores interleaved operands itself: the parts of
// complex numbers, the channels of pixels. Nothing goes through local memory. The columns of the calls are the axis
// along which channels alternate with others. Without such a kernel, other options copy channels to tiles: see
// interleaved.go.
func (e *elemWriter) channels() (offer, string) {
	e, why := e.withChannels()
	if e == nil {
		return offer{}, why
	}
	c, why := e.channelsKernel()
	if c == nil {
		return offer{}, why
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(c.cost, func() (computation, string) { return c, "" }), ""
}

// withChannels returns the writer of a step by calls along channels: e, for the step as it is, or a new one for all
// indices of a short axis together. e has the operands where they are.
func (e *elemWriter) withChannels() (with *elemWriter, why string) {
	if e.t.noChannels || !mayAlternate(e.step) {
		return nil, otherStep // no operands are interleaved channels
	}
	if why = e.alongChannels(); why == "" {
		return e, ""
	}
	together, from := e.t.unrolled(e.step)
	if together == nil {
		return nil, why
	}
	if with, why = newElementwise(e.t, together); with == nil {
		return nil, why
	}
	with.whole, with.from = e.step, from
	if why = with.alongChannels(); why != "" {
		return nil, why
	}
	return with, ""
}

// mayAlternate reports whether an operand of a step has a stride as channels have.
func mayAlternate(s *plan.Step) bool {
	for a := range s.Accesses() {
		for k, n := range a.Strides {
			if n > 1 && n <= kernel.MaxChannels && s.Axes[k].Extent > 1 {
				return true
			}
		}
	}
	return false
}

// alongChannels takes for the columns the axis along which channels alternate. It says why if an output is apart
// along that.
func (e *elemWriter) alongChannels() (why string) {
	axes := e.step.Axes
	e.row, e.col = len(axes)-2, len(axes)-1
	for e.col > 0 && axes[e.col].Extent == 1 {
		e.row, e.col = e.col, e.col-1
	}
	for k := range e.col {
		if axes[k].Extent > 1 {
			e.row = k
		}
	}
	if e.ops, why = operandsOf(e.step, e.row, e.col); why != "" {
		return why
	}
	for i := range e.step.In {
		e.splats[i] = e.ops[i].class == splat
	}
	e.blockRows, e.blockCols = e.t.block(e.step, e.row, e.col)
	if e.findArrays(); len(e.arrays) == 0 {
		return otherStep // no operands are interleaved channels
	}
	for o := range e.step.Out {
		i := len(e.step.In) + o
		if e.arrayOf(i) == nil && e.ops[i].class != unit {
			return "an output is apart along the columns"
		}
	}
	return ""
}

// findArrays finds the channels of each array, in order: operands that differ in their offsets alone. Of inputs some may
// be missing, half of them at most, if memory has them. Those of outputs follow one another there.
func (e *elemWriter) findArrays() {
	e.arrays = nil
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxChannels || e.arrayOf(i) != nil || !e.inLanes(i) {
			continue
		}
		var best []int
		most := 0
		for at := range n {
			array, count := e.arrayFrom(i, at, n)
			if count > most && (count == n || 2*count >= n && e.inMemory(i, at, n)) {
				best, most = array, count
			}
		}
		if best != nil && (i < len(e.step.In) || most == n && best[0] == i && best[n-1] == i+n-1) {
			e.arrays = append(e.arrays, best)
		}
	}
}

// arrayFrom returns the operands that are channels of one array with operand i, which is channel at of n: -1 for those
// that the step does not have. count says how many it has.
func (e *elemWriter) arrayFrom(i, at, n int) (array []int, count int) {
	from, to := 0, len(e.step.In)
	if i >= to {
		from, to = to, len(e.ops)
	}
	for c := range n {
		k := from
		for k < to && !(e.ops[k] == e.ops[i] && e.access(k).Offset == e.access(i).Offset+c-at && sameButOffset(e.access(k), e.access(i)) && e.arrayOf(k) == nil) {
			k++
		}
		if k == to {
			array = append(array, -1)
			continue
		}
		array, count = append(array, k), count+1
	}
	return array, count
}

// inMemory reports whether all channels of the array in which input i is channel at of n may be read: they are within
// the buffer, and the step does not write it.
func (e *elemWriter) inMemory(i, at, n int) bool {
	if i >= len(e.step.In) {
		return false
	}
	for o := range e.step.Out {
		if e.t.mayAlias(e.access(i).Buffer, e.step.Out[o].Buffer) {
			return false
		}
	}
	before, behind := e.t.room(e.step, i)
	return before >= at && behind >= n-1-at
}

// room returns how many elements the buffer of input i of a step has before and behind all that the step reads, as
// many as matter at most. Of a block of rows, the step is that of all rows. Scratch has none: a block may have fewer rows
// than it, and may be kept in an output. Nor is any known of a step that was unrolled for a block.
func (t *target) room(s *plan.Step, i int) (before, behind int) {
	b := &t.buffers[s.In[i].Buffer]
	switch {
	case b.Kind == plan.ScratchBuffer, t.whole != nil && s.Body != t.whole.Body:
		return 0, 0
	case t.whole != nil:
		s = t.whole
	}
	low, high := s.In[i].Offset, s.In[i].Offset
	for k, axis := range s.Axes {
		last := (axis.Extent - 1) * s.In[i].Strides[k]
		low, high = low+min(0, last), high+max(0, last)
	}
	first, last := 0, b.Size()-1
	if b.At != nil {
		first, last = b.At.Bounds()
	}
	return min(max(0, low-first), kernel.MaxChannels), min(max(0, last-high), kernel.MaxChannels)
}

// inLanes reports whether an operand can be a channel: elements of bytes are taken apart into lanes of 32 bits, which
// bodies of bytes alone do not have.
func (e *elemWriter) inLanes(i int) bool {
	if !kernel.ChannelTypes.Has(e.ops[i].dtype) {
		return false
	}
	body := e.step.Body
	for r := range len(body.In) + len(body.Body) {
		if body.DType(kernel.Ref(r)).Size() >= 4 {
			return true
		}
	}
	return false
}

// arrayOf returns the array that an operand is a channel of, or nil.
func (e *elemWriter) arrayOf(i int) []int {
	for _, array := range e.arrays {
		if slices.Contains(array, i) {
			return array
		}
	}
	return nil
}

// leads reports whether an operand is the first channel of its array that the step has, whose argument the others share,
// and which channel that is; or an operand of its own.
func (e *elemWriter) leads(i int) (at int, ok bool) {
	array := e.arrayOf(i)
	if array == nil {
		return 0, i >= 0
	}
	at = slices.IndexFunc(array, func(k int) bool { return k >= 0 })
	return at, array[at] == i
}

// withArrays returns the canonical kernel of the body whose operands are channels, and which input of the body each
// of its inputs is, -1 for a channel that the body does not have.
func (e *elemWriter) withArrays() (k *kernel.Kernel, order []int) {
	return e.step.Body.WithSplats(func(i int) bool { return e.splats[i] }).WithChannels(e.arrays...)
}

// channelsKernel returns the kernel of the whole body whose operands are channels, or says that there is none.
func (e *elemWriter) channelsKernel() (c *oneKernel, why string) {
	if e.t.TilingOnly {
		return nil, "kernels of whole bodies are switched off"
	}
	k, order := e.withArrays()
	if err := k.Verify(); err != nil {
		return nil, err.Error()
	}
	engine, ok := e.t.lib.Engine(k.Signature())
	if !ok {
		return nil, "no kernel of the whole body takes its channels together"
	}
	work := e.t.BodyWork(e.step)
	for _, array := range e.arrays {
		work += e.t.ChannelWork * float64(len(array))
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: work * e.t.slowdown(engine)}, ""
}
