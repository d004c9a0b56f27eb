package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Tables of what costly ops make of each byte, for the pass recompute.

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

// tabler has the values that are looked up.
//
// Loops that read bytes through views, such as the transpose of a picture, or one channel of its pixels
// each, look up all bytes of the buffer in the order of memory if they need as many, and read what that
// gives through the same views.
type tabler struct {
	s       *State
	chains  rewrite.ValueMap[byteChain]
	looked  map[*ir.Value]bool         // elementwise values that loops read which do not look up
	inPlace map[*ir.Value]bool         // values that are looked up in their own order
	whole   map[[2]*ir.Value]*ir.Value // what a value is of all the buffer that its bytes are viewed in
	elems   map[*ir.Value]int          // how many elements of a whole buffer are looked up through views
	known   *rewrite.Numbering         // of values of whole buffers
}

// findTables finds the values that are looked up, and marks all that the loops of these compute. It
// returns nil if there are none.
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

// byteChain says what a value is made of, if elementwise ops make it of one operand of bytes, and of
// single elements.
type byteChain struct {
	ok    bool
	bytes *ir.Value // the operand, nil if there are only single elements
	work  float64   // of the costliest way from the bytes to the value, in additions
	axes  uint64    // those along which other operands vary: each of their indices has a table
}

// chain returns the chain of a value that is not after the present one.
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

// axesOf returns the axes along which a value that repeats elements varies.
func axesOf(v *ir.Value) (axes uint64, ok bool) {
	at := v.Attr.At
	for k, n := range at.Shape {
		if n > 1 && at.Strides[k] != 0 {
			axes |= 1 << k
		}
	}
	return axes, rewrite.HasExtents(at.Shape, v)
}

// chainOf returns the chain of an elementwise value, whose operands have theirs.
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

// fewTables is how many elements there are at least for each entry of several tables.
const fewTables = 16

// entries returns how many elements the tables of a value have that varies along axes.
func entries(v *ir.Value, axes uint64) int {
	n := kernel.Bytes
	for k, e := range rewrite.Extents(v) {
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

// cuts reports whether the loop that computes v needs more than what single bytes give.
func (t *tabler) cuts(v *ir.Value) bool {
	return (v.Op.IsElementwise() || v.Op == ir.OpReduceChunks) && !t.chain(v).ok
}

// cut notes that a value is looked up, if that pays, and that v reads it. Beside an operand along other axes
// what v reads, or computes again of it, must be in row-major order, which fits any axes.
func (t *tabler) cut(a, v *ir.Value) {
	if slices.ContainsFunc(v.Args, otherAxes) {
		t.keepOrder(a)
	}
	if !t.looked[a] && t.pays(a) {
		t.looked[a] = true
		t.elems[t.wholeOf(a)] += rewrite.Size(a.Type.Shape)
	}
}

// otherAxes reports whether a value is read along other axes than its own.
func otherAxes(v *ir.Value) bool {
	return v.Op == ir.OpAccess && !rewrite.HasExtents(v.Attr.At.Shape, v)
}

// keepOrder notes that a value, and what it is computed of, is looked up in its own order, if it is.
func (t *tabler) keepOrder(v *ir.Value) {
	if !v.Op.IsElementwise() || t.inPlace[v] {
		return
	}
	t.inPlace[v] = true
	for _, a := range v.Args {
		t.keepOrder(a)
	}
}

// pays reports whether it takes less time to look up and to store an elementwise value of bytes
// than to compute it. It must be small, or have rows by which tiles can divide the loops that store and read it.
func (t *tabler) pays(v *ir.Value) bool {
	c, shape, n := t.chain(v), rewrite.Extents(v), rewrite.Size(v.Type.Shape)
	return c.ok && c.bytes != nil && t.s.placed[v].in == nil && (rewrite.Bytes(v) <= rewrite.TableBytes || n >= rewrite.TableRows*shape[len(shape)-1]) &&
		gains(c.work, entries(v, c.axes), n, v.Type.DType.Size())
}

// gains reports whether to look n elements of size bytes up in tables with so many entries, and to store and read them, costs
// less than to compute them where they are used. work is what one of 4 bytes costs.
func gains(work float64, entries, n, size int) bool {
	work *= float64(max(4, size)) / 4
	return 2*entries <= n && (work-rewrite.LookupWork)*float64(n) > work*float64(entries)+rewrite.TableWork
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

// buffer returns where a value is stored that is looked up: it is v, or what v is a view of.
func (t *tabler) buffer(v *ir.Value) *ir.Value {
	w := t.wholeOf(v)
	if w == nil || t.inPlace[v] || t.elems[w] < rewrite.Size(w.Type.Shape) {
		return v
	}
	return w
}

// lookUp returns what loops read in place of a value that is looked up.
func (t *tabler) lookUp(v *ir.Value) *ir.Value {
	buffer, at := t.buffer(v), layout.RowMajor(rewrite.Extents(v)...)
	if buffer != v {
		at = *t.chain(v).bytes.Attr.At
	}
	t.s.store(buffer, "it costs less to look it up in a table of what each byte gives")
	return t.s.readAs(buffer, at, v)
}

// wholeOf returns what v is a view of: the same function of all bytes of a buffer. It is nil if the bytes of v are not
// seen through a view, or if the function varies along axes.
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

// of returns a value of a chain for all bytes of the buffer of those that it is of.
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

// readAs appends the value that reads a buffer in place of v.
func (s *State) readAs(buffer *ir.Value, at layout.Layout, v *ir.Value) *ir.Value {
	return s.Func.Append(ir.Value{Op: ir.OpAccess, Args: []*ir.Value{buffer}, Type: v.Type, Pos: v.Pos, Attr: &ir.Attr{At: &at, Shape: v.Type.Shape}})
}
