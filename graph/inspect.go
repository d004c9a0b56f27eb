package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// String returns the graph as text, before any pass.
func (p *Program) String() string {
	if p.empty() {
		return noProgram
	}
	return p.fn.String()
}

// Kernels returns the signature of each different kernel, in order of use: what
// generated code is looked up by, and what genkernels emits. They depend on the
// formulas, and on sizes only where an extent is 1 or an input has strides of
// its own: such a run may need other kernels, and is covered. There are none before the first run of a program whose
// graph fits none of the example sizes.
func (p *Program) Kernels() []string {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	if p.shown != nil {
		bound = p.shown
	}
	var sigs []string
	for i := range bound.plan.Steps {
		k, _ := bound.plan.Steps[i].Kernel.Canonical()
		if sig := k.Signature(); !slices.Contains(sigs, sig) {
			sigs = append(sigs, sig)
		}
	}
	return sigs
}

// latest returns the binding of the last run, and before any run that for
// example sizes, nil if there are none.
func (p *Program) latest() *binding {
	if p.empty() {
		return nil
	}
	if b := p.cache.last.Load(); b != nil {
		return b
	}
	return p.shown
}

// Ledger returns what the compiler decided for the last run, or for the example
// sizes, and why: which values were fused, which got memory, which elements are
// copied.
func (p *Program) Ledger() []Decision {
	if b := p.latest(); b != nil {
		return slices.Clone(b.plan.Ledger)
	}
	return nil
}

// Copies returns how many values the last run copied, because no strides
// describe them. The ledger has the reasons.
func (p *Program) Copies() int {
	n := 0
	for _, d := range p.Ledger() {
		if d.Kind == ir.Copied {
			n++
		}
	}
	return n
}
