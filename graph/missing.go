package graph

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
)

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
