package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// String returns the graph as text, before any pass.
func (p *Program) String() string {
	if p.empty() {
		return noProgram
	}
	return p.compiled.Func.String()
}

// Kernels returns the signature of each different kernel, in order of use: what
// generated code is looked up by, and what genkernels emits. They depend on the
// formulas, and on sizes only where an extent is 1, an input has strides of its
// own, an axis of two to four elements makes them interleaved, or a line is reduced: one longer than 1024 is reduced in chunks, and the mean of
// 2^k elements is a product. Those of products with one element along a named axis, and of short and long lines, are among them; a run that
// needs others is a tiling of built-in kernels. There are none before the first run of
// a program whose graph fits none of the example sizes. The list is the same on every machine.
func (p *Program) Kernels() []string {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	if p.compiled.Shown != nil {
		bound = p.compiled.Shown
	}
	return p.kernelsOf(bound)
}

// kernelsOf returns the signatures of the kernels of a binding, as Kernels does.
func (p *Program) kernelsOf(bound *program.Binding) []string {
	var sigs []string
	seen := map[string]bool{}
	plans := append([]*plan.Plan{bound.Plan}, p.compiled.Others(bound)...)
	if bound.Once != nil {
		plans = append(plans, bound.Once)
	}
	for _, pl := range plans {
		for _, sig := range p.compiled.Kernels(pl) {
			if !seen[sig] {
				seen[sig] = true
				sigs = append(sigs, sig)
			}
		}
	}
	return sigs
}

// latest returns the binding of the last run, and before any run that for
// example sizes, nil if there are none.
func (p *Program) latest() *program.Binding {
	if p.empty() {
		return nil
	}
	return p.compiled.Latest()
}

// Ledger returns what the compiler decided for the last run, or for the example
// sizes, and why: which values were fused, which got memory, which elements are
// copied.
func (p *Program) Ledger() []Decision {
	if b := p.latest(); b != nil {
		return slices.Clone(b.Plan.Ledger)
	}
	return nil
}

// Traffic returns how many bytes the loops of the last run read and wrote, and how many of them are of inputs, captured tensors
// and outputs, of each no more than its size: what a single loop would move. What stays in the caches between the loops of a
// block of rows is not counted.
func (p *Program) Traffic() (moved, least int) {
	if b := p.latest(); b != nil {
		moved, least = traffic(b.Plan)
	}
	return moved, least
}

// Copies returns how many values the last run copied, because no strides
// describe them. The ledger has the reasons.
func (p *Program) Copies() int {
	n := 0
	for _, d := range p.Ledger() {
		if d.Kind == plan.Copied {
			n++
		}
	}
	return n
}
