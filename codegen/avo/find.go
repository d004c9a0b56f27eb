package avo

import "github.com/stridefuse/stridefuse/ir"

// Where the least or greatest element of a row stands. Beside the accumulators of
// the elements there are as many of their places, in lanes as wide. A step replaces
// both where its element goes before the one so far; as places ascend, equal ones
// stay. At the end of the row the lanes that have the element of the whole row give
// their places, the least of which is the first.

// beats is the mask of the elements x that go before those of an accumulator: where
// x is further out, or is the first NaN.
func (f *fold) beats(g *graph, x, acc ref) ref {
	a, b := acc, x
	if f.by == ir.OpMin {
		a, b = x, acc
	}
	if ir.Floats.Has(f.d) {
		further := g.not(f.lane(g, ir.OpLe, b, a)) // or one of them is NaN
		return g.op("VANDPS", further, g.not(f.lane(g, ir.OpNe, acc, acc)))
	}
	return f.lane(g, ir.OpLt, a, b)
}

// lane applies a lane op to two vectors.
func (f *fold) lane(g *graph, op ir.Op, x, y ref) ref {
	return rows[key{op, f.d}](g, [3]ref{x, y})
}

// place returns the places of the elements of a step that are in part p.
func (l *lowerer) place(d ir.DType, p int) ref {
	from := 0
	if !l.tail {
		from = 8 * l.copy
	}
	spread, add, wide := "VPMOVZXBD", "VPADDD", uint8(0)
	if d.Size() == 8 {
		spread, add, wide = "VPMOVZXBQ", "VPADDQ", 1
		from += 4 * p
	}
	const bytes = 0x0706050403020100
	lanes := l.c64(bytes + uint64(from)*0x0101010101010101)
	return l.op(add, l.imm("INDEX", wide), l.op(spread, lanes))
}

// stepIndex puts the index of the step into every lane.
func (n *nest) stepIndex(i *machineInst) {
	n.do("VMOVQ", gp(index), x(i.dst))
	if i.imm == 0 {
		n.do("VPBROADCASTD", x(i.dst), y(i.dst))
	} else {
		n.do("VPBROADCASTQ", x(i.dst), y(i.dst))
	}
}

// placesOf returns the places of a row's best element, those of others beyond any.
func (g *graph) placesOf(f *fold, places []ref) []ref {
	beyond := g.c32(1<<31 - 1)
	if f.d == ir.Int64 {
		beyond = g.i64(1<<31 - 1)
	}
	best := g.across(f.best)
	if parts(f.d) == 2 {
		best = g.imm("VSHUFPS", 0x44, best, best)
	} else {
		best = g.imm("VSHUFPS", 0, best, best)
	}
	best = g.joined(best, best)
	for i, acc := range g.ofRow(f.best) {
		is := f.best.lane(g, ir.OpEq, acc, best)
		if ir.Floats.Has(f.best.d) {
			is = g.op("VORPS", is, f.best.lane(g, ir.OpNe, acc, acc))
		}
		places[i] = g.choose(is, places[i], beyond)
	}
	return places
}
