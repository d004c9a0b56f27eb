package machine

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

// storeReduced reduces the accumulators of a row to one element each, and stores it.
func (g *Graph) storeReduced() []Ref {
	var stores []Ref
	for _, r := range g.Reductions {
		if r.Out < 0 {
			continue
		}
		to := Place{Operand: len(g.Kernel.In) + r.Out, Size: g.OutType(r.Out).Size()}
		stores = append(stores, g.StoreFirst(g, to, r.DType, r.horizontal(g)))
	}
	return stores
}

// horizontal reduces the accumulators of a row into the first element of a vector.
func (r *Reduction) horizontal(g *Graph) Ref {
	by, v := r, r.accs(g)
	if r.Best != nil {
		by, v = &Reduction{By: ir.OpMin, DType: r.DType}, r.bestPositions(g, v)
	}
	for n := len(v) / 2; n > 0; n /= 2 {
		for i := range n {
			v[i] = by.Combine(g, v[i], v[i+n])
		}
	}
	out := v[0]
	for bytes := g.m.Width / 2; bytes >= g.m.Lane*g.m.Parts(r.DType); bytes /= 2 {
		out = by.Combine(g, out, g.Upper(g, out, bytes))
	}
	return out
}

// precedes is the mask of the elements x that replace those of an accumulator: x is
// less (greater), or is the first NaN.
func (r *Reduction) precedes(g *Graph, x, acc Ref) Ref {
	a, b := acc, x
	if r.By == ir.OpMin {
		a, b = x, acc
	}
	if ir.Floats.Has(r.DType) {
		less := g.Not(g, r.lane(g, ir.OpLe, b, a)) // or one of them is NaN
		return g.And(g, less, g.Not(g, r.lane(g, ir.OpNe, acc, acc)))
	}
	return r.lane(g, ir.OpLt, a, b)
}

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

// bestPositions returns the positions of a row's best element, and in the lanes that
// hold another element a position beyond any.
func (r *Reduction) bestPositions(g *Graph, positions []Ref) []Ref {
	beyond := g.Constant(r.DType, 1<<31-1).Part[0]
	best := g.Splat(g, r.Best.horizontal(g), r.DType)
	for i, acc := range r.Best.accs(g) {
		is := r.Best.lane(g, ir.OpEq, acc, best)
		if ir.Floats.Has(r.Best.DType) {
			is = g.Or(g, is, r.Best.lane(g, ir.OpNe, acc, acc))
		}
		positions[i] = g.Select(g, is, positions[i], beyond)
	}
	return positions
}
