package machine

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Reductions along the columns. ir.ReduceRow defines them on ir.ReduceLanes virtual
// lanes: column i goes to lane i mod ReduceLanes, and at the end of the row the lanes
// are combined in a fixed order. A step computes Lanes columns, so an accumulator
// per step holds part of the virtual lanes, and step k uses accumulator k mod Phases.
//
// A short body is unrolled Phases times, in the main loop and after it, so that each
// copy has accumulators of its own (PerPhase). A longer body, or one with cold blocks, is
// not unrolled that far, and its accumulators rotate from step to step (Rotating).
// Accumulators in registers are moved to the next register, which costs little as CPUs
// execute such moves by renaming; accumulators on the stack are addressed with an offset
// that rotates. The rotation at the end of the row does not matter: the combiner commutes,
// and the horizontal reduction combines accumulator i with i + Phases/2.

// Reduction is a combined output of a kernel, or the elements that an arg-reduction needs.
type Reduction struct {
	Out    int // number of the output, or -1: only its position is stored
	V      kernel.Ref
	By     ir.Op
	DType  ir.DType   // of the accumulators
	First  int        // its first accumulator
	Phases int        // accumulators for each vector of a value
	Best   *Reduction // of an arg-reduction: the reduction of the elements, whose positions this one has
	Found  bool       // it is the Best of an arg-reduction
}

// phases returns after how many steps a virtual lane has its next element. Minimum,
// maximum and their positions are the same for any number of lanes; if nothing else is
// reduced, there are fewer lanes, to have registers for the positions.
func (g *Graph) phases() int {
	m, k := g.m, g.Kernel
	all := max(1, ir.ReduceLanes/m.Lanes())
	finds := false
	for _, by := range g.combine {
		finds = finds || by.IsArgReduction()
		if !by.IsArgReduction() && by != ir.OpMin && by != ir.OpMax {
			return all
		}
	}
	if !finds || len(k.Body) > m.Reduce.HalfLanes {
		return all
	}
	if slices.ContainsFunc(k.Out, func(v kernel.Ref) bool { return m.Parts(k.DType(v)) == 1 }) {
		return max(1, all/2)
	}
	return max(1, all/4)
}

// reductions lists the reductions of the kernel. Arg-reductions come first, as they read
// the best elements of the steps before, which their Best then replaces. The accumulators
// are numbered by reduction, part of a value, and phase.
func (g *Graph) reductions() []*Reduction {
	m, k := g.m, g.Kernel
	var positions, plain []*Reduction
	find := func(out int, v kernel.Ref, by ir.Op) *Reduction {
		for _, r := range plain {
			if r.V == v && r.By == by && (r.Out < 0 || out < 0) {
				r.Out = max(r.Out, out)
				return r
			}
		}
		r := &Reduction{Out: out, V: v, By: by, DType: k.DType(v)}
		plain = append(plain, r)
		return r
	}
	for i, v := range k.Out {
		switch by := g.Combiner(i); {
		case by.IsArgReduction():
			best := find(-1, v, by.Info().By)
			best.Found = true
			d := ir.Int32
			if m.Parts(best.DType) == 2 {
				d = ir.Int64
			}
			positions = append(positions, &Reduction{Out: i, V: v, By: by, DType: d, Best: best})
		case by != ir.OpInvalid:
			find(i, v, by)
		}
	}
	next := 0
	list := append(positions, plain...)
	for _, r := range list {
		r.First, r.Phases = next, g.Phases
		next += g.Phases * m.Parts(r.DType)
	}
	return list
}

// Accumulators returns how many vectors the reductions take.
func (g *Graph) Accumulators() int {
	n := 0
	for _, r := range g.Reductions {
		n += r.Phases * g.m.Parts(r.DType)
	}
	return n
}

// Identity is the bits that the accumulators begin with. Positions begin with 0, the
// result if no element precedes the identity.
func (r *Reduction) Identity(g *Graph) uint64 {
	if r.Best != nil {
		return 0
	}
	bits, _ := r.By.Info().Identity(r.DType)
	return g.At(g.Constant(r.DType, bits).Part[0]).Bits
}

// Combine combines two vectors. Sums and products of bytes are computed in 32 bits, of
// which the result stores the lowest 8.
func (r *Reduction) Combine(g *Graph, x, y Ref) Ref {
	d := r.DType
	if d == ir.Uint8 && (r.By == ir.OpAdd || r.By == ir.OpMul) {
		d = ir.Uint32
	}
	return g.Lane(g, r.By, d, [3]Ref{x, y})
}

// accumulator returns the accumulator of part p of a reduction's values at a phase.
func (r *Reduction) accumulator(g *Graph, p, phase int) Ref {
	return g.Acc(r.First + r.Phases*p + phase)
}

// accs lists the accumulators of a reduction, phase by phase.
func (r *Reduction) accs(g *Graph) []Ref {
	var v []Ref
	for phase := range r.Phases {
		for p := range g.m.Parts(r.DType) {
			v = append(v, r.accumulator(g, p, phase))
		}
	}
	return v
}

// accs lists the accumulators of the kernel.
func (g *Graph) accs() []Ref {
	out := make([]Ref, g.Accumulators())
	for i := range out {
		out[i] = g.Acc(i)
	}
	return out
}

// reduce combines the elements of a step with their accumulators. It returns the
// instructions that carry the new values to the next step. In the tail, lanes beyond
// the row stay as they are.
func (c *Copy) reduce(r *Reduction) []Ref {
	g, v := c.Graph, c.Values[r.V]
	if r.DType == ir.Bool {
		v = One(g.MaskPart(v, 1, 0))
	}
	var out []Ref
	for p := range g.m.Parts(r.DType) {
		acc := r.accumulator(g, p, c.Number)
		var next Ref
		switch x := v.Part[p]; {
		case r.Best != nil:
			precedes := r.Best.precedes(g, x, r.Best.accumulator(g, p, c.Number))
			next = g.Select(g, precedes, c.positions(r.DType, p), acc)
		case r.Found && (r.Out < 0 || !ir.Floats.Has(r.DType)): // the sign of a zero does not matter
			next = g.Select(g, r.precedes(g, x, acc), x, acc)
		default:
			next = r.Combine(g, acc, x)
		}
		if c.Tail {
			next = g.Select(g, c.Mask(r.DType, p), next, acc)
		}
		if next != acc { // an accumulator of booleans stays under == true
			out = append(out, g.Carry(acc, next))
		}
	}
	return out
}
