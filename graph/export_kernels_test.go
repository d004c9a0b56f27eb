package graph

import (
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// beside is the library of an AVX2 process that has the built-in kernels and a program's own.
type beside map[string]bool

func (b beside) Engine(signature string) (string, bool) {
	_, _, builtin := abi.Find(abi.AVX2, signature)
	return abi.AVX2.String(), builtin || b[signature]
}

func (beside) Vector(string) int { return abi.AVX2.Vector() }

// MissingBeside returns the signatures of the steps that are tilings, for sizes and layouts of inputs (nil:
// contiguous), with the built-in kernels and the given ones.
func (p *Program) MissingBeside(kernels []string, sizes map[string]int, layouts []*layout.Layout) ([]string, error) {
	b, err := p.compiled.Compile(sizes, layouts)
	if err != nil {
		return nil, err
	}
	lib := beside{}
	for _, sig := range kernels {
		lib[sig] = true
	}
	var sigs []string
	for _, pl := range []*plan.Plan{b.Once, b.Plan} {
		if pl == nil {
			continue
		}
		nests, err := schedule.Schedule(pl, p.compiled.Machine, lib, schedule.Options{})
		if err != nil {
			return nil, err
		}
		for i := range nests.Tasks {
			for _, c := range nests.Tasks[i].Choices {
				if c.Kernels > 1 {
					sigs = append(sigs, c.Kernel)
				}
			}
		}
	}
	return sigs, nil
}
