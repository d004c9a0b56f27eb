package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Recompute decides how a loop gets a value that another loop computes. The loop reads the stored value, computes it
// again, or reads the result of a separate loop of table lookups.
//
// A cheap value is computed again if it is needed only after other loops are complete. For example, the variance needs
// x - mean, and later the quotient of x - mean and the deviation needs it again. If x - mean were stored, a whole
// tensor would travel to memory and back.
//
// A costly function of one operand of bytes is looked up. It has at most 256 different results, which the strategy
// table of package schedule computes once. For that, the function must be a loop of its own. Where tiles can hold that
// loop and its readers, the results are still in the cache when they are read. File tables.go finds such functions.
//
// Requires: stage viewed.
// Ensures: no cheap value is stored only for loops that begin later; no loop computes the same costly function of a
// byte for many elements, unless a table would not pay.
func Recompute(s *State) error {
	if s.NoFuse {
		return nil
	}
	f := s.Func
	f.Sweep()
	s.Level = s.levels()
	ofBytes := hasBytes(f)
	if len(s.Level) == 0 || slices.Max(s.Level) == 0 && !ofBytes {
		return nil // one loop computes all
	}
	r := &recomputer{s: s, level: s.Level, stored: s.storedAnyway(), copies: map[copyFor]*ir.Value{}}
	body := f.Body
	if ofBytes {
		r.tables = s.findTables()
	}
	for _, v := range body {
		if v.Op.IsComputed() && s.Fuel.Take(v) {
			for j, a := range v.Args {
				v.Args[j] = r.operand(a, v)
			}
		}
	}
	if len(f.Body) > len(body) {
		f.Body = inOrder(f)
		f.Sweep()
		s.Level = nil
	}
	return nil
}

// recomputer computes cheap values again for the loops that need them.
type recomputer struct {
	s      *State
	tables *tabler                // nil if nothing is looked up
	level  []int32                // by ID
	stored rewrite.ValueMap[bool] // values that have memory whatever this pass decides
	copies map[copyFor]*ir.Value
}

// copyFor identifies a copy of v by the loops that compute it: those of a level, or of v's own level if level is 0.
type copyFor struct {
	v     *ir.Value
	level int32
	apart bool // the loops do no table lookups, but the loop of v does
}

// storedAnyway returns the values that are stored in any case: results, values read through a view, and operands of ops
// that are loops of their own, such as products and scans.
func (s *State) storedAnyway() rewrite.ValueMap[bool] {
	f := s.Func
	stored := rewrite.MapIn(&s.Pass.Flags, f)
	for _, v := range f.Results {
		*stored.At(v) = true
	}
	for _, v := range f.Body {
		if v.Op == ir.OpAccess || rewrite.Alone(v) {
			for _, a := range v.Args {
				*stored.At(a) = true
			}
		}
	}
	return stored
}

// operand returns the value that v reads instead of its operand a.
func (r *recomputer) operand(a, v *ir.Value) *ir.Value {
	l := loop{cuts: r.tables != nil && r.tables.cuts(v), tabled: r.s.tabled[v]}
	if level := r.level[v.ID]; r.isWorth(a, level) {
		l.level = level
	}
	return r.in(l, a)
}

// loop describes the loop that reads a value.
type loop struct {
	level  int32 // cheap values of earlier levels are computed again; 0 if none are
	cuts   bool  // it needs more than functions of single bytes
	tabled bool  // it is a loop of table lookups
}

// in returns the value that the loop l reads instead of a.
func (r *recomputer) in(l loop, a *ir.Value) *ir.Value {
	looked, apart := l.cuts && r.tables.looked[a], r.s.tabled[a] && !l.tabled
	if !looked && !(l.cuts && apart) && (!r.cheap(a) || r.level[a.ID] >= l.level) {
		return a
	}
	key := copyFor{a, l.level, apart}
	c := r.copies[key]
	switch {
	case c != nil:
		return c
	case looked:
		c = r.tables.lookUp(a)
	default:
		again := *a
		again.Args = slices.Clone(a.Args)
		for i, x := range a.Args {
			again.Args[i] = r.in(l, x)
		}
		c = r.s.Func.Append(again)
		for len(r.level) <= c.ID {
			r.level = append(r.level, 0)
		}
		r.level[c.ID] = max(l.level, r.level[a.ID])
		if l.tabled {
			r.s.tabled[c] = true
		}
		r.s.Record(plan.Recomputed, c, 0, "to compute it again costs less than to store it and read it back")
	}
	r.copies[key] = c
	return c
}

// isWorth reports whether computing a again at a level costs less than storing it.
func (r *recomputer) isWorth(a *ir.Value, level int32) bool {
	if !r.cheap(a) || r.level[a.ID] >= level {
		return false
	}
	ops, cost := 0, 0.0
	var streams []*ir.Value
	r.measure(a, &ops, &cost, &streams)
	return cost <= rewrite.AgainWork && ops <= rewrite.AgainOps && len(streams) <= rewrite.AgainStreams
}

// cheap reports whether a is an elementwise value that is not stored in any case.
func (r *recomputer) cheap(a *ir.Value) bool {
	return a.Op.IsElementwise() && a.Op != ir.OpCopy && !*r.stored.At(a)
}

// measure adds up the ops that compute a value from buffers and their cost. It collects as streams the buffers that
// supply more than one element per row.
func (r *recomputer) measure(a *ir.Value, ops *int, cost *float64, streams *[]*ir.Value) {
	if *ops > rewrite.AgainOps {
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

// repeatsLine reports whether a value repeats one element along its whole last axis.
func repeatsLine(a *ir.Value) bool {
	if a.Op != ir.OpAccess {
		return false
	}
	s := a.Attr.At.Strides
	return len(s) > 0 && s[len(s)-1] == 0
}
