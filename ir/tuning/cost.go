package tuning

import "github.com/stridefuse/stridefuse/ir/plan"

// Work returns what a step costs in additions of float32, by a kernel of the better
// engine for the whole body.
func (m *Machine) Work(s *plan.Step) float64 {
	n := m.BodyWork(s)
	for _, a := range s.Axes {
		n *= float64(a.Extent)
	}
	return n
}

// BodyWork returns what one index of a step costs.
func (m *Machine) BodyWork(s *plan.Step) float64 { return m.LoadWork + OpWork(s) }

// OpWork returns what the ops of one index cost.
func OpWork(s *plan.Step) float64 {
	work := 0.0
	for _, in := range s.Body.Body {
		work += in.Op.Info().Cost
	}
	return work
}
