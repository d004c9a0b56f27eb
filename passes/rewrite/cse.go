package rewrite

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// CSE merges values that compute the same: common subexpression elimination. At this point equal values are accesses
// with equal layouts and values that several views computed.
//
// Requires: stage viewed.
// Ensures: no two values with the same op, attributes and operands.
func CSE(s *State) error {
	if s.Distinct {
		return nil
	}
	n := s.Numbering()
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) { return n.First(v), nil })
}

// CheckCSE returns an error if two values compute the same.
func CheckCSE(s *State) error {
	n := newNumbering(s.Func)
	for _, v := range s.Func.Body {
		if w := n.First(v); w != v {
			return fmt.Errorf("%%%d and %%%d compute the same", w.ID, v.ID)
		}
	}
	return nil
}

// Numbering finds values that compute the same. It compares constants by their bits, so 0 and -0 differ, and ignores
// the order of commutative operands. It is a hash table of the values themselves, because the keys of a Go map would
// be as large as the values.
type Numbering struct {
	slots []*ir.Value // 2^k slots, at most half of them used
	known int
}

func newNumbering(f *ir.Func) *Numbering {
	return &Numbering{slots: make([]*ir.Value, slotsFor(f))}
}

// Numbering returns an empty numbering. It reuses the memory of the last one that it returned.
func (s *State) Numbering() *Numbering {
	if slots := slotsFor(s.Func); len(s.slots) < slots {
		s.slots = s.Whole.Values.Take(slots)
	}
	clear(s.slots)
	return &Numbering{slots: s.slots}
}

// slotsFor returns the number of slots for the values of a graph.
func slotsFor(f *ir.Func) int { return 1 << bits.Len(uint(2*len(f.Body)+2)) }

// First returns the first value seen that computes the same as v. It returns v if there is none.
func (n *Numbering) First(v *ir.Value) *ir.Value {
	if v.Op == ir.OpParam {
		return v
	}
	if 2*n.known >= len(n.slots) {
		n.grow()
	}
	at := n.find(v)
	if *at == nil {
		*at = v
		n.known++
	}
	return *at
}

// find returns the slot of a value that computes the same as v, or a free slot.
func (n *Numbering) find(v *ir.Value) **ir.Value {
	mask := uint64(len(n.slots) - 1)
	for h := hash(v) & mask; ; h = (h + 1) & mask {
		if w := n.slots[h]; w == nil || same(v, w) {
			return &n.slots[h]
		}
	}
}

func (n *Numbering) grow() {
	old := n.slots
	n.slots = make([]*ir.Value, 2*len(old))
	for _, v := range old {
		if v != nil {
			*n.find(v) = v
		}
	}
}

// operands appends the numbers of v's operands to ids, in ascending order if v is commutative.
func operands(ids []int32, v *ir.Value) []int32 {
	for _, a := range v.Args {
		ids = append(ids, number(a))
	}
	if v.Op.Info().Commutative && ids[0] > ids[1] {
		ids[0], ids[1] = ids[1], ids[0]
	}
	return ids
}

// number identifies a value of a numbered graph: positive for values of the body, negative for params.
func number(v *ir.Value) int32 {
	if v.Op == ir.OpParam {
		return -1 - int32(v.ID)
	}
	return 1 + int32(v.ID)
}

// same reports whether two values compute the same.
func same(v, w *ir.Value) bool {
	if v == w {
		return true
	}
	a, b := v.Attr, w.Attr
	var vs, ws [3]int32
	return v.Op == w.Op && v.Type.DType == w.Type.DType && a.Bits == b.Bits && slices.Equal(operands(vs[:0], v), operands(ws[:0], w)) &&
		(v.Op.IsElementwise() || v.Type.Shape.Equal(w.Type.Shape) && a.Equal(b))
}

// hash returns equal numbers for values that compute the same.
func hash(v *ir.Value) uint64 {
	h := uint64(v.Op)<<8 + uint64(v.Type.DType)
	mix := func(x int) { h = bits.RotateLeft64((h^uint64(x))*0x9e3779b97f4a7c15, 29) }
	var ids [3]int32
	for _, id := range operands(ids[:0], v) {
		mix(int(id))
	}
	mix(int(v.Attr.Bits))
	if l := v.Attr.At; l != nil {
		mix(l.Offset)
		for _, n := range l.Strides {
			mix(n)
		}
	}
	if !v.Op.IsElementwise() {
		for _, n := range v.Attr.Axes {
			mix(n)
		}
		begin, _ := v.Attr.Begin.Int()
		for _, n := range [...]int{v.Attr.Axis, begin, v.Attr.Step, int(v.Attr.By)} {
			mix(n)
		}
		for _, d := range v.Type.Shape {
			n, _ := d.Int()
			mix(n)
		}
	}
	return h
}
