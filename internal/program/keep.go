package program

import (
	"context"
	"slices"
	"time"

	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Values that plans compute from constants. The first run that needs a value computes it, and it lives as long as a
// binding that reads it.

// kept has the tensors that a plan computed from constants. Plans for several sizes share them.
type kept struct {
	by      string // the text of the plan
	tensors []*tensor.Tensor
	took    time.Duration
}

// Keep gives a binding the values that it reads of constants, if it lacks them: values of a plan for other sizes, or
// newly computed ones. Compile does not call it, so example sizes cost nothing and a context can stop it.
func (p *Program) Keep(ctx context.Context, b *Binding) error {
	if b.Once == nil || b.kept.Load() != nil {
		return nil
	}
	p.keeping.Lock()
	defer p.keeping.Unlock()
	if b.kept.Load() != nil {
		return nil
	}
	k := p.keptLike(b)
	if k == nil {
		var ins []*tensor.Tensor
		for _, i := range b.onceOf {
			ins = append(ins, p.Captured[i-p.Inputs])
		}
		var o *runtime.Observer
		if to := p.config.Observe; to.Progress != nil {
			o = &runtime.Observer{Progress: to.Progress, Every: to.Every, Constants: true}
		}
		begin := time.Now()
		outs, err := p.runOnce(ctx, b.Once, ins, o)
		if err != nil {
			return err
		}
		k = &kept{b.Once.String(), outs, time.Since(begin)}
	}
	b.Linked.Capture(slices.Concat(p.Captured, k.tensors))
	b.kept.Store(k)
	return nil
}

// OnceTook returns the time that the values of Once took, in the first run of this plan or of one like it, and whether
// there has been one.
func (b *Binding) OnceTook() (took time.Duration, known bool) {
	if k := b.kept.Load(); k != nil {
		return k.took, true
	}
	return 0, false
}

// keptLike returns the tensors of another binding with the same plan of constants, or nil.
func (p *Program) keptLike(b *Binding) *kept {
	text := ""
	for other := range p.cache.all {
		k := other.kept.Load()
		if k == nil {
			continue
		}
		if other.Once == b.Once { // of one class
			return k
		}
		if text == "" {
			text = b.Once.String()
		}
		if k.by == text {
			return k
		}
	}
	return nil
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
func (p *Program) Kept() int {
	met := map[*kept]bool{}
	for b := range p.cache.all {
		if k := b.kept.Load(); k != nil {
			met[k] = true
		}
	}
	return len(met)
}
