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
	formed := tile.Form(s.Plan, tile.Options{Machine: m, Frozen: s.IsFrozen, Eager: s.Eager, NoFuse: s.NoFuse})
	for _, b := range formed.InBody {
		notStored(s, b)
	}
	for at, i := range s.Step.List {
		if i > 0 {
			s.Step.List[at] = int32(1 + formed.Steps[i-1])
		}
	}
	for at, i := range s.Buffer.List {
		if i > 0 && formed.Buffers != nil {
			s.Buffer.List[at] = int32(1 + formed.Buffers[i-1])
		}
	}
	for _, b := range formed.Again {
		if v := inBuffer(s, b); v != nil {
			s.Record(plan.Recomputed, v, 0, overlapReason)
		}
	}
	if len(s.Plan.Rows) > 0 || formed.Buffers != nil {
		s.Plan.Ledger = s.Decisions()
	}
	return nil
}

const overlapReason = "the windows of two blocks of rows have rows in common"

// inBuffer returns the first value that is in a buffer, nil if there is none.
func inBuffer(s *State, buffer int) *ir.Value {
	k := slices.IndexFunc(s.Func.Body, func(v *ir.Value) bool { return int(*s.Buffer.At(v)) == 1+buffer })
	if k < 0 {
		return nil
	}
	return s.Func.Body[k]
}

// notStored notes that the rows of a gather, which a buffer was for, are not stored: the ledger says that
// they are.
func notStored(s *State, buffer int) {
	about := inBuffer(s, buffer)
	for i, v := range s.Ledger.About {
		if e := &s.Ledger.List[i]; about != nil && v == about && e.Kind == plan.Materialized {
			e.Kind, e.Reason = plan.Fused, ""
		}
	}
}

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
