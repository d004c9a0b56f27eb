package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// tiles forms tile groups: see tile.Form.
//
// Requires: loops.
// Ensures: groups of consecutive steps; buffers that only a group uses are scratch. The ledger is final but for sizes.
func tiles(s *State, m *tuning.Machine) error {
	formed := tile.Form(s.Plan, tile.Options{Machine: m, Frozen: s.isFrozen, Eager: s.eager, NoFuse: s.noFuse})
	for _, b := range formed.InBody {
		s.notStored(b)
	}
	for at, i := range s.step.list {
		if i > 0 {
			s.step.list[at] = int32(1 + formed.Steps[i-1])
		}
	}
	for at, i := range s.buffer.list {
		if i > 0 && formed.Buffers != nil {
			s.buffer.list[at] = int32(1 + formed.Buffers[i-1])
		}
	}
	for _, b := range formed.Again {
		if v := s.inBuffer(b); v != nil {
			s.record(plan.Recomputed, v, 0, overlapReason)
		}
	}
	if len(s.Plan.Rows) > 0 || formed.Buffers != nil {
		s.Plan.Ledger = s.decisions()
	}
	return nil
}

const overlapReason = "the windows of two blocks of rows have rows in common"

// inBuffer returns the first value that is in a buffer, nil if there is none.
func (s *State) inBuffer(buffer int) *ir.Value {
	k := slices.IndexFunc(s.Func.Body, func(v *ir.Value) bool { return int(*s.buffer.at(v)) == 1+buffer })
	if k < 0 {
		return nil
	}
	return s.Func.Body[k]
}

// notStored notes that the rows of a gather, which a buffer was for, are not stored: the ledger says that
// they are.
func (s *State) notStored(buffer int) {
	about := s.inBuffer(buffer)
	for i, v := range s.ledger.about {
		if e := &s.ledger.list[i]; about != nil && v == about && e.Kind == plan.Materialized {
			e.Kind, e.Reason = plan.Fused, ""
		}
	}
}

// isFrozen reports whether a param never changes.
func (s *State) isFrozen(param int) bool { return len(s.frozen) > 0 && s.frozen[s.Func.Params[param]] }

// buffers gives the temporaries and scratch buffers their memory: see tile.Place.
//
// Requires: loops, tiles.
// Ensures: buffers of one memory that live at the same time do not overlap; Arena and Scratch cover them.
func buffers(s *State) error { return tile.Place(s.Plan) }

// Place verifies a plan as it is before the pass buffers, such as one parsed from a dump, and
// gives its temporaries and scratch buffers their memory. A plan that has memory is verified.
func Place(p *plan.Plan) error {
	if p == nil || p.Placed() {
		return p.Verify()
	}
	if err := p.VerifyUnplaced(); err != nil {
		return err
	}
	if err := tile.Place(p); err != nil {
		return err
	}
	return p.Verify()
}
