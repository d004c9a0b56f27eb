package program

import (
	"context"
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// What plans have computed of constants: the first run that needs a value computes it, and it lives as long as a plan that reads it.

// kept is what plans have made of constants: tensors that live as long as a plan that reads them.
type kept struct{ tensors []*tensor.Tensor }

// keeper finds what a plan for other sizes has made of constants, by the text of the plan that makes it.
type keeper struct {
	mu    sync.Mutex
	made  map[string]weak.Pointer[kept]
	sweep int // how many entries there are before those are dropped that nothing refers to
}

// Keep gives a binding what it reads of constants, if it has not got it yet: made by a plan for other sizes, or computed now. Compile
// does not call it, so that example sizes cost nothing and a context can stop it.
func (p *Program) Keep(ctx context.Context, b *Binding) error {
	if b.Once == nil || b.kept.Load() != nil {
		return nil
	}
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	if b.kept.Load() != nil {
		return nil
	}
	key := b.Once.String()
	k := p.kept.made[key].Value()
	if k == nil {
		var ins []*tensor.Tensor
		for _, i := range b.onceOf {
			ins = append(ins, p.Captured[i-p.Inputs])
		}
		outs, err := p.runOnce(ctx, b.Once, ins)
		if err != nil {
			return err
		}
		k = &kept{outs}
		p.kept.add(key, k)
	}
	b.Linked.Capture(slices.Concat(p.Captured, k.tensors))
	b.kept.Store(k)
	return nil
}

// add notes what was made. Entries that nothing refers to are dropped each time that there are twice as many as were left.
func (k *keeper) add(key string, made *kept) {
	if k.made == nil {
		k.made = map[string]weak.Pointer[kept]{}
	}
	if len(k.made) >= k.sweep {
		maps.DeleteFunc(k.made, func(_ string, w weak.Pointer[kept]) bool { return w.Value() == nil })
		k.sweep = 2*len(k.made) + 16
	}
	k.made[key] = weak.Make(made)
}

// Use is Keep, for a run: it notes that the binding is the last that was used.
func (p *Program) Use(ctx context.Context, b *Binding) error {
	if err := p.Keep(ctx, b); err != nil {
		return err
	}
	p.cache.use(b)
	return nil
}

// Kept returns how many sets of values that plans have computed of constants live.
func (p *Program) Kept() (n int) {
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	for _, w := range p.kept.made {
		if w.Value() != nil {
			n++
		}
	}
	return n
}
