package nest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The check of a call's arguments against each other: what is stored has the place of what is read, element by element, or is
// disjoint from it.

// memoryOf identifies the memory of a slot, and returns the slot's first byte in it. Slots of one memory may share bytes; slots of
// different memories do not. Temporaries that begin at one byte are one memory; others that share bytes are not live at the
// same time.
func (v *verifier) memoryOf(s *Slot) (id memoryID, at int) {
	switch s.Kind {
	case Scratch:
		return memoryID{kind: Scratch}, s.Offset
	case Table, Bytes:
		return memoryID{kind: s.Kind}, 0
	}
	if b := &v.p.Buffers[s.Buffer]; b.Kind == plan.TempBuffer {
		return memoryID{Operand, true, b.Offset}, 0
	}
	if v.shared != nil && v.shared.has(s) {
		return memoryID{Operand, false, v.shared.result}, 0
	}
	return memoryID{Operand, false, s.Buffer}, 0
}

type memoryID struct {
	kind  SlotKind
	arena bool
	n     int
}

// overlaps checks the stored arguments of a call against its other arguments.
func (v *verifier) overlaps(call *Call, args []access) {
	inPlace := kernel.InPlace(call.Kernel)
	for i := range args {
		a := &args[i]
		if !a.stores || a.empty() {
			continue
		}
		var c checked
		block := newRegion(&c, 0, (&footprint{loops: a.loops, dims: a.dims, size: a.size}).axes(&c, len(a.loops)))
		if c.bad || !block.injective() && !(inPlace && a.carried(args)) {
			v.fail(a.place, "one call stores two elements to one place")
		}
		if kernel.ReadsOutput(call.Kernel, func(i int) bool { return call.Fields[i].N != 0 }) {
			a.updates = true
		}
		for j := range args {
			b := &args[j]
			switch {
			case i == j || b.empty() || b.stores && j < i:
			case inPlace && !b.stores && a.samePlace(b) && *a.slot == *b.slot:
				a.updates = true
			case inPlace && !b.stores && v.sameBytes(a, b) && a.samePlace(b):
			case inPlace && !b.stores && a.below(b):
				b.above = true
			case !v.apartInCall(a, b):
				v.fail(a.place, "it shares bytes with argument %d, and not element by element", j)
			}
		}
	}
}

// samePlace reports whether two arguments have each element at the same distance from
// the beginning of their slots.
func (a *access) samePlace(b *access) bool {
	for i, d := range a.dims {
		if one := d.parent < 0 && d.n == 1; d != b.dims[i] && !(one && d.parent == b.dims[i].parent && d.n == b.dims[i].n) {
			return false
		}
	}
	for k := range a.strides {
		if a.strides[k] != b.strides[k] && a.loops[k].count() > 1 {
			return false
		}
	}
	return a.begin == b.begin && a.size == b.size
}

// carried reports whether a call stores one line for all rows and also reads it. Each row then takes it from the row before, as
// kernels compute rows in order.
func (a *access) carried(args []access) bool {
	return a.dims[0].stride == 0 && a.dims[1].stride == a.size &&
		slices.ContainsFunc(args, func(b access) bool { return !b.stores && a.samePlace(&b) && *a.slot == *b.slot })
}

// below reports whether a call stores one line behind the one it reads, in a loop that also advances by a line. Each row then reads
// what the row before has stored.
func (a *access) below(b *access) bool {
	step := a.dims[0].stride
	back := func(stride int) bool { return step > 0 && stride < 0 || step < 0 && stride > 0 }
	return *a.slot == *b.slot && a.begin-b.begin == step && a.size == b.size && slices.Equal(a.strides, b.strides) &&
		slices.Equal(a.dims, b.dims) && !slices.ContainsFunc(a.strides[a.outer:], back)
}

// sameBytes reports whether the slots of two arguments begin at the same byte.
func (v *verifier) sameBytes(a, b *access) bool {
	aMemory, aAt := v.memoryOf(a.slot)
	bMemory, bAt := v.memoryOf(b.slot)
	return aMemory == bMemory && aAt == bAt
}

// apartInCall reports whether two arguments of a call are disjoint: within each iteration if they move alike, otherwise over all
// iterations.
func (v *verifier) apartInCall(a, b *access) bool {
	aMemory, aAt := v.memoryOf(a.slot)
	bMemory, bAt := v.memoryOf(b.slot)
	if aMemory != bMemory || aAt+a.ends.hi <= bAt+b.ends.lo || bAt+b.ends.hi <= aAt+a.ends.lo {
		return true
	}
	var c checked
	r, s := a.all, b.all
	if slices.Equal(a.strides, b.strides) {
		r = newRegion(&c, a.begin, (&footprint{loops: a.loops, dims: a.dims, size: a.size}).axes(&c, len(a.loops)))
		s = newRegion(&c, b.begin, (&footprint{loops: b.loops, dims: b.dims, size: b.size}).axes(&c, len(b.loops)))
	}
	r.lo, r.hi, s.lo, s.hi = c.add(r.lo, aAt), c.add(r.hi, aAt), c.add(s.lo, bAt), c.add(s.hi, bAt)
	return !c.bad && r.apart(&s)
}
