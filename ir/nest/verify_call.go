package nest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The checks of one call: its sizes, and each argument in its slot. Accesses to buffers are recorded for the checks of the task.

// access is an argument of a call.
type access struct {
	footprint
	arg     kernel.Arg
	slot    *Slot
	place   place
	part    int
	outer   int    // number of parallel loops
	all     region // of all iterations; it may contain bytes outside ends
	ends    span   // the bytes of all iterations, from the first to the last
	stores  bool
	updates bool // the call reads what it stores
	above   bool // each line that is read, except the first, is one that the call has stored
}

// call checks a call inside the present loops.
func (v *verifier) call(c *Call) {
	at := place{task: v.index, kind: "call", n: v.numCalls, part: v.part, call: c, arg: -1}
	v.numCalls++
	if c.Kernel == nil {
		v.fail(at, "there is no kernel")
		return
	}
	if err := cmp.Or(c.Kernel.Verify(), kernel.CheckSignature(c.Kernel)); err != nil {
		v.fail(at, "%v", err)
		return
	}
	if c.NonTemporal && !kernel.NonTemporal(c.Kernel, math.MaxInt) { // of no engine
		v.fail(at, "the kernel does not store past the caches")
		return
	}
	infos, fields := c.Kernel.Args(), c.Kernel.Fields()
	if len(c.Args) != len(infos) || len(c.Fields) != len(fields) {
		v.fail(at, "%d arguments and %d fields, the kernel has %d and %d", len(c.Args), len(c.Fields), len(infos), len(fields))
		return
	}
	if msg := v.sizes(c); msg != "" {
		v.fail(at, "%s", msg)
		return
	}
	args := make([]access, len(infos))
	for i, info := range infos {
		a, msg := v.arg(c, info, &c.Args[i])
		if msg != "" {
			v.fail(at.argument(i), "%s", msg)
			return
		}
		a.place, a.part, a.outer = at.argument(i), v.part, v.outer
		args[i] = a
	}
	if v.dead || v.shared != nil && !slices.ContainsFunc(args, func(a access) bool { return v.shared.has(a.slot) }) {
		return
	}
	v.overlaps(c, args)
	if v.shared == nil {
		v.localMemory(args)
	}
	for i := range args {
		a := &args[i]
		if v.notes(a.slot) && !a.empty() {
			v.accesses = append(v.accesses, *a)
		}
	}
}

// notes reports whether accesses to a slot are compared with those of other calls.
func (v *verifier) notes(s *Slot) bool {
	if v.shared != nil {
		return v.shared.has(s)
	}
	return s.Kind == Operand && !v.p.Buffers[s.Buffer].Kind.ReadOnly()
}

// arg returns the access of an argument, or an error text.
func (v *verifier) arg(call *Call, info kernel.Arg, a *Arg) (out access, wrong string) {
	var c checked
	if a.Slot < 0 || a.Slot >= len(v.now.Slots) {
		return out, "there is no such slot"
	}
	if len(a.Strides) != len(v.loops) {
		return out, fmt.Sprintf("%d strides in %d loops", len(a.Strides), len(v.loops))
	}
	s := &v.now.Slots[a.Slot]
	size := s.DType.Size()
	out = access{arg: info, slot: s, stores: info.Out}
	out.loops, out.size, out.begin = slices.Clone(v.loops), info.DType.Size(), c.mul(a.Offset, size)
	for _, n := range a.Strides {
		out.strides = append(out.strides, c.mul(n, size))
	}
	across := info.DType.Size()
	if info.Across != kernel.One {
		across = sizeOf(call, info.Across).N
		if across%size != 0 {
			return out, fmt.Sprintf("%s=%d is not a multiple of the %d bytes of an element", kernel.NameOf(call.Kernel, info.Across), across, size)
		}
	}
	for _, d := range []struct {
		kernel.Extent
		stride int
	}{{info.Outer, c.mul(a.Step, size)}, {info.Inner, c.mul(across, info.Each())}} {
		n := sizeOf(call, d.Extent)
		out.dims = append(out.dims, dim{n.Loop, n.N, d.stride})
	}
	out.dims = append(out.dims, dim{-1, info.Each(), out.size})
	if !info.Takes(s.DType) {
		return out, fmt.Sprintf("the slot has %s, the kernel %s", s.DType.Text(), info.DType.Text())
	}
	if info.Out && (s.Kind == Table || s.Kind == Bytes || s.Kind == Operand && v.p.Buffers[s.Buffer].Kind.ReadOnly()) {
		return out, "it is stored to read-only memory"
	}
	return out, v.inside(&c, &out)
}

// sizeOf returns the size of an argument's extent.
func sizeOf(c *Call, d kernel.Extent) Size {
	switch d {
	case kernel.One:
		return Fixed(1)
	case kernel.Rows:
		return c.Rows
	case kernel.Cols:
		return c.Cols
	case kernel.None:
		return Fixed(0)
	}
	return c.Fields[d-kernel.Field0]
}

// inside computes the region of an access, and returns an error text if bytes are outside the slot. A block without elements still
// has a place.
func (v *verifier) inside(c *checked, a *access) string {
	least, end := v.bounds(a.slot)
	f := a.footprint
	if a.empty() {
		f.dims, f.size = nil, 0
	}
	lo, hi := f.bounds(c, -1, 1)
	lo, hi = c.add(f.begin, lo), c.add(c.add(f.begin, hi), f.size)
	if !a.empty() {
		a.all, a.ends = newRegion(c, a.begin, a.axes(c, 0)), span{lo, hi}
	}
	switch {
	case c.bad:
		return "its bytes pass int"
	case !v.dead && (lo < least || hi > end):
		return fmt.Sprintf("bytes %d to %d are outside the slot, which has %d to %d", lo, hi, least, end)
	}
	return ""
}

// empty reports whether an access touches no element.
func (f *footprint) empty() bool {
	return slices.ContainsFunc(f.dims, func(d dim) bool { return d.n == 0 })
}

// bounds returns the bytes of a slot. They fit an int: slots and buffers are checked.
func (v *verifier) bounds(s *Slot) (lo, hi int) {
	n := s.Elems
	if s.Kind == Operand {
		b := &v.p.Buffers[s.Buffer]
		if n = b.Size(); b.At != nil {
			first, last := b.At.Bounds()
			return first * s.DType.Size(), (last + 1) * s.DType.Size()
		}
	}
	return 0, n * s.DType.Size()
}
