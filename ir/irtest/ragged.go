package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// raggedGrowth is the most values that ragged appends for products.
const raggedGrowth = 24

// ragged combines rows of a few elements along an axis. The offsets are i*i*a, clipped to the extent.
func (g *gen) ragged(v *ir.Value) {
	shape, known := v.Type.Shape.Ints()
	if !known || len(shape) == 0 || !ir.Numeric.Has(v.Type.DType) || !g.DTypes.Has(ir.Int64) {
		return
	}
	if len(g.f.Body)+raggedGrowth <= g.MaxNodes && g.chance("products", 2) {
		g.raggedProducts(v)
		return
	}
	k, _ := g.axis(v)
	if offsets := g.offsets(shape, k); offsets != nil {
		g.add(oneOf(g, "ragged op", []ir.Op{ir.OpRaggedAdd, ir.OpRaggedMin, ir.OpRaggedMax}), ir.Attr{Axis: k}, v, offsets)
	}
}

// raggedProducts combines products of gathered elements and numbers: by one op, or by the ops from which a pass makes
// it.
func (g *gen) raggedProducts(v *ir.Value) {
	index, k := g.indices(v)
	if index == nil {
		return
	}
	shape := g.shape(index.Type.Shape)
	offsets := g.offsets(shape, k)
	if offsets == nil {
		return
	}
	n := g.add(ir.OpIota, ir.Attr{DType: ir.Int64, Shape: ir.ShapeOf(shape[k])})
	weights := g.repeated(g.add(ir.OpCast, ir.Attr{DType: v.Type.DType}, n), shape, k)
	if v.Type.DType.Native() && g.chance("one op", 2) {
		g.add(ir.OpRaggedMulAdd, ir.Attr{Axis: k}, v, offsets, index, weights)
		return
	}
	products := g.add(ir.OpMul, ir.Attr{}, g.add(ir.OpGather, ir.Attr{Axis: k}, v, index), weights)
	g.add(ir.OpRaggedAdd, ir.Attr{Axis: k}, products, offsets)
}

// offsets makes offsets of rows along axis k of a shape, equal along the other axes.
func (g *gen) offsets(shape []int, k int) *ir.Value {
	n, rows := shape[k], g.int("rows", 1, 6)
	shape = slices.Clone(shape)
	shape[k] = rows + 1
	if size(shape) == 0 || size(shape) > g.MaxElems {
		return nil
	}
	number := func(x int) *ir.Value { return g.add(ir.OpConst, ir.Attr{DType: ir.Int64, Bits: uint64(x)}) }
	i := g.add(ir.OpIota, ir.Attr{DType: ir.Int64, Shape: ir.ShapeOf(rows + 1)})
	i = g.add(ir.OpMul, ir.Attr{}, g.add(ir.OpMul, ir.Attr{}, i, i), number((n+rows*rows-1)/(rows*rows)))
	return g.repeated(g.add(ir.OpMin, ir.Attr{}, i, number(n)), shape, k)
}
