package rewrite

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Ledger is a list of decisions about values. The number of the step is filled in later, by form.State.Decisions.
type Ledger struct {
	List  []plan.Decision
	About []*ir.Value
}

// add records a decision.
func (l *Ledger) add(d plan.Decision, about *ir.Value) {
	d.Step = -1
	l.List, l.About = append(l.List, d), append(l.About, about)
}

// Remove removes the decisions about a set of values.
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

// Moved returns the bytes that memory moves for an array that is written and read, or the greatest int if they are more.
func Moved(bytes int) int { return 2 * min(bytes, math.MaxInt/2) }

// Record records a decision about v. That about a reduction is about the op that combines its elements.
func (s *State) Record(kind plan.DecisionKind, v *ir.Value, bytes int, reason string) {
	op := v.Op
	if op == ir.OpReduceChunks {
		op = v.Attr.By
	}
	s.Ledger.add(plan.Decision{Kind: kind, Op: op, Pos: v.Pos, Bytes: bytes, Reason: reason}, v)
}
