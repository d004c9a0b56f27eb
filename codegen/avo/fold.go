package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
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

// turns is how many steps of 8 elements pass until a lane has its next.
const turns = ir.FoldLanes / 8

// shortFold is how many instructions a body has at most that is unrolled by
// turns: there are eleven copies of it. From there on both ways are as fast.
const shortFold = 24

// fold is a folded output.
type fold struct {
	out   int // number of the output
	v     ir.Ref
	by    ir.Op
	d     ir.DType // of the output
	first int      // its first accumulator
}

// foldsOf lists the folded outputs. Their accumulators are numbered by output,
// vector of a value, and turn.
func foldsOf(k *ir.Kernel) []fold {
	var out []fold
	next := 0
	for i, r := range k.Out {
		if by := k.FoldOf(i); by != ir.OpInvalid {
			d := k.DType(r)
			out = append(out, fold{i, r, by, d, next})
			next += turns * parts(d)
		}
	}
	return out
}

// accumulators returns how many vectors the folds of a kernel take.
func accumulators(folds []fold) int {
	n := 0
	for _, f := range folds {
		n += turns * parts(f.d)
	}
	return n
}

// identity is the bits that the accumulators begin with.
func (f fold) identity(g *graph) uint64 {
	bits, _ := f.by.Info().Identity(f.d)
	return g.at(g.constantOf(f.d, bits).part[0]).bits
}

// row combines two vectors. Sums and products of bytes are those of integers
// until the last byte is stored.
func (f fold) row(g *graph, x, y ref) ref {
	d := f.d
	if d == ir.Uint8 && (f.by == ir.OpAdd || f.by == ir.OpMul) {
		d = ir.Uint32
	}
	return rows[key{f.by, d}](g, [3]ref{x, y})
}

// accumulator returns what a fold has so far of vector p at a turn.
func (g *graph) accumulator(f fold, p, turn int) ref {
	return g.accNode(f.first + turns*p + turn)
}

func (g *graph) accNode(slot int) ref { return g.add(node{kind: kAcc, slot: slot, arg: noArgs}) }

// accumulators lists those of a kernel.
func (g *graph) accumulators(k *ir.Kernel) []ref {
	out := make([]ref, accumulators(foldsOf(k)))
	for i := range out {
		out[i] = g.accNode(i)
	}
	return out
}

// fold takes 8 elements into their accumulators: it returns the instructions that
// carry the new values to the next step. Lanes beyond the row stay as they are.
func (l *lowerer) fold(f fold) []ref {
	v := l.vals[f.v]
	if f.d == ir.Bool {
		v = one(l.maskPart(v, 1, 0))
	}
	var out []ref
	for p := range parts(f.d) {
		acc := l.accumulator(f, p, l.copy)
		next := f.row(l.graph, acc, v.part[p])
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

// halve folds the accumulators of a row into one element each, and stores it.
func (g *graph) halve(k *ir.Kernel) []ref {
	var stores []ref
	for _, f := range foldsOf(k) {
		var v [turns][2]ref
		n := parts(f.d)
		for turn := range turns {
			for p := range n {
				v[turn][p] = g.accumulator(f, p, turn)
			}
		}
		for half := turns / 2; half > 0; half /= 2 {
			for turn := range half {
				for p := range n {
					v[turn][p] = f.row(g, v[turn][p], v[turn+half][p])
				}
			}
		}
		r := v[0][0]
		if n == 2 {
			r = f.row(g, r, v[0][1])
		}
		r = f.row(g, r, g.high(r))
		r = f.row(g, r, g.imm("VSHUFPS", 0xee, r, r))
		if n == 1 {
			r = f.row(g, r, g.imm("VSHUFPS", 0x55, r, r))
		}
		if f.d == ir.Bool {
			r = g.op("VPABSD", r) // true is -1 in a lane
		}
		stores = append(stores, g.placed("STOREONE", place{operand: len(k.In) + f.out, size: f.d.Size()}, r))
	}
	return stores
}

// unrollFold returns the orders of a body that is unrolled by turns, or nothing
// if it is too long for that.
func (g *graph) unrollFold(k *ir.Kernel, first []ref) []candidate {
	if k.Fold == nil || len(first) > shortFold || g.scratch > 0 || len(g.outline.blocks) > 0 {
		return nil
	}
	copies := [turns][]ref{first}
	for c := 1; c < turns; c++ {
		copies[c] = g.schedule(g.lower(k, c, false), g.isInvariant, apart)
	}
	byTwos := slices.Concat(interleave(copies[0], copies[1]), interleave(copies[2], copies[3]))
	var list []candidate
	for _, order := range [][]ref{byTwos, slices.Concat(copies[:]...)} {
		c := candidate{order: order, unroll: turns, share: 1}
		c.order, c.taken = g.guardOf(k, order)
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
func (g *graph) rest(k *ir.Kernel, unroll int) [][]ref {
	if k.Fold == nil {
		return nil
	}
	var out [][]ref
	add := func(roots []ref) { out = append(out, g.schedule(roots, g.isInvariant, apart)) }
	if unroll == turns {
		for turn := range turns - 1 {
			add(g.lower(k, turn, false))
		}
		for turn := 1; turn < turns; turn++ {
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
	return b.rest[turns-2+turn]
}

func (b *body) last() []machineInst { return b.rest[len(b.rest)-1] }

// turning reports whether the accumulators' place changes from step to step.
func (b *body) turning() bool { return b.rest != nil && b.unroll < turns }

// aim has the next value of a pinned accumulator computed in its register, as
// the instruction that does is the last to read the old one.
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
