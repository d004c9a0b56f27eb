package vector

import (
	"github.com/stridefuse/stridefuse/ir"
)

// The end of a row: horizontal reduction of the accumulators, and arg-reductions.
//
// An arg-reduction has the positions of the best elements in accumulators beside
// those of the elements, in lanes of the same width. A step replaces both where its
// element precedes the one so far; positions ascend, so of equal elements the first
// one stays. At the end of the row the lanes that hold the best element of the whole
// row give their positions, and the least of these is the result.
//
// A NaN precedes nothing. Further accumulators hold the least positions of NaN, and such a position, if there is one, is the
// result. A zero does not precede one of the other sign. If the best element is stored too, the signs of all elements
// are combined, which gives the sign of a best zero.

// storeReduced reduces the accumulators of a row to one element each, and stores it.
func (g *Graph) storeReduced() []Ref {
	var stores []Ref
	for _, r := range g.Reductions {
		if r.Out < 0 {
			continue
		}
		to := PlaceOf(len(g.Kernel.In)+r.Out, g.OutType(r.Out).Size(), 0, 0)
		stores = append(stores, g.StoreFirst(g, to, r.DType, r.horizontal(g)))
	}
	return stores
}

// horizontal reduces the accumulators of a row into the first element of a vector.
func (r *Reduction) horizontal(g *Graph) Ref {
	switch {
	case r.Best != nil: // the place of a NaN has the sign bit set
		return r.lane(g, ir.OpAnd, r.position(g), g.Constant(r.DType, 1<<31-1).Part[0])
	case r.byBits():
		return r.extreme(g, r.combined(g, 0), r.combined(g, 1), r.combined(g, 2))
	case len(r.Combiners) == 2: // the elements and their signs
		return r.bestElement(g, r.combined(g, 0), r.combined(g, 1))
	}
	return r.combined(g, 0)
}

// combined combines the accumulators of combiner k into the first element of a vector.
func (r *Reduction) combined(g *Graph, k int) Ref { return r.combine(g, k, r.accs(g, k)) }

// combine combines the elements of vectors by combiner k into the first one of a vector.
func (r *Reduction) combine(g *Graph, k int, v []Ref) Ref {
	for n := len(v) / 2; n > 0; n /= 2 {
		for i := range n {
			v[i] = r.next(g, k, v[i], v[i+n])
		}
	}
	out := v[0]
	for bytes := g.m.Width / 2; bytes >= g.m.Lane*g.m.Parts(r.DType); bytes /= 2 {
		out = r.next(g, k, out, g.Upper(g, out, bytes))
	}
	return out
}

// next combines an accumulator of combiner k with elements x.
func (r *Reduction) next(g *Graph, k int, acc, x Ref) Ref {
	if r.Positions != nil && k == 0 {
		return g.Select(g, r.precedes(g, x, acc), x, acc)
	}
	return r.Combiners[k].Combine(g, acc, x)
}

// extreme returns the minimum or maximum of float32. signed and unsigned are the maxima of the elements' bits as signed and as
// unsigned integers, least is the minimum of the bits as unsigned integers. Bits of positive floats ascend with their values,
// those of negative floats descend, and NaN are beyond the infinities; +0 counts as positive, -0 as negative. So
//
//	signed    is the greatest positive float, or a positive NaN, if any float is positive
//	unsigned  is the least negative float, or a negative NaN, if any float is negative
//	least     is the greatest negative float if all are negative, and the least positive one if none is negative
//
// Three independent instructions take half the time of a floating-point maximum, which takes six because of NaN and the signs of
// zeros.
func (r *Reduction) extreme(g *Graph, signed, unsigned, least Ref) Ref {
	zero := g.Constant(ir.Int32, 0).Part[0]
	negative := func(x Ref) Ref { return g.Lane(g, ir.OpLt, ir.Int32, [3]Ref{x, zero}) }
	nan, out := unsigned, g.Select(g, negative(signed), least, signed)
	if r.By == ir.OpMin {
		nan, out = signed, g.Select(g, negative(unsigned), unsigned, least)
	}
	return g.Select(g, r.lane(g, ir.OpNe, nan, nan), nan, out)
}

// precedes returns the mask of the elements x that replace those of an accumulator: x is less (or greater).
func (r *Reduction) precedes(g *Graph, x, acc Ref) Ref {
	if r.By == ir.OpMin {
		return r.lane(g, ir.OpLt, x, acc)
	}
	return r.lane(g, ir.OpLt, acc, x)
}

// isNumber returns the mask of the elements that are not NaN.
func (r *Reduction) isNumber(g *Graph, x Ref) Ref { return r.lane(g, ir.OpEq, x, x) }

// lane applies an elementwise operation to two vectors.
func (r *Reduction) lane(g *Graph, op ir.Op, x, y Ref) Ref {
	return g.Lane(g, op, r.DType, [3]Ref{x, y})
}

// positions returns the positions of part p of the elements of a step.
func (c *Copy) positions(d ir.DType, p int) Ref {
	m, first := c.Graph.m, 0
	if !c.Tail {
		first = m.Lanes() * c.Number
	}
	return c.Graph.Steps(c.Graph, d, first+m.Width/d.Size()*p)
}

// none returns the initial value of an accumulator of positions of NaN.
func (g *Graph) none(d ir.DType) Ref { return g.Constant(d, 1<<d.Bits()-1).Part[0] }

// position returns the position of a row's first NaN with its sign bit set, or else that of the best element. Lanes that
// hold another element count as a position beyond any, those of NaN as less than all others.
func (r *Reduction) position(g *Graph) Ref {
	v, last := r.accs(g, 0), g.Constant(r.DType, 1<<31-1).Part[0]
	best := g.Splat(g, r.Best.combined(g, 0), r.Best.DType)
	for i, acc := range r.Best.accs(g, 0) {
		v[i] = g.Select(g, r.Best.lane(g, ir.OpEq, acc, best), v[i], last)
	}
	if len(r.Combiners) == 2 {
		for i, nan := range r.accs(g, 1) {
			v[i] = r.lane(g, ir.OpMin, v[i], r.lane(g, ir.OpXor, nan, g.sign(r.DType)))
		}
	}
	return r.combine(g, 0, v)
}

// sign returns the sign bit of a type.
func (g *Graph) sign(d ir.DType) Ref { return g.Constant(d, 1<<(d.Bits()-1)).Part[0] }

// signs returns the op that combines the signs of all elements. If the greatest (or least) element is a zero, the result is the sign
// of the greatest (or least) zero.
func (r *Reduction) signs() ir.Op {
	if r.By == ir.OpMin {
		return ir.OpOr
	}
	return ir.OpAnd
}

// bestElement returns the best element of a row for a kernel that stores it beside its position. best ignores NaN and the signs
// of zeros, and signs has the combined signs.
func (r *Reduction) bestElement(g *Graph, best, signs Ref) Ref {
	d := r.Positions.DType
	zero := g.Lane(g, ir.OpAnd, d, [3]Ref{signs, g.sign(d)})
	best = g.Select(g, r.lane(g, ir.OpEq, best, g.Constant(r.DType, 0).Part[0]), zero, best)
	hasNaN := r.Positions.lane(g, ir.OpLt, r.Positions.position(g), g.Constant(d, 0).Part[0])
	return g.Select(g, hasNaN, g.none(d), best) // its bits are a NaN
}
