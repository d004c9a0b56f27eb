package program

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// The plans that a program keeps: one for each set of sizes and layouts of its inputs. A run finds its plan by a hash
// of those, without a lock and without allocating.

// Stats counts the plans of a program.
type Stats struct {
	Made    int // plans made since the program was compiled
	Kept    int // plans kept now
	Dropped int // plans dropped because of the limit
}

// Stats returns how many plans the program has made, keeps and has dropped.
func (p *Program) Stats() Stats {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	return p.cache.stats
}

// Find returns the binding for some inputs, or nil.
func (p *Program) Find(ins []*tensor.Tensor) *Binding { return p.find(ins, hashOf(ins)) }

func (p *Program) find(ins []*tensor.Tensor, hash uint64) *Binding {
	table := p.cache.table.Load()
	if table == nil || len(*table) == 0 {
		return nil
	}
	for i := hash; ; i++ {
		b := (*table)[i%uint64(len(*table))].Load()
		if b == nil || b.hash == hash && len(ins) == p.Inputs && b.Linked.Takes(ins) {
			return b
		}
	}
}

// Make makes the binding for some inputs of given sizes and keeps it, unless another goroutine does so first. accept
// may be nil; if it returns an error, Make returns that error and does not keep the binding.
func (p *Program) Make(ins []*tensor.Tensor, sizes map[string]int, accept func(*Binding) error) (*Binding, error) {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	hash := hashOf(ins)
	if b := p.find(ins, hash); b != nil {
		return b, nil
	}
	layouts := make([]*layout.Layout, len(ins))
	for i, t := range ins {
		layouts[i] = LayoutOf(t)
	}
	b, err := p.compile(sizes, layouts)
	if err != nil {
		return nil, err
	}
	if accept != nil {
		if err := accept(b); err != nil {
			return nil, err
		}
	}
	b.hash = hash
	p.cache.add(b)
	return b, nil
}

// LayoutOf returns the layout of a tensor, with offsets counted from its lowest element; nil for row-major.
func LayoutOf(t *tensor.Tensor) *layout.Layout {
	if t.IsRowMajor() {
		return nil
	}
	l := layout.Layout{Shape: t.Shape(), Strides: t.Strides()}
	lowest, _ := l.Bounds()
	l.Offset = -lowest
	return &l
}

// plans is a cache of Bindings.
type plans struct {
	last  atomic.Pointer[Binding]
	table atomic.Pointer[planTable]
	clock atomic.Uint64

	mu    sync.Mutex // held to add
	stats Stats
	limit int
}

// planTable is a hash table of bindings with linear probing. It has twice as many places as bindings. A binding is
// added by a single atomic store.
type planTable []atomic.Pointer[Binding]

// all yields the bindings that are kept, and before them the one that was used last, which may have been dropped.
func (c *plans) all(yield func(*Binding) bool) {
	if b := c.last.Load(); b != nil && !yield(b) {
		return
	}
	if t := c.table.Load(); t != nil {
		t.all(yield)
	}
}

func (t planTable) all(yield func(*Binding) bool) {
	for i := range t {
		if b := t[i].Load(); b != nil && !yield(b) {
			return
		}
	}
}

func (t planTable) put(b *Binding) {
	for i := b.hash; ; i++ {
		if at := &t[i%uint64(len(t))]; at.Load() == nil {
			at.Store(b)
			return
		}
	}
}

// add keeps a binding. The caller holds the lock.
func (c *plans) add(b *Binding) {
	c.stats.Made++
	b.used.Store(c.clock.Add(1))
	var t planTable
	if old := c.table.Load(); old != nil {
		t = *old
	}
	if full := c.stats.Kept >= c.limit; full || 2*c.stats.Kept >= len(t) {
		list := slices.Collect(t.all)
		if full {
			n := max(1, len(list)/8) // several at once, because dropping rewrites the table
			list = latest(list, len(list)-n)
			c.stats.Dropped += n
		}
		t = make(planTable, min(4*len(list)+4, 2*c.limit+2))
		for _, b := range list {
			t.put(b)
		}
		c.stats.Kept = len(list)
	}
	t.put(b)
	c.stats.Kept++
	c.table.Store(&t)
}

// latest returns the n most recently used bindings. Others may be used meanwhile.
func latest(list []*Binding, n int) []*Binding {
	type use struct {
		*Binding
		at uint64
	}
	uses := make([]use, len(list))
	for i, b := range list {
		uses[i] = use{b, b.used.Load()}
	}
	sort.Slice(uses, func(i, j int) bool { return uses[i].at > uses[j].at })
	for i := range list[:n] {
		list[i] = uses[i].Binding
	}
	return list[:n]
}

func (c *plans) use(b *Binding) {
	b.used.Store(c.clock.Add(1))
	c.last.Store(b)
}

// hashOf returns a hash of shapes and layouts. Strides that nothing uses do not count: those of axes with one index,
// and of tensors without elements.
func hashOf(ins []*tensor.Tensor) uint64 {
	h := uint64(len(ins))
	for _, t := range ins {
		_, l, _ := t.Parts()
		empty := slices.Contains(l.Shape, 0)
		for k, n := range l.Shape {
			if h = ir.Mix(h, uint64(n)); n > 1 && !empty {
				h = ir.Mix(h, uint64(l.Strides[k]))
			}
		}
		h = ir.Mix(h, uint64(len(l.Shape)))
	}
	return h
}
