package amd64

import "github.com/stridefuse/stridefuse/ir"

// long64Rows are the ops that are the same for int64 and uint64.
func (t *table) long64Rows(d ir.DType, divide string) {
	t.set(d, ir.OpCopy, same)
	t.set(d, ir.OpAdd, binary("VPADDQ"))
	t.set(d, ir.OpSub, binary("VPSUBQ"))
	t.set(d, ir.OpMul, mul64)
	t.set(d, ir.OpNeg, func(g *graph, x [3]ref) ref { return g.op("VPSUBQ", g.zero(), x[0]) })
	t.set(d, ir.OpEq, binary("VPCMPEQQ"))
	t.set(d, ir.OpNe, func(g *graph, x [3]ref) ref { return g.not(g.op("VPCMPEQQ", x[0], x[1])) })
	t.set(d, ir.OpAnd, binary("VPAND"))
	t.set(d, ir.OpOr, binary("VPOR"))
	t.set(d, ir.OpXor, binary("VPXOR"))
	t.set(d, ir.OpNot, func(g *graph, x [3]ref) ref { return g.not(x[0]) })
	t.set(d, ir.OpShl, shift("VPSLLVQ", "VPSLLQ", 64))
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
	t.set(d, ir.OpBitcast, same)
	t.whole[key{ir.OpDiv, d}] = func(g *graph, a [3]value) value { return g.divRem(divide, a, 0) }
	t.whole[key{ir.OpRem, d}] = func(g *graph, a [3]value) value { return g.divRem(divide, a, 1) }
}

func (t *table) int64Rows() {
	d := ir.Int64
	t.long64Rows(d, "DIVREM")
	t.set(d, ir.OpAbs, abs64)
	t.set(d, ir.OpShr, shr64)
	t.orderRows(d, func(g *graph, x, y ref) ref { return g.op("VPCMPGTQ", x, y) })
}

func (t *table) uint64Rows() {
	d := ir.Uint64
	t.long64Rows(d, "DIVREMU")
	t.set(d, ir.OpAbs, same)
	t.set(d, ir.OpShr, shift("VPSRLVQ", "VPSRLQ", 64))
	t.orderRows(d, func(g *graph, x, y ref) ref { return g.op("VPCMPGTQ", g.flip64(x), g.flip64(y)) })
}

// flip64 maps the order of unsigned integers to that of signed ones.
func (g *graph) flip64(x ref) ref { return g.op("VPXOR", x, g.c64(1<<63)) }

// orderRows are the ops that can be computed from x > y.
func (t *table) orderRows(d ir.DType, greater func(g *graph, x, y ref) ref) {
	t.set(d, ir.OpMin, func(g *graph, x [3]ref) ref { return g.choose(greater(g, x[0], x[1]), x[1], x[0]) })
	t.set(d, ir.OpMax, func(g *graph, x [3]ref) ref { return g.choose(greater(g, x[0], x[1]), x[0], x[1]) })
	t.set(d, ir.OpLt, func(g *graph, x [3]ref) ref { return greater(g, x[1], x[0]) })
	t.set(d, ir.OpLe, func(g *graph, x [3]ref) ref { return g.not(greater(g, x[0], x[1])) })
}

// mul64 adds the three products of 32-bit halves that contribute to the lower 64 bits.
func mul64(g *graph, x [3]ref) ref {
	hi := func(r ref) ref { return g.imm("VPSRLQ", 32, r) }
	cross := g.op("VPADDQ", g.op("VPMULUDQ", hi(x[0]), x[1]), g.op("VPMULUDQ", hi(x[1]), x[0]))
	return g.op("VPADDQ", g.imm("VPSLLQ", 32, cross), g.op("VPMULUDQ", x[0], x[1]))
}

// sign64 is all ones in the lanes that are negative.
func (g *graph) sign64(x ref) ref { return g.op("VPCMPGTQ", g.zero(), x) }

// abs64 computes (x ^ m) - m, where m is the sign in all bits.
func abs64(g *graph, x [3]ref) ref {
	m := g.sign64(x[0])
	return g.op("VPSUBQ", g.op("VPXOR", x[0], m), m)
}

// shr64 is an arithmetic shift, which AVX2 lacks: it flips the bits of negative lanes before
// and after a logical shift.
func shr64(g *graph, x [3]ref) ref {
	logical := shift("VPSRLVQ", "VPSRLQ", 64)
	if g.masked64(x[0]) {
		return logical(g, x)
	}
	m := g.sign64(x[0])
	flipped := g.op("VPXOR", x[0], m)
	return g.op("VPXOR", logical(g, [3]ref{flipped, x[1]}), m)
}

// masked64 reports whether a constant mask has cleared the sign of x.
func (g *graph) masked64(x ref) bool {
	if !g.is(x, "VPAND") {
		return false
	}
	for _, a := range g.At(x).Arg[:2] {
		if bits, ok := g.constant(a); ok && int64(bits) >= 0 {
			return true
		}
	}
	return false
}

// divRem divides element by element in general registers. One loop computes both
// results, the quotient (0) and the remainder (1).
func (g *graph) divRem(opcode string, a [3]value, result int) value {
	operands := [4]ref{a[0].Part[0], a[0].Part[1], a[1].Part[0], a[1].Part[1]}
	return g.ScalarLoop(g.isa().opcode(opcode), operands, result)
}
