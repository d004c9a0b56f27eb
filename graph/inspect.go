package graph

import (
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes/schedule"

	"github.com/stridefuse/stridefuse/ir/plan"
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
// formulas, and on sizes only where an extent is 1, an input has strides of its
// own, an axis of two to four elements makes them interleaved channels, or a line is reduced: one longer than 1024 is reduced in chunks, and the mean of
// 2^k elements is a product. Those of products with one element along a named axis, and of short and long lines, are among them; a run that
// needs others is a tiling of built-in kernels. There are none before the first run of
// a program whose graph fits none of the example sizes. The list is the same on every machine.
func (p *Program) Kernels() []string {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	if p.shown != nil {
		bound = p.shown
	}
	return p.kernelsOf(bound)
}

// kernelsOf returns the signatures of the kernels of a binding, as Kernels does.
func (p *Program) kernelsOf(bound *binding) []string {
	var sigs []string
	seen := map[string]bool{}
	plans := append([]*plan.Plan{bound.plan}, p.others(bound)...)
	if bound.once != nil {
		plans = append(plans, bound.once)
	}
	for _, pl := range plans {
		for _, sig := range schedule.Kernels(pl, p.machine, schedule.Options{TilingOnly: p.tilings}) {
			if !seen[sig] {
				seen[sig] = true
				sigs = append(sigs, sig)
			}
		}
	}
	return sigs
}

// others returns the plans for other sizes that may have other kernels than a binding: products with one element along an
// axis with a name, as batches of one have, which are sums of rows, and other lengths of lines that are reduced.
func (p *Program) others(bound *binding) []*plan.Plan {
	var plans []*plan.Plan
	add := func(sizes map[string]int) {
		f, err := p.fn.Bind(sizes)
		if err != nil {
			return
		}
		if b, err := p.lower(f, sizes, nil); err == nil {
			plans = append(plans, b.plan)
		}
	}
	if slices.ContainsFunc(p.fn.Body, func(v *ir.Value) bool { return v.Op.IsProduct() || v.Attr.Conv != nil }) {
		for _, name := range p.sizes {
			sizes := maps.Clone(bound.sizes)
			sizes[name] = 1
			add(sizes)
		}
	}
	along := func(v *ir.Value) bool { return v.Op.Info().Kind == ir.Reduce || v.Op.Info().Kind == ir.Scan }
	if len(p.sizes) == 0 || !slices.ContainsFunc(p.fn.Body, along) {
		return plans
	}
	for _, n := range []int{ir.ReduceLeast, 4 * ir.ReduceChunk, 4*ir.ReduceChunk + 1} {
		sizes := map[string]int{}
		for _, name := range p.sizes {
			sizes[name] = n
		}
		add(sizes)
	}
	return plans
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

// Traffic returns how many bytes the loops of the last run read and wrote, and how many of them are of inputs, captured tensors
// and outputs, of each no more than its size: what a single loop would move. What stays in the caches between the loops of a
// block of rows is not counted.
func (p *Program) Traffic() (moved, least int) {
	if b := p.latest(); b != nil {
		moved, least = traffic(b.plan)
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
