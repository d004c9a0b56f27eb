package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// trial compares the patterns of an instruction.
type trial struct {
	of     *tiling
	best   pattern
	perRow bool
	size   int // of the patterns compared now
	left   int // patterns that may still be compared
}

// grow compares all patterns of the trial's size that extend the first n of insts by arguments from position from on. Positions
// count three arguments for each instruction, so that a pattern of values with one reader grows in one way only.
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

// find returns the pattern of the first n of insts, if the library has its kernel. It tries in order: operands as given; one
// operand for each read; constants as full columns; for a single instruction, all splats as full columns.
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

// steps returns 1 if maxSteps counts an instruction, and else 0.
func (c *tiling) steps(r kernel.Ref) int {
	in := c.k.Inst(r)
	if in.DType == ir.Bool || in.Op == ir.OpCast && c.values[in.Args[0]].dtype.Size() == 1 {
		return 0
	}
	return 1
}

// engineOf returns the engine of a pattern's kernel, or "". A kernel of several instructions on the portable engine may be
// slower than assembly kernels of one.
func (c *tiling) engineOf(p, best *pattern) string {
	if c.e.t.TilingOnly && p.n > 1 && p.n == len(c.k.Body) {
		return ""
	}
	engine, ok := c.e.t.lib.Engine(p.kernel.k.Signature())
	if !ok || p.n > 1 && engine == portable && best.engine != "" && best.engine != portable {
		return ""
	}
	return engine
}

// kernelCost estimates the time of a kernel for an element: its memory traffic or its slow operations, whichever takes longer,
// as they overlap. Fast operations hide behind both. The unit is the addition of bytes.
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
