package rewrite

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Ledger has decisions about values. Until decisions is called, their steps are not known.
type Ledger struct {
	List  []plan.Decision
	About []*ir.Value
}

// add notes a decision.
func (l *Ledger) add(d plan.Decision, about *ir.Value) {
	d.Step = -1
	l.List, l.About = append(l.List, d), append(l.About, about)
}

// Remove removes the decisions about some values.
func (l *Ledger) Remove(values map[*ir.Value]bool) {
	n := 0
	for i, v := range l.About {
		if !values[v] {
			l.List[n], l.About[n] = l.List[i], v
			n++
		}
	}
	l.List, l.About = l.List[:n], l.About[:n]
}

// Record notes a decision.
func (s *State) Record(kind plan.DecisionKind, v *ir.Value, bytes int, reason string) {
	s.Ledger.add(plan.Decision{Kind: kind, Op: v.Op, Pos: v.Pos, Bytes: bytes, Reason: reason}, v)
}
