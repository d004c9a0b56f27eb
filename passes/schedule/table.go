package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// table computes a body for the 256 values of an operand of bytes, and looks the elements up: a power of each pixel of a
// picture costs as much as a load. The other operands vary along few axes, such as one factor for each channel, and each of
// their combinations has its own table. Of longer bodies pass recompute has made a separate step of what is looked up:
//
//	for each block of the indices of the axes that the other operands do not vary along
//	  compute the tables into local memory, by another strategy
//	  for each rows and columns of the block
//	    lookup
func table(t *target, s *plan.Step) []offer {
	b, why := newTable(t, s)
	if b == nil {
		return refused(why)
	}
	block := b.block()
	blocks := 1
	for _, l := range block.loops {
		blocks *= (l.Extent.N-1)/l.Tile + 1
	}
	lookups := b.work * float64(elems(s))
	cost := func(entry float64) float64 { return lookups + entry*float64(b.entries*blocks) }
	return offering(cost(t.BodyWork(s)), func() (*Draft, string) { return b.draft(block, blocks, cost) })
}

// tableWriter writes the draft of such a step.
type tableWriter struct {
	t        *target
	step     *plan.Step
	bytes    int           // the input that is looked up
	varies   []bool        // by axis: whether another input varies along it
	row, col int           // axes of the calls that look up
	entries  int           // of all tables
	lookups  []kernel.Code // by output
	work     float64       // of the lookups of one index, in additions
}

// newTable returns the step as one of lookups, or why it is none.
func newTable(t *target, s *plan.Step) (b *tableWriter, why string) {
	if !s.Elementwise() || len(s.Axes) < 2 || elems(s) == 0 {
		return nil, "an axis is not parallel"
	}
	b = &tableWriter{t: t, step: s, bytes: -1, varies: make([]bool, len(s.Axes)), entries: kernel.Bytes}
	for i := range s.In {
		switch d := s.Body.In[i].DType; {
		case plain(&s.In[i]) != "":
			return nil, plain(&s.In[i])
		case d.Size() == 1 && (b.bytes < 0 || reach(s, i) > reach(s, b.bytes)):
			b.bytes = i
		}
	}
	if b.bytes < 0 {
		return nil, otherStep // no operand has elements of one byte
	}
	if why := b.overwritten(); why != "" {
		return nil, why
	}
	if why := b.findLookups(); why != "" {
		return nil, why
	}
	for i := range s.In {
		for k, a := range s.Axes {
			b.varies[k] = b.varies[k] || i != b.bytes && a.Extent > 1 && s.In[i].Strides[k] != 0
		}
	}
	b.row, b.col = -1, -1
	most := elems(s) / 2 // entries
	for k, a := range s.Axes {
		if b.varies[k] {
			b.entries, b.row = b.entries*min(a.Extent, most/b.entries+1), k // beyond most any number will do, but one past int
		} else if b.col < 0 || a.Extent >= min(s.Axes[b.col].Extent, t.AcrossCols) {
			b.col = k
		}
	}
	if b.entries > most {
		return nil, t.because("%d elements, needs at least 2 for each of the %d entries", elems(s), b.entries)
	}
	for k, a := range s.Axes {
		if k != b.col && (b.row < 0 || !b.varies[b.row] && a.Extent > s.Axes[b.row].Extent) {
			b.row = k
		}
	}
	return b, ""
}

// findLookups looks up the kernel for each output. It says which is missing.
func (b *tableWriter) findLookups() (why string) {
	for o := range b.step.Out {
		k := lineKernel(kernel.Lookup, ir.OpInvalid, kernel.BitsType(b.step.Body.OutType(o)))
		engine, why := b.t.engine(k)
		if why != "" {
			return why
		}
		b.lookups, b.work = append(b.lookups, k), b.work+b.t.LookupWork*b.t.slowdown(engine)
	}
	return ""
}

// overwritten returns why the outputs can't be looked up one after the other, or "": one of them is in the memory of the bytes.
func (b *tableWriter) overwritten() (why string) {
	for _, out := range b.step.Out {
		if len(b.step.Out) > 1 && b.t.mayAlias(b.step.In[b.bytes].Buffer, out.Buffer) {
			return "an output is in the memory of the bytes, and there are others"
		}
	}
	return ""
}

// reach returns how many indices a step has along the axes that an input varies along.
func reach(s *plan.Step, i int) int {
	n := 1
	for k, a := range s.Axes {
		if s.In[i].Strides[k] != 0 {
			n *= a.Extent
		}
	}
	return n
}

// block returns the place of one block: all tables, and enough elements for one goroutine. Axes that are neither rows nor
// columns are cut into equal parts.
func (b *tableWriter) block() *walk {
	n := elems(b.step)
	most := (n-1)/b.t.pieces(b.work*float64(n)) + 1
	w := newWalk(b.step.Axes)
	for k, a := range b.step.Axes {
		if n > most && !b.varies[k] {
			n /= a.Extent
			size := min(a.Extent, max(1, most/n))
			for k != b.row && k != b.col && a.Extent%size > 0 {
				size--
			}
			w, n = w.cut(k, size), n*size
		}
	}
	return w
}

// draft returns the draft, for blocks of which each computes the tables. cost is the cost of the step for the cost of an entry.
func (b *tableWriter) draft(block *walk, blocks int, cost func(entry float64) float64) (*Draft, string) {
	entries, err := b.computeEntries()
	if err != nil {
		return nil, err.Error()
	}
	d := newDraft(b.t, b.step)
	items, tables := b.place(d, entries, block.depth())
	in, lookups := b.calls(block), []nest.Item(nil)
	for o, k := range b.lookups {
		lookups = append(lookups, b.lookUp(k, o, in, &tables[o]))
	}
	d.Parts = []nest.Nest{block.part(append(items, in.wrap(block, lookups)...))}
	of := &entries.Choice
	d.Choice = nest.Choice{Kernel: of.Kernel, Engine: of.Engine, Kernels: of.Kernels, Cost: cost(of.Cost / float64(b.entries)), Entries: b.entries * blocks}
	return d, ""
}

// calls returns the place of the calls that look up. Their rows are as long as possible, but a call has several rows if these
// have different tables or are next to each other.
func (b *tableWriter) calls(block *walk) *walk {
	in, rows := block.cutAll(b.row, b.col), 1
	next := b.step.In[b.bytes].Strides[b.row] == 1
	for _, out := range b.step.Out {
		next = next && out.Strides[b.row] == 1
	}
	if b.varies[b.row] || next {
		rows = min(in.most[b.row], b.t.AcrossCols)
	}
	in = in.cut(b.col, b.t.CallElems/rows)
	return in.cut(b.row, b.t.CallElems/in.most[b.col])
}
