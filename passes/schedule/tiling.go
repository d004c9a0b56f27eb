package schedule

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// tiling computes a body without its own kernel by kernels of its parts, tile by tile. The registered kernels are its
// instruction set, tiles in local memory its registers. select.go selects instructions, order.go orders them, registers.go
// allocates registers.
func (e *elemWriter) tiling() (offer, string) {
	if why := e.pack(); why != "" {
		return offer{}, why
	}
	return e.offer(e.t.BodyWork(e.step)+e.t.TilingWork, func() (computation, string) {
		c, why := e.newTiling()
		if c == nil {
			return nil, why
		}
		return c, ""
	}), ""
}

// tiling is the computation of a tile by several calls.
type tiling struct {
	e        *elemWriter
	body     *kernel.Kernel // of the step, canonical
	k        *kernel.Kernel // the same of ops that the library has, see elementary.Widen
	order    []int          // their input i is input order[i] of the step
	values   []value        // of the body; then copies
	patterns []pattern      // by instruction of the body
	prefix   *prefix        // the kernel of the first ones, or nil
	perRow   []tileInst     // values of one element a row
	perTile  []tileInst
	engines  []string // that have the kernels, each once
	portable int      // how many kernels the slow one has
	cost     float64  // of one index
	live     int      // how many registers have values at once
}

// value is what is known of a value of the body.
type value struct {
	dtype ir.DType
	splat bool // one element for all columns
	once  bool // and for all rows
	inner bool // one instruction reads it, nothing else does
	again bool // each pattern that reads it may compute it
	// constant says that the plan has the element, or the body.
	constant bool
	of       kernel.Ref // 1 + the splat that it has in all columns, or 0

	at       view
	register int // that holds it: 1 + its offset in local memory, or 0
	last     int // the last of perTile that reads it
}

// tileInst is a call of a tiling before its operands have places.
type tileInst struct {
	k     *kernel.Kernel
	args  []kernel.Ref // in the kernel's order
	value kernel.Ref   // that it computes, or -1 for a copy of one
	out   int          // the output that it writes, or -1 for a register
}

// newTiling selects the kernels of a tiling. It returns which are missing, or "".
func (e *elemWriter) newTiling() (*tiling, string) {
	c := &tiling{e: e}
	c.body, c.order = e.body()
	c.k = elementary.Widen(c.body, c.has)
	stored := c.stored()
	c.addValues(stored)
	if why := c.selectPatterns(stored); why != "" {
		return nil, why
	}
	for o, r := range c.k.Out {
		if int(r) < len(c.k.In) || c.values[r].splat || stored[r] != o+1 {
			if why := c.addCopy(len(c.perTile), r, o); why != "" {
				return nil, why
			}
		}
	}
	c.arrange()
	if why := c.delayStores(); why != "" {
		return nil, why
	}
	c.cost += e.t.LoadWork * (float64(c.portable)*e.t.PortableWork + float64(c.count()-c.portable)) / float64(c.count())
	return c, ""
}

// stored returns 1 + the first output that stores it for each value, or 0.
func (c *tiling) stored() []int {
	stored := make([]int, len(c.k.In)+len(c.k.Body))
	for o := len(c.k.Out) - 1; o >= 0; o-- {
		stored[c.k.Out[o]] = o + 1
	}
	return stored
}

// addValues makes the values of the inputs and of the body.
func (c *tiling) addValues(stored []int) {
	c.values = make([]value, 0, len(c.k.In)+len(c.k.Body)+len(c.k.Out))
	for i, in := range c.k.In {
		once := in.Splat && c.e.ops[c.order[i]].row == 0
		constant := in.Splat && c.e.t.buffers[c.e.step.In[c.order[i]].Buffer].Kind == plan.ConstBuffer
		c.values = append(c.values, value{dtype: in.DType, splat: in.Splat, once: once, constant: constant})
	}
	for j := range c.k.Body {
		in := &c.k.Body[j]
		v := value{dtype: in.DType, splat: true, once: true, constant: in.Op == ir.OpConst}
		for _, a := range in.Args[:in.Arity()] {
			v.splat = v.splat && c.values[a].splat
			v.once = v.once && c.values[a].once
		}
		c.values = append(c.values, v)
	}
	reader := make([]kernel.Ref, len(c.values)) // 0: none yet
	for j := range c.k.Body {
		r, in := kernel.Ref(len(c.k.In)+j), &c.k.Body[j]
		for _, a := range in.Args[:in.Arity()] {
			c.values[a].inner = reader[a] == 0 || reader[a] == r && c.values[a].inner
			reader[a] = r
		}
	}
	for r := range c.values {
		v := &c.values[r]
		v.inner = v.inner && !v.splat && stored[r] == 0 && r >= len(c.k.In)
	}
}

// addCopy inserts a copy of a value to an output at place p of perTile.
func (c *tiling) addCopy(p int, from kernel.Ref, out int) string {
	v := &c.values[from]
	k := copyKernel(v.dtype, v.splat)
	engine, why := c.e.t.engine(k)
	if why != "" {
		return why
	}
	c.perTile = append(c.perTile, tileInst{})
	copy(c.perTile[p+1:], c.perTile[p:])
	c.perTile[p] = tileInst{k: k, args: []kernel.Ref{from}, value: -1, out: out}
	c.count1(engine, 0)
	return ""
}

// count1 counts a kernel and the cost of its ops.
func (c *tiling) count1(engine string, ops float64) {
	if !slices.Contains(c.engines, engine) {
		c.engines = append(c.engines, engine)
	}
	if engine == portable {
		c.portable++
	}
	c.cost += (ops + c.e.t.TilingWork) * c.e.t.slowdown(engine)
}

// count returns the number of kernels.
func (c *tiling) count() int { return len(c.perRow) + len(c.perTile) }

// delayStores moves stores to the end that would overwrite an input still to be read, because the output shares its memory: the
// value goes to a register, and a copy stores it.
func (c *tiling) delayStores() string {
	for p := 0; p < len(c.perTile); p++ {
		i := &c.perTile[p]
		out := i.out
		if out < 0 || !c.readLater(p, out) {
			continue
		}
		i.out = -1
		if i.value < 0 { // a copy: to a register first
			i.value = kernel.Ref(len(c.values))
			c.values = append(c.values, value{dtype: c.values[i.args[0]].dtype})
		}
		if why := c.addCopy(len(c.perTile), i.value, out); why != "" {
			return why
		}
	}
	return ""
}

// readLater reports whether an instruction after p reads an input in place that may share memory with an output.
func (c *tiling) readLater(p, out int) bool {
	if c.e.stages[len(c.e.step.In)+out] != direct {
		return false
	}
	for _, i := range c.perTile[p+1:] {
		for _, a := range i.args {
			if int(a) >= len(c.k.In) {
				continue
			}
			if in := c.order[a]; c.e.stages[in] == direct && c.e.t.mayAlias(c.e.step.In[in].Buffer, c.e.step.Out[out].Buffer) {
				return true
			}
		}
	}
	return false
}

// mayAlias reports whether two buffers may share memory. A run keeps inputs and results apart, unless it computes results in
// place.
func (t *target) mayAlias(read, written int) bool {
	a, b := &t.buffers[read], &t.buffers[written]
	bytes := func(b *plan.Buffer) int { return b.Size() * b.DType.Size() }
	switch {
	case read == written:
		return true
	case a.Kind == plan.ParamBuffer && b.Kind == plan.ResultBuffer:
		return t.InPlace && bytes(a) == bytes(b)
	case a.Kind != b.Kind || a.Kind != plan.TempBuffer && a.Kind != plan.ScratchBuffer:
		return false
	}
	return a.Offset < b.Offset+bytes(b) && b.Offset < a.Offset+bytes(a)
}

func (c *tiling) work() float64 { return c.cost }

func (c *tiling) describe(choice *nest.Choice) {
	choice.Kernel, choice.Kernels = c.body.Signature(), c.count()
	slices.Sort(c.engines)
	choice.Engine = strings.Join(c.engines, "+")
}
