package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// Lanes of a byte: uint8, int8 and bool, 32 in a vector.

func newBytes() *Target {
	return narrowTarget(1, forms{}.add(byteNames, commonForms).add(byteNames, avx2Forms).add(ofWords, byteForms), byteTable(), byteLanes{})
}

// byteNames are the instructions on lanes of a byte, by the names of those on 32 bits.
var byteNames = map[string]string{
	"VPADDD": "VPADDB", "VPSUBD": "VPSUBB", "VPABSD": "VPABSB", "VPMINSD": "VPMINSB", "VPMINUD": "VPMINUB", "VPMAXSD": "VPMAXSB",
	"VPMAXUD": "VPMAXUB", "VPCMPEQD": "VPCMPEQB", "VPCMPGTD": "VPCMPGTB", "VBLENDVPS": "VPBLENDVB",
}

// ofWords are the names of shifts by an immediate.
var ofWords = map[string]string{"VPSRLW.I": "VPSRLW"}

var byteForms = []shape{
	{"VPADDSB VPADDUSB", vector.Opcode{Args: 2, Mem: 1, Commutes: true}},
	{"VPSUBSB VPSUBUSB VPSHUFB", vector.Opcode{Args: 2, Mem: 1}},
	{"VPSLLW VPSRLW", vector.Opcode{Args: 2, Mem: 1, HalfSrc: true}},
	{"VPSRLW.I", vector.Opcode{Args: 1, Mem: -1, Imm: true}},
}

// byteTable returns the rows for lanes of a byte. There are no shifts and products of bytes:
// they are computed in lanes of 16 bits.
func byteTable() table {
	t := table{rows: map[key]row{}, casts: map[pair]castRow{}}
	t.lanesOf(newTable(), map[ir.DType]ir.DType{ir.Uint8: ir.Uint32, ir.Int8: ir.Int32, ir.Bool: ir.Bool}, lacksNarrow...)
	for _, d := range []ir.DType{ir.Uint8, ir.Int8} {
		t.set(d, ir.OpMul, mulBytes)
		t.set(d, ir.OpShl, func(g *graph, x [3]ref) ref { return g.shiftBytes("VPSLLW", x[0], g.count(x[1], 0xff)) })
	}
	t.set(ir.Uint8, ir.OpShr, func(g *graph, x [3]ref) ref { return g.shiftBytes("VPSRLW", x[0], g.count(x[1], 0xff)) })
	t.set(ir.Int8, ir.OpShr, shrSigned)
	t.set(ir.Uint8, ir.OpAddSat, binary("VPADDUSB"))
	t.set(ir.Uint8, ir.OpSubSat, binary("VPSUBUSB"))
	t.set(ir.Int8, ir.OpAddSat, binary("VPADDSB"))
	t.set(ir.Int8, ir.OpSubSat, binary("VPSUBSB"))
	t.narrowCasts(func(_ *graph, _ ir.DType, x ref) ref { return x }, ir.Uint8, ir.Int8)
	return t
}

const (
	lowerBytes = 0x00ff00ff00ff00ff // of lanes of 16 bits
	upperBytes = 0xff00ff00ff00ff00
)

// mulBytes multiplies bytes by two products of 16-bit lanes: one of the low bytes, and one that leaves the product of the
// high bytes in place.
func mulBytes(g *graph, x [3]ref) ref {
	lower := g.op("VPAND", g.op("VPMULLW", x[0], x[1]), g.c64(lowerBytes))
	upper := g.op("VPMULLW", g.imm("VPSRLW.I", 8, x[0]), g.op("VPAND", x[1], g.c64(upperBytes)))
	return g.op("VPOR", lower, upper)
}

// shiftBytes shifts lanes of 16 bits by one count, and clears what has come from another byte.
func (g *graph) shiftBytes(shift string, x, count ref) ref {
	return g.op("VPAND", g.op(shift, x, count), g.everyByte(g.op(shift, g.c64(lowerBytes), count)))
}

// shrSigned extends the sign after a logical shift: s is the bit that the sign has moved to, and the result is x^s - s.
func shrSigned(g *graph, x [3]ref) ref {
	count := g.count(g.op("VPMINUD", x[1], g.Constant(ir.Int8, 7).Part[0]), 0xff)
	sign := g.everyByte(g.op("VPSRLW", g.c64(0x80), count))
	return g.op("VPSUBD", g.op("VPXOR", g.shiftBytes("VPSRLW", x[0], count), sign), sign)
}

// everyByte returns the lowest byte of x in all lanes.
func (g *graph) everyByte(x ref) ref { return g.op("VPSHUFB", x, g.zero()) }

// byteLanes is the style of these lanes: loads and stores need no conversion.
type byteLanes struct{ vectorMasks }

func (byteLanes) loadNarrow(l *lowerer, at vector.Place, _ ir.DType) ref { return l.lanes(at) }

func (byteLanes) storeNarrow(l *lowerer, at vector.Place, d ir.DType, v value) ref {
	r := v.Part[0]
	if d == ir.Bool {
		r = l.op("VPABSD", l.MaskPart(v, 1, 0))
	}
	return l.storeLanes(at, r)
}

// lanes returns the vector of an operand whose elements are as wide as a lane.
func (l *lowerer) lanes(at vector.Place) ref {
	if l.Tail {
		return l.placed("NARROWLOAD", at)
	}
	return l.inPlace(at)
}

// storeLanes stores such a vector.
func (l *lowerer) storeLanes(at vector.Place, r ref) ref {
	if l.Tail {
		return l.placed("NARROWSTORE", at, r)
	}
	return l.placed("STORE", at, l.isa().Reload(l.Copy.Graph, r))
}
