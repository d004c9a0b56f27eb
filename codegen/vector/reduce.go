package vector

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
// unrolled as far as it would be without reductions. If that is less than Phases times, its
// accumulators rotate from step to step (Rotating).
// Accumulators in registers are moved to the next register, which costs little as CPUs
// execute such moves by renaming; accumulators on the stack are addressed with an offset
// that rotates. The rotation at the end of the row does not matter: the combiner commutes,
// and the horizontal reduction combines accumulator i with i + Phases/2.

// Reduction is a combined output of a kernel, or the best elements that an arg-reduction needs.
type Reduction struct {
	Out       int // number of the output, or -1: only its position is stored
	V         kernel.Ref
	By        ir.Op
	DType     ir.DType
	Combiners []Combiner // what its accumulators combine: see combiners
	Shared    bool       // its accumulators are those of another reduction of the same bits
	First     int        // its first accumulator
	Best      *Reduction // of an arg-reduction: the reduction of the elements, whose positions this one has
	Positions *Reduction // of a Best: the arg-reduction
}

// Combiner is an operation that combines two elements of a type. It commutes.
type Combiner struct {
	By    ir.Op
	DType ir.DType
}

// ofBits combine the bits of float32 into the minimum and maximum: see extreme.
var ofBits = []Combiner{{ir.OpMax, ir.Int32}, {ir.OpMax, ir.Uint32}, {ir.OpMin, ir.Uint32}}

// byBits reports whether a reduction combines the bits of its elements.
func (r *Reduction) byBits() bool { return len(r.Combiners) == len(ofBits) }

// combiners returns the combiners of the accumulators of a reduction. They combine its elements or, if bits is set, the bits of
// float32. An arg-reduction of floats also combines positions of NaN, and one whose best elements are stored also
// their signs. See position and bestElement.
func (r *Reduction) combiners(bits bool) []Combiner {
	switch {
	case r.Best != nil && ir.Floats.Has(r.Best.DType):
		return []Combiner{{ir.OpMin, r.DType}, {ir.OpMin, ir.Uint32}}
	case r.Best != nil:
		return []Combiner{{ir.OpMin, r.DType}}
	case r.Positions != nil && ir.Floats.Has(r.DType) && r.Out >= 0:
		return []Combiner{{r.By, r.DType}, {r.signs(), r.Positions.DType}}
	case bits && r.Positions == nil && r.DType == ir.Float32 && (r.By == ir.OpMin || r.By == ir.OpMax):
		return ofBits
	}
	return []Combiner{{r.By, r.DType}}
}

// anyLanes reports whether all reductions give the same result for any number of virtual lanes: minimum, maximum and their
// positions.
func (g *Graph) anyLanes() bool {
	return !slices.ContainsFunc(g.combine, func(by ir.Op) bool {
		return by != ir.OpInvalid && !by.IsArgReduction() && by != ir.OpMin && by != ir.OpMax
	})
}

// assignAccumulators chooses Phases, after how many steps a virtual lane has its next element, and
// numbers the accumulators by reduction, combiner, part of a value, and phase. If any number of
// lanes will do, there are half as many, or fewer if the accumulators would not fit in registers.
func (g *Graph) assignAccumulators() {
	g.Phases = max(1, ir.ReduceLanes/g.m.Lanes())
	fewer := g.anyLanes()
	if fewer {
		g.Phases = max(1, g.Phases/2)
	}
	for bits := !g.m.Extremes; ; {
		g.number(bits)
		switch {
		case g.Accumulators() <= g.m.Registers-g.m.Working:
			return
		case fewer && g.Phases > 1:
			g.Phases /= 2
		case bits:
			bits = false
		default:
			return
		}
	}
}

// number sets the combiners of the reductions and numbers their accumulators.
func (g *Graph) number(bits bool) {
	next := 0
	for i, r := range g.Reductions {
		r.First, r.Combiners, r.Shared = next, r.combiners(bits), false
		for _, u := range g.Reductions[:i] {
			if r.byBits() && u.byBits() && u.V == r.V {
				r.First, r.Shared = u.First, true
			}
		}
		next += r.Accumulators(g)
	}
}

// reductions lists the reductions of the kernel. Arg-reductions come first, as they read
// the best elements of the steps before, which their Best then replaces.
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
			d := ir.Int32
			if m.Parts(best.DType) == 2 {
				d = ir.Int64
			}
			best.Positions = &Reduction{Out: i, V: v, By: by, DType: d, Best: best}
			positions = append(positions, best.Positions)
		case by != ir.OpInvalid:
			find(i, v, by)
		}
	}
	return append(positions, plain...)
}

// Accumulators returns the number of vectors of a reduction's own accumulators.
func (r *Reduction) Accumulators(g *Graph) int {
	if r.Shared {
		return 0
	}
	return len(r.Combiners) * g.m.Parts(r.DType) * g.Phases
}

// Accumulators returns the number of vectors of all accumulators.
func (g *Graph) Accumulators() int {
	n := 0
	for _, r := range g.Reductions {
		n += r.Accumulators(g)
	}
	return n
}

// Identity returns the initial bits of the accumulators of combiner k. Positions begin with 0, the result if no element precedes the
// identity.
func (r *Reduction) Identity(g *Graph, k int) uint64 {
	if r.Best != nil && k == 0 {
		return 0
	}
	c := r.Combiners[k]
	bits, _ := c.By.Info().Identity(c.DType)
	return g.At(g.Constant(c.DType, bits).Part[0]).Bits
}

// Combine combines two vectors. Sums and products of bytes are computed in 32 bits; the result stores the lowest 8.
func (c Combiner) Combine(g *Graph, x, y Ref) Ref {
	d := c.DType
	if d == ir.Uint8 && (c.By == ir.OpAdd || c.By == ir.OpMul) {
		d = ir.Uint32
	}
	return g.Lane(g, c.By, d, [3]Ref{x, y})
}

// accumulator returns the accumulator of combiner k for part p of a reduction's values at a phase.
func (r *Reduction) accumulator(g *Graph, k, p, phase int) Ref {
	return g.Acc(r.First + g.Phases*(g.m.Parts(r.DType)*k+p) + phase)
}

// accs lists the accumulators of combiner k of a reduction, phase by phase.
func (r *Reduction) accs(g *Graph, k int) []Ref {
	var v []Ref
	for phase := range g.Phases {
		for p := range g.m.Parts(r.DType) {
			v = append(v, r.accumulator(g, k, p, phase))
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
	if r.Shared {
		return nil
	}
	if r.DType == ir.Bool {
		v = One(g.MaskPart(v, 1, 0))
	}
	var out []Ref
	for p := range g.m.Parts(r.DType) {
		for k := range r.Combiners {
			acc, x := r.accumulator(g, k, p, c.Number), v.Part[p]
			var next Ref
			switch best := r.Best; {
			case best == nil:
				next = r.next(g, k, acc, x)
			case k == 0:
				precedes := best.precedes(g, x, best.accumulator(g, 0, p, c.Number))
				next = g.Select(g, precedes, c.positions(r.DType, p), acc)
			default:
				next = r.next(g, k, acc, g.Select(g, best.isNumber(g, x), g.none(r.DType), c.positions(r.DType, p)))
			}
			if c.Tail {
				next = g.Select(g, c.Mask(r.DType, p), next, acc)
			}
			if next != acc { // an accumulator of booleans stays under == true
				out = append(out, g.Carry(acc, next))
			}
		}
	}
	return out
}
