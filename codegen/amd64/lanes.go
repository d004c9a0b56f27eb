package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Bodies whose values are all integers of one byte, or of one or two, use lanes of that width: 32 or 16 in a vector, where
// AVX2 otherwise has 8. Each width of lanes is a target of its own. Its rows are those of 32-bit lanes under other names, and a few
// that differ (bytes.go, words.go).

var narrow struct{ bytes, words lazy }

// narrowLanes returns these targets, the narrowest lanes first.
func narrowLanes() [2]*Target {
	return [...]*Target{narrow.bytes.get(newBytes), narrow.words.get(newWords)}
}

// narrowTarget returns a target of AVX2 with narrow lanes.
func narrowTarget(lane int, f forms, t table, s style) *Target {
	m := *avx2Machine
	m.Lane, m.Unroll = lane, narrowUnroll
	return &Target{
		name: "avx2", engine: "AVX2", m: &m, forms: f, table: t, style: s,
		special: map[string]instWriter{"NARROWLOAD": (*nest).fewLoad, "NARROWSTORE": (*nest).fewStore, "STOREHALF": storeHalf},
	}
}

// narrowUnroll is the least work for which two copies of a body are tried. Bytes are often in a cache, where the end of a
// short loop takes a third of the time.
const narrowUnroll = 1

// inNarrowLanes returns the target with the narrowest lanes that can compute a body, and the body expanded for it, or nil.
func inNarrowLanes(k *kernel.Kernel) (*Target, *kernel.Kernel) {
	if k.Interleaved() { // which are deinterleaved into lanes of 32 bits and more
		return nil, nil
	}
	for _, t := range narrowLanes() {
		fits := func(d ir.DType) bool { return t.rows[key{ir.OpCopy, d}] != nil }
		all := true
		for r := range kernel.Ref(len(k.In) + len(k.Body)) {
			all = all && fits(k.DType(r))
		}
		if !all {
			continue
		}
		has := func(in kernel.Inst, d ir.DType) bool {
			return fits(d) && (in.Op == ir.OpCast || t.rows[key{in.Op, d}] != nil)
		}
		e := elementary.ExpandBut(k, has)
		if !slices.ContainsFunc(e.Body, func(in kernel.Inst) bool { return !t.inLanes(e, in, has) }) {
			return t, e
		}
	}
	return nil, nil
}

// inLanes reports whether the target has an instruction for in. A shift must have one count for all lanes: a splat or a constant.
func (t *Target) inLanes(k *kernel.Kernel, in kernel.Inst, has func(in kernel.Inst, d ir.DType) bool) bool {
	if in.Op == ir.OpConst {
		return true
	}
	last := in.Args[in.Arity()-1]
	if in.Op == ir.OpShl || in.Op == ir.OpShr {
		if count := k.Inst(last); count != nil && count.Op != ir.OpConst || count == nil && !k.In[last].Splat {
			return false
		}
	}
	return has(in, k.DType(last))
}

// lanesOf copies the rows of wide to the narrow types that types maps, except ops in lacks and composed ops whose expansions
// are on int32.
func (t *table) lanesOf(wide table, types map[ir.DType]ir.DType, lacks ...ir.Op) {
	for d, as := range types {
		for k, r := range wide.rows {
			if k.d == as && !slices.Contains(lacks, k.op) {
				t.set(d, k.op, r)
			}
		}
		if d == ir.Bool {
			continue
		}
		of := func(g *graph, op ir.Op, x ...ref) ref {
			return g.isa().row(op, d)(g, [3]ref(append(x, none, none)[:3]))
		}
		t.set(d, ir.OpGt, func(g *graph, x [3]ref) ref { return of(g, ir.OpLt, x[1], x[0]) })
		t.set(d, ir.OpGe, func(g *graph, x [3]ref) ref { return of(g, ir.OpLe, x[1], x[0]) })
		t.set(d, ir.OpClip, func(g *graph, x [3]ref) ref { return of(g, ir.OpMin, of(g, ir.OpMax, x[0], x[1]), x[2]) })
		t.set(d, ir.OpSquare, func(g *graph, x [3]ref) ref { return of(g, ir.OpMul, x[0], x[0]) })
	}
}

// lacksNarrow are the ops without instructions for lanes narrower than 32 bits.
var lacksNarrow = []ir.Op{ir.OpDiv, ir.OpRem, ir.OpBitcast, ir.OpUnlikely, ir.OpMulHalves}

// narrowCasts adds the conversions between the types of a table. wrap makes an element of a type from the content of a lane.
func (t *table) narrowCasts(wrap func(g *graph, d ir.DType, x ref) ref, types ...ir.DType) {
	for _, from := range types {
		t.casts[pair{from, ir.Bool}], t.casts[pair{ir.Bool, from}] = toBool(from), fromBool(from)
		for _, to := range types {
			t.casts[pair{from, to}] = func(g *graph, v value) value { return one(wrap(g, to, v.Part[0])) }
		}
	}
	t.casts[pair{ir.Bool, ir.Bool}] = func(_ *graph, v value) value { return v }
}

// count returns the count of a shift in the lowest 64 bits, as the instructions expect it. mask selects the bits of an element.
func (g *graph) count(x ref, mask uint64) ref {
	if bits, ok := g.constant(x); ok {
		return g.c64(bits & mask)
	}
	return g.op("VPAND", x, g.c64(mask))
}

// fewLoad reads the elements of a partial step into a vector register, through the stack. The lanes behind them are undefined, but
// they are never stored.
func (n *nest) fewLoad(i *vector.Inst) {
	to := n.partOf(i.Place, i.Dst)
	n.remaining()
	done := n.whole(func() { n.do("VMOVUPS", mem(n.element(i.Place)), to) })
	few := stack(n.fewBytes())
	n.bytesLeft(i.Place)
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(at(dx, 0), few)
	n.do("VMOVUPS", mem(few), to)
	done()
}

// fewStore writes the elements of a partial step.
func (n *nest) fewStore(i *vector.Inst) {
	from := n.partOf(i.Place, i.Src[0].Index)
	n.remaining()
	done := n.whole(func() { n.do("VMOVUPS", from, mem(n.element(i.Place))) })
	few := stack(n.fewBytes())
	n.do("VMOVUPS", from, mem(few))
	n.bytesLeft(i.Place)
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(few, at(dx, 0))
	done()
}

// partOf returns the part of a register that the elements of a step take.
func (n *nest) partOf(p vector.Place, r int) Arg {
	if p.Bytes() < n.m.Width {
		return x(r)
	}
	return y(r)
}

// bytesLeft converts cx from the number of elements left to the number of bytes left.
func (n *nest) bytesLeft(p vector.Place) {
	if p.Size() == 2 {
		n.do("ADDQ", gp(cx), gp(cx))
	}
}

// fewBytes returns the offset in the stack frame of the bytes of a partial step.
func (n *nest) fewBytes() int {
	if n.few < 0 {
		n.few = n.local(vectorBytes(1))
	}
	return n.few
}
