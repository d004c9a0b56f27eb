package schedule

import "github.com/stridefuse/stridefuse/ir/plan"

// scattered is for outputs whose elements are all apart, such as one of two that are
// stacked along a new last axis: the step has one column. It takes the rows for the columns
// of its calls, computes tiles in local memory, and copies their elements to their places.
// So it does where more inputs than outputs are contiguous along the rows: fewer are transposed.
func (e *elemWriter) scattered() (offer, string) {
	if n := e.t.insertionOf(e.step); n != nil {
		return n.offer(e.t, e.step)
	}
	if e.step.Axes[e.row].Extent < 2 || e.step.Axes[e.col].Extent > 1 && !e.mostlyTransposed() {
		return offer{}, "the outputs are contiguous along the columns"
	}
	e.row, e.col = e.col, e.row
	if e.step.Axes[e.row].Extent == 1 {
		e.col = longestFill(e.step, e.col)
	}
	var why string
	if e.ops, why = operandsOf(e.step, e.row, e.col); why != "" {
		return offer{}, why
	}
	apart := false
	for i := range e.ops {
		o := &e.ops[i]
		if i < len(e.step.In) {
			e.splats[i] = o.class == splat
		} else if o.class != unit {
			e.stages[i], apart = scattered, true
		}
	}
	if !apart {
		return offer{}, "no output is apart along the rows"
	}
	for o := range e.step.Out {
		if why := e.checkStage(len(e.step.In) + o); why != "" {
			return offer{}, why
		}
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	e.blockRows, e.blockCols = e.t.block(e.step, e.row, e.col)
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// mostlyTransposed reports whether more inputs than there are outputs are transposed, in tiles
// that are transposed by vectors.
func (e *elemWriter) mostlyTransposed() bool {
	n := 0
	for i := range e.step.In {
		if o := &e.ops[i]; o.class == transposed && o.row == 1 {
			n++
		}
	}
	return n > len(e.step.Out) && min(e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent) >= e.t.AcrossRows
}

// longestFill returns the longest axis if the inputs are the same along all axes and no output is
// contiguous along col, and else col.
func longestFill(s *plan.Step, col int) int {
	for i := range s.Out {
		if s.Out[i].Strides[col] == 1 {
			return col
		}
	}
	for i := range s.In {
		for k, n := range s.In[i].Strides {
			if n != 0 && s.Axes[k].Extent > 1 {
				return col
			}
		}
	}
	longest := col
	for k, a := range s.Axes {
		if a.Extent > s.Axes[longest].Extent {
			longest = k
		}
	}
	return longest
}
