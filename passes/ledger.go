package passes

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// ledger has decisions about values. Until decisions is called, their steps are not known.
type ledger struct {
	list  []plan.Decision
	about []*ir.Value
}

// add notes a decision.
func (l *ledger) add(d plan.Decision, about *ir.Value) {
	d.Step = -1
	l.list, l.about = append(l.list, d), append(l.about, about)
}

// remove removes the decisions about some values.
func (l *ledger) remove(values map[*ir.Value]bool) {
	n := 0
	for i, v := range l.about {
		if !values[v] {
			l.list[n], l.about[n] = l.list[i], v
			n++
		}
	}
	l.list, l.about = l.list[:n], l.about[:n]
}

// record notes a decision.
func (s *State) record(kind plan.DecisionKind, v *ir.Value, bytes int, reason string) {
	s.ledger.add(plan.Decision{Kind: kind, Op: v.Op, Pos: v.Pos, Bytes: bytes, Reason: reason}, v)
}
