package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Seldoms. What only their second operands need stands behind the function's
// end, once for all copies of the body: its sources and results have fixed
// places on the stack. A copy tests the condition of its 8 elements; where any
// is true it goes through a stub of its own, which saves the registers, brings
// the sources to their places and fetches the results.

// block is a detour's code behind the end.
type block struct {
	*codegen.Detour
	inputs []kernel.Ref // what the stubs bring, the last operands of the seldoms first
	body   []kernel.Ref // what it computes, in order
	forms  []value      // how its inputs come
	insts  []machineInst
	spills int
}

// stub is the use of a block in one copy of the body.
type stub struct {
	block   *block
	test    []ref // what has a bit in common if the condition is true anywhere: one vector, and the tail's mask
	in      []ref // the sources, by place
	z       []ref // the last operands, by result
	results []ref
}

func (g *graph) isDetour(r ref) bool {
	n := g.at(r)
	return n.kind == kOp && n.op.form == formDetour
}

// args lists what r reads; a detour first what it needs without the block.
func (g *graph) args(r ref) []ref {
	n := g.at(r)
	if g.isDetour(r) {
		s := g.stubs[n.slot]
		return slices.Concat(s.z, s.test, s.in)
	}
	return n.args()
}

// args lists the sources of a node that is no detour.
func (n *node) args() []ref {
	i := 0
	for i < len(n.arg) && n.arg[i] != none {
		i++
	}
	return n.arg[:i]
}

// outline says which of a kernel's values the main path computes, and which
// blocks the others.
type outline struct {
	k      *kernel.Kernel
	has    []bool                // what varies and is on the main path
	varies []bool                // along the columns
	blocks map[kernel.Ref]*block // by seldom
}

func newOutline(k *kernel.Kernel) *outline {
	r := codegen.Split(k)
	o := &outline{k: k, has: r.Has, varies: codegen.Varying(k), blocks: map[kernel.Ref]*block{}}
	for _, d := range r.Detours {
		b := &block{Detour: d}
		for _, v := range d.Seldoms {
			o.blocks[v] = b
			o.input(b, k.Inst(v).Args[2])
		}
		for _, v := range append([]kernel.Ref{d.Cond}, d.Inputs...) {
			o.input(b, o.origin(v))
		}
		o.plan(b)
	}
	return o
}

// main reports whether a copy computes r, or the row for all copies.
func (o *outline) main(r kernel.Ref) bool { return o.has[r] || !o.varies[r] }

func (o *outline) isConst(v kernel.Ref) bool {
	in := o.k.Inst(v)
	return in != nil && in.Op == ir.OpConst
}

func (o *outline) input(b *block, v kernel.Ref) {
	if !o.isConst(v) && !slices.Contains(b.inputs, v) {
		b.inputs = append(b.inputs, v)
	}
}

// remakes is what a block may compute again, in time of one element, so that
// the main path need not keep it.
const remakes = 8

// origin returns the earliest value from which alone v follows in a few
// instructions and that takes no more vectors.
func (o *outline) origin(v kernel.Ref) kernel.Ref {
	best, cost := v, 0.0
	for open := []kernel.Ref{v}; len(open) > 0; {
		last := slices.Max(open)
		in := o.k.Inst(last)
		if in == nil || !o.has[last] || in.Op == ir.OpSeldom {
			break
		}
		if cost += in.Op.Info().Cost; cost > remakes {
			break
		}
		open = slices.DeleteFunc(open, func(a kernel.Ref) bool { return a == last })
		for _, a := range in.Args[:in.Arity()] {
			if o.varies[a] && !slices.Contains(open, a) {
				open = append(open, a)
			}
		}
		if len(open) == 1 && parts(o.k.DType(open[0])) <= parts(o.k.DType(best)) {
			best = open[0]
		}
	}
	return best
}

// plan lists what the block computes from its inputs, and completes those with
// what is the same for the row.
func (o *outline) plan(b *block) {
	need := map[kernel.Ref]bool{b.Cond: true}
	for _, v := range b.Seldoms {
		need[o.k.Inst(v).Args[1]] = true
	}
	for v := kernel.Ref(len(o.varies) - 1); v >= 0; v-- {
		switch {
		case !need[v] || o.isConst(v) || slices.Contains(b.inputs, v):
		case !o.varies[v]:
			b.inputs = append(b.inputs, v)
		default:
			b.body = append(b.body, v)
			in := o.k.Inst(v)
			for _, a := range in.Args[:in.Arity()] {
				need[a] = true
			}
		}
	}
	slices.Reverse(b.body)
}

// seldom returns the result of a seldom that has a detour, in the form of its
// last operand.
func (l *lowerer) seldom(b *block, z value) value {
	i := slices.IndexFunc(l.stubs, func(s *stub) bool { return s.block == b })
	if i < 0 {
		i = len(l.stubs)
		l.stubs = append(l.stubs, &stub{block: b})
	}
	s := l.stubs[i]
	number := l.first + i
	branch := l.add(node{kind: kOp, op: opcodeOf("DETOUR"), slot: number, arg: noArgs})
	result := func(z ref) ref {
		if z == none {
			return none
		}
		r := l.add(node{kind: kResult, arg: args4([]ref{branch}), slot: len(s.z)})
		s.z, s.results = append(s.z, z), append(s.results, r)
		return r
	}
	v := value{}
	for p := range 2 {
		v.part[p] = result(z.part[p])
	}
	for p := range 2 {
		v.wide[p] = result(z.wide[p])
	}
	return v
}

// finish completes the stubs of a copy when all its values are known.
func (l *lowerer) finish() {
	for _, s := range l.stubs {
		s.test = l.anywhere(l.vals[s.block.Cond])
		s.block.forms = nil
		for _, v := range s.block.inputs {
			s.in = append(s.in, l.vals[v].vectors()...)
			s.block.forms = append(s.block.forms, l.vals[v])
		}
	}
	l.graph.stubs = append(l.graph.stubs, l.stubs...)
}

// anywhere returns what a stub tests. Beyond the end of a row elements are 0, and
// the condition may be true of those. Of two vectors the lower mask has all lanes
// that the upper one has; where nothing else needs those masks, one vector is made
// of the two.
func (l *lowerer) anywhere(v value) []ref {
	cond := v.vectors()
	switch wide := len(cond) == 2; {
	case wide && !l.tail:
		return []ref{l.op("VORPS", cond[0], cond[1])}
	case wide && l.mask[2] != none:
		upper := l.op("VANDPS", cond[1], l.mask[2])
		return []ref{l.op("VORPS", cond[0], upper), l.mask[1]}
	case l.tail:
		return []ref{l.maskPart(v, 1, 0), l.maskOf(ir.Float32, 0)}
	}
	return cond
}

// vectors lists the vectors of a value.
func (v value) vectors() []ref {
	var out []ref
	for _, r := range append(v.part[:], v.wide[:]...) {
		if r != none {
			out = append(out, r)
		}
	}
	return out
}

// compile lowers, schedules and allocates a block. It finds its inputs in the
// first places of its part of the stack and leaves its results in the next.
func (b *block) compile(g *graph, k *kernel.Kernel) error {
	l := &lowerer{graph: g, k: k, vals: make([]value, len(k.In)+len(k.Body))}
	places := map[ref]int{}
	input := func(r *ref) {
		if *r != none {
			*r = g.add(node{kind: kInput, slot: len(places), arg: noArgs})
			places[*r] = len(places)
		}
	}
	for j, in := range k.Body {
		if in.Op == ir.OpConst {
			l.vals[len(k.In)+j] = l.inst(in)
		}
	}
	for i, v := range b.forms {
		for p := range 2 {
			input(&v.part[p])
		}
		for p := range 2 {
			input(&v.wide[p])
		}
		l.vals[b.inputs[i]] = v
	}
	for _, r := range b.body {
		l.vals[r] = l.inst(*k.Inst(r))
	}
	var roots []ref
	for _, r := range b.Seldoms {
		for _, v := range l.blend(k.Inst(r)) {
			keep := node{kind: kOp, op: opcodeOf("KEEP"), slot: len(places) + len(roots), arg: args4([]ref{v})}
			roots = append(roots, g.add(keep))
		}
	}
	known := func(r ref) bool { return g.at(r).kind == kConst || g.at(r).kind == kInput }
	a, err := g.allocate(g.schedule(roots, known, apart), nil, places)
	if err == nil {
		b.insts, b.spills = a.out, a.spills
	}
	return err
}

// blend returns the vectors of a seldom in the form of its last operand.
func (l *lowerer) blend(in *kernel.Inst) []ref {
	cond, y, z := l.vals[in.Args[0]], l.vals[in.Args[1]], l.vals[in.Args[2]]
	var out []ref
	for p, r := range z.vectors() {
		n := len(z.vectors())
		part := y.part[p]
		if in.DType == ir.Bool {
			part = l.maskPart(y, n, p)
		}
		out = append(out, l.choose(l.maskPart(cond, n, p), part, r))
	}
	return out
}
