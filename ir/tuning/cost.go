package tuning

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Work returns the cost of a step, in additions of float32, if one assembly kernel computes the
// whole body.
func (m *Machine) Work(s *plan.Step) float64 {
	n := m.BodyWork(s)
	for _, a := range s.Axes {
		n *= float64(a.Extent)
	}
	return n
}

// BodyWork returns the cost of one index of a step: its loads and stores and its ops.
func (m *Machine) BodyWork(s *plan.Step) float64 { return m.LoadWork + OpWork(s) }

// OpWork returns the cost of the ops of one index of a step. The kernels of products that widen an operand do so once for
// several rows.
func OpWork(s *plan.Step) float64 {
	if s.Contracts() {
		return kernel.ProductOf(s.Body).Info().Cost
	}
	work := 0.0
	for _, in := range s.Body.Body {
		work += in.Op.Info().Cost
	}
	return work
}

// Pieces returns the least number of pieces that work is divided into for the given number of goroutines. A small task is
// one piece for each goroutine, if the pieces are worth it: all start at once, and find the data of their piece in the
// cache where they left it. A larger task is two pieces for each, as some goroutines start late.
func (m *Machine) Pieces(goroutines int, work float64) int {
	if goroutines <= 1 {
		return 1
	}
	upTo := func(most int, least float64) int { return int(min(float64(most), work/least)) }
	return max(1, upTo(goroutines, m.PieceWork), upTo(2*goroutines, m.WakeWork))
}

// Nanos returns the estimated time of work in one goroutine, in nanoseconds.
func (m *Machine) Nanos(work float64) float64 { return work * m.WakeNanos / m.WakeWork }

// AssembleTime returns the estimated time to assemble the kernel of a step, in nanoseconds. The cost of composed ops stands for the
// number of instructions of their expansions, those of 8 bytes for two: they need twice the registers.
func (m *Machine) AssembleTime(s *plan.Step) float64 {
	expanded := 0.0
	for i, in := range s.Body.Body {
		if info := in.Op.Info(); info.Kind == ir.Composed {
			expanded += info.Cost * max(1, float64(s.Body.DType(kernel.Ref(len(s.Body.In)+i)).Size())/4)
		}
	}
	return m.AssembleNanos + m.AssembleWork*OpWork(s) + m.AssembleExpanded*expanded*expanded
}
