package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// tables stores what costly ops make of one operand of bytes where a loop needs it with other
// operands, or reduces it: 256 elements are all that there can be, which strategy table of
// package schedule computes once and looks up. So the ops must be a loop of their own. What it
// stores is in the cache when it is read, wherever overlap can see to that.
//
// Requires: stage viewed.
// Ensures: no loop computes the same costly function of a byte for many elements, unless a table
// of it would not pay.
func tables(s *State) error {
	if s.noFuse || !hasBytes(s.Func) {
		return nil
	}
	f := s.Func
	f.Sweep()
	t := &tabler{s: s, chains: newValueMap[byteChain](f), read: map[*ir.Value]*ir.Value{}, views: map[int]*wholeChain{}, inPlace: map[*ir.Value]bool{},
		functions: map[function]int{}, over: map[function]*ir.Value{}}
	for _, v := range f.Body {
		*t.chains.at(v) = t.chainOf(v)
		if t.cuts(v) {
			for _, a := range v.Args {
				t.cut(a, v)
			}
		}
	}
	if len(t.read) == 0 {
		return nil
	}
	if s.why == nil {
		s.why = map[*ir.Value]string{}
	}
	s.tabled = map[*ir.Value]bool{}
	for v := range t.read {
		if !t.isWhole(v) {
			t.mark(v)
		}
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if t.cuts(v) {
			for i, a := range v.Args {
				v.Args[i] = t.outside(a)
			}
		}
		return v, nil
	})
}

// hasBytes reports whether a graph has operands of one byte, which are not computed in the loop that reads them.
func hasBytes(f *ir.Func) bool {
	for _, values := range [][]*ir.Value{f.Params, f.Body} {
		for _, v := range values {
			if v.Type.DType.Size() == 1 && !v.Op.IsElementwise() {
				return true
			}
		}
	}
	return false
}

type tabler struct {
	s       *State
	chains  valueMap[byteChain]
	read    map[*ir.Value]*ir.Value // the value that loops read instead of one that is looked up, or computed again
	views   map[int]*wholeChain     // by key
	inPlace map[*ir.Value]bool      // values that are looked up in their own order

	functions map[function]int       // their numbers
	over      map[function]*ir.Value // what is computed of all bytes of a buffer, by that and the number
}

// byteChain says what a value is made of, if elementwise ops make it of one operand of bytes, and of
// single elements.
type byteChain struct {
	ok    bool
	bytes *ir.Value // the operand, nil if there are only single elements
	work  float64   // of the costliest way from the bytes to the value, in additions
	axes  uint64    // those along which other operands vary: each of their indices has a table

	function int // the number of what it is of the bytes of a buffer
}

// chain returns the chain of a value that is not after the present one.
func (t *tabler) chain(v *ir.Value) byteChain {
	switch {
	case v.Op.IsElementwise():
		return *t.chains.at(v)
	case isSplat(v):
		return byteChain{ok: true, function: t.leaf(v, false)}
	case repeatsAny(v):
		axes, ok := axesOf(v)
		return byteChain{ok: ok, axes: axes}
	case v.Type.DType.Size() == 1:
		return byteChain{ok: true, bytes: v, function: t.leaf(v, true)}
	}
	return byteChain{}
}

// axesOf returns the axes along which a value that repeats elements varies.
func axesOf(v *ir.Value) (axes uint64, ok bool) {
	at := v.Attr.At
	for k, n := range at.Shape {
		if n > 1 && at.Strides[k] != 0 {
			axes |= 1 << k
		}
	}
	return axes, hasExtents(at.Shape, v)
}

// chainOf returns the chain of an elementwise value, whose operands have theirs.
func (t *tabler) chainOf(v *ir.Value) byteChain {
	if !v.Op.IsElementwise() {
		return byteChain{}
	}
	all, f := byteChain{ok: true}, function{op: v.Op, dtype: v.Type.DType}
	for i, a := range v.Args {
		c := t.chain(a)
		f.args[i] = c.function
		if !c.ok || c.bytes != nil && all.bytes != nil && c.bytes != all.bytes {
			return byteChain{}
		}
		all.axes |= c.axes
		if c.bytes != nil {
			all.bytes, all.work = c.bytes, max(all.work, c.work)
		}
	}
	if all.bytes != nil {
		all.work += v.Op.Info().Cost
	}
	all.function = t.number(f)
	all.ok = all.bytes == nil || all.axes == 0 || entries(v, all.axes) <= size(v.Type.Shape)/fewTables
	return all
}

// fewTables is how many elements there are at least for each entry of several tables.
const fewTables = 16

// entries returns how many elements the tables of a value have that varies along axes.
func entries(v *ir.Value, axes uint64) int {
	n := kernel.Bytes
	for k, e := range extents(v) {
		if axes&(1<<k) != 0 {
			n *= e
		}
	}
	return n
}

// repeatsAny reports whether a value has elements of its buffer several times.
func repeatsAny(v *ir.Value) bool {
	if at := v.Attr.At; at != nil {
		for k, n := range at.Shape {
			if n > 1 && at.Strides[k] == 0 {
				return true
			}
		}
	}
	return false
}

// reads reports whether v reads what it could compute in its own loop.
func reads(v *ir.Value) bool { return v.Op.IsElementwise() || v.Op == ir.OpReduceChunks }

// cuts reports whether the loop that computes v needs more than what single bytes give.
func (t *tabler) cuts(v *ir.Value) bool { return reads(v) && !t.chain(v).ok }

// cut notes that a value is looked up, if that pays, and that v reads it. Beside an operand along other axes
// what v reads, or computes again of it, must be in row-major order.
func (t *tabler) cut(a, v *ir.Value) {
	if slices.ContainsFunc(v.Args, otherAxes) {
		t.keepOrder(a)
	}
	if !t.pays(a) {
		return
	}
	if _, known := t.read[a]; !known {
		t.read[a] = nil
		t.addView(a)
	}
}

// pays reports whether it takes less time to look up and to store an elementwise value of bytes
// than to compute it.
func (t *tabler) pays(v *ir.Value) bool {
	c := t.chain(v)
	return c.ok && c.bytes != nil && t.s.placed[v].in == nil && t.fits(v) && gains(c.work, entries(v, c.axes), size(v.Type.Shape), v.Type.DType.Size())
}

// gains reports whether to look n elements of size bytes up in tables with so many entries, and to store and read them, costs
// less than to compute them where they are used. work is what one of 4 bytes costs.
func gains(work float64, entries, n, size int) bool {
	work *= float64(max(4, size)) / 4
	return 2*entries <= n && (work-lookupWork)*float64(n) > work*float64(entries)+tableWork
}

// fits reports whether a value is small, or has rows by which overlap can divide the loops that store and read it.
func (t *tabler) fits(v *ir.Value) bool {
	shape := extents(v)
	return bytes(v) <= tableBytes || size(v.Type.Shape) >= tableRows*shape[len(shape)-1]
}

// mark notes that a value and all that it is computed from belong to a loop that looks up.
func (t *tabler) mark(v *ir.Value) {
	if !v.Op.IsElementwise() || t.s.tabled[v] {
		return
	}
	t.s.tabled[v] = true
	for _, a := range v.Args {
		t.mark(a)
	}
}

const tableReason = "it costs less to look it up in a table of what each byte gives"

// outside returns what a loop that does not look up reads in place of a value: what is looked up
// is read from memory, and cheap values on the way to that are computed again.
func (t *tabler) outside(v *ir.Value) *ir.Value {
	w, looked := t.read[v]
	switch {
	case w != nil:
		return w
	case looked && t.isWhole(v):
		w = t.s.readAs(t.whole(v), *t.chain(v).bytes.Attr.At, v)
	case looked:
		t.s.why[v] = tableReason
		w = t.s.readAs(v, layout.RowMajor(extents(v)...), v)
	case t.s.tabled[v]:
		again := *v
		again.Args = slices.Clone(v.Args)
		for i, a := range again.Args {
			again.Args[i] = t.outside(a)
		}
		w = t.s.Func.Append(again)
	default:
		return v
	}
	t.read[v] = w
	return w
}

// readAs appends the value that reads a buffer in place of v.
func (s *State) readAs(buffer *ir.Value, at layout.Layout, v *ir.Value) *ir.Value {
	return s.Func.Append(ir.Value{Op: ir.OpAccess, Args: []*ir.Value{buffer}, Type: v.Type, Pos: v.Pos, Attr: &ir.Attr{At: &at, Shape: v.Type.Shape}})
}
