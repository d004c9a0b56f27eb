package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// entry is a decision about a value, before the value's step is known.
type entry struct {
	plan.Decision
	value *ir.Value
}

// record notes a decision.
//
//go:noinline
func (s *State) record(kind plan.DecisionKind, v *ir.Value, bytes int, reason string) {
	s.ledger = append(s.ledger, entry{plan.Decision{Kind: kind, Op: v.Op, Pos: v.Pos, Bytes: bytes, Reason: reason, Step: -1}, v})
}

// decisions returns the ledger, each entry with the step that computes its value.
func (s *State) decisions() []plan.Decision {
	out := slices.Grow(s.Plan.Ledger[:0], len(s.ledger))[:len(s.ledger)]
	for i, e := range s.ledger {
		out[i] = e.Decision
		v := e.value
		if v.ID >= len(s.Func.Body) || s.Func.Body[v.ID] != v {
			continue // nothing needs it
		}
		out[i].Step = int(*s.step.at(v)) - 1
		held := v
		if p := s.placed[v]; p.in != nil {
			held = p.in
		}
		if b := *s.buffer.at(held) - 1; b >= 0 && (e.Kind == plan.Materialized || e.Kind == plan.Copied && e.Op == ir.OpCopy) && s.Plan.Buffers[b].Kind == plan.ScratchBuffer {
			out[i].Kind = plan.Staged
		}
	}
	return out
}
