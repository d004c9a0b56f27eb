package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Places in columns: where the least or greatest element of each line is, if the lines are columns of one operand that is
// read as it is. A call takes a chunk of the rows of some columns, as many as whose best elements stay in the first-level
// cache with their places.

// placeWriter writes the parts of such a step.
type placeWriter struct {
	t           *target
	d           *Draft
	code        kernel.Code
	convert     kernel.Code // of the elements that are found, nil if their type is that of the operand
	place, best int         // which outputs these are; best is -1 if it is none
}

// places is the offer to find the places of a step, which is s in normal form.
func (t *target) places(step, s *plan.Step) offer {
	p := &placeWriter{t: t, best: -1}
	if why := p.check(s); why != "" {
		return offer{option: "places", why: why}
	}
	return offer{option: "places", least: t.ColumnCost(s), draft: func() (*Draft, string) { return p.draft(step, s) }}
}

// check returns why a step in normal form is none of these, or nothing.
func (p *placeWriter) check(s *plan.Step) string {
	last := len(s.Axes) - 1
	p.place = slices.IndexFunc(s.Out, func(o plan.Output) bool { return o.Combine.IsArgReduction() })
	if p.place < 0 || len(s.In) != 1 || len(s.Out) > 2 {
		return "it finds no places, or computes more"
	}
	by, d := s.Out[p.place].Combine, s.Body.In[0].DType
	if len(s.Out) == 2 {
		p.best = 1 - p.place
		if s.Out[p.best].Combine != by.Info().By {
			return "it reduces to another element than that which it finds"
		}
	}
	m := kernel.Micro{Kind: kernel.Places, Op: by, Type: d}
	cast := len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCast && s.Body.Body[0].DType == d.Compute()
	read := kernel.Ref(len(s.Body.Body))
	switch {
	case m.Verify() != nil, len(s.Body.Body) > 0 && !cast, slices.ContainsFunc(s.Body.Out, func(r kernel.Ref) bool { return r != read }):
		return "it computes the elements"
	case strideAlong(s, &s.In[0], last-1) != 1:
		return "the operand is not contiguous across the lines"
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return strideAlong(s, &o.Access, last-1) != 1 }):
		return "an output is not contiguous across the lines"
	}
	p.code = microKernel(m)
	if cast && p.best >= 0 {
		k, err := kernel.SingleOp(ir.OpCast, d.Compute(), kernel.Operand{DType: d})
		if err != nil {
			panic("BUG: schedule: " + err.Error())
		}
		p.convert, _ = k.Canonical()
	}
	return ""
}

// draft returns the draft of a step, which is s in normal form.
func (p *placeWriter) draft(step, s *plan.Step) (*Draft, string) {
	engine, ok := p.t.lib.Engine(p.code.Signature())
	if !ok {
		return nil, "no kernel is registered for " + p.code.Signature()
	}
	if p.convert != nil {
		if _, ok := p.t.lib.Engine(p.convert.Signature()); !ok {
			return nil, "no kernel is registered for " + p.convert.Signature()
		}
	}
	p.d = newDraft(p.t, step)
	p.d.Choice = nest.Choice{Kernel: p.code.Signature(), Engine: engine, Kernels: 1, Cost: p.t.ColumnCost(s) + (p.t.slowdown(engine)-1)*p.t.Work(s)}
	width := p.width(s)
	for _, one := range chunks(s, len(s.Axes)-2) {
		p.d.sharing(func() { p.part(one, width) })
	}
	return p.d, ""
}

// width returns how many columns a call takes: few enough for a short call, whose elements take a sixteenth of others'
// time, of two cache lines or more, and for several goroutines, if they stay wide.
func (p *placeWriter) width(s *plan.Step) int {
	last := len(s.Axes) - 1
	n, cols := s.Axes[last].Extent, s.Axes[last-1].Extent
	size := s.Body.In[0].DType.Size()
	width := min(cols, max(1, p.t.LaneBytes/(size+ir.Int32.Size())), max(2*cacheLine/size, 16*p.t.callElems(s)/min(n, ir.ReduceChunk)))
	return p.t.divide(s, width, 1)
}

// part appends the part that finds the elements of lines of one chunk.
func (p *placeWriter) part(s *plan.Step, width int) {
	last := len(s.Axes) - 1
	cols, d := last-1, s.Body.In[0].DType
	w := newWalk(s.Axes).cutAll(cols, last).cut(cols, width)
	from, place := viewOf(0, &s.In[0]), viewOf(1+p.place, &s.Out[p.place].Access)
	var best, out view
	if p.best >= 0 {
		out = viewOf(1+p.best, &s.Out[p.best].Access)
		best = out
	}
	if p.best < 0 || p.convert != nil {
		best = view{slot: p.d.scratch(d, width), strides: make([]int, last+1), from: w.depth()}
		best.strides[cols] = 1
	}
	one := nest.Fixed(1)
	items := []nest.Item{call(p.code, one, w.size[cols], []nest.Arg{w.arg(&from, last), w.arg(&place, last), w.arg(&best, last)}, w.size[last])}
	if p.convert != nil {
		items = append(items, call(p.convert, one, w.size[cols], []nest.Arg{w.arg(&best, last), w.arg(&out, last)}))
	}
	p.d.Parts = append(p.d.Parts, w.part(items))
}
