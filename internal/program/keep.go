package program

import (
	"context"
	"maps"
	"slices"
	"sync"
	"weak"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Values that plans compute from constants. The first run that needs a value computes it, and it lives as long as a
// plan that reads it.

// kept has the tensors that a plan computed from constants. They live as long as a plan that reads them.
type kept struct{ tensors []*tensor.Tensor }

// keeper finds values that plans for other sizes have computed from constants, by the text of the plan that computes
// them.
type keeper struct {
	mu    sync.Mutex
	made  map[string]weak.Pointer[kept]
	sweep int // number of entries at which unreferenced ones are dropped
}

// Keep gives a binding the values that it reads of constants, if it lacks them: values of a plan for other sizes, or
// newly computed ones. Compile does not call it, so example sizes cost nothing and a context can stop it.
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

// add records values. Unreferenced entries are dropped whenever the number of entries has doubled.
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

// Use is Keep for a run: it also records that the binding was used last.
func (p *Program) Use(ctx context.Context, b *Binding) error {
	if err := p.Keep(ctx, b); err != nil {
		return err
	}
	p.cache.use(b)
	return nil
}

// Kept returns the number of living sets of values that plans have computed from constants.
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
