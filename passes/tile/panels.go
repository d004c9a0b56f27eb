package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Panel groups. If each run computes the right matrix of a product, such as weights that are converted from 8 bits, the step
// that stores it in panels and the product are a group: a block is one panel, which stays in the cache until all rows of the
// left matrix have been multiplied by it. The product has the panels as its first axis then. The left matrix is read once for each
// panel, so it has to stay in a cache too.

// panelGroups forms the panel groups of the plan.
func (f *former) panelGroups() {
	if !slices.ContainsFunc(f.p.Steps, func(s plan.Step) bool { return s.Contracts() && s.In[1].Panel != nil }) {
		return
	}
	uses, fixed := f.p.Uses(), f.p.Fixed(f.Frozen)
	var found []regrouped
	for i := range f.p.Steps {
		if w := f.panelsOf(i, uses, fixed); w >= 0 {
			found = append(found, f.panelGroup(w, i))
		}
	}
	if len(found) > 0 {
		f.regroup(found)
	}
}

// panelsOf returns the step that computes the right matrix of step i, if the two can be a panel group, or -1.
func (f *former) panelsOf(i int, uses *plan.Uses, fixed []bool) int {
	s := &f.p.Steps[i]
	if !s.Contracts() || s.Product().Pairs > 0 || s.In[1].Panel == nil {
		return -1
	}
	left, right := &s.In[0], s.In[1].Buffer
	writers := uses.Writers(right)
	if len(writers) != 1 || uses.OnlyReader(right) != i || fixed[right] || f.p.Buffers[right].Kind != plan.TempBuffer {
		return -1
	}
	w := &f.p.Steps[writers[0]]
	last, panels, m := len(s.Axes)-1, w.Axes[0].Extent, f.Machine
	held := plan.Indices(s.Axes[:last]) * f.p.Buffers[left.Buffer].DType.Size()
	idle := 2*panels < m.Pieces(m.Workers, m.Work(s)) // workers, while blocks of rows give work to more
	if !w.Elementwise() || onlyCopies(w) || s.Axes[last].Extent != panels*s.In[1].Panel.Size || held > m.HeldBytes || idle {
		return -1
	}
	return writers[0]
}

// panelGroup returns the group of the step that stores panels and the product that reads them.
func (f *former) panelGroup(writer, product int) regrouped {
	w, s := f.p.Steps[writer], f.p.Steps[product]
	panels, width, size := w.Axes[0].Extent, s.In[1].Panel.Size, s.In[1].Panel.Stride
	b := &f.p.Buffers[s.In[1].Buffer]
	b.Kind, b.Shape = plan.ScratchBuffer, []int{1, size}
	axes := append(parallel([]int{panels}), s.Axes...)
	axes[len(axes)-1].Extent = width
	along := []int{0, size, width} // from one panel to the next
	k := 0
	old := s
	s.Axes = axes
	s.In, s.Out = old.Over(len(axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides[1:], a.Strides)
		strides[0], a.Panel = along[k], nil
		k++
	})
	return regrouped{members: []int{writer, product}, first: []int{0, 1}, steps: []plan.Step{w, s}, groups: []plan.RowGroup{{Last: 1, Outer: []int{panels}, Along: []int{0, 0}, Block: 1}}}
}
