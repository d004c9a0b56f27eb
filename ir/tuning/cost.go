package tuning

import "github.com/stridefuse/stridefuse/ir/plan"

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

// OpWork returns the cost of the ops of one index of a step.
func OpWork(s *plan.Step) float64 {
	work := 0.0
	for _, in := range s.Body.Body {
		work += in.Op.Info().Cost
	}
	return work
}
