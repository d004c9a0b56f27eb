package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// interleaved calls one kernel for the whole body, which deinterleaves inputs and interleaves outputs in registers: the
// parts of complex numbers, the channels of pixels. Nothing goes through local memory. The columns of the calls are the axis
// along which the members of a group alternate. If a short axis is one of the step's, such as the channels of pixels that
// become planes, the step is unrolled along it, so that its indices are members.
//
// Without such a kernel, other options copy the group to tiles (interleave_stage.go), or join the short axis with its
// neighbour (elementwise_coalesced.go). The least cost decides.
func (e *elemWriter) interleaved() (offer, string) {
	e, why := e.withGroups()
	if e == nil {
		return offer{}, why
	}
	c, why := e.interleavedKernel()
	if c == nil {
		return offer{}, why
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(c.cost, func() (computation, string) { return c, "" }), ""
}

// withGroups returns the writer of a step that has interleave groups: e, for the step as it is, or a new one for the step
// unrolled along a short axis. e has the operands where they are.
func (e *elemWriter) withGroups() (with *elemWriter, why string) {
	if e.t.noGroups || !mayInterleave(e.step) {
		return nil, otherStep // no operands are interleaved
	}
	if why = e.alongGroups(); why == "" {
		return e, ""
	}
	unrolled, from := e.t.unrolled(e.step)
	if unrolled == nil {
		return nil, why
	}
	if with, why = newElementwise(e.t, unrolled); with == nil {
		return nil, why
	}
	with.whole, with.from = e.step, from
	if why = with.alongGroups(); why != "" {
		return nil, why
	}
	return with, ""
}

// mayInterleave reports whether an operand of a step has a stride that the members of a group have.
func mayInterleave(s *plan.Step) bool {
	for a := range s.Accesses() {
		for k, n := range a.Strides {
			if n > 1 && n <= kernel.MaxFactor && s.Axes[k].Extent > 1 {
				return true
			}
		}
	}
	return false
}

// alongGroups makes the axis along which members alternate the columns. It returns a reason if the step has no groups, or
// if an output is apart along that axis.
func (e *elemWriter) alongGroups() (why string) {
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
	if e.findGroups(); len(e.groups) == 0 {
		return otherStep // no operands are interleaved
	}
	for o := range e.step.Out {
		i := len(e.step.In) + o
		if e.groupOf(i) == nil && e.ops[i].class != unit {
			return "an output is apart along the columns"
		}
	}
	return ""
}

// interleavedKernel returns the kernel of the whole body whose operands are interleaved, or the reason why there is none.
func (e *elemWriter) interleavedKernel() (c *oneKernel, why string) {
	if e.t.TilingOnly {
		return nil, "kernels of whole bodies are switched off"
	}
	k, order := e.interleavedBody()
	if err := k.Verify(); err != nil {
		return nil, err.Error()
	}
	engine, ok := e.t.lib.Engine(k.Signature())
	if !ok {
		return nil, "no kernel of the whole body takes its interleaved operands"
	}
	work := e.t.BodyWork(e.step)
	for _, g := range e.groups {
		work += e.t.InterleaveWork * float64(len(g.ops))
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: work * e.t.slowdown(engine)}, ""
}

// interleavedBody returns the canonical kernel of the body whose operands are interleaved, and which input of the body each
// of its inputs is, -1 for a member that the body does not read.
func (e *elemWriter) interleavedBody() (k *kernel.Kernel, order []int) {
	var groups [][]int
	for _, g := range e.groups {
		groups = append(groups, g.ops)
	}
	return e.step.Body.WithSplats(func(i int) bool { return e.splats[i] }).Interleave(groups...)
}
