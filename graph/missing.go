package graph

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
)

// Kernels that a program would run if they were generated. Without them it computes the
// same bits as a tiling of built-in kernels.

// Missing returns the signatures of the kernels that no go generate has made: of the last
// run, or of the example sizes, and of other lengths of the lines that are reduced. The
// loops of those are tilings of built-in kernels. It is empty where every loop is one
// kernel; Kernels lists all.
func (p *Program) Missing() []string {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	return p.missing(append([]*plan.Plan{bound.Plan}, p.compiled.Others(bound)...)...)
}

// missing returns the signatures for which plans run tilings, and no engine has a kernel: on the
// portable one a program lacks those loops of the library's that serve other engines.
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

// WithGeneratedKernels makes Compile, and the first run with inputs of new sizes and
// layouts, fail if a loop has no generated kernel: the error lists their signatures. It is
// for programs whose speed is relied on, so that a formula that was edited without go
// generate is noticed by a test and not in production.
func WithGeneratedKernels() Option { return func(s *settings) { s.generated = true } }

// checkKernels returns an error if kernels are missing that must be there.
func (p *Program) checkKernels(call string, sigs []string) error {
	if !p.generated || len(sigs) == 0 {
		return nil
	}
	return p.misuse(call, "%s not generated: run go generate in the package whose function returns this program:\n\t%s",
		plural(len(sigs), "kernel"), strings.Join(sigs, "\n\t"))
}
