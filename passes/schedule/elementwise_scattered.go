package schedule

import "github.com/stridefuse/stridefuse/ir/plan"

// scattered is for outputs whose elements are all apart, such as one of two that are stacked along a new last axis: the step has one
// column. It takes the rows for the columns of its calls, computes tiles in local memory, and copies their elements to their places.
// It is also for steps with more inputs than outputs contiguous along the rows, so that fewer operands are transposed.
func (e *elemWriter) scattered() (offer, string) {
	if n := e.t.insertionOf(e.step); n != nil {
		return n.offer(e.t, e.step)
	}
	if e.step.Axes[e.row].Extent < 2 || e.step.Axes[e.col].Extent > 1 && !e.mostlyTransposed() {
		return offer{}, "the outputs are contiguous along the columns"
	}
	row, col := e.col, e.row
	if e.step.Axes[row].Extent == 1 {
		col = longestFill(e.step, col)
	}
	if why := e.turn(row, col); why != "" {
		return offer{}, why
	}
	apart := false
	for i := len(e.step.In); i < len(e.ops); i++ {
		if e.ops[i].class == unit {
			continue
		}
		e.stages[i], apart = scattered, true
		if why := e.checkStage(i); why != "" {
			return offer{}, why
		}
	}
	if !apart {
		return offer{}, "no output is apart along the rows"
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// mostlyTransposed reports whether more inputs than outputs are transposed, in tiles that are transposed by vectors.
func (e *elemWriter) mostlyTransposed() bool {
	n := 0
	for i := range e.step.In {
		if o := &e.ops[i]; o.class == transposed && o.row == 1 {
			n++
		}
	}
	return n > len(e.step.Out) && min(e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent) >= e.t.AcrossRows
}

// longestFill returns the longest axis if the inputs are the same along all axes and no output is contiguous along col, and
// else col.
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
