package schedule

import "github.com/stridefuse/stridefuse/ir/plan"

// scatterRows is for outputs whose elements are all apart, such as one of two that are
// stacked along a new last axis: the step has one column. It takes the rows for the columns
// of its calls, computes tiles in local memory, and copies their elements to their places.
var scatterRows = strategy{name: "scattered", offer: offerScattered}

func offerScattered(t *target, s *plan.Step) (offer, string) {
	e, why := newElementwise(t, s)
	if e == nil {
		return offer{}, why
	}
	if s.Axes[e.col].Extent > 1 || s.Axes[e.row].Extent < 2 {
		return offer{}, "the outputs are contiguous along the columns"
	}
	e.row, e.col = e.col, e.row
	if e.ops, why = operandsOf(s, e.row, e.col); why != "" {
		return offer{}, why
	}
	apart := false
	for i := range e.ops {
		o := &e.ops[i]
		if i < len(s.In) {
			e.splats[i] = o.class == splat
		} else if o.class != unit {
			e.stages[i], apart = scattered, true
		}
	}
	if !apart {
		return offer{}, "no output is apart along the rows"
	}
	for o := range s.Out {
		if why := e.checkStage(len(s.In) + o); why != "" {
			return offer{}, why
		}
	}
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	e.blockRows, e.blockCols = t.block(s, e.row, e.col)
	return e.offer(t.BodyWork(s), e.compute), ""
}
