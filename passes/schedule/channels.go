package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// channels calls one kernel for the whole body, which loads and stores interleaved operands itself: the parts of
// complex numbers, the channels of pixels. Nothing goes through local memory. The columns of the calls are the axis
// along which channels alternate with others. Without such a kernel, other strategies copy channels to tiles: see
// interleaved.go.
var channels = strategy{name: "channels", offer: offerChannels}

func offerChannels(t *target, s *plan.Step) (offer, string) {
	e, why := newElementwise(t, s)
	if e == nil {
		return offer{}, why
	}
	if why := e.alongChannels(); why != "" {
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

// alongChannels takes for the columns the axis along which channels alternate. It says why if an output is apart
// along that.
func (e *elementwise) alongChannels() (why string) {
	last := len(e.step.Axes) - 1
	if e.step.Axes[last].Extent == 1 { // what is stored has channels
		e.row, e.col = last, last-1
		if last > 1 {
			e.row = last - 2
		}
	}
	if e.ops, why = operandsOf(e.step, e.row, e.col); why != "" {
		return why
	}
	for i := range e.step.In {
		e.splats[i] = e.ops[i].class == splat
	}
	e.blockRows, e.blockCols = e.block(e.step, e.row, e.col)
	if e.arrays = e.findArrays(); len(e.arrays) == 0 {
		return "no operands are interleaved channels"
	}
	for o := range e.step.Out {
		i := len(e.step.In) + o
		if e.arrayOf(i) == nil && e.ops[i].class != unit {
			return "an output is apart along the columns"
		}
	}
	return ""
}

// findArrays returns the channels of each array, in order. Those of outputs follow one another there.
func (e *elementwise) findArrays() (arrays [][]int) {
	in := len(e.step.In)
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxChannels || !e.inLanes(i) {
			continue
		}
		array := e.sameArray(i, n)
		if array != nil && (i < in || array[n-1] == i+n-1) {
			arrays = append(arrays, array)
		}
	}
	return arrays
}

// inLanes reports whether an operand can be a channel: elements of bytes are taken apart into lanes of 32 bits, which
// bodies of bytes alone do not have.
func (e *elementwise) inLanes(i int) bool {
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

// sameArray returns the n operands of the array of which operand i is the first channel, or nil: the accesses differ
// in their offsets alone, and those follow one another.
func (e *elementwise) sameArray(i, n int) []int {
	array, first := []int{i}, e.access(i)
	from, to := 0, len(e.step.In)
	if i >= to {
		from, to = to, len(e.ops)
	}
	for k := 1; k < n; k++ {
		next := from
		for next < to && !(e.ops[next] == e.ops[i] && e.access(next).Offset == first.Offset+k && sameButOffset(e.access(next), first)) {
			next++
		}
		if next == to {
			return nil
		}
		array = append(array, next)
	}
	return array
}

// arrayOf returns the array that an operand is a channel of, or nil.
func (e *elementwise) arrayOf(i int) []int {
	for _, array := range e.arrays {
		for _, k := range array {
			if k == i {
				return array
			}
		}
	}
	return nil
}

// follows reports whether an operand is another channel than the first of its array, whose argument it shares.
func (e *elementwise) follows(i int) bool {
	array := e.arrayOf(i)
	return array != nil && array[0] != i
}

// channelsKernel returns the kernel of the whole body whose operands are channels, or says that there is none.
func (e *elementwise) channelsKernel() (c *oneKernel, why string) {
	if e.NoWhole {
		return nil, "kernels of whole bodies are switched off"
	}
	k, order := e.step.Body.WithSplats(func(i int) bool { return e.splats[i] }).WithChannels(e.arrays...)
	if k.Pointers() > kernel.MaxPointers {
		return nil, "the body has more operands with columns than a kernel"
	}
	engine, ok := e.lib.Engine(k.Signature())
	if !ok {
		return nil, "no kernel of the whole body takes its channels together"
	}
	work := e.BodyWork(e.step)
	for _, array := range e.arrays {
		work += e.ChannelWork * float64(len(array))
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: work * e.slowdown(engine)}, ""
}
