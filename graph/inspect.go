package graph

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
)

// String returns the graph as text, before any pass.
func (p *Program) String() string {
	if p.empty() {
		return noProgram
	}
	return p.compiled.Func.String()
}

// Kernels returns the signatures of the program's kernels, in order of use, each once. Generated code is looked up by
// signature, and genkernels emits these kernels. The list is the same on every machine.
//
// Signatures depend on the formulas. They depend on sizes only if an extent is 1, an input has unusual strides, an axis
// of two to four elements interleaves operands, or a line is reduced (a line longer than 1024 in chunks; the mean of
// 2^k elements as a product). The list contains the variants for short and long lines and for products with one element
// along a named axis. A run that needs other kernels uses tilings of built-in ones. The list is empty before the first
// run of a program whose graph fits no example sizes.
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

// kernelsOf returns the kernel signatures of a binding, as Kernels does.
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

// latest returns the binding of the last run, or before any run that for example sizes, or nil if there is none.
func (p *Program) latest() *program.Binding {
	if p.empty() {
		return nil
	}
	return p.compiled.Latest()
}

// Ledger returns what the compiler decided for the last run (or for the example sizes), and why: which values were
// fused, stored or copied.
func (p *Program) Ledger() []Decision {
	if b := p.latest(); b != nil {
		return slices.Clone(b.Plan.Ledger)
	}
	return nil
}

// Traffic returns how many bytes the loops of the last run read and wrote, and how many of them are inputs, captured
// tensors and outputs, each counted up to its size: what a single loop would move. Values that stay in the caches
// between the loops of a block of rows are not counted.
func (p *Program) Traffic() (moved, least int) {
	if b := p.latest(); b != nil {
		moved, least = traffic(b.Plan)
	}
	return moved, least
}

// Copies returns how many values the last run copied because no strides describe them. The ledger has the reasons.
func (p *Program) Copies() int {
	n := 0
	for _, d := range p.Ledger() {
		if d.Kind == plan.Copied {
			n++
		}
	}
	return n
}

// Kernels that a program would call if they had been generated. Without them it computes the same bits by tilings of
// built-in kernels.

// Missing returns the signatures of the program's kernels that were not generated, so that their loops are tilings of
// built-in kernels. It covers the last run (or the example sizes), and other lengths of reduced lines. It is empty if
// every loop is one kernel; Kernels lists all.
func (p *Program) Missing() []string {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	return p.missing(append([]*plan.Plan{bound.Plan}, p.compiled.Others(bound)...)...)
}

// missing returns the signatures for which plans run tilings and no engine has a kernel. It ignores kernels that the
// library has for other engines: the portable engine lacks some of them.
func (p *Program) missing(plans ...*plan.Plan) []string {
	var sigs []string
	for _, pl := range plans {
		nests, err := p.compiled.Schedule(pl)
		if err != nil {
			continue
		}
		for i := range nests.Tasks {
			for _, c := range nests.Tasks[i].Choices {
				if c.Kernels > 1 && !runtime.Compiled(c.Kernel) && !slices.Contains(sigs, c.Kernel) {
					sigs = append(sigs, c.Kernel)
				}
			}
		}
	}
	return sigs
}

// WithGeneratedKernels makes Compile, and the first run with inputs of new sizes or layouts, fail if a loop has no
// generated kernel. The error lists the signatures. With this option a test notices a formula that was edited without
// go generate.
func WithGeneratedKernels() Option { return func(s *settings) { s.generated = true } }

// checkKernels returns an error if required kernels are missing.
func (p *Program) checkKernels(call string, sigs []string) error {
	if !p.generated || len(sigs) == 0 {
		return nil
	}
	return p.misuse(call, "%s not generated: run go generate in the package whose function returns this program:\n\t%s",
		plural(len(sigs), "kernel"), strings.Join(sigs, "\n\t"))
}
