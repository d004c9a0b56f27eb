package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Lookup tables for costly functions of a byte, for the pass recompute.

// hasBytes reports whether a graph has one-byte values that no elementwise op computes, so that a loop can read them.
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

// tabler finds the values that are looked up in tables.
//
// Several loops may read the bytes of one buffer through views, for example through a transpose, or one channel of its
// pixels each. If they together need at least as many elements as the buffer has, one loop looks up the whole buffer in
// the order of memory, and the others read its result through the same views.
type tabler struct {
	s       *State
	chains  rewrite.ValueMap[byteChain]
	looked  map[*ir.Value]bool         // looked-up values that loops without lookups read
	inPlace map[*ir.Value]bool         // values that are looked up in their own order, not in that of the buffer
	whole   map[[2]*ir.Value]*ir.Value // by value and its bytes: the same function of the whole buffer that the bytes view
	elems   map[*ir.Value]int          // by value of a whole buffer: number of elements that views need
	known   *rewrite.Numbering         // of the values in whole
}

// findTables finds the values that are looked up, and marks all values that their loops compute. It returns nil if
// there are none.
func (s *State) findTables() *tabler {
	f := s.Func
	t := &tabler{s: s, chains: rewrite.NewValueMap[byteChain](f), looked: map[*ir.Value]bool{}, inPlace: map[*ir.Value]bool{}, whole: map[[2]*ir.Value]*ir.Value{}, elems: map[*ir.Value]int{}}
	for _, v := range f.Body {
		*t.chains.At(v) = t.chainOf(v)
		if t.cuts(v) {
			for _, a := range v.Args {
				t.cut(a, v)
			}
		}
	}
	if len(t.looked) == 0 {
		return nil
	}
	s.tabled = map[*ir.Value]bool{}
	for v := range t.looked {
		t.mark(t.buffer(v))
	}
	return t
}

// byteChain describes a value that elementwise ops compute from one operand of bytes and from single elements.
type byteChain struct {
	ok    bool
	bytes *ir.Value // the operand, nil if there are only single elements
	work  float64   // of the costliest path from the bytes to the value, in additions
	axes  uint64    // bit set of the axes along which other operands vary; each index along them has its own table
}

// chain returns the chain of v, which must not come after the present value of the graph.
func (t *tabler) chain(v *ir.Value) byteChain {
	switch {
	case v.Op.IsElementwise():
		return *t.chains.At(v)
	case isSplat(v):
		return byteChain{ok: true}
	case repeatsAny(v):
		axes, ok := axesOf(v)
		return byteChain{ok: ok, axes: axes}
	case v.Type.DType.Size() == 1:
		return byteChain{ok: true, bytes: v}
	}
	return byteChain{}
}

// axesOf returns the set of axes along which v, a value that repeats elements, varies. It fails if the layout has other
// axes than v.
func axesOf(v *ir.Value) (axes uint64, ok bool) {
	at := v.Attr.At
	for k, n := range at.Shape {
		if n > 1 && at.Strides[k] != 0 {
			axes |= 1 << k
		}
	}
	return axes, rewrite.HasExtents(at.Shape, v)
}

// chainOf returns the chain of v, made from the chains of its operands. Only elementwise values have one.
func (t *tabler) chainOf(v *ir.Value) byteChain {
	if !v.Op.IsElementwise() {
		return byteChain{}
	}
	all := byteChain{ok: true}
	for _, a := range v.Args {
		c := t.chain(a)
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
	all.ok = all.bytes == nil || all.axes == 0 || entries(v, all.axes) <= rewrite.Size(v.Type.Shape)/fewTables
	return all
}

// fewTables is the least number of elements for each table entry, if a value has several tables.
const fewTables = 16

// entries returns the number of table entries for v, which has one table for each index along the given axes.
func entries(v *ir.Value, axes uint64) int {
	n := kernel.Bytes
	for k, e := range rewrite.Extents(v) {
		if axes&(1<<k) != 0 {
			n *= e
		}
	}
	return n
}

// repeatsAny reports whether v reads elements of its buffer several times, along an axis of stride 0.
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

// cuts reports whether the loop that computes v needs more than functions of single bytes, so that operands of v are
// looked up in another loop.
func (t *tabler) cuts(v *ir.Value) bool {
	return (v.Op.IsElementwise() || v.Op == ir.OpReduceChunks) && !t.chain(v).ok
}

// cut notes that v reads its operand a from a loop of table lookups, if that pays. If an operand of v has other axes
// than v, then a must be in row-major order, which fits any axes, and so must the values from which v's loop may
// compute a again.
func (t *tabler) cut(a, v *ir.Value) {
	if slices.ContainsFunc(v.Args, otherAxes) {
		t.keepOrder(a)
	}
	if !t.looked[a] && t.pays(a) {
		t.looked[a] = true
		t.elems[t.wholeOf(a)] += rewrite.Size(a.Type.Shape)
	}
}

// otherAxes reports whether v is an access whose layout has other axes than v.
func otherAxes(v *ir.Value) bool {
	return v.Op == ir.OpAccess && !rewrite.HasExtents(v.Attr.At.Shape, v)
}

// keepOrder notes that v and the values that it is computed from keep their own order if they are looked up.
func (t *tabler) keepOrder(v *ir.Value) {
	if !v.Op.IsElementwise() || t.inPlace[v] {
		return
	}
	t.inPlace[v] = true
	for _, a := range v.Args {
		t.keepOrder(a)
	}
}

// pays reports whether looking up and storing v takes less time than computing it. v must be small, or have enough rows
// for tiles to divide the loops that store and read it.
func (t *tabler) pays(v *ir.Value) bool {
	c, shape, n := t.chain(v), rewrite.Extents(v), rewrite.Size(v.Type.Shape)
	return c.ok && c.bytes != nil && t.s.placed[v].in == nil && (rewrite.Bytes(v) <= rewrite.TableBytes || n >= rewrite.TableRows*shape[len(shape)-1]) &&
		gains(c.work, entries(v, c.axes), n, v.Type.DType.Size())
}

// gains reports whether n elements of size bytes cost less if they are looked up in tables of the given number of
// entries, stored and read, than if they are computed where they are used. work is the cost of computing an element of
// 4 bytes.
func gains(work float64, entries, n, size int) bool {
	work *= float64(max(4, size)) / 4
	return 2*entries <= n && (work-rewrite.LookupWork)*float64(n) > work*float64(entries)+rewrite.TableWork
}

// mark notes that v and all elementwise values that it is computed from belong to a loop of table lookups.
func (t *tabler) mark(v *ir.Value) {
	if !v.Op.IsElementwise() || t.s.tabled[v] {
		return
	}
	t.s.tabled[v] = true
	for _, a := range v.Args {
		t.mark(a)
	}
}

// buffer returns the value that is stored when v is looked up: v itself, or the value of the whole buffer that v is a
// view of.
func (t *tabler) buffer(v *ir.Value) *ir.Value {
	w := t.wholeOf(v)
	if w == nil || t.inPlace[v] || t.elems[w] < rewrite.Size(w.Type.Shape) {
		return v
	}
	return w
}

// lookUp returns the access that loops read in place of v, a value that is looked up.
func (t *tabler) lookUp(v *ir.Value) *ir.Value {
	buffer, at := t.buffer(v), layout.RowMajor(rewrite.Extents(v)...)
	if buffer != v {
		at = *t.chain(v).bytes.Attr.At
	}
	t.s.store(buffer, "it costs less to look it up in a table of what each byte gives")
	return t.s.readAs(buffer, at, v)
}

// wholeOf returns the value of which v is a view: the same function of all bytes of the buffer. It returns nil if v
// does not read the bytes through a view, or if the function varies along an axis.
func (t *tabler) wholeOf(v *ir.Value) *ir.Value {
	c := t.chain(v)
	if c.axes != 0 || c.bytes.Op != ir.OpAccess || otherAxes(c.bytes) || base(c.bytes).Attr.At != nil {
		return nil
	}
	if t.known == nil {
		t.known = t.s.Numbering()
	}
	return t.of(v, c.bytes)
}

// of returns v as a function of the whole buffer that bytes, the operand of its chain, views.
func (t *tabler) of(v, bytes *ir.Value) *ir.Value {
	key := [2]*ir.Value{v, bytes}
	switch {
	case rewrite.IsConst(v):
		return v
	case v == bytes:
		return base(v)
	case t.whole[key] != nil:
		return t.whole[key]
	}
	again, buffer := *v, base(bytes)
	again.Type.Shape = buffer.Type.Shape
	if again.Args = slices.Clone(v.Args); v.Op.IsElementwise() {
		for i, a := range again.Args {
			again.Args[i] = t.of(a, bytes)
		}
	} else { // a single element
		shape := rewrite.Extents(buffer)
		again.Attr = &ir.Attr{Shape: buffer.Type.Shape, At: &layout.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: v.Attr.At.Offset}}
	}
	t.whole[key] = t.known.First(t.s.Func.Append(again))
	return t.whole[key]
}

// readAs appends an access to a buffer, with the layout at, that takes the place of v.
func (s *State) readAs(buffer *ir.Value, at layout.Layout, v *ir.Value) *ir.Value {
	return s.Func.Append(ir.Value{Op: ir.OpAccess, Args: []*ir.Value{buffer}, Type: v.Type, Pos: v.Pos, Attr: &ir.Attr{At: &at, Shape: v.Type.Shape}})
}
