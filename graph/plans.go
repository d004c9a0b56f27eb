package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/internal/program"
)

// The plans that a program keeps: one for each set of sizes and layouts of its inputs. A run finds its plan by a hash
// of those, without a lock and without allocating.

// PlanStats counts the plans of a program.
type PlanStats struct {
	Made    int // plans made since the program was compiled
	Kept    int // plans kept now
	Dropped int // plans dropped because there were more than WithPlans allows
}

// defaultPlans is the number of plans that a program keeps without WithPlans.
const defaultPlans = 1024

// mostPlans bounds WithPlans: more plans than memory can hold.
const mostPlans = 1 << 28

// WithPlans sets how many plans the program keeps, 1 or more; the default is 1024. A plan is made at the first run with
// inputs of some sizes and layouts, and takes about a kilobyte for each operation of the graph. When a program that
// keeps n plans needs another, it drops the least recently used eighth of them, at least one.
func WithPlans(n int) Option { return func(s *settings) { s.plans, s.plansSet = n, true } }

// Plans returns how many plans the program has made, keeps and has dropped.
func (p *Program) Plans() PlanStats {
	if p.empty() {
		return PlanStats{}
	}
	return PlanStats(p.compiled.Stats())
}

// Prepare makes the plans for row-major inputs of these sizes before the first run needs them, and computes the
// constants that they read: a server can prepare its batch sizes before it listens. sizes has a number for each name of
// a Dim. Prepare returns the error that such a run would return.
func (p *Program) Prepare(ctx context.Context, sizes map[string]int) error {
	if p.empty() {
		return misuse("prepare", noProgram)
	}
	if ctx == nil {
		return p.misuse("prepare", "the context is nil: give it context.Background()")
	}
	if err := ctx.Err(); err != nil {
		return p.atCaller(err)
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
	return p.atCaller(p.compiled.Keep(ctx, b))
}

// bind returns the binding for the given inputs, with the values of the constants that it reads. It makes the binding
// if necessary.
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
		return nil, p.atCaller(err)
	}
	return b, nil
}

// make makes the binding for some inputs, unless another goroutine is doing so.
func (p *Program) make(ins []*Tensor) (*program.Binding, error) {
	sizes, err := p.checkIns(ins)
	if err != nil {
		return nil, err
	}
	return p.compiled.Make(ins, sizes, p.accept)
}

// accept returns an error if a binding lacks required kernels.
func (p *Program) accept(b *program.Binding) error {
	if !p.generated {
		return nil
	}
	return p.checkKernels("run", p.missing(b.Plan))
}
