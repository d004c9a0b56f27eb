package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// 16-bit lanes, 16 in a vector: uint16 and int16, and uint8, int8 and bool where they are converted from or to these. A lane holds
// the number of its element, so bytes are extended.

func newWords() *Target {
	return narrowTarget(2, forms{}.add(wordNames, commonForms).add(wordNames, avx2Forms).add(ofHalves, wordForms), wordTable(), wordLanes{})
}

// wordNames are the instructions on lanes of 16 bits, by the names of those on 32 bits.
var wordNames = map[string]string{
	"VPADDD": "VPADDW", "VPSUBD": "VPSUBW", "VPABSD": "VPABSW", "VPMINSD": "VPMINSW", "VPMINUD": "VPMINUW", "VPMAXSD": "VPMAXSW",
	"VPMAXUD": "VPMAXUW", "VPCMPEQD": "VPCMPEQW", "VPCMPGTD": "VPCMPGTW", "VBLENDVPS": "VPBLENDVB", "VPMULLD": "VPMULLW",
	"VPSLLD": "VPSLLW", "VPSRAD": "VPSRAW",
}

// ofHalves are the names of shifts by a count in half a register, and of the packing of two whole registers.
var ofHalves = map[string]string{"VPSLLW.X": "VPSLLW", "VPSRLW.X": "VPSRLW", "VPSRAW.X": "VPSRAW", "VPACKUSDW.Y": "VPACKUSDW"}

var wordForms = []shape{
	{"VPADDSW VPADDUSW", vector.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPSUBSW VPSUBUSW", vector.Opcode{Args: 2, Mem: 1}},
	{"VPUNPCKLWD VPUNPCKHWD", vector.Opcode{Args: 2, Mem: 1}},
	{"VPACKUSDW.Y", vector.Opcode{Args: 2, Mem: -1}},
	{"VPMOVZXBW VPMOVSXBW", vector.Opcode{Args: 1, Mem: 0, HalfSrc: true}},
	{"VPSLLW.X VPSRLW.X VPSRAW.X", vector.Opcode{Args: 2, Mem: 1, HalfSrc: true}},
}

// wordTable returns the rows for 16-bit lanes. Rows of bytes are those of int16, whose range includes theirs; results that
// may be out of their range are wrapped.
func wordTable() table {
	t := table{rows: map[key]row{}, casts: map[pair]castRow{}}
	t.lanesOf(newTable(), map[ir.DType]ir.DType{ir.Uint16: ir.Uint32, ir.Int16: ir.Int32, ir.Bool: ir.Bool}, lacksNarrow...)
	for d, right := range map[ir.DType]string{ir.Uint16: "VPSRLW.X", ir.Int16: "VPSRAW.X"} {
		t.set(d, ir.OpShl, shiftWords("VPSLLW.X"))
		t.set(d, ir.OpShr, shiftWords(right))
	}
	t.set(ir.Uint16, ir.OpAddSat, binary("VPADDUSW"))
	t.set(ir.Uint16, ir.OpSubSat, binary("VPSUBUSW"))
	t.set(ir.Int16, ir.OpAddSat, binary("VPADDSW"))
	t.set(ir.Int16, ir.OpSubSat, binary("VPSUBSW"))
	for _, d := range []ir.DType{ir.Uint8, ir.Int8} {
		t.lanesOf(t, map[ir.DType]ir.DType{d: ir.Int16})
		for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpNot, ir.OpAbs, ir.OpShl} {
			whole := t.row(op, d)
			t.set(d, op, func(g *graph, x [3]ref) ref { return g.wrapByte(d, whole(g, x)) })
		}
		for _, op := range []ir.Op{ir.OpAddSat, ir.OpSubSat} { // the sum is within 16 bits
			whole := t.row(op, d)
			t.set(d, op, func(g *graph, x [3]ref) ref { return g.clipByte(d, whole(g, x)) })
		}
	}
	t.set(ir.Uint16, ir.OpDiv, divWords)
	t.set(ir.Uint8, ir.OpDiv, divWords)
	t.narrowCasts((*graph).wrapByte, ir.Uint16, ir.Int16, ir.Uint8, ir.Int8)
	return t
}

func shiftWords(name string) row {
	return func(g *graph, x [3]ref) ref { return g.op(name, x[0], g.count(x[1], 0xffff)) }
}

// divWords divides positive numbers in 32-bit lanes, first the lower and then the upper lanes of each half of a register.
func divWords(g *graph, x [3]ref) ref {
	wide := func(unpack string, x ref) ref { return g.op(unpack, x, g.zero()) }
	low := wide("VPUNPCKLWD", x[1])
	high := low
	if !g.Invariant(x[1]) {
		high = wide("VPUNPCKHWD", x[1])
	}
	q := g.op("VPACKUSDW.Y", singleQuotient(g, wide("VPUNPCKLWD", x[0]), low, false), singleQuotient(g, wide("VPUNPCKHWD", x[0]), high, false))
	return g.unless(g.op("VPCMPEQD", x[1], g.zero()), q)
}

// wrapByte returns the element of a type whose bits are the lowest of x.
func (g *graph) wrapByte(d ir.DType, x ref) ref {
	switch d {
	case ir.Uint8:
		return g.op("VPAND", x, g.Constant(d, 0xff).Part[0])
	case ir.Int8:
		return g.imm("VPSRAD", 8, g.imm("VPSLLD", 8, x))
	}
	return x
}

// clipByte returns the element of a type that is nearest to x.
func (g *graph) clipByte(d ir.DType, x ref) ref {
	least, _ := ir.OpMax.Info().Identity(d)
	greatest, _ := ir.OpMin.Info().Identity(d)
	return g.op("VPMINSD", g.op("VPMAXSD", x, g.Constant(d, least).Part[0]), g.Constant(d, greatest).Part[0])
}

// wordLanes is the style of these lanes.
type wordLanes struct{ vectorMasks }

func (wordLanes) loadNarrow(l *lowerer, at vector.Place, d ir.DType) ref {
	switch {
	case d.Size() == 2:
		return l.lanes(at)
	case ir.Signed.Has(d):
		return l.op("VPMOVSXBW", l.lanes(at))
	}
	return l.op("VPMOVZXBW", l.lanes(at))
}

func (wordLanes) storeNarrow(l *lowerer, at vector.Place, d ir.DType, v value) ref {
	if d.Size() == 2 {
		return l.storeLanes(at, v.Part[0])
	}
	r, pack := v.Part[0], "VPACKUSWB"
	switch d {
	case ir.Bool:
		r, pack = l.MaskPart(v, 1, 0), "VPACKSSWB"
	case ir.Int8:
		pack = "VPACKSSWB"
	}
	if r = l.op(pack, r, l.high(r)); d == ir.Bool {
		r = l.op("VPABSB", r)
	}
	if l.Tail {
		return l.placed("NARROWSTORE", at, r)
	}
	return l.placed("STOREHALF", at, r)
}
