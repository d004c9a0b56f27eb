package amd64

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// pair is the types that a cast converts from and to.
type pair [2]ir.DType

// castRow converts all vectors of a value: the result may have another number of them.
type castRow func(g *graph, v value) value

func (t *table) castTable() {
	keep := func(_ *graph, v value) value { return v }
	for _, d := range ir.Native.List() {
		t.casts[pair{d, ir.Bool}] = toBool(d)
		t.casts[pair{ir.Bool, d}] = fromBool(d)
		t.casts[pair{d, d}] = keep
	}
	single := func(from, to ir.DType, f func(g *graph, x ref) ref) {
		t.casts[pair{from, to}] = func(g *graph, v value) value { return one(f(g, v.Part[0])) }
	}
	for _, from := range []ir.DType{ir.Uint8, ir.Int32, ir.Uint32} {
		for _, to := range []ir.DType{ir.Int32, ir.Uint32} {
			t.casts[pair{from, to}] = keep
		}
	}
	for _, from := range []ir.DType{ir.Int32, ir.Uint32} {
		single(from, ir.Uint8, lowByte)
	}
	for _, from := range []ir.DType{ir.Uint8, ir.Int32} {
		single(from, ir.Float32, func(g *graph, x ref) ref { return g.op("VCVTDQ2PS", x) })
		t.casts[pair{from, ir.Float64}] = split(func(g *graph, x ref) ref { return g.op("VCVTDQ2PD", x) })
	}
	t.casts[pair{ir.Uint32, ir.Float64}] = split((*graph).u32ToF64)
	t.casts[pair{ir.Uint32, ir.Float32}] = func(g *graph, v value) value {
		return g.toSingles(split((*graph).u32ToF64)(g, v))
	}
	for _, long := range []ir.DType{ir.Int64, ir.Uint64} {
		t.casts[pair{ir.Int32, long}] = split(func(g *graph, x ref) ref { return g.op("VPMOVSXDQ", x) })
		for _, from := range []ir.DType{ir.Uint8, ir.Uint32} {
			t.casts[pair{from, long}] = split(func(g *graph, x ref) ref { return g.op("VPMOVZXDQ", x) })
		}
		for _, to := range []ir.DType{ir.Int32, ir.Uint32} {
			t.casts[pair{long, to}] = func(g *graph, v value) value { return one(g.isa().evens(g, v.Part[0], v.Part[1])) }
		}
		t.casts[pair{long, ir.Uint8}] = func(g *graph, v value) value {
			return one(lowByte(g, g.isa().evens(g, v.Part[0], v.Part[1])))
		}
	}
	t.casts[pair{ir.Int64, ir.Uint64}], t.casts[pair{ir.Uint64, ir.Int64}] = keep, keep

	t.casts[pair{ir.Float32, ir.Float64}] = split(func(g *graph, x ref) ref { return g.op("VCVTPS2PD", x) })
	t.casts[pair{ir.Float64, ir.Float32}] = func(g *graph, v value) value { return g.toSingles(v) }
	t.castFloats(single)
}

// lowByte keeps the lowest 8 bits of each lane.
func lowByte(g *graph, x ref) ref { return g.op("VPAND", x, g.i32(255)) }

// split converts the halves of one vector to two.
func split(f func(g *graph, x ref) ref) castRow {
	return func(g *graph, v value) value { return two(f(g, v.Part[0]), f(g, g.high(v.Part[0]))) }
}

// toSingles rounds float64 to float32.
func (g *graph) toSingles(v value) value {
	return one(g.joined(g.op("VCVTPD2PSY", v.Part[0]), g.op("VCVTPD2PSY", v.Part[1])))
}

// toBool returns a row that compares with 0.
func toBool(d ir.DType) castRow {
	return func(g *graph, v value) value {
		ne := g.isa().rows[key{ir.OpNe, d}]
		if g.parts(d) == 1 {
			return one(ne(g, [3]ref{v.Part[0], g.zero()}))
		}
		return wideMask(ne(g, [3]ref{v.Part[0], g.zero()}), ne(g, [3]ref{v.Part[1], g.zero()}))
	}
}

// fromBool returns a row that gives 1 in the lanes of the mask, and 0 in the others.
func fromBool(d ir.DType) castRow {
	var bits uint64 = 1
	switch d {
	case ir.Float32:
		bits = uint64(math.Float32bits(1))
	case ir.Float64:
		bits = math.Float64bits(1)
	}
	return func(g *graph, v value) value {
		c, n := g.Constant(d, bits), g.parts(d)
		out := one(none)
		for p := range n {
			out.Part[p] = g.where(g.MaskPart(v, n, p), c.Part[p])
		}
		return out
	}
}
