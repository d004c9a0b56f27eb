package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Instruction selection of a tiling: the body is covered by patterns, each of which is one kernel.

const (
	// maxSteps is the greatest number of instructions of a pattern without comparisons and conversions of masks and bytes,
	// maxPattern the greatest number with them: that of the longest of codegen's long kernels.
	maxSteps, maxPattern = 4, 6
	// maxPatternArgs is the greatest number of its operands, at three an instruction.
	maxPatternArgs = 2*maxPattern + 1
	// perKernel outweighs all other costs: fewer kernels are always better.
	perKernel = 1 << 20
)

// pattern is one kernel for an instruction and others that only it needs. Their values are never in memory.
type pattern struct {
	insts  [maxPattern]kernel.Ref     // the instruction first, each before those it reads
	args   [maxPatternArgs]kernel.Ref // what the pattern reads
	n      int                        // instructions
	kernel *patternKernel
	engine string // of the kernel, "" if there is none
	own    int    // cost of the kernel
	cost   int    // and of all patterns that only this value needs
}

// selectPatterns covers the instructions with the fewest kernels. A value that several instructions read is computed once, by
// the last instruction of a pattern; so the body is a forest of trees, and the best patterns of a tree follow from those of its
// branches. Each pattern that reads a fast value may compute it again, if all of them can and it costs less.
func (c *tiling) selectPatterns(stored []int) (why string) {
	c.patterns = make([]pattern, len(c.k.Body))
	if c.prefix = c.findPrefix(); c.prefix != nil {
		c.values[c.prefix.last].inner = false
	}
	needed, cost := c.cover(stored)
	if c.repeat(stored) {
		once := slices.Clone(c.patterns)
		read, _ := c.cover(stored)
		least := cost
		if c.repeatOnly(read) {
			read, least = c.cover(stored)
		}
		if least < cost {
			needed = read
		} else {
			c.patterns = once
		}
	}
	c.perTile = make([]tileInst, 0, len(c.patterns)+len(c.k.Out))
	for j := range c.patterns {
		if needed[j] {
			if why := c.addPattern(kernel.Ref(len(c.k.In)+j), &c.patterns[j], stored); why != "" {
				return why
			}
		}
	}
	return ""
}

// cover chooses the pattern of each instruction. It returns which instructions end a pattern, because their value is an output
// or another pattern reads it, and the cost of these patterns.
func (c *tiling) cover(stored []int) (needed []bool, cost int) {
	ins := len(c.k.In)
	for j := range c.patterns {
		if v := &c.values[ins+j]; c.k.Body[j].Op != ir.OpConst && !c.inPrefix(kernel.Ref(ins+j)) {
			c.patterns[j] = c.best(kernel.Ref(ins+j), v.splat)
		}
	}
	needed = make([]bool, len(c.patterns))
	for j := len(c.patterns) - 1; j >= 0; j-- {
		needed[j] = (needed[j] || stored[ins+j] != 0) && c.k.Body[j].Op != ir.OpConst
		if p := &c.patterns[j]; needed[j] && p.engine != "" {
			cost += p.own
			for _, a := range p.args[:len(p.kernel.order)] {
				if int(a) >= ins {
					needed[int(a)-ins] = true
				}
			}
		}
	}
	return needed, cost
}

// repeat marks the values that patterns may compute again: fast instructions with several readers. It reports whether there is
// one.
func (c *tiling) repeat(stored []int) (any bool) {
	for j := range c.k.Body {
		v, info := &c.values[len(c.k.In)+j], c.k.Body[j].Op.Info()
		v.again = !c.inPrefix(kernel.Ref(len(c.k.In)+j)) && !v.inner && !v.splat && stored[len(c.k.In)+j] == 0 && info.Kind == ir.Lane && info.Cost <= 1
		any = any || v.again
	}
	return any
}

// addPattern appends the call of a pattern, which computes value r.
func (c *tiling) addPattern(r kernel.Ref, p *pattern, stored []int) (why string) {
	if first := c.prefix; first != nil && r == first.last {
		i := first.inst
		i.out = stored[r] - 1
		c.count1(first.engine, first.ops)
		c.perTile = append(c.perTile, i)
		return ""
	}
	if p.engine == "" {
		key, _ := c.keyOf([]kernel.Ref{r}, c.values[r].splat, false, false)
		return "no kernel is registered for " + kernelOf(&key).k.Signature()
	}
	ops := 0.0
	for _, r := range p.insts[:p.n] {
		ops += c.k.Inst(r).Op.Info().Cost
	}
	i := tileInst{k: p.kernel.k, value: r, out: -1, args: make([]kernel.Ref, 0, len(p.kernel.order))}
	for k, from := range p.kernel.order {
		a := p.args[from]
		if !p.kernel.k.In[k].Splat && c.values[a].splat && !c.values[r].splat {
			if a, why = c.fillColumns(a); why != "" {
				return why
			}
		}
		i.args = append(i.args, a)
	}
	c.count1(p.engine, ops)
	if c.values[r].splat {
		c.perRow = append(c.perRow, i)
		return ""
	}
	i.out = stored[r] - 1
	c.perTile = append(c.perTile, i)
	return ""
}

// repeatOnly keeps the marks of repeat on values that no pattern reads, because all compute them. It reports whether there is
// one.
func (c *tiling) repeatOnly(read []bool) (any bool) {
	for j := range read {
		v := &c.values[len(c.k.In)+j]
		v.again = v.again && !read[j]
		any = any || v.again
	}
	return any
}

// best returns the best pattern that computes r. With perRow, splats are operands with one column.
func (c *tiling) best(r kernel.Ref, perRow bool) pattern {
	t := trial{of: c, perRow: perRow, left: c.e.t.PatternsTried}
	for before := 0; t.left != before && t.size < maxPattern; {
		before = t.left
		t.size++
		t.grow([maxPattern]kernel.Ref{r}, 1, c.steps(r), 0)
	}
	return t.best
}
