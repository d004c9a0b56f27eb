package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The instruction table: for each elementwise operation and each element type of its
// operands the instructions for one vector. Casts have a table of their own, by both
// types. A row adds nodes to the graph and returns the last one's value.
//
// Rows call instructions by AVX2's names; another target may have its own (isa.forms). A
// target replaces rows for which it has better instructions.

// key finds the instructions of an op on operands of a type.
type key struct {
	op ir.Op
	d  ir.DType
}

// row appends the instructions of an op on one vector of each operand.
type row func(g *graph, x [3]ref) ref

// wholeRow is a row for an op that needs all vectors of its operands at once.
type wholeRow func(g *graph, a [3]value) value

// table holds the rows of a target.
type table struct {
	rows  map[key]row
	whole map[key]wholeRow
	casts map[pair]castRow
}

// newTable returns AVX2's rows.
func newTable() table {
	t := table{map[key]row{}, map[key]wholeRow{}, map[pair]castRow{}}
	t.floatRows(float{ir.Float32, "PS"})
	t.floatRows(float{ir.Float64, "PD"})
	for _, d := range []ir.DType{ir.Int32, ir.Uint32, ir.Uint8} {
		t.intRows(d)
	}
	t.signed32Rows()
	t.unsigned32Rows()
	t.byteRows()
	t.int64Rows()
	t.uint64Rows()
	t.maskRows()
	t.castTable()
	t.narrowRows()
	return t
}

func (t *table) set(d ir.DType, op ir.Op, r row) { t.rows[key{op, d}] = r }

// unary, binary and swapped are rows of one instruction.
func unary(name string) row {
	return func(g *graph, x [3]ref) ref { return g.op(name, x[0]) }
}

func binary(name string) row {
	return func(g *graph, x [3]ref) ref { return g.op(name, x[0], x[1]) }
}

func swapped(name string) row {
	return func(g *graph, x [3]ref) ref { return g.op(name, x[1], x[0]) }
}

func same(_ *graph, x [3]ref) ref { return x[0] }

// choose returns y where the mask is set, else z.
func (g *graph) choose(mask, y, z ref) ref {
	if m, ok := g.notOf(mask); ok {
		mask, y, z = m, z, y
	}
	if y == z {
		return y
	}
	return g.isa().choose(g, mask, y, z)
}

// where returns x where the mask is set, else 0. unless returns x where the mask is not set, else 0.
func (g *graph) where(mask, x ref) ref  { return g.choose(mask, x, g.zero()) }
func (g *graph) unless(mask, x ref) ref { return g.choose(mask, g.zero(), x) }

// not returns the complement of a vector or a mask. A comparison of floats becomes the comparison with the opposite predicate.
func (g *graph) not(x ref) ref {
	n := *g.At(x)
	switch {
	case n.Kind == vector.KindConst:
		n.Bits = ^n.Bits
		return g.Add(n)
	case n.Kind == vector.KindOp && n.Op.Mirror != nil:
		n.Imm ^= 4
		return g.Add(n)
	}
	if y, ok := g.notOf(x); ok {
		return y
	}
	return g.isa().not(g, x)
}

// notOf reports whether x is the result of not, and returns the operand.
func (g *graph) notOf(x ref) (ref, bool) {
	n := g.At(x)
	switch {
	case g.is(x, "KNOTW"), g.is(x, "KNOTB"):
		return n.Arg[0], true
	case g.is(x, "VPXOR") && n.Arg[1] == g.ones():
		return n.Arg[0], true
	}
	return none, false
}

func selectRow(g *graph, x [3]ref) ref { return g.choose(x[0], x[1], x[2]) }

// clamp compiles select(lt(p,q), q, p) and select(lt(p,q), p, q) to one instruction, a
// maximum or minimum. VMAX and VMIN return the second source if one is NaN or both are
// zeros, which is what these selects do.
func (l *lowerer) clamp(in kernel.Inst, a [3]value) (value, bool) {
	test := l.Kernel.Inst(in.Args[0])
	if test == nil || test.Op != ir.OpLt {
		return value{}, false
	}
	p, q := l.Values[test.Args[0]], l.Values[test.Args[1]]
	names, ok := clampOps[in.DType]
	switch {
	case !ok || l.Kernel.DType(test.Args[0]) != in.DType:
		return value{}, false
	case a[1] == q && a[2] == p:
		return l.each(in.DType, names.max, q, p), true
	case a[1] == p && a[2] == q:
		return l.each(in.DType, names.min, p, q), true
	}
	return value{}, false
}

var clampOps = map[ir.DType]struct{ min, max string }{
	ir.Float32: {"VMINPS", "VMAXPS"},
	ir.Float64: {"VMINPD", "VMAXPD"},
	ir.Int32:   {"VPMINSD", "VPMAXSD"},
	ir.Uint32:  {"VPMINUD", "VPMAXUD"},
	ir.Uint8:   {"VPMINUD", "VPMAXUD"},
}

// each applies an instruction to each vector of two operands.
func (l *lowerer) each(d ir.DType, name string, a, b value) value {
	v := one(l.op(name, a.Part[0], b.Part[0]))
	if l.parts(d) == 2 {
		v.Part[1] = l.op(name, a.Part[1], b.Part[1])
	}
	return v
}

// maskRows are the ops on bools.
func (t *table) maskRows() {
	d := ir.Bool
	logic := func(name string) row {
		return func(g *graph, x [3]ref) ref { return g.isa().logic(g, name, x[0], x[1]) }
	}
	t.set(d, ir.OpCopy, same)
	t.set(d, ir.OpAnd, logic("VPAND"))
	t.set(d, ir.OpOr, logic("VPOR"))
	t.set(d, ir.OpXor, logic("VPXOR"))
	t.set(d, ir.OpNe, logic("VPXOR"))
	t.set(d, ir.OpNot, func(g *graph, x [3]ref) ref { return g.not(x[0]) })
	t.set(d, ir.OpEq, func(g *graph, x [3]ref) ref { return g.not(logic("VPXOR")(g, x)) })
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
}
