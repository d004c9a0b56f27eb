package schedule

import (
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Instruction selection of a tiling: the body is covered by patterns, each of which is
// one kernel.

const (
	// maxPattern is how many instructions a pattern has at most: as many as the longest
	// of codegen's long kernels.
	maxPattern = 4
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
	fills  bool   // the kernel takes splats as operands of all columns
	engine string // that has the kernel, or nothing
	cost   int    // with that of all that the value needs alone
}

// selectPatterns covers the instructions with kernels, the fewest. A value that several
// instructions read is computed once, by the last instruction of a pattern; so the body
// is a forest of trees, and the best patterns of a tree follow from those of its
// branches.
func (c *tiling) selectPatterns(stored []int) (why string) {
	c.patterns = make([]pattern, len(c.k.Body))
	ins := len(c.k.In)
	for j := range c.patterns {
		if v := &c.values[ins+j]; c.k.Body[j].Op != ir.OpConst {
			c.grow(&c.patterns[j], [maxPattern]kernel.Ref{kernel.Ref(ins + j)}, 1, 0, v.splat)
		}
	}
	covered := make([]bool, len(c.patterns)) // with the instruction that reads it
	for j := len(c.patterns) - 1; j >= 0; j-- {
		if p := &c.patterns[j]; !covered[j] && p.n > 1 {
			for _, r := range p.insts[1:p.n] {
				covered[int(r)-ins] = true
			}
		}
	}
	c.perTile = make([]tileInst, 0, len(c.patterns)+len(c.k.Out))
	for j := range c.patterns {
		if covered[j] || c.k.Body[j].Op == ir.OpConst {
			continue
		}
		if why := c.addPattern(kernel.Ref(ins+j), &c.patterns[j], stored); why != "" {
			return why
		}
	}
	return ""
}

// addPattern appends the call of a pattern, which computes value r.
func (c *tiling) addPattern(r kernel.Ref, p *pattern, stored []int) (why string) {
	if p.engine == "" {
		key, _ := c.keyOf([]kernel.Ref{r}, c.values[r].splat)
		return "no kernel is registered for " + kernelOf(key).k.Signature()
	}
	ops := 0.0
	for _, r := range p.insts[:p.n] {
		ops += c.k.Inst(r).Op.Info().Cost
	}
	i := tileInst{k: p.kernel.k, value: r, out: -1, args: make([]kernel.Ref, 0, len(p.kernel.order))}
	for _, from := range p.kernel.order {
		a := p.args[from]
		if p.fills && c.values[a].splat && !c.values[r].splat {
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

// fillColumns appends a copy of a splat to all columns of a register, and returns the
// value of that.
func (c *tiling) fillColumns(a kernel.Ref) (filled kernel.Ref, why string) {
	d := c.values[a].dtype
	for _, i := range c.perTile {
		if i.args[0] == a && i.k == copyKernel(d, true) && i.out < 0 {
			return i.value, ""
		}
	}
	filled = kernel.Ref(len(c.values))
	c.values = append(c.values, value{dtype: d})
	if why := c.addCopy(len(c.perTile), a, -1); why != "" {
		return 0, why
	}
	c.perTile[len(c.perTile)-1].value = filled
	c.cost += c.StageWork
	return filled, ""
}

// grow sets best to the best of the patterns that have the first n of insts and maybe
// more: values that arguments from position from on would read. Positions count the
// arguments of insts, three to each, so that every pattern has one way to grow. With
// perRow, splats are operands with one column.
func (c *tiling) grow(best *pattern, insts [maxPattern]kernel.Ref, n, from int, perRow bool) {
	key, args := c.keyOf(insts[:n], perRow)
	p := pattern{insts: insts, args: args, n: n, kernel: kernelOf(key)}
	if p.engine = c.engineOf(&p, best); p.engine == "" && n == 1 {
		units, _ := c.keyOf(insts[:n], true)
		p.kernel, p.fills = kernelOf(units), true
		p.engine = c.engineOf(&p, best)
	}
	if p.engine != "" {
		p.cost = c.kernelCost(insts[:n], args[:key.ins])
		for i, a := range args[:key.ins] {
			if c.values[a].inner && !slices.Contains(args[:i], a) {
				p.cost += c.patterns[int(a)-len(c.k.In)].cost
			}
		}
		if best.engine == "" || p.cost < best.cost {
			*best = p
		}
	}
	if n == maxPattern || perRow {
		return
	}
	for at := from; at < 3*n; at++ {
		in := c.k.Inst(insts[at/3])
		if at%3 >= in.Arity() {
			continue
		}
		a := in.Args[at%3]
		if c.values[a].inner && !slices.Contains(insts[:n], a) && !slices.Contains(in.Args[:at%3], a) {
			insts[n] = a
			c.grow(best, insts, n+1, at+1, perRow)
		}
	}
}

// engineOf returns the engine that has the kernel of a pattern, or nothing. A kernel of
// several instructions on the portable engine may be slower than kernels of one by
// assembly.
func (c *tiling) engineOf(p, best *pattern) string {
	engine, ok := c.lib.Engine(p.kernel.k.Signature())
	if !ok || p.n > 1 && engine == portable && best.engine != "" && best.engine != portable {
		return ""
	}
	return engine
}

// kernelCost estimates the time that a kernel takes for an element: that of its memory
// traffic or of its slow operations, whichever is longer, for they overlap. Fast
// operations hide behind both. The unit is the addition of bytes.
func (c *tiling) kernelCost(insts, args []kernel.Ref) int {
	const loads, stores = 1, 2
	memory, slow := stores*c.values[insts[0]].dtype.Size(), 0.0
	for _, a := range args {
		if v := &c.values[a]; !v.splat {
			memory += loads * v.dtype.Size()
		}
	}
	for _, r := range insts {
		if in := c.k.Inst(r); in.Op.Info().Cost > 1 {
			slow += in.Op.Info().Cost * float64(in.DType.Size())
		}
	}
	return perKernel + max(memory, int(slow))
}

// patternKey says what a pattern computes, up to its kernel's canonical form.
type patternKey struct {
	n, ins int8
	fast   bool
	insts  [maxPattern]patternInst
	in     [maxPatternArgs]kernel.Operand
}

// patternInst is an instruction of a pattern. Argument i >= 0 is operand i of the
// pattern, ^m instruction m.
type patternInst struct {
	op    ir.Op
	dtype ir.DType
	args  [3]int8
}

// keyOf returns the key of the pattern of the given instructions, and what its operands
// are.
func (c *tiling) keyOf(insts []kernel.Ref, perRow bool) (key patternKey, args [maxPatternArgs]kernel.Ref) {
	key.n, key.fast = int8(len(insts)), c.k.Fast
	for m, r := range insts {
		in := c.k.Inst(r)
		row := &key.insts[m]
		row.op, row.dtype = in.Op, in.DType
		if (in.Op == ir.OpCast || in.Op == ir.OpBitcast) && in.DType == c.values[in.Args[0]].dtype {
			row.op = ir.OpCopy // there are no kernels for conversions to the same type
		}
		for i, a := range in.Args[:in.Arity()] {
			if inside := slices.Index(insts, a); inside >= 0 {
				row.args[i] = ^int8(inside)
				continue
			}
			v := &c.values[a]
			key.in[key.ins] = kernel.Operand{DType: v.dtype, Splat: v.splat && !perRow}
			args[key.ins] = a
			row.args[i] = key.ins
			key.ins++
		}
	}
	return key, args
}

// has reports whether the library has an instruction on contiguous operands of a type.
func (c *tiling) has(in kernel.Inst, d ir.DType) bool {
	if in.Op.Info().Mask || in.DType == d && in.Op == ir.OpCast {
		return false
	}
	key := patternKey{n: 1, ins: int8(in.Op.Info().Arity), fast: c.body.Fast}
	key.insts[0] = patternInst{op: in.Op, dtype: in.DType, args: [3]int8{0, 1, 2}}
	for i := range key.ins {
		key.in[i] = kernel.Operand{DType: d}
	}
	_, ok := c.lib.Engine(kernelOf(key).k.Signature())
	return ok
}

// patternKernel is the kernel of a pattern, and which operand of the pattern each of its
// operands is.
type patternKernel struct {
	k     *kernel.Kernel
	order []int
}

// patternKernels remembers the answers of kernelOf, by patternKey.
var patternKernels sync.Map

func kernelOf(key patternKey) *patternKernel {
	if p, ok := patternKernels.Load(key); ok {
		return p.(*patternKernel)
	}
	k, order := key.kernel().Canonical()
	p, _ := patternKernels.LoadOrStore(key, &patternKernel{k, order})
	return p.(*patternKernel)
}

// kernel writes the pattern as a body.
func (key *patternKey) kernel() *kernel.Kernel {
	k := &kernel.Kernel{In: slices.Clone(key.in[:key.ins]), Fast: key.fast}
	first := kernel.Ref(key.ins + key.n - 1) // of insts; those that it reads come before it
	for m := key.n - 1; m >= 0; m-- {
		row := key.insts[m]
		in := kernel.Inst{Op: row.op, DType: row.dtype}
		for i, a := range row.args {
			in.Args[i] = kernel.Ref(a)
			if a < 0 {
				in.Args[i] = first - kernel.Ref(^a)
			}
		}
		k.Body = append(k.Body, in)
	}
	k.Out = []kernel.Ref{first}
	return k
}
