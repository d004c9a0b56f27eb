package arm64

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// intRows are the ops on integers of 4 or 8 bytes.
func (t *bodyTable) intRows(d ir.DType) {
	wide, signed := d.Size() == 8, ir.Signed.Has(d)
	w, s := ".4S", ".S"
	if wide {
		w, s = ".2D", ".D"
	}
	sign, greater, notLess := "U", "CMHI", "CMHS"
	if signed {
		sign, greater, notLess = "S", "CMGT", "CMGE"
	}
	t.bitRows(d)
	t.set(d, ir.OpBitcast, same)
	t.set(d, ir.OpAdd, ofTwo("ADD"+w))
	t.set(d, ir.OpSub, ofTwo("SUB"+w))
	t.set(d, ir.OpMul, ofTwo("MUL"+w))
	t.set(d, ir.OpNeg, ofOne("NEG"+w))
	t.set(d, ir.OpAbs, same)
	if signed {
		t.set(d, ir.OpAbs, ofOne("ABS"+w))
	}
	t.set(d, ir.OpEq, ofTwo("CMEQ"+w))
	t.set(d, ir.OpNe, negated(ofTwo("CMEQ"+w)))
	t.set(d, ir.OpLt, swapped(greater+w))
	t.set(d, ir.OpLe, swapped(notLess+w))
	t.set(d, ir.OpMin, ofTwo(sign+"MIN"+w))
	t.set(d, ir.OpMax, ofTwo(sign+"MAX"+w))
	t.set(d, ir.OpDiv, ofTwo(sign+"DIV"+s))
	t.set(d, ir.OpRem, ofTwo(sign+"REM"+s))
	t.set(d, ir.OpShl, shift("USHL", "SHL", w, false))
	t.set(d, ir.OpShr, shift(sign+"SHL", sign+"SHR", w, true))
	if wide {
		t.set(d, ir.OpMul, mul64)
		t.set(d, ir.OpMin, func(g graph, x [3]ref) ref { return g.choose(g.op(greater+w, x[0], x[1]), x[1], x[0]) })
		t.set(d, ir.OpMax, func(g graph, x [3]ref) ref { return g.choose(g.op(greater+w, x[0], x[1]), x[0], x[1]) })
	}
	if d == ir.Int32 {
		t.set(d, ir.OpMulHalves, mulHalves)
	}
}

// shift is a shift by counts in lanes, or by a constant. A count of the width or more clears all bits, or gives all bits the sign. A
// shift by a vector reads the low byte of a count, as a signed number; it shifts to the right by negative counts.
func shift(lanes, constant, w string, right bool) row {
	width := uint64(32)
	if w == ".2D" {
		width = 64
	}
	return func(g graph, x [3]ref) ref {
		if n, ok := g.constant(x[1]); ok {
			if width == 32 {
				n &= math.MaxUint32
			}
			switch {
			case n == 0:
				return x[0]
			case n < width || right:
				return g.imm(constant+w, uint8(min(n, width)), x[0])
			}
			return g.zero()
		}
		var count ref
		if width == 32 {
			count = g.op("UMIN.4S", x[1], g.c32(32))
		} else {
			count = g.choose(g.op("CMHI.2D", g.c64(64), x[1]), x[1], g.c64(64))
		}
		if right {
			count = g.op("NEG"+w, count)
		}
		return g.op(lanes+w, x[0], count)
	}
}

// mul64 adds the three products of 32-bit halves that contribute to the lower 64 bits.
func mul64(g graph, x [3]ref) ref {
	cross := g.op("UADDLP.4S", g.op("MUL.4S", g.op("REV64.4S", x[1]), x[0]))
	return g.op("UMLAL.2D", g.op("XTN.2D", x[0]), g.op("XTN.2D", x[1]), g.imm("SHL.2D", 32, cross))
}

// mulHalves multiplies the two signed 16-bit halves of each lane, and adds the products.
func mulHalves(g graph, x [3]ref) ref {
	return g.op("ADDP.4S", g.op("SMULL.4S", x[0], x[1]), g.op("SMULL2.4S", x[0], x[1]))
}

// byteRows are the ops on uint8, which is computed in lanes of 32 bits. Results are reduced to 8 bits.
func (t *bodyTable) byteRows() {
	d := ir.Uint8
	t.intRows(d)
	low := func(r row) row {
		return func(g graph, x [3]ref) ref { return g.op("AND.16B", r(g, x), g.c32(255)) }
	}
	for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpShl} {
		t.set(d, op, low(t.rows[key{op, d}]))
	}
	t.set(d, ir.OpNot, func(g graph, x [3]ref) ref { return g.op("EOR.16B", x[0], g.c32(255)) })
	// No quotient of bytes that is not exact is so near to an integer that float32 rounds to it.
	t.set(d, ir.OpDiv, func(g graph, x [3]ref) ref {
		q := g.op("FCVTZS.4S", g.op("FDIV.4S", g.op("SCVTF.4S", x[0]), g.op("SCVTF.4S", x[1])))
		return g.op("BIC.16B", q, g.op("CMEQZERO.4S", x[1]))
	})
}
