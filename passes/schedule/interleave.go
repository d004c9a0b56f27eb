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
// along which the members of a group alternate. If the members are indices of a short axis of the step, such as the channels of
// pixels that become planes, the step is unrolled along it.
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

// unrolled returns a step that computes all indices of some short axes of s together, along which an operand is dense: they
// become the members of an interleave group. Of several choices it takes the one with the fewest rows. from says which operand
// of s each of its own is, the inputs first. The step is nil if s has no such axes.
func (t *target) unrolled(s *plan.Step) (out *plan.Step, from []int) {
	if !s.Elementwise() {
		return nil, nil
	}
	var best []int
	most := 0
	for a := range s.Accesses() {
		if a.Panel != nil {
			return nil, nil
		}
		for axes, n := []int(nil), 1; ; {
			k := axisOfStride(s, a, n)
			if k < 0 {
				break
			}
			if cols := s.Axes[k].Extent; n > 1 && n*cols > most && exchanges(s, axes, k) {
				best, most = slices.Clone(axes), n*cols
			}
			if axes, n = append(axes, k), n*s.Axes[k].Extent; n > kernel.MaxFactor || n*len(s.Body.Body) > t.UnrolledOps {
				break
			}
		}
	}
	return unrollAxes(s, best)
}

// axisOfStride returns the axis of s along which an access has a stride, -1 if there is none.
func axisOfStride(s *plan.Step, a *plan.Access, stride int) int {
	for k, n := range a.Strides {
		if n == stride && s.Axes[k].Extent > 1 {
			return k
		}
	}
	return -1
}

// exchanges reports whether col is the last of the axes of s that are not unrolled, and an operand is contiguous along it: it
// is read or written by whole vectors then, and no operand has to be laid out otherwise.
func exchanges(s *plan.Step, unrolled []int, col int) bool {
	for k := col + 1; k < len(s.Axes); k++ {
		if s.Axes[k].Extent > 1 && !slices.Contains(unrolled, k) {
			return false
		}
	}
	for a := range s.Accesses() {
		if a.Strides[col] == 1 {
			return true
		}
	}
	return false
}

// unrollAxes returns the step that unrollAxis makes of s for each of some axes, nil if there are none.
func unrollAxes(s *plan.Step, axes []int) (out *plan.Step, from []int) {
	for n, k := range axes {
		step, of := s, from
		if n > 0 {
			step = out
		}
		if out, from = unrollAxis(step, k); out == nil {
			return nil, nil
		}
		if n > 0 {
			for i := range from {
				from[i] = of[from[i]]
			}
		}
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
