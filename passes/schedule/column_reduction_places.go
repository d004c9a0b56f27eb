package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Option places finds the index of the least or greatest element of each line, where the lines are columns of one operand that
// is read as it is. A call takes a chunk of the rows of some columns, whose best elements and their indices stay in the
// first-level cache.

// placeWriter writes the parts of such a step.
type placeWriter struct {
	t           *target
	d           *Draft
	code        kernel.Code
	convert     kernel.Code // of the elements that are found, nil if their type is that of the operand
	place, best int         // which outputs these are; best is -1 if it is none
}

// places is the offer to find the indices of a step, which is s in normal form.
func (t *target) places(step, s *plan.Step) (offer, string) {
	p := &placeWriter{t: t, best: -1}
	if why := p.check(s); why != "" {
		return offer{}, why
	}
	return offer{least: t.ColumnCost(s), draft: func() (*Draft, string) { return p.draft(step, s) }}, ""
}

// check returns why the option can't compute a step in normal form, or "".
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
		p.convert, _ = oneOp(ir.OpCast, d.Compute(), kernel.Operand{DType: d}).Canonical()
	}
	return ""
}

// draft returns the draft of a step, which is s in normal form.
func (p *placeWriter) draft(step, s *plan.Step) (*Draft, string) {
	engine, why := p.t.engine(p.code)
	if why == "" && p.convert != nil {
		why = p.t.lacks(p.convert)
	}
	if why != "" {
		return nil, why
	}
	p.d = p.t.drafting(step, p.code, engine, p.t.ColumnCost(s)+(p.t.slowdown(engine)-1)*p.t.Work(s))
	width := p.width(s)
	for _, one := range chunks(s, len(s.Axes)-2) {
		p.d.sharing(func() { p.part(one, width) })
	}
	return p.d, ""
}

// width returns the number of columns of a call: few enough for a short call, whose elements take a sixteenth of the usual
// time, at least two cache lines, and enough calls for several goroutines, if they stay wide.
func (p *placeWriter) width(s *plan.Step) int {
	last := len(s.Axes) - 1
	n, cols := s.Axes[last].Extent, s.Axes[last-1].Extent
	size := s.Body.In[0].DType.Size()
	width := min(cols, max(1, p.t.LaneBytes/(size+ir.Int32.Size())), max(2*cacheLine/size, 16*p.t.callElems(s)/min(n, ir.ReduceChunk)))
	return p.t.divide(s, width, 1)
}

// part appends the part for lines of one chunk.
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
		best = w.local(p.d.scratch(d, width), cols, 1)
	}
	one := nest.Fixed(1)
	items := []nest.Item{call(p.code, one, w.size[cols], w.args(last, from, place, best), w.size[last])}
	if p.convert != nil {
		items = append(items, call(p.convert, one, w.size[cols], w.args(last, best, out)))
	}
	p.d.Parts = append(p.d.Parts, w.part(items))
}
