package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Kernels returns the signatures of the kernels that compute a plan's bodies if every kernel exists, in order of use, without
// those of copies into local memory. If operands are interleaved it includes the kernel for other sizes and layouts, where they
// are not. The list is the same on every machine: it has the kernels for vectors of 32 and of 64 bytes, and those for NEON.
func Kernels(p *plan.Plan, m *tuning.Machine, o Options) []string {
	var sigs []string
	seen := map[string]bool{"": true}
	add := func(sig string) {
		if !seen[sig] {
			seen[sig] = true
			sigs = append(sigs, sig)
		}
	}
	one := *m
	one.RowsAtOnce = 1 // kernels of several rows are built in
	for _, vector := range []int{32, 64} {
		one.SetVector(vector)
		addKernels(p, &one, o, add)
	}
	neon := *tuning.NEON(m.Workers)
	neon.RowsAtOnce = one.RowsAtOnce
	addKernels(p, &neon, o, add)
	return sigs
}

// addKernels calls add with the kernels of a plan, and with those that take no groups of members.
func addKernels(p *plan.Plan, m *tuning.Machine, o Options, add func(sig string)) {
	groups := kernelsOf(p, m, o, add)
	for _, sig := range groupKernels(p, m, o) {
		groups = true
		add(sig)
	}
	if groups {
		o.noGroups = true
		kernelsOf(p, m, o, add)
	}
}

// kernelsOf calls add with the kernels of a plan if every kernel exists. It reports whether some take groups.
func kernelsOf(p *plan.Plan, m *tuning.Machine, o Options, add func(sig string)) (groups bool) {
	out, err := Schedule(p, m, complete{}, o)
	if err != nil {
		panic("BUG: schedule: with every kernel: " + err.Error())
	}
	for i := range out.Tasks {
		t := &out.Tasks[i]
		for _, c := range t.Choices {
			add(c.Kernel)
		}
		for _, part := range t.Parts {
			for c := range calls(part.Items) {
				if !moves(c.Kernel) {
					add(c.Kernel.Signature())
				}
				k, ok := c.Kernel.(*kernel.Kernel)
				groups = groups || ok && k.Interleaved()
			}
		}
	}
	return groups
}

// moves reports whether a kernel moves elements as they are, or is a micro-kernel without a body, which the library brings.
func moves(c kernel.Code) bool {
	if m, ok := c.(*kernel.Micro); ok {
		return m.Body == nil
	}
	k := c.(*kernel.Kernel)
	return len(k.Body) == 1 && k.Body[0].Op == ir.OpCopy
}

// empty is the library without kernels.
type empty struct{}

func (empty) Engine(string) (string, bool) { return "", false }
func (empty) Vector(string) int            { return tuning.Default(1).Vector }

// complete is the library of every kernel that Verify accepts. Others, such as a micro-kernel of a type that its row lacks, are
// in no list of kernels.
type complete struct{}

func (complete) Engine(signature string) (string, bool) {
	_, err := kernel.ParseCode(signature)
	return "complete", err == nil
}

func (complete) Vector(string) int { return tuning.Default(1).Vector }
