package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Instruction selection of a tiling: the body is covered by patterns, each of which is
// one kernel.

const (
	// maxSteps is how many instructions a pattern has at most besides comparisons and
	// conversions of masks and bytes, and maxPattern how many with those: as many as the longest of
	// codegen's long kernels.
	maxSteps, maxPattern = 4, 6
	// maxTried is how many patterns of an instruction are compared, small ones first: four instructions of two
	// arguments each have 22. Where masks are combined there are hundreds, and 60 such ops took 0.1 s to compile
	// with all of them.
	maxTried = 64
	// maxPatternArgs is how many operands it then has, at three an instruction.
	maxPatternArgs = 2*maxPattern + 1
	// perKernel makes fewer kernels better than any other choice.
	perKernel = 1 << 20
)

// pattern is the kernel that computes an instruction: one for the instruction and others
// that only it needs. Their values are never in memory.
type pattern struct {
	insts  [maxPattern]kernel.Ref     // the instruction first, each before those it reads
	args   [maxPatternArgs]kernel.Ref // what the pattern reads
	n      int                        // instructions
	kernel *patternKernel
	engine string // that has the kernel, or nothing
	own    int    // what the kernel costs
	cost   int    // with all that the value needs alone
}

// selectPatterns covers the instructions with kernels, the fewest. A value that several
// instructions read is computed once, by the last instruction of a pattern; so the body
// is a forest of trees, and the best patterns of a tree follow from those of its
// branches. But fast values may be computed again by each pattern that reads them, where all
// of them can and that costs less.
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

// cover chooses the pattern of each instruction. It returns which instructions are the last
// of a pattern, as their value is an output or another pattern reads it, and what those cost.
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

// repeat marks the values that patterns may compute again: those of fast instructions with several
// readers. It reports whether there is one.
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

// repeatOnly keeps the marks of repeat on values that no pattern reads, as all compute them. It
// reports whether there is one.
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
	t := trial{of: c, perRow: perRow, left: maxTried}
	for before := 0; t.left != before && t.size < maxPattern; {
		before = t.left
		t.size++
		t.grow([maxPattern]kernel.Ref{r}, 1, c.steps(r), 0)
	}
	return t.best
}

// trial compares the patterns of an instruction.
type trial struct {
	of     *tiling
	best   pattern
	perRow bool
	size   int // of the patterns that are compared now
	left   int // how many patterns may still be compared
}

// grow compares the patterns of the size that have the first n of insts and values that arguments from
// position from on would read. Positions count the arguments of insts, three to each, so that every
// pattern of values with one reader has one way to grow.
func (t *trial) grow(insts [maxPattern]kernel.Ref, n, steps, from int) {
	if n == t.size {
		t.left--
		t.compare(insts, n)
		return
	}
	for at := from; at < 3*n && t.left > 0 && !t.perRow; at++ {
		in := t.of.k.Inst(insts[at/3])
		if at%3 >= in.Op.Info().Arity {
			continue
		}
		a := in.Args[at%3]
		if v := &t.of.values[a]; (v.inner || v.again) && !slices.Contains(insts[:n], a) {
			if steps := steps + t.of.steps(a); steps <= maxSteps {
				insts[n] = a
				t.grow(insts, n+1, steps, at+1)
			}
		}
	}
}

// compare sets best to the pattern of the first n of insts if that is better.
func (t *trial) compare(insts [maxPattern]kernel.Ref, n int) {
	p, ok := t.find(insts, n)
	if !ok {
		return
	}
	c := t.of
	used := p.args[:p.kernel.key.ins]
	p.own = c.kernelCost(&p)
	p.cost = p.own
	for i, a := range used {
		if v := &c.values[a]; (v.inner || v.again) && !slices.Contains(used[:i], a) {
			p.cost += c.patterns[int(a)-len(c.k.In)].cost
		}
	}
	if t.best.engine == "" || p.cost < t.best.cost {
		t.best = p
	}
}

// find returns the pattern of the first n of insts, if the library has its kernel: the one that takes the
// operands as they are, one that takes a value for each time that it is read, or one that takes constants, and for a
// single instruction other splats, as operands of all columns.
func (t *trial) find(insts [maxPattern]kernel.Ref, n int) (p pattern, ok bool) {
	c := t.of
	try := func(perRow, shared, tables bool) (repeats bool) {
		key, args := c.keyOf(insts[:n], perRow, shared, tables)
		p = pattern{insts: insts, args: args, n: n, kernel: kernelOf(&key)}
		p.engine = c.engineOf(&p, &t.best)
		return key.repeats
	}
	repeats := try(t.perRow, true, false)
	if p.engine == "" && repeats {
		try(t.perRow, false, false)
	}
	if p.engine == "" && !t.perRow && c.readsConstant(insts[:n]) {
		if try(false, true, true); p.engine == "" && repeats {
			try(false, false, true)
		}
	}
	if p.engine == "" && n == 1 {
		try(true, false, false)
	}
	return p, p.engine != ""
}

// steps returns how many an instruction is among those that a pattern has at most.
func (c *tiling) steps(r kernel.Ref) int {
	in := c.k.Inst(r)
	if in.DType == ir.Bool || in.Op == ir.OpCast && c.values[in.Args[0]].dtype.Size() == 1 {
		return 0
	}
	return 1
}

// engineOf returns the engine that has the kernel of a pattern, or nothing. A kernel of
// several instructions on the portable engine may be slower than kernels of one by
// assembly.
func (c *tiling) engineOf(p, best *pattern) string {
	if c.e.t.NoWhole && p.n > 1 && p.n == len(c.k.Body) {
		return ""
	}
	engine, ok := c.e.t.lib.Engine(p.kernel.k.Signature())
	if !ok || p.n > 1 && engine == portable && best.engine != "" && best.engine != portable {
		return ""
	}
	return engine
}

// kernelCost estimates the time that the kernel of a pattern takes for an element: that of its memory
// traffic or of its slow operations, whichever is longer, for they overlap. Fast
// operations hide behind both. The unit is the addition of bytes.
func (c *tiling) kernelCost(p *pattern) int {
	const loads, stores = 1, 2
	memory, slow := stores*c.values[p.insts[0]].dtype.Size(), 0.0
	for _, in := range p.kernel.key.in[:p.kernel.key.ins] {
		if !in.Splat {
			memory += loads * in.DType.Size()
		}
	}
	for _, r := range p.insts[:p.n] {
		if in := c.k.Inst(r); in.Op.Info().Cost > 1 {
			slow += in.Op.Info().Cost * float64(in.DType.Size())
		}
	}
	return perKernel + max(memory, int(slow))
}
