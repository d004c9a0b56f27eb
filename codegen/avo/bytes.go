package avo

import (
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Bodies whose values all have one byte, uint8, int8 and bool, in lanes of a byte: a vector
// has 32 where AVX2 has 8 lanes otherwise. The rows are those of lanes of 32 bits, whose
// instructions have other names here.

var avx2Bytes = &isa{
	name: "avx2", engine: "AVX2",
	m:       byteMachine(),
	forms:   forms{}.add(byteNames, commonForms).add(byteNames, avx2Forms).add(nil, byteForms),
	table:   byteTable(),
	style:   byteLanes{},
	special: map[string]instWriter{"NARROWLOAD": (*nest).bytesLoad, "NARROWSTORE": (*nest).bytesStore},
}

func byteMachine() *machine.Machine {
	m := *avx2Machine
	m.Lane = 1
	return &m
}

// byteNames are the instructions on lanes of a byte, by the names of those on 32 bits.
var byteNames = map[string]string{
	"VPADDD": "VPADDB", "VPSUBD": "VPSUBB", "VPABSD": "VPABSB", "VPMINSD": "VPMINSB", "VPMINUD": "VPMINUB", "VPMAXSD": "VPMAXSB",
	"VPMAXUD": "VPMAXUB", "VPCMPEQD": "VPCMPEQB", "VPCMPGTD": "VPCMPGTB", "VBLENDVPS": "VPBLENDVB",
}

var byteForms = []shape{
	{"VPADDSB VPADDUSB", machine.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPSUBSB VPSUBUSB", machine.Opcode{Args: 2, Mem: 1}},
}

// lacksBytes are the rows of lanes of 32 bits whose instructions there are not for bytes.
var lacksBytes = []ir.Op{ir.OpMul, ir.OpShl, ir.OpShr, ir.OpDiv, ir.OpRem, ir.OpBitcast, ir.OpUnlikely}

// byteTable returns the rows for lanes of a byte.
func byteTable() table {
	wide, t := newTable(), table{rows: map[key]row{}, casts: map[pair]castRow{}}
	for d, as := range map[ir.DType]ir.DType{ir.Uint8: ir.Uint32, ir.Int8: ir.Int32, ir.Bool: ir.Bool} {
		for k, r := range wide.rows {
			if k.d == as {
				t.set(d, k.op, r)
			}
		}
		for _, op := range lacksBytes {
			delete(t.rows, key{op, d})
		}
	}
	for _, d := range []ir.DType{ir.Uint8, ir.Int8} { // composed ops, whose expansions are on int32
		lt, le, least, most := t.row(ir.OpLt, d), t.row(ir.OpLe, d), t.row(ir.OpMin, d), t.row(ir.OpMax, d)
		t.set(d, ir.OpGt, func(g *graph, x [3]ref) ref { return lt(g, [3]ref{x[1], x[0]}) })
		t.set(d, ir.OpGe, func(g *graph, x [3]ref) ref { return le(g, [3]ref{x[1], x[0]}) })
		t.set(d, ir.OpClip, func(g *graph, x [3]ref) ref { return least(g, [3]ref{most(g, x), x[2]}) })
	}
	t.set(ir.Uint8, ir.OpAddSat, binary("VPADDUSB"))
	t.set(ir.Uint8, ir.OpSubSat, binary("VPSUBUSB"))
	t.set(ir.Int8, ir.OpAddSat, binary("VPADDSB"))
	t.set(ir.Int8, ir.OpSubSat, binary("VPSUBSB"))
	return t
}

// inByteLanes expands a body for lanes of a byte. It reports whether that has all of it.
func inByteLanes(k *kernel.Kernel) (*kernel.Kernel, bool) {
	for r := range kernel.Ref(len(k.In) + len(k.Body)) {
		if k.DType(r).Size() > 1 {
			return nil, false
		}
	}
	has := func(op ir.Op, d ir.DType) bool { return avx2Bytes.rows[key{op, d}] != nil }
	e := elementary.ExpandBut(k, has)
	for _, in := range e.Body {
		if in.Op != ir.OpConst && !has(in.Op, e.DType(in.Args[in.Arity()-1])) {
			return nil, false
		}
	}
	return e, true
}

// byteLanes is the style of these lanes: loads and stores need no conversion.
type byteLanes struct{ vectorMasks }

func (byteLanes) loadNarrow(l *lowerer, at machine.Place, _ ir.DType) ref {
	if l.Tail {
		return l.placed("NARROWLOAD", at)
	}
	return l.inPlace(at)
}

func (byteLanes) storeNarrow(l *lowerer, at machine.Place, d ir.DType, v value) ref {
	r := v.Part[0]
	if d == ir.Bool {
		r = l.op("VPABSD", l.MaskPart(v, 1, 0))
	}
	if l.Tail {
		return l.placed("NARROWSTORE", at, r)
	}
	return l.placed("STORE", at, l.isa().Reload(l.Copy.Graph, r))
}

// bytesLoad reads up to 32 bytes into a vector register, by way of the stack. What the lanes
// behind them have is never stored.
func (n *nest) bytesLoad(i *machine.Inst) {
	n.remaining()
	done := n.whole(func() { n.do("VMOVUPS", mem(n.element(i.Place)), y(i.Dst)) })
	few := stack(n.fewBytes())
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(at(dx, 0), few)
	n.do("VMOVUPS", mem(few), y(i.Dst))
	done()
}

// bytesStore writes up to 32 bytes of a vector register.
func (n *nest) bytesStore(i *machine.Inst) {
	n.remaining()
	done := n.whole(func() { n.do("VMOVUPS", y(i.Src[0].Index), mem(n.element(i.Place))) })
	few := stack(n.fewBytes())
	n.do("VMOVUPS", y(i.Src[0].Index), mem(few))
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(few, at(dx, 0))
	done()
}

// fewBytes returns where in the stack frame the bytes of a partial step are.
func (n *nest) fewBytes() int {
	if n.few < 0 {
		n.few = n.local(vectorBytes(1))
	}
	return n.few
}

// copyBytes copies as many bytes as cx has, from 1 to 31: the first words of a size and the
// last ones, which may be the same in part.
func (n *nest) copyBytes(from, to memory) {
	end, labels := n.fresh("copied"), map[int]string{16: n.fresh("from16"), 8: n.fresh("from8"), 4: n.fresh("from4")}
	for _, size := range []int{16, 8, 4} {
		n.do("CMPQ", gp(cx), imm(int64(size)))
		n.do("JGE", label(labels[size]))
	}
	n.eachNarrow("byte", func() {
		n.do("MOVB", mem(from.at(-1).indexed(cx, 1)), byteOf(ax))
		n.do("MOVB", byteOf(ax), mem(to.at(-1).indexed(cx, 1)))
	})
	n.do("JMP", label(end))
	word := func(op string, r arg, from, to memory) {
		n.do(op, mem(from), r)
		n.do(op, r, mem(to))
	}
	for _, size := range []int{4, 8, 16} {
		n.here(labels[size])
		for k := 0; k < max(size, 8)/8; k++ {
			op, r := "MOVQ", gp(ax)
			if size == 4 {
				op, r = "MOVL", lowOf(ax)
			}
			word(op, r, from.at(8*k), to.at(8*k))
			word(op, r, from.at(8*k-size).indexed(cx, 1), to.at(8*k-size).indexed(cx, 1))
		}
		if size < 16 {
			n.do("JMP", label(end))
		}
	}
	n.here(end)
}
