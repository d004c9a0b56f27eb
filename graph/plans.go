package graph

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// The plans that a program keeps: one for each set of sizes and layouts of its inputs. A
// run finds its plan by a hash of those, without a lock and without allocating.

// PlanStats counts the plans of a program.
type PlanStats struct {
	Made    int // since it was compiled
	Kept    int // now
	Dropped int // because there were more than WithPlans allows
}

// defaultPlans is how many plans a program keeps without WithPlans.
const defaultPlans = 1024

// mostPlans is how many it keeps at most, whatever WithPlans says: more than there is memory for.
const mostPlans = 1 << 28

// WithPlans sets how many plans the program keeps, 1 or more; 1024 without it. A plan is
// made at the first run with inputs of some sizes and layouts. The limit counts plans, not
// bytes: a plan takes about a kilobyte for each operation of the graph. When a program that keeps
// n plans makes another plan, it drops an eighth of the n, at least one: the plans not used for
// the longest time.
func WithPlans(n int) Option { return func(s *settings) { s.plans, s.plansSet = n, true } }

// Plans returns how many plans the program has made, keeps and has dropped.
func (p *Program) Plans() PlanStats {
	if p.empty() {
		return PlanStats{}
	}
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	return p.cache.stats
}

// Prepare makes the plans for inputs of these sizes, in row-major order, before the first
// run needs them, and computes what they read of constants: a server prepares its batch sizes before it listens. sizes has a number
// for each name of a Dim. It returns what such a run would return as an error.
func (p *Program) Prepare(ctx context.Context, sizes map[string]int) error {
	if p.empty() {
		return misuse("prepare", noProgram)
	}
	if ctx == nil {
		return p.misuse("prepare", "the context is nil: give it context.Background()")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for name := range sizes {
		if !slices.Contains(p.sizes, name) {
			return p.misuse("prepare", "there is no size %q: the program has %s", name, strings.Join(p.sizes, ", "))
		}
	}
	ins, err := p.rowMajor(sizes)
	if err != nil {
		return p.misuse("prepare", "%v", err)
	}
	b, err := p.make(ins)
	if err != nil {
		return err
	}
	return atCaller(p.keep(ctx, b))
}

// rowMajor returns tensors as inputs of some sizes are. They have no memory: nothing reads
// them.
func (p *Program) rowMajor(sizes map[string]int) ([]*Tensor, error) {
	ins := make([]*Tensor, len(p.inputs))
	for i, in := range p.inputs {
		shape, err := in.Shape.Bind(sizes)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		extents, _ := shape.Ints()
		ins[i] = tensor.Over(in.DType, layout.RowMajor(extents...), nil)
	}
	return ins, nil
}

// plans is a cache of bindings.
type plans struct {
	last  atomic.Pointer[binding]
	table atomic.Pointer[planTable]
	clock atomic.Uint64

	mu    sync.Mutex // of those who add
	stats PlanStats
	limit int
}

// planTable holds bindings at the places of their hashes, or at the next free ones. It has
// twice as many places as it may hold bindings. One is added by a single store.
type planTable []atomic.Pointer[binding]

func (t planTable) all() []*binding {
	var list []*binding
	for i := range t {
		if b := t[i].Load(); b != nil {
			list = append(list, b)
		}
	}
	return list
}

func (t planTable) put(b *binding) {
	for i := b.hash; ; i++ {
		if at := &t[i%uint64(len(t))]; at.Load() == nil {
			at.Store(b)
			return
		}
	}
}

// add keeps a binding. The caller holds the lock.
func (c *plans) add(b *binding) {
	c.stats.Made++
	b.used.Store(c.clock.Add(1))
	var t planTable
	if old := c.table.Load(); old != nil {
		t = *old
	}
	if full := c.stats.Kept >= c.limit; full || 2*c.stats.Kept >= len(t) {
		list := t.all()
		if full {
			n := max(1, len(list)/8) // several at once, as each turn writes the table anew
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

// latest returns the n bindings used last. Others may use some meanwhile.
func latest(list []*binding, n int) []*binding {
	type use struct {
		*binding
		at uint64
	}
	uses := make([]use, len(list))
	for i, b := range list {
		uses[i] = use{b, b.used.Load()}
	}
	sort.Slice(uses, func(i, j int) bool { return uses[i].at > uses[j].at })
	for i := range list[:n] {
		list[i] = uses[i].binding
	}
	return list[:n]
}

func (c *plans) use(b *binding) {
	b.used.Store(c.clock.Add(1))
	c.last.Store(b)
}

// hashOf returns a hash of shapes and layouts. Strides of axes that have one index, or of
// tensors without elements, do not count: nothing is read by them.
func hashOf(ins []*Tensor) uint64 {
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

// find returns the binding for some inputs, or nil.
func (p *Program) find(ins []*Tensor, hash uint64) *binding {
	table := p.cache.table.Load()
	if table == nil || len(*table) == 0 {
		return nil
	}
	for i := hash; ; i++ {
		b := (*table)[i%uint64(len(*table))].Load()
		if b == nil || b.hash == hash && b.fits(p, ins) {
			return b
		}
	}
}

// bind returns the binding for some inputs, made now if there is none, with what it reads of constants.
func (p *Program) bind(ctx context.Context, ins []*Tensor) (*binding, error) {
	if p.empty() {
		return nil, misuse("run", noProgram)
	}
	b := p.find(ins, hashOf(ins))
	if b == nil {
		var err error
		if b, err = p.make(ins); err != nil {
			return nil, err
		}
	}
	if err := p.keep(ctx, b); err != nil {
		return nil, atCaller(err)
	}
	p.cache.use(b)
	return b, nil
}

// make makes the binding for some inputs, unless another goroutine does.
func (p *Program) make(ins []*Tensor) (*binding, error) {
	sizes, err := p.checkIns(ins)
	if err != nil {
		return nil, err
	}
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	hash := hashOf(ins)
	if b := p.find(ins, hash); b != nil {
		return b, nil
	}
	layouts := make([]*layout.Layout, len(ins))
	for i, t := range ins {
		layouts[i] = layoutOf(t)
	}
	b, err := p.compile(sizes, layouts)
	if err != nil {
		return nil, err
	}
	if p.generated {
		if err := p.checkKernels("run", p.missing(b.plan)); err != nil {
			return nil, err
		}
	}
	b.hash = hash
	p.cache.add(b)
	return b, nil
}
