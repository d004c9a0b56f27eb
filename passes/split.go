package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// Split divides a plan into two that together compute the same. once has the steps marked plan.Step.Once, rest the
// others.
//
// The params of once are the plan's params listed in params. The results of once, the kept buffers, are additional
// params of rest, after the plan's own. Both plans name them kept0, kept1, ..., with _ appended if a param has that
// name. If no step is marked, once is nil and rest is p.
func Split(p *plan.Plan) (once *plan.Plan, params []int, rest *plan.Plan, err error) {
	if !slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Once }) {
		return nil, nil, p, nil
	}
	c := &cutting{p: p, kept: keptBuffers(p)}
	once, rest = c.half(true), c.half(false)
	for _, b := range once.Buffers {
		if b.Kind == plan.ParamBuffer {
			params = append(params, b.Index)
		}
	}
	for _, half := range []*plan.Plan{once, rest} {
		position(half)
		if err := tile.Place(half); err != nil {
			return nil, nil, nil, err
		}
	}
	return once, params, rest, nil
}

// cutting is a plan that is being divided.
type cutting struct {
	p    *plan.Plan
	kept map[int]string // by kept buffer, its name
}

// half returns the plan of the steps that run once or of the others, with the buffers they need.
func (c *cutting) half(once bool) *plan.Plan {
	out := &plan.Plan{Name: c.p.Name}
	used := make([]bool, len(c.p.Buffers))
	for i := range c.p.Steps {
		if c.p.Steps[i].Once == once {
			for a := range c.p.Steps[i].Accesses() {
				used[a.Buffer] = true
			}
		}
	}
	at := make([]int, len(c.p.Buffers)) // by buffer, its number in the half
	for i, b := range c.p.Buffers {
		if ours := !once && b.Kind <= plan.ResultBuffer; !used[i] && !ours {
			continue
		}
		if name, kept := c.kept[i]; kept {
			if b.Name, b.Kind = name, plan.ParamBuffer; once {
				b.Kind = plan.ResultBuffer
			}
		}
		at[i] = len(out.Buffers)
		out.Buffers = append(out.Buffers, b)
	}
	step := make([]int, len(c.p.Steps)) // by step, its number in the half, or -1
	for i, s := range c.p.Steps {
		if step[i] = -1; s.Once != once {
			continue
		}
		step[i] = len(out.Steps)
		s.In, s.Out, s.Once = slices.Clone(s.In), slices.Clone(s.Out), false
		for a := range s.Accesses() {
			a.Buffer = at[a.Buffer]
		}
		out.Steps = append(out.Steps, s)
	}
	for _, g := range c.p.Rows {
		if !once {
			g.First, g.Last = step[g.First], step[g.Last]
			out.Rows = append(out.Rows, g)
		}
	}
	for _, d := range c.p.Ledger {
		of := d.Step >= 0 && d.Step < len(step)
		if once != (of && c.p.Steps[d.Step].Once) {
			continue
		}
		if of {
			d.Step = step[d.Step]
		}
		out.Ledger = append(out.Ledger, d)
	}
	return out
}

// position numbers the params and the results of a half.
func position(p *plan.Plan) {
	var next [2]int
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Kind <= plan.ResultBuffer {
			b.Index = next[b.Kind]
			next[b.Kind]++
		}
	}
}
