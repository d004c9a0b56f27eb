package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/internal/program"
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
	return PlanStats(p.compiled.Stats())
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
		if !slices.Contains(p.compiled.Sizes, name) {
			return p.misuse("prepare", "there is no size %q: the program has %s", name, strings.Join(p.compiled.Sizes, ", "))
		}
	}
	ins, err := p.compiled.RowMajor(sizes)
	if err != nil {
		return p.misuse("prepare", "%v", err)
	}
	b, err := p.make(ins)
	if err != nil {
		return err
	}
	return atCaller(p.compiled.Keep(ctx, b))
}

// bind returns the binding for the given inputs, with the values of constants that it reads. It makes the binding if there is none.
func (p *Program) bind(ctx context.Context, ins []*Tensor) (*program.Binding, error) {
	if p.empty() {
		return nil, misuse("run", noProgram)
	}
	b := p.compiled.Find(ins)
	if b == nil {
		var err error
		if b, err = p.make(ins); err != nil {
			return nil, err
		}
	}
	if err := p.compiled.Use(ctx, b); err != nil {
		return nil, atCaller(err)
	}
	return b, nil
}

// make makes the binding for some inputs, unless another goroutine does.
func (p *Program) make(ins []*Tensor) (*program.Binding, error) {
	sizes, err := p.checkIns(ins)
	if err != nil {
		return nil, err
	}
	return p.compiled.Make(ins, sizes, p.accept)
}

// accept returns an error if a binding lacks kernels that must be there.
func (p *Program) accept(b *program.Binding) error {
	if !p.generated {
		return nil
	}
	return p.checkKernels("run", p.missing(b.Plan))
}
