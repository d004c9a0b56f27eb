package avo

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Folded outputs. The lanes of ir.FoldRow are four vectors of 8, or eight of 4
// where elements have 64 bits: the accumulators. Columns come 8 at a time, and
// the 8 numbered k take accumulator k mod 4.
//
// A short body is unrolled four times, in the main loop and after it, so that
// each copy has accumulators of its own. A longer one, or one with detours, is
// not: its accumulators turn from step to step. Those in registers change
// places, which takes moves that the machine only renames; those on the stack
// are found by an offset that turns. Where they stand at the end is all one: the
// op commutes, and halve combines 0 with 2 and 1 with 3 wherever it begins.

// turnsOf returns how many steps of 8 elements pass until a lane has its next. Where
// least and greatest elements and their places alone are folded, lanes are all one,
// and fewer leave room for the places: two rows of four accumulators each.
func turnsOf(k *kernel.Kernel) int {
	finds := false
	for _, by := range k.Fold {
		finds = finds || by.Finds()
		if !by.Finds() && by != ir.OpMin && by != ir.OpMax {
			return ir.FoldLanes / 8
		}
	}
	if !finds || len(k.Body) > shortFinding {
		return ir.FoldLanes / 8
	}
	if slices.ContainsFunc(k.Out, func(v kernel.Ref) bool { return parts(k.DType(v)) == 1 }) {
		return ir.FoldLanes / 16
	}
	return ir.FoldLanes / 32
}

// shortFold is how many instructions a body has at most that is unrolled by
// turns: there are eleven copies of it. From there on both ways are as fast.
const shortFold = 24

// shortFinding is how many instructions a body has at most, after expansion, that
// finds places with half the lanes.
const shortFinding = 4

// fold is a folded output.
type fold struct {
	out   int // number of the output, or -1: only its place is stored
	v     kernel.Ref
	by    ir.Op
	d     ir.DType // of the accumulators
	first int      // its first accumulator
	turns int
	best  *fold // of an op that Finds: the elements whose places it has
	found bool  // it is such a best
}

// foldsOf lists the folds of a kernel: those that find places first, as each of
// their steps asks for the elements that the accumulators have until then. The
// accumulators are numbered by fold, vector of a value, and turn.
func foldsOf(k *kernel.Kernel) []*fold {
	var places, folds []*fold
	find := func(out int, v kernel.Ref, by ir.Op) *fold {
		for _, f := range folds {
			if f.v == v && f.by == by && (f.out < 0 || out < 0) {
				f.out = max(f.out, out)
				return f
			}
		}
		f := &fold{out: out, v: v, by: by, d: k.DType(v)}
		folds = append(folds, f)
		return f
	}
	for i, v := range k.Out {
		switch by := k.FoldOf(i); {
		case by.Finds():
			best := find(-1, v, by.Info().By)
			best.found = true
			d := ir.Int32
			if best.d.Size() == 8 {
				d = ir.Int64
			}
			places = append(places, &fold{out: i, v: v, by: by, d: d, best: best})
		case by != ir.OpInvalid:
			find(i, v, by)
		}
	}
	next, turns := 0, turnsOf(k)
	for _, f := range append(places, folds...) {
		f.first, f.turns = next, turns
		next += turns * parts(f.d)
	}
	return append(places, folds...)
}

// accumulators returns how many vectors the folds of a kernel take.
func accumulators(folds []*fold) int {
	n := 0
	for _, f := range folds {
		n += f.turns * parts(f.d)
	}
	return n
}

// identity is the bits that the accumulators begin with. Of places they are of the
// first: that is where the element is if none goes before the identity.
func (f *fold) identity(g *graph) uint64 {
	if f.best != nil {
		return 0
	}
	bits, _ := f.by.Info().Identity(f.d)
	return g.at(g.constantOf(f.d, bits).part[0]).bits
}

// row combines two vectors. Sums and products of bytes are those of integers
// until the last byte is stored.
func (f *fold) row(g *graph, x, y ref) ref {
	d := f.d
	if d == ir.Uint8 && (f.by == ir.OpAdd || f.by == ir.OpMul) {
		d = ir.Uint32
	}
	return rows[key{f.by, d}](g, [3]ref{x, y})
}

// accumulator returns what a fold has so far of vector p at a turn.
func (g *graph) accumulator(f *fold, p, turn int) ref {
	return g.accNode(f.first + f.turns*p + turn)
}

func (g *graph) accNode(slot int) ref { return g.add(node{kind: kAcc, slot: slot, arg: noArgs}) }

// accumulators lists those of a kernel.
func (g *graph) accumulators(k *kernel.Kernel) []ref {
	out := make([]ref, accumulators(foldsOf(k)))
	for i := range out {
		out[i] = g.accNode(i)
	}
	return out
}

// fold takes 8 elements into their accumulators: it returns the instructions that
// carry the new values to the next step. Lanes beyond the row stay as they are.
func (l *lowerer) fold(f *fold) []ref {
	v := l.vals[f.v]
	if f.d == ir.Bool {
		v = one(l.maskPart(v, 1, 0))
	}
	var out []ref
	for p := range parts(f.d) {
		acc := l.accumulator(f, p, l.copy)
		next := none
		switch x := v.part[p]; {
		case f.best != nil:
			next = l.choose(f.best.beats(l.graph, x, l.accumulator(f.best, p, l.copy)), l.place(f.d, p), acc)
		case f.found && (f.out < 0 || !ir.Floats.Has(f.d)): // the sign of a zero is all one
			next = l.choose(f.beats(l.graph, x, acc), x, acc)
		default:
			next = f.row(l.graph, acc, x)
		}
		if l.tail {
			next = l.choose(l.maskOf(f.d, p), next, acc)
		}
		out = append(out, l.carry(acc, next))
	}
	return out
}

// carry makes a value that of an accumulator.
func (g *graph) carry(acc, next ref) ref {
	return g.add(node{kind: kOp, op: opcodeOf("CARRY"), slot: g.at(acc).slot, arg: args4([]ref{next})})
}

// across folds the accumulators of a row into the first element of a vector.
func (g *graph) across(f *fold) ref {
	by, v := f, g.ofRow(f)
	if f.best != nil {
		by, v = &fold{by: ir.OpMin, d: f.d}, g.placesOf(f, v)
	}
	for n := len(v) / 2; n > 0; n /= 2 {
		for i := range n {
			v[i] = by.row(g, v[i], v[i+n])
		}
	}
	r := by.row(g, v[0], g.high(v[0]))
	r = by.row(g, r, g.imm("VSHUFPS", 0xee, r, r))
	if parts(f.d) == 1 {
		r = by.row(g, r, g.imm("VSHUFPS", 0x55, r, r))
	}
	return r
}

// ofRow lists the accumulators of a fold, turn by turn.
func (g *graph) ofRow(f *fold) []ref {
	var v []ref
	for turn := range f.turns {
		for p := range parts(f.d) {
			v = append(v, g.accumulator(f, p, turn))
		}
	}
	return v
}

// halve folds the accumulators of a row into one element each, and stores it.
func (g *graph) halve(k *kernel.Kernel) []ref {
	var stores []ref
	for _, f := range foldsOf(k) {
		if f.out < 0 {
			continue
		}
		r := g.across(f)
		if f.d == ir.Bool {
			r = g.op("VPABSD", r) // true is -1 in a lane
		}
		stores = append(stores, g.placed("STOREONE", place{operand: len(k.In) + f.out, size: k.OutType(f.out).Size()}, r))
	}
	return stores
}

// unrollFold returns the orders of a body that is unrolled by turns, or nothing
// if it is too long for that.
func (g *graph) unrollFold(k *kernel.Kernel, first []ref) []candidate {
	if k.Fold == nil || len(first) > shortFold || g.scratch > 0 || len(g.outline.blocks) > 0 {
		return nil
	}
	copies := [][]ref{first}
	for c := 1; c < g.turns; c++ {
		copies = append(copies, g.schedule(g.lower(k, c, false), g.isInvariant, apart))
	}
	var byTwos []ref
	for c := 0; c+1 < g.turns; c += 2 {
		byTwos = append(byTwos, interleave(copies[c], copies[c+1])...)
	}
	if g.turns == 1 { // the two vectors of 64-bit values side by side
		byTwos = g.schedule(g.lower(k, 0, false), g.isInvariant, together)
	}
	var list []candidate
	for _, order := range [][]ref{byTwos, once(slices.Concat(copies...))} {
		c := candidate{order: order, unroll: g.turns, share: 1}
		list = append(list, c)
		if c.pair = pairs(k, first); c.pair {
			list = append(list, c)
		}
	}
	return list
}

// rest returns what a kernel with folds has after the main loop besides one step
// under a mask. Unrolled by turns this is a whole step for each turn but the
// last, and a masked one for each but the first; then, always, what halve gives.
func (g *graph) rest(k *kernel.Kernel, unroll int) [][]ref {
	if k.Fold == nil {
		return nil
	}
	var out [][]ref
	add := func(roots []ref) { out = append(out, g.schedule(roots, g.isInvariant, apart)) }
	if unroll == g.turns {
		for turn := range g.turns - 1 {
			add(g.lower(k, turn, false))
		}
		for turn := 1; turn < g.turns; turn++ {
			add(g.lower(k, turn, true))
		}
	}
	add(g.halve(k))
	return out
}

// whole, masked and last are the parts of body.rest.
func (b *body) whole(turn int) []machineInst { return b.rest[turn] }

func (b *body) masked(turn int) []machineInst {
	if turn == 0 {
		return b.tail
	}
	return b.rest[b.g.turns-2+turn]
}

func (b *body) last() []machineInst { return b.rest[len(b.rest)-1] }

// turning reports whether the accumulators' place changes from step to step.
func (b *body) turning() bool { return b.rest != nil && !b.byTurns() }

// byTurns reports whether each copy of the body has accumulators of its own.
func (b *body) byTurns() bool { return b.rest != nil && b.unroll == b.g.turns }

// checkCarries panics unless an accumulator is read for the last time no later than
// its next value takes its place: in its register when that is computed, on the stack
// when it is carried. Kernels are made so: see foldsOf.
func (a *allocator) checkCarries(order []ref) {
	at := make(map[ref]int, len(order))
	for i, r := range order {
		at[r] = i
		n := a.g.at(r)
		if n.kind != kOp || n.op.form != formCarry {
			continue
		}
		acc, end := a.g.accNode(n.slot), i
		if _, ok := a.pinned[acc]; ok {
			end = at[n.arg[0]]
		}
		if uses := a.uses[acc]; len(uses) > 0 && int(uses[len(uses)-1]) > end {
			panic(fmt.Sprintf("BUG: avo: accumulator %d is read after its next value is there", n.slot))
		}
	}
}

// aim has the next value of a pinned accumulator computed in its register:
// checkCarries sees to it that this is the last instruction to read the old one.
func (a *allocator) aim(n *node) {
	if n.kind == kOp && n.op.form == formCarry {
		if r, ok := a.pinned[a.g.accNode(n.slot)]; ok {
			a.lands[n.arg[0]] = r
		}
	}
}

// carry saves the next value of an accumulator that is on the stack.
func (a *allocator) carry(n *node) {
	v := n.arg[0]
	if _, ok := a.lands[v]; ok {
		return
	}
	a.cost += costCarry
	src := []loc{{index: a.ensure(v)}}
	a.emit(machineInst{op: opSave, name: opSave.name, dst: -1, src: src, to: loc{space: inAcc, index: n.slot}})
	a.release(v)
}
