package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// recompute computes cheap values again where they are needed only after other
// loops are complete: x - mean is needed for the variance and, when that is
// known, for the quotient. Stored, it would be a tensor that travels to memory
// and back.
//
// Requires: stage viewed.
// Ensures: no cheap value is stored only for loops that begin later.
func recompute(s *State) error {
	if s.noFuse {
		return nil
	}
	f := s.Func
	f.Sweep()
	if s.level = s.levels(); len(s.level) == 0 || slices.Max(s.level) == 0 {
		return nil // one loop computes all
	}
	r := &recomputer{s: s, level: s.level, stored: s.storedAnyway()}
	body := f.Body
	for i, v := range body {
		for j, a := range v.Args {
			if !v.Op.IsComputed() || !r.isWorth(a, r.level[i]) {
				continue
			}
			if r.clones == nil {
				r.clones, f.Body = map[cloneKey]*ir.Value{}, slices.Clone(body[:i])
			}
			v.Args[j] = r.clone(a, r.level[i])
		}
		if r.clones != nil {
			f.Body = append(f.Body, v)
		}
	}
	if r.clones == nil {
		s.level = r.level
		return nil
	}
	f.Sweep()
	s.level = nil
	return nil
}

type recomputer struct {
	s      *State
	level  []int32                // by ID
	stored valueMap[bool]         // has memory whatever is decided here
	clones map[cloneKey]*ir.Value // nil while there are none
}

type cloneKey struct {
	v     *ir.Value
	level int32
}

// storedAnyway finds the values that are results, read through a view, scanned or contracted.
func (s *State) storedAnyway() valueMap[bool] {
	f := s.Func
	stored := mapIn(&s.pass.flags, f)
	for _, v := range f.Results {
		*stored.at(v) = true
	}
	for _, v := range f.Body {
		if v.Op == ir.OpAccess || alone(v) {
			for _, a := range v.Args {
				*stored.at(a) = true
			}
		}
	}
	return stored
}

// isWorth reports whether computing a value again at a level costs less than storing it.
func (r *recomputer) isWorth(a *ir.Value, level int32) bool {
	if !r.cheap(a) || r.level[a.ID] >= level {
		return false
	}
	ops, cost := 0, 0.0
	var streams []*ir.Value
	r.measure(a, &ops, &cost, &streams)
	return cost <= againWork && ops <= againOps && len(streams) <= againStreams
}

func (r *recomputer) cheap(a *ir.Value) bool {
	return a.Op.IsElementwise() && a.Op != ir.OpCopy && !*r.stored.at(a)
}

// measure adds up the ops that compute a value from buffers, their cost, and the
// buffers that are more than one element to a row.
func (r *recomputer) measure(a *ir.Value, ops *int, cost *float64, streams *[]*ir.Value) {
	if *ops > againOps {
		return
	}
	if !r.cheap(a) {
		if !isSplat(a) && !repeatsLine(a) && !slices.Contains(*streams, a) {
			*streams = append(*streams, a)
		}
		return
	}
	*ops++
	*cost += a.Op.Info().Cost
	for _, x := range a.Args {
		r.measure(x, ops, cost, streams)
	}
}

// repeatsLine reports whether a value has one element for a whole line of its
// last axis.
func repeatsLine(a *ir.Value) bool {
	if a.Op != ir.OpAccess {
		return false
	}
	s := a.Attr.At.Strides
	return len(s) > 0 && s[len(s)-1] == 0
}

// clone returns the value computed again at a level.
func (r *recomputer) clone(a *ir.Value, level int32) *ir.Value {
	if !r.cheap(a) || r.level[a.ID] >= level {
		return a
	}
	key := cloneKey{a, level}
	if t := r.clones[key]; t != nil {
		return t
	}
	again := *a
	again.Args = slices.Clone(a.Args)
	for i, x := range a.Args {
		again.Args[i] = r.clone(x, level)
	}
	t := r.s.Func.Append(again)
	r.level = append(r.level, level)
	r.clones[key] = t
	r.s.record(plan.Recomputed, t, 0, "to compute it again costs less than to store it and read it back")
	return t
}
