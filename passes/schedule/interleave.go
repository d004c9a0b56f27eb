package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Short axes. Elements of several operands may alternate in one buffer, like the parts of complex numbers and the channels of
// pixels: the operands are the members of an interleave group, and their number is its factor. Option interleaved deinterleaves
// and interleaves them in registers. Without a kernel for that, other options copy the group to tiles (interleave_stage.go), or
// join the short axis with its neighbour (elementwise_coalesced.go). The least cost decides.

// interleaved calls one kernel for the whole body, and nothing goes through local memory. The columns of the calls are the axis
// along which the members of a group alternate. If the members are indices of short axes of the step, such as the channels of
// pixels that become planes, the step is unrolled along these axes. Of several choices the cheapest is offered.
func (e *elemWriter) interleaved() (best offer, why string) {
	if e.t.noGroups || !mayInterleave(e.step) {
		return offer{}, otherStep // no operands are interleaved
	}
	if why = e.alongGroups(); why == "" {
		return e.withGroups()
	}
	for _, axes := range e.t.shortAxes(e.step) {
		o, not := e.t.unrolled(e.step, axes)
		switch {
		case not == "" && (best.draft == nil || o.least < best.least):
			best, why = o, ""
		case best.draft == nil:
			why = not
		}
	}
	return best, why
}

// withGroups is interleaved for a step whose columns are the axis along which members alternate.
func (e *elemWriter) withGroups() (offer, string) {
	c, why := e.interleavedKernel()
	if c == nil {
		return offer{}, why
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(c.cost, func() (computation, string) { return c, "" }), ""
}

// unrolled is interleaved for a step unrolled along some axes.
func (t *target) unrolled(s *plan.Step, axes []int) (offer, string) {
	step, from := unrollAxes(s, axes)
	if step == nil {
		return offer{}, "the unrolled step has too many operands"
	}
	e, why := newElementwise(t, step)
	if e == nil {
		return offer{}, why
	}
	e.whole, e.from = s, from
	if why := e.alongGroups(); why != "" {
		return offer{}, why
	}
	return e.withGroups()
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

// alongGroups makes the axis along which members alternate the columns. It returns a reason if the step has no groups, or if an
// output is strided along that axis.
func (e *elemWriter) alongGroups() (why string) {
	axes := e.step.Axes
	row, col := len(axes)-2, len(axes)-1
	for col > 0 && axes[col].Extent == 1 {
		row, col = col, col-1
	}
	for k := range col {
		if axes[k].Extent > 1 {
			row = k
		}
	}
	if why = e.turn(row, col); why != "" {
		return why
	}
	if e.findGroups(); len(e.groups) == 0 {
		return otherStep // no operands are interleaved
	}
	for i := len(e.step.In); i < len(e.ops); i++ {
		if e.groupOf(i) == nil && e.ops[i].class != unit {
			return "an output is apart along the columns"
		}
	}
	return ""
}

// interleavedKernel returns the kernel of the whole body whose operands are interleaved, or why there is none.
func (e *elemWriter) interleavedKernel() (c *oneKernel, why string) {
	if e.t.TilingOnly {
		return nil, tilingOnly
	}
	k, order := e.interleavedBody()
	if err := k.Verify(); err != nil {
		return nil, err.Error()
	}
	engine, why := e.t.engine(k)
	if why != "" {
		return nil, "no kernel of the whole body takes its interleaved operands"
	}
	work := e.t.BodyWork(e.step)
	for _, g := range e.groups {
		work += e.t.InterleaveWork * float64(len(g.ops))
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: work * e.t.slowdown(engine)}, ""
}

// interleavedBody returns the canonical kernel of the body whose operands are interleaved, and the input of the body that each
// of its inputs is, -1 for a member that the body does not read.
func (e *elemWriter) interleavedBody() (k *kernel.Kernel, order []int) {
	var groups [][]int
	for _, g := range e.groups {
		groups = append(groups, g.ops)
	}
	return e.step.Body.WithSplats(func(i int) bool { return e.splats[i] }).Interleave(groups...)
}

// lacksGroups returns the signature of the kernel that option interleaved would call for a step, if the library lacks it:
// genkernels makes it where other options copy the groups. It is the kernel of the step as it is, which depends on no extent.
func (t *target) lacksGroups(s *plan.Step) string {
	if t.noGroups || t.TilingOnly || !mayInterleave(s) {
		return ""
	}
	e, _ := newElementwise(t, s)
	if e == nil || e.alongGroups() != "" {
		return ""
	}
	if slices.ContainsFunc(e.groups, func(g *memberGroup) bool { return slices.Contains(g.ops, -1) }) { // for other layouts it is another
		return ""
	}
	if k, _ := e.interleavedBody(); t.lacks(k) != "" && k.Verify() == nil {
		return k.Signature()
	}
	return ""
}

// groupKernels returns the signatures of the kernels that option interleaved would call for steps of a plan, also for
// steps that another strategy computes for some sizes.
func groupKernels(p *plan.Plan, m *tuning.Machine, o Options) (sigs []string) {
	t := &target{Machine: m, Options: o, lib: empty{}, buffers: p.Buffers, read: buffersRead(p)}
	for i := range p.Steps {
		if sig := t.lacksGroups(&p.Steps[i]); sig != "" {
			sigs = append(sigs, sig)
		}
	}
	return sigs
}

// shortAxes returns the choices of short axes of s to unroll: an operand is dense along them and along the next axis behind
// them, and another one is contiguous along that axis.
func (t *target) shortAxes(s *plan.Step) (choices [][]int) {
	if !s.Elementwise() {
		return nil
	}
	for a := range s.Accesses() {
		if a.Panel != nil {
			return nil
		}
		var axes []int
		for n := 1; n <= kernel.MaxFactor && n*len(s.Body.Body) <= t.UnrolledOps; {
			k := axisOfStride(s, a, n)
			if k < 0 {
				break
			}
			known := slices.ContainsFunc(choices, func(c []int) bool { return slices.Equal(c, axes) })
			if n > 1 && !known && contiguousAlong(s, k) {
				choices = append(choices, slices.Clone(axes))
			}
			axes, n = append(axes, k), n*s.Axes[k].Extent
		}
	}
	return choices
}

// axisOfStride returns the axis of s along which an access has the given stride, or -1 if no axis of several indices has it.
func axisOfStride(s *plan.Step, a *plan.Access, stride int) int {
	for k, n := range a.Strides {
		if n == stride && s.Axes[k].Extent > 1 {
			return k
		}
	}
	return -1
}

// contiguousAlong reports whether an operand of s is contiguous along an axis.
func contiguousAlong(s *plan.Step, axis int) bool {
	for a := range s.Accesses() {
		if a.Strides[axis] == 1 {
			return true
		}
	}
	return false
}

// unrollAxes returns the step that unrollAxis makes of s for each of some axes. from is that of unrollAxis, for s.
func unrollAxes(s *plan.Step, axes []int) (out *plan.Step, from []int) {
	out = s
	for n, axis := range axes {
		next, of := unrollAxis(out, axis)
		if next == nil {
			return nil, nil
		}
		for i := range of {
			if n > 0 {
				of[i] = from[of[i]]
			}
		}
		out, from = next, of
	}
	return out, from
}

// unrollAxis returns the step whose body computes all indices of an axis. Each index is a separate operand, except of an input
// that is the same for all. from says which operand of s each of its own is, the inputs first. The axis stays, with one index.
// The step is nil if it has too many operands.
func unrollAxis(s *plan.Step, axis int) (out *plan.Step, from []int) {
	n, of := s.Axes[axis].Extent, len(s.In)
	out = &plan.Step{Axes: append([]plan.Axis(nil), s.Axes...), Pos: s.Pos}
	out.Axes[axis].Extent = 1
	at := func(a plan.Access, i int) plan.Access {
		a.Offset += i * a.Strides[axis]
		return a
	}
	body := &kernel.Kernel{Fast: s.Body.Fast}
	inputs := make([][]kernel.Ref, n) // of each index, those of s
	for k := range of {
		for i := range n {
			if i == 0 || s.In[k].Strides[axis] != 0 {
				body.In = append(body.In, s.Body.In[k])
				out.In, from = append(out.In, at(s.In[k], i)), append(from, k)
			}
			inputs[i] = append(inputs[i], kernel.Ref(len(body.In)-1))
		}
	}
	stored := make([][]kernel.Ref, len(s.Out))
	for i := range n {
		values := inputs[i]
		for _, in := range s.Body.Body {
			for k := range in.Arity() {
				in.Args[k] = values[in.Args[k]]
			}
			body.Body = append(body.Body, in)
			values = append(values, kernel.Ref(len(body.In)+len(body.Body)-1))
		}
		for o, r := range s.Body.Out {
			stored[o] = append(stored[o], values[r])
		}
	}
	for o := range s.Out {
		for i := range n {
			to := s.Out[o]
			to.Access = at(to.Access, i)
			body.Out = append(body.Out, stored[o][i])
			out.Out, from = append(out.Out, to), append(from, of+o)
		}
	}
	if out.Body = body; body.VerifyBody() != nil { // too many operands
		return nil, nil
	}
	return out, from
}
