package arm64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The instruction table of bodies: for each elementwise operation and each element type of its operands the instructions for one
// vector. Casts have a table of their own, by both types. A row adds nodes to the graph and returns the last one's value.

// key finds the instructions of an op on operands of a type.
type key struct {
	op ir.Op
	d  ir.DType
}

// row appends the instructions of an op on one vector of each operand.
type row func(g graph, x [3]ref) ref

// bodyTable holds all rows.
type bodyTable struct {
	rows  map[key]row
	casts map[pair]castRow
}

func newBodyTable() bodyTable {
	t := bodyTable{map[key]row{}, map[pair]castRow{}}
	t.floatRows(float{ir.Float32, ".4S"})
	t.floatRows(float{ir.Float64, ".2D"})
	for _, d := range []ir.DType{ir.Int32, ir.Uint32, ir.Int64, ir.Uint64} {
		t.intRows(d)
	}
	t.byteRows()
	t.maskRows()
	t.castTable()
	t.narrowRows()
	return t
}

func (t *bodyTable) set(d ir.DType, op ir.Op, r row) { t.rows[key{op, d}] = r }

// ofOne, ofTwo and swapped are rows of one instruction.
func ofOne(name string) row {
	return func(g graph, x [3]ref) ref { return g.op(name, x[0]) }
}

func ofTwo(name string) row {
	return func(g graph, x [3]ref) ref { return g.op(name, x[0], x[1]) }
}

func swapped(name string) row {
	return func(g graph, x [3]ref) ref { return g.op(name, x[1], x[0]) }
}

// negated is the complement of a row's mask.
func negated(r row) row {
	return func(g graph, x [3]ref) ref { return g.not(r(g, x)) }
}

func same(_ graph, x [3]ref) ref { return x[0] }

// choose returns y where the mask is set, else z.
func (g graph) choose(mask, y, z ref) ref {
	if m, ok := g.notOf(mask); ok {
		mask, y, z = m, z, y
	}
	switch {
	case y == z:
		return y
	case z == g.zero():
		return g.op("AND.16B", mask, y)
	case y == g.zero():
		return g.op("BIC.16B", z, mask)
	case y == g.ones():
		return g.op("ORR.16B", mask, z)
	}
	return g.op(opSelect, mask, y, z)
}

// where returns x where the mask is set, else 0.
func (g graph) where(mask, x ref) ref { return g.choose(mask, x, g.zero()) }

// not returns the complement of a vector or a mask.
func (g graph) not(x ref) ref {
	if n := *g.At(x); n.Kind == vector.KindConst {
		n.Bits = ^n.Bits
		return g.Add(n)
	}
	if y, ok := g.notOf(x); ok {
		return y
	}
	return g.op("NOT.16B", x)
}

// notOf reports whether x is the result of not, and returns the operand.
func (g graph) notOf(x ref) (ref, bool) { return g.is(x, "NOT.16B") }

func selectRow(g graph, x [3]ref) ref { return g.choose(x[0], x[1], x[2]) }

// bitRows are the ops that do not depend on the width of a lane.
func (t *bodyTable) bitRows(d ir.DType) {
	t.set(d, ir.OpCopy, same)
	t.set(d, ir.OpAnd, ofTwo("AND.16B"))
	t.set(d, ir.OpOr, ofTwo("ORR.16B"))
	t.set(d, ir.OpXor, ofTwo("EOR.16B"))
	t.set(d, ir.OpNot, func(g graph, x [3]ref) ref { return g.not(x[0]) })
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
}

// maskRows are the ops on bools.
func (t *bodyTable) maskRows() {
	t.bitRows(ir.Bool)
	t.set(ir.Bool, ir.OpNe, ofTwo("EOR.16B"))
	t.set(ir.Bool, ir.OpEq, negated(ofTwo("EOR.16B")))
}
