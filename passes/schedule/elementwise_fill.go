package schedule

import (
	"math"
	"math/bits"
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// fill calls a kernel of the whole body that takes a broadcast operand with columns, if there is none that takes it as one
// element for all columns. The operand is copied to all columns of a tile: once, if it is one element for all rows too. A
// constant of the plan is a table.
func (e *elemWriter) fill() (offer, string) {
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	if !slices.Contains(e.splats, true) {
		return offer{}, otherStep // no operand is broadcast along the columns
	}
	if one, _ := e.oneKernel(); one != nil {
		return offer{}, "there is a kernel that takes broadcast operands as they are"
	}
	return e.offer(e.t.BodyWork(e.step), func() (computation, string) {
		if c := e.fillKernel(math.Inf(1)); c != nil {
			return c, ""
		}
		return nil, "no kernel of the body takes broadcast operands as ones with columns"
	}), ""
}

// fillKernel returns a kernel of the whole body for which as few broadcast inputs as possible are filled, and stages these. If
// none costs at most so much for an index, it changes nothing.
func (e *elemWriter) fillKernel(most float64) *oneKernel {
	var broadcast []int // inputs
	for i, is := range e.splats {
		if is && len(broadcast) < e.t.FillOperands {
			broadcast = append(broadcast, i)
		}
	}
	for n := 1; n <= len(broadcast); n++ {
		for set := range uint(1) << len(broadcast) {
			if bits.OnesCount(set) != n {
				continue
			}
			e.fillSet(broadcast, set)
			if c, _ := e.oneKernel(); c != nil {
				work, why := c.work(), ""
				for _, i := range broadcast {
					work, why = work+e.stageWork(i), why+e.checkStage(i)
				}
				if why == "" && work <= most {
					return c
				}
			}
		}
	}
	e.fillSet(broadcast, 0)
	return nil
}

// fillSet stages the broadcast inputs of a set, and no others.
func (e *elemWriter) fillSet(broadcast []int, set uint) {
	for k, i := range broadcast {
		e.splats[i] = set>>k&1 == 0
		switch {
		case e.splats[i]:
			e.stages[i] = direct
		case e.t.buffers[e.step.In[i].Buffer].Kind == plan.ConstBuffer:
			e.stages[i] = constant
		default:
			e.stages[i] = filled
		}
	}
}
