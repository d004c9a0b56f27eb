package schedule

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// fill calls a kernel of the whole body that takes a broadcast operand as one with
// columns, where there is none that takes it as one element for all columns. The operand
// is copied to all columns of a tile: once, if it is one element for all rows too. A
// constant of the plan is a table.
var fill = strategy{name: "fill", draft: draftFill}

func draftFill(t *target, s *plan.Step) (*Draft, string) {
	e, why := newElementwise(t, s)
	if e == nil {
		return nil, why
	}
	if why := e.pack(); why != "" {
		return nil, why
	}
	var broadcast []int // inputs
	for i, is := range e.splats {
		if is && len(broadcast) < t.FillOperands {
			broadcast = append(broadcast, i)
		}
	}
	for n := 1; n <= len(broadcast); n++ {
		for set := range uint(1) << len(broadcast) {
			if bits.OnesCount(set) != n {
				continue
			}
			e.fill(broadcast, set)
			if c, _ := e.oneKernel(); c != nil && (c.engine != portable || e.cheaperThanTiling(c)) {
				return e.write(c), ""
			}
		}
	}
	return nil, "no kernel of the body takes broadcast operands as ones with columns"
}

// fill stages those of the broadcast inputs that are in a set, and no others.
func (e *elementwise) fill(broadcast []int, set uint) {
	for k, i := range broadcast {
		e.splats[i] = set>>k&1 == 0
		switch {
		case e.splats[i]:
			e.stages[i] = direct
		case e.buffers[e.step.In[i].Buffer].Kind == plan.ConstBuffer:
			e.stages[i] = constant
		default:
			e.stages[i] = filled
		}
	}
}
