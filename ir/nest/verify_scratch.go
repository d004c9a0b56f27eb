package nest

import (
	"slices"
)

// The check that an iteration of a part only reads local memory that it has stored. Local memory is reused by iterations, tasks
// and programs, so it holds what others left there.

// span is the bytes of local memory from lo to before hi.
type span struct{ lo, hi int }

// localMemory checks a call's reads of local memory, and records its stores.
func (v *verifier) localMemory(args []access) {
	for i := range args {
		a := &args[i]
		if a.slot.Kind == Scratch && (!a.stores || a.updates) && !a.above && !a.empty() && !v.isLocal(a) {
			v.fail(a.place, "local memory is read before it is stored")
		}
	}
	for i := range args {
		if a := &args[i]; a.slot.Kind == Scratch && a.stores && !a.empty() {
			v.storeLocal(a.local())
		}
	}
}

// local returns the bytes from the first to the last that an access touches. They are inside its slot.
func (a *access) local() span { return span{a.slot.Offset + a.ends.lo, a.slot.Offset + a.ends.hi} }

// storeLocal records that a span is stored. All bytes from the first to the last that an argument stores count: a read may seem to
// touch bytes between them, such as the missing columns of a panel.
func (v *verifier) storeLocal(s span) {
	first := slices.IndexFunc(v.locals, func(l span) bool { return l.hi >= s.lo })
	if first < 0 {
		v.locals = append(v.locals, s)
		return
	}
	last := first
	for ; last < len(v.locals) && v.locals[last].lo <= s.hi; last++ {
		s = span{min(s.lo, v.locals[last].lo), max(s.hi, v.locals[last].hi)}
	}
	v.locals = slices.Insert(append(v.locals[:first], v.locals[last:]...), first, s)
}

// isLocal reports whether the part has stored what an access reads, or at least each line of it: no line reaches into a gap between
// stored spans.
func (v *verifier) isLocal(a *access) bool {
	local := a.local()
	if slices.ContainsFunc(v.locals, func(l span) bool { return l.lo <= local.lo && local.hi <= l.hi }) {
		return true
	}
	if len(a.all.axes) == 0 {
		return false
	}
	lines := a.all.axes[0]
	first := span{a.slot.Offset + a.all.lo, a.slot.Offset + a.all.hi - (lines.n-1)*lines.stride}
	from := first.lo
	for _, l := range v.locals {
		if lines.reachInto(first, span{from, l.lo}) {
			return false
		}
		from = max(from, l.hi)
	}
	return !lines.reachInto(first, span{from, a.slot.Offset + a.all.hi})
}

// reachInto reports whether one of the lines, the first of which is given, has a byte in a gap.
func (lines axis) reachInto(first, gap span) bool {
	k := 0 // the first line that ends behind the beginning of the gap
	if first.hi <= gap.lo {
		k = (gap.lo-first.hi)/lines.stride + 1
	}
	return gap.lo < gap.hi && k < lines.n && first.lo+k*lines.stride < gap.hi
}
