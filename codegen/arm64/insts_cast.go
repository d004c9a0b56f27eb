package arm64

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// pair is the types that a cast converts from and to.
type pair [2]ir.DType

// castRow converts all vectors of a value: the result may have another number of them.
type castRow func(g graph, v value) value

// FCVTZS, FCVTZU and the narrowing instructions saturate, and convert NaN to 0.

func (t *bodyTable) castTable() {
	keep := func(_ graph, v value) value { return v }
	for _, d := range ir.Native.List() {
		t.casts[pair{d, ir.Bool}] = toBool(d)
		t.casts[pair{ir.Bool, d}] = fromBool(d)
		t.casts[pair{d, d}] = keep
	}
	words := []ir.DType{ir.Uint8, ir.Int32, ir.Uint32}
	for _, from := range words {
		sign := signOf(from)
		for _, to := range words {
			t.casts[pair{from, to}] = keep
		}
		t.casts[pair{from, ir.Float32}] = single(sign + "CVTF.4S")
		t.casts[pair{from, ir.Float64}] = func(g graph, v value) value { return each("SCVTF.2D")(g, split(sign+"XTL")(g, v)) }
		for _, long := range []ir.DType{ir.Int64, ir.Uint64} {
			t.casts[pair{from, long}] = split(sign + "XTL")
			t.casts[pair{long, from}] = func(g graph, v value) value { return one(g.evens(v.Part[0], v.Part[1])) }
		}
		t.casts[pair{ir.Float32, from}] = single("FCVTZ" + sign + ".4S")
		t.casts[pair{ir.Float64, from}] = func(g graph, v value) value {
			v = each("FCVTZ"+sign+".2D")(g, v)
			narrow := map[string]string{"S": "SQXTN", "U": "UQXTN"}[sign]
			return one(g.op(narrow+"2.2D", v.Part[1], g.op(narrow+".2D", v.Part[0])))
		}
	}
	for _, long := range []ir.DType{ir.Int64, ir.Uint64} {
		sign := signOf(long)
		t.casts[pair{long, ir.Float64}] = each(sign + "CVTF.2D")
		t.casts[pair{long, ir.Float32}] = func(g graph, v value) value { return one(g.op(sign+"CVTF.SX", v.Part[0], v.Part[1])) }
		t.casts[pair{ir.Float64, long}] = each("FCVTZ" + sign + ".2D")
		t.casts[pair{ir.Float32, long}] = func(g graph, v value) value { return each("FCVTZ"+sign+".2D")(g, split("FCVTL")(g, v)) }
	}
	t.casts[pair{ir.Int64, ir.Uint64}], t.casts[pair{ir.Uint64, ir.Int64}] = keep, keep
	t.casts[pair{ir.Float32, ir.Float64}] = split("FCVTL")
	t.casts[pair{ir.Float64, ir.Float32}] = func(g graph, v value) value {
		return one(g.op("FCVTN2.2D", v.Part[1], g.op("FCVTN.2D", v.Part[0])))
	}
	t.byteCasts()
}

// byteCasts reduces casts to uint8 to 8 bits: those of integers wrap, those of floats saturate.
func (t *bodyTable) byteCasts() {
	for _, from := range []ir.DType{ir.Int32, ir.Uint32, ir.Int64, ir.Uint64, ir.Float32, ir.Float64} {
		name, cast := "AND.16B", t.casts[pair{from, ir.Uint8}]
		if ir.Floats.Has(from) {
			name = "UMIN.4S"
		}
		t.casts[pair{from, ir.Uint8}] = func(g graph, v value) value { return one(g.op(name, cast(g, v).Part[0], g.c32(255))) }
	}
}

func signOf(d ir.DType) string {
	if ir.Signed.Has(d) {
		return "S"
	}
	return "U"
}

// single converts one vector, each each vector of a value.
func single(name string) castRow {
	return func(g graph, v value) value { return one(g.op(name, v.Part[0])) }
}

func each(name string) castRow {
	return func(g graph, v value) value { return two(g.op(name, v.Part[0]), g.op(name, v.Part[1])) }
}

// split converts the halves of one vector to two.
func split(name string) castRow {
	return func(g graph, v value) value { return two(g.op(name+".2D", v.Part[0]), g.op(name+"2.2D", v.Part[0])) }
}

// toBool returns a row that compares with 0.
func toBool(d ir.DType) castRow {
	return func(g graph, v value) value {
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
	return func(g graph, v value) value {
		c, n := g.Constant(d, bits), g.parts(d)
		out := one(none)
		for p := range n {
			out.Part[p] = g.where(g.MaskPart(v, n, p), c.Part[p])
		}
		return out
	}
}

// narrowRows are those of types that are computed in another type, in lanes of 32 bits. elementary.Expand leaves two kinds of operations
// on them: those that move elements, and the conversions from and to the compute type.
func (t *bodyTable) narrowRows() {
	for _, d := range (ir.AllTypes &^ ir.Native).List() {
		t.set(d, ir.OpCopy, same)
		if !ir.Signed.Has(d) { // those extend the sign: bitcasts of them expand to casts
			t.set(d, ir.OpBitcast, same)
		}
		if d == ir.BFloat16 || d == ir.Fixed16x16 || ir.Stored.Has(d) { // their conversions expand
			continue
		}
		t.casts[pair{d, d.Compute()}] = func(g graph, v value) value { return one(g.widened(d, v.Part[0])) }
		t.casts[pair{d.Compute(), d}] = func(g graph, v value) value { return one(g.narrowed(d, v.Part[0])) }
	}
}

// widened returns the compute type's elements.
func (g graph) widened(d ir.DType, x ref) ref {
	switch {
	case d.Compute() == ir.Int32:
		return x
	case d == ir.Float16:
		return g.op("FCVTL.4S", g.words(x))
	}
	panic(noForm("conversion", d))
}

// narrowed wraps or rounds elements of the compute type to type d.
func (g graph) narrowed(d ir.DType, x ref) ref {
	switch {
	case d.Compute() == ir.Int32 && d.Size() < 4:
		return g.extended(d, g.shortened(d, x))
	case d.Compute() == ir.Int32:
		return x
	case d == ir.Float16:
		return g.op("UXTL.4S", g.op("FCVTN.4S", x))
	}
	panic(noForm("conversion", d))
}

// shortened returns the low bytes of each lane, as many as an element has, next to each other.
func (g graph) shortened(d ir.DType, x ref) ref {
	if d.Size() == 1 {
		return g.bytes(x)
	}
	return g.words(x)
}
