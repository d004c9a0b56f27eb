package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// whole calls one kernel for the whole body, a block at a time. Operands whose elements
// are apart along the columns are copied into a tile of local memory first, and the
// kernel is then called for each tile.
var whole = strategy{name: "whole", draft: draftWhole}

func draftWhole(t *target, s *plan.Step) (*Draft, string) {
	e, why := newElementwise(t, s)
	if e == nil {
		return nil, why
	}
	if why := e.pack(); why != "" {
		return nil, why
	}
	c, why := e.oneKernel()
	if c == nil {
		return nil, why
	}
	if !e.pays(c) {
		return nil, onlyPortable
	}
	return e.write(c), ""
}

// oneKernel is the computation of a tile by one call.
type oneKernel struct {
	k      kernel.Code
	order  []int // the kernel's input i is input order[i] of the step
	engine string
	cost   float64
}

// oneKernel returns the kernel of the whole body, or says that there is none.
func (e *elementwise) oneKernel() (c *oneKernel, why string) {
	if e.NoWhole {
		return nil, "kernels of whole bodies are switched off"
	}
	k, order := e.body()
	engine, ok := e.lib.Engine(k.Signature())
	if !ok {
		return nil, "no kernel is registered for " + k.Signature()
	}
	return &oneKernel{k: k, order: order, engine: engine, cost: e.bodyWork(e.step) * e.slowdown(engine)}, ""
}

func (c *oneKernel) work() float64  { return c.cost }
func (c *oneKernel) tileElems() int { return 0 }

func (c *oneKernel) describe(choice *nest.Choice) {
	choice.Kernel, choice.Engine, choice.Kernels = c.k.Signature(), c.engine, 1
}

// write returns the call.
func (c *oneKernel) write(e *elementwise, _, tile *walk) (perRow, perTile []nest.Item) {
	args := make([]nest.Arg, 0, len(e.at))
	for _, i := range c.order {
		args = append(args, tile.arg(&e.at[i], e.row))
	}
	for o := range e.step.Out {
		to := e.at[len(e.step.In)+o]
		if e.nonTemporal(o) {
			to = e.outTile(o, tile)
		}
		args = append(args, tile.arg(&to, e.row))
	}
	rows, cols := e.callSize(tile)
	return nil, []nest.Item{call(c.k, rows, cols, args)}
}

// onlyPortable is why a kernel of the whole body is not taken.
const onlyPortable = "only the portable engine has the kernel, and a tiling by assembly costs less"

// pays reports whether a kernel of the whole body costs less than a tiling: by the better
// engine it always does.
func (e *elementwise) pays(c *oneKernel) bool {
	if c.engine != portable {
		return true
	}
	tiles, _ := e.newTiling()
	return tiles == nil || c.work() <= tiles.work()
}

// compute returns what computes the tiles of a strategy that is not about that: one
// kernel for the body, if need be with broadcast operands filled, or a tiling.
func (e *elementwise) compute() (c computation, why string) {
	one, why := e.oneKernel()
	if one != nil && e.pays(one) {
		return one, ""
	}
	if !e.joined { // joined rows have no place for the elements of one
		if one = e.fillKernel(); one != nil {
			return one, ""
		}
	}
	tiles, whyTiles := e.newTiling()
	if tiles == nil {
		return nil, why + "; " + whyTiles
	}
	return tiles, ""
}
