package passes

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// Params that never change are frozen. Steps that depend only on frozen params, such as packing a weight matrix into
// panels, need not run each time.

// Split divides a plan into two that together compute the same. once holds the steps that depend only on frozen
// params, rest the others.
//
// The params of once are the plan's params listed in params. The results of once, the kept buffers, are additional
// params of rest, after the plan's own. Both plans name them kept0, kept1, ..., with _ appended if a param has that
// name. If nothing can be kept, once is nil and rest is p.
//
// If sized is set, the plan is one of many for different sizes, and each would keep its own buffers. A kept buffer is
// then at most keptTimes as large as the frozen params it is computed from; each run computes larger ones.
//
// Steps of row groups are never moved, because their rows stay in the cache. once also stores zeros in columns that
// the last panel of a kept matrix lacks, because a plan must write all of its results.
func Split(p *plan.Plan, frozen []bool, sized bool) (once *plan.Plan, params []int, rest *plan.Plan, err error) {
	moves := onceSteps(p, frozen)
	if sized {
		boundKept(p, moves)
	}
	if !slices.Contains(moves, true) {
		return nil, nil, p, nil
	}
	whole := *p
	c := &cutting{p: &whole, moves: moves, kept: map[int]bool{}}
	if c.keep(); len(c.kept) == 0 { // no step reads a moved one, for example because the result is empty
		return nil, nil, p, nil
	}
	c.pad()
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

// onceSteps marks the steps that depend only on frozen params.
func onceSteps(p *plan.Plan, frozen []bool) []bool {
	moves := slices.Repeat([]bool{true}, len(p.Steps))
	for _, g := range p.Rows {
		clear(moves[g.First : g.Last+1])
	}
	stays := make([]bool, len(p.Buffers)) // by buffer: whether it must be written by each run
	varies := make([]bool, len(p.Buffers))
	for changed := true; changed; {
		changed = false
		for b := range p.Buffers {
			buf := &p.Buffers[b]
			varies[b] = buf.Kind == plan.ParamBuffer && !(buf.Index < len(frozen) && frozen[buf.Index])
			stays[b] = buf.Kind == plan.ResultBuffer || buf.Kind == plan.ScratchBuffer
		}
		for i := range p.Steps {
			for _, o := range p.Steps[i].Out {
				stays[o.Buffer] = stays[o.Buffer] || !moves[i]
			}
		}
		for i := range p.Steps {
			s := &p.Steps[i]
			reads := slices.ContainsFunc(s.In, func(a plan.Access) bool { return varies[a.Buffer] || stays[a.Buffer] })
			writes := slices.ContainsFunc(s.Out, func(o plan.Output) bool { return stays[o.Buffer] })
			if !moves[i] || !reads && !writes {
				continue
			}
			moves[i], changed = false, true
			for _, o := range s.Out { // so that later steps need no second iteration
				stays[o.Buffer] = true
			}
		}
	}
	return moves
}

// keptTimes is the greatest ratio of a kept buffer's bytes to those of the frozen params it is computed from, in a
// plan for one of many sizes. The panels of a matrix of few columns are padded, so the ratio is large.
const keptTimes = 64

// boundKept unmarks steps whose kept results would exceed keptTimes. It then unmarks the steps that write or read the
// same outputs.
func boundKept(p *plan.Plan, moves []bool) {
	s := &bounding{p: p, moves: moves, writers: make([][]int, len(p.Buffers)), readers: make([][]int, len(p.Buffers)), below: make([]int, len(p.Buffers))}
	for b := range p.Buffers {
		if buf := &p.Buffers[b]; buf.Kind == plan.ParamBuffer {
			s.below[b] = bytesOf(buf)
		}
	}
	for i := range p.Steps {
		below := 0
		for _, a := range p.Steps[i].In {
			s.readers[a.Buffer] = append(s.readers[a.Buffer], i)
			below = min(below+s.below[a.Buffer], math.MaxInt/2/keptTimes)
		}
		for _, o := range p.Steps[i].Out {
			s.writers[o.Buffer] = append(s.writers[o.Buffer], i)
			s.below[o.Buffer] = min(s.below[o.Buffer]+below, math.MaxInt/2/keptTimes)
		}
	}
	for i := range p.Steps {
		if !moves[i] {
			s.stays(i)
		}
	}
	for len(s.work) > 0 {
		i := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		for _, a := range p.Steps[i].In {
			if bytesOf(&p.Buffers[a.Buffer]) > keptTimes*s.below[a.Buffer] {
				s.stays(s.writers[a.Buffer]...)
			}
		}
		for _, o := range p.Steps[i].Out {
			s.stays(s.writers[o.Buffer]...)
			s.stays(s.readers[o.Buffer]...)
		}
	}
}

// bounding is the worklist of boundKept, which looks at each step that stays once.
type bounding struct {
	p                *plan.Plan
	moves            []bool
	writers, readers [][]int // by buffer, the steps
	below            []int   // by buffer, the bytes of the params it is computed from
	looked           []bool
	work             []int
}

// stays unmarks steps and adds those not yet looked at to the worklist.
func (s *bounding) stays(steps ...int) {
	if s.looked == nil {
		s.looked = make([]bool, len(s.p.Steps))
	}
	for _, i := range steps {
		if s.moves[i] = false; !s.looked[i] {
			s.looked[i] = true
			s.work = append(s.work, i)
		}
	}
}

func bytesOf(b *plan.Buffer) int {
	return min(b.Size(), math.MaxInt/b.DType.Size()) * b.DType.Size()
}

// cutting is a plan that is being divided.
type cutting struct {
	p     *plan.Plan
	moves []bool
	kept  map[int]bool // buffers that moved steps write and others read
}

// keep finds the kept buffers and names them.
func (c *cutting) keep() {
	written := map[int]bool{}
	for i := range c.p.Steps {
		for _, o := range c.p.Steps[i].Out {
			written[o.Buffer] = c.moves[i]
		}
	}
	for i := range c.p.Steps {
		for _, a := range c.p.Steps[i].In {
			if !c.moves[i] && written[a.Buffer] {
				c.kept[a.Buffer] = true
			}
		}
	}
	c.p.Buffers = slices.Clone(c.p.Buffers)
	next := 0
	for i := range c.p.Buffers {
		if c.kept[i] {
			c.p.Buffers[i].Name = c.freeName(fmt.Sprintf("kept%d", next))
			next++
		}
	}
}

// freeName appends _ to a name until no param has it.
func (c *cutting) freeName(name string) string {
	for slices.ContainsFunc(c.p.Buffers, func(b plan.Buffer) bool { return b.Kind == plan.ParamBuffer && b.Name == name }) {
		name += "_"
	}
	return name
}

// half returns the plan of the moved steps or of the others, with the buffers they need.
func (c *cutting) half(moved bool) *plan.Plan {
	out := &plan.Plan{Name: c.p.Name}
	used := make([]bool, len(c.p.Buffers))
	for i := range c.p.Steps {
		if c.moves[i] == moved {
			for a := range c.p.Steps[i].Accesses() {
				used[a.Buffer] = true
			}
		}
	}
	at := make([]int, len(c.p.Buffers)) // by buffer, its number in the half
	for i, b := range c.p.Buffers {
		ours := !moved && b.Kind <= plan.ResultBuffer
		if !used[i] && !ours {
			continue
		}
		if c.kept[i] && moved {
			b.Kind = plan.ResultBuffer
		} else if c.kept[i] {
			b.Kind = plan.ParamBuffer
		}
		at[i] = len(out.Buffers)
		out.Buffers = append(out.Buffers, b)
	}
	step := make([]int, len(c.p.Steps)) // by step, its number in the half, or -1
	for i, s := range c.p.Steps {
		if step[i] = -1; c.moves[i] != moved {
			continue
		}
		step[i] = len(out.Steps)
		s.In, s.Out = slices.Clone(s.In), slices.Clone(s.Out)
		for a := range s.Accesses() {
			a.Buffer = at[a.Buffer]
		}
		out.Steps = append(out.Steps, s)
	}
	for _, g := range c.p.Rows {
		if !moved {
			g.First, g.Last = step[g.First], step[g.Last]
			out.Rows = append(out.Rows, g)
		}
	}
	for _, d := range c.p.Ledger {
		stays := d.Step < 0 || d.Step >= len(step) || !c.moves[d.Step]
		if stays == moved {
			continue
		}
		if d.Step >= 0 && d.Step < len(step) {
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
