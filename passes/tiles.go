package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/tile"
)

// tiles groups consecutive steps into row groups, which run block by block so that intermediate values stay in the
// cache: see tile.Form.
//
// Requires: loops.
// Ensures: the steps of a group are consecutive; buffers that only one group uses are scratch.
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

// inBuffer returns the first value that is stored in a buffer, or nil.
func inBuffer(s *State, buffer int) *ir.Value {
	k := slices.IndexFunc(s.Func.Body, func(v *ir.Value) bool { return int(*s.Buffer.At(v)) == 1+buffer })
	if k < 0 {
		return nil
	}
	return s.Func.Body[k]
}

// notStored changes the ledger's entry for the value in a buffer from stored to fused. tile.Form lists buffers that
// are gone in InBody: the steps that read the value now compute it themselves.
func notStored(s *State, buffer int) {
	about := inBuffer(s, buffer)
	for i, v := range s.Ledger.About {
		if e := &s.Ledger.List[i]; about != nil && v == about && e.Kind == plan.Materialized {
			e.Kind, e.Reason = plan.Fused, ""
		}
	}
}

// buffers decides how long each buffer lives. Buffers that depend only on params that never change are kept between runs:
// the steps that write them are marked plan.Step.Once (see markOnce). All other temporaries and scratch buffers get memory
// for the steps that use them (see tile.Place).
//
// Requires: loops, tiles.
// Ensures: no two buffers in one memory overlap while both are live; Arena and Scratch are large enough for all of
// them; the marks are final, and so is the ledger, except for sizes.
func buffers(s *State) error {
	markOnce(s)
	notePacked(s)
	return tile.Place(s.Plan)
}

// Place verifies a plan and, if its buffers have no memory yet, assigns it. A plan has none if it is parsed from the
// dump of an early stage.
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
