package vector

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Body is a compiled kernel without general registers and labels: the instructions of the main loop, of the tail, and of the
// code before and after them in each row.
type Body struct {
	Graph  *Graph
	Unroll int // steps in an iteration of the main loop
	Head   []Inst
	Main   []Inst
	Tail   []Inst
	Rest   [][]Inst // the code of reductions after the loop, as Graph.rest lists it
	Accs   []Pin    // accumulators in registers
	Pinned []Pin    // invariants that stay in registers

	// The number of stack vectors that the instructions use.
	Slots   int // invariants, and pinned ones that the head computes
	Spills  int
	Scratch int

	onStack []Ref // invariants on the stack, by slot
}

// Pin is a value that stays in a register.
type Pin struct {
	V    Ref
	Reg  int
	Slot int // the stack slot where the head leaves the value; -1 if it stays in the register, or is an operand, constant or accumulator
}

// Compile lowers, schedules and allocates an expanded kernel. combine has the combiner of each output along the columns,
// ir.OpInvalid for a stored output; it is nil if all are stored. Of the candidates for the main loop Compile returns the
// one with the least time per element.
func Compile(t Target, k *kernel.Kernel, combine []ir.Op) (*Body, error) {
	g := NewGraph(t, k, combine)
	tail := g.scheduleLoop(g.lower(0, true), apart)
	var b *Body
	var best float64
	for _, c := range g.candidates() {
		next, err := g.fit(c, tail, g.rest(c.unroll), g.accs())
		if err != nil {
			return nil, err
		}
		if time := c.share * float64(len(next.Main)+g.m.LoopEnd) / float64(c.unroll); b == nil || time < best {
			b, best = next, time
			b.Unroll = c.unroll
		}
	}
	if err := g.compileCold(b); err != nil {
		return nil, err
	}
	return b, g.addHead(b)
}

// addHead schedules the values that a row computes before its columns: the invariants except constants and plain splats in
// registers of their own.
func (g *Graph) addHead(b *Body) error {
	constants := map[Ref]int{}
	var roots []Ref
	keep := func(v Ref) int {
		roots = append(roots, g.keep(v, len(roots)))
		return len(roots) - 1
	}
	for _, v := range b.onStack { // in the order of their slots
		keep(v)
	}
	for i := range b.Pinned {
		switch p := &b.Pinned[i]; g.At(p.V).Kind {
		case KindConst:
			constants[p.V] = p.Reg
		case KindSplat:
		default:
			p.Slot = keep(p.V)
		}
	}
	order := g.Schedule(roots, func(r Ref) bool { return g.At(r).Kind == KindConst })
	head, err := g.Allocate(order, constants, nil)
	if err != nil {
		return err
	}
	b.Head, b.Spills = head.Insts, max(b.Spills, head.Spills)
	b.moveToPins()
	return nil
}

// moveToPins lets the head leave pinned invariants in their registers if no other instruction of the head uses these. It
// numbers the slots of the other pinned invariants behind those of the invariants on the stack. A value that was just
// stored to the stack is read late if it crosses two cache lines: on Zen 4, layer normalization of rows of 128 float32 with
// AVX-512 took 1.5 times as long.
func (b *Body) moveToPins() {
	b.Slots = len(b.onStack)
	for i := range b.Pinned {
		p := &b.Pinned[i]
		if p.Slot < 0 {
			continue
		}
		keep := slices.IndexFunc(b.Head, func(i Inst) bool { return i.Op == OpKeep && i.Slot == p.Slot })
		if slices.ContainsFunc(b.Head, func(i Inst) bool { return i.touches(p.Reg) }) {
			p.Slot, b.Head[keep].Slot = b.Slots, b.Slots
			b.Slots++
			continue
		}
		b.Head[keep] = Inst{Op: OpMove, Dst: p.Reg, Src: b.Head[keep].Src}
		p.Slot = -1
	}
}

// Exits lists the exits to cold blocks of the loops.
func (b *Body) Exits() []*Exit {
	var out []*Exit
	for _, list := range append([][]Inst{b.Main, b.Tail}, b.Rest...) {
		for _, i := range list {
			if i.Exit != nil {
				out = append(out, i.Exit)
			}
		}
	}
	return out
}

// Whole returns the part of Rest for a whole step at a phase, Masked that for a masked step, and Last the part that stores the
// results of a row.
func (b *Body) Whole(phase int) []Inst { return b.Rest[phase] }

// Masked returns a masked step: see Whole.
func (b *Body) Masked(phase int) []Inst {
	if phase == 0 {
		return b.Tail
	}
	return b.Rest[b.Graph.Phases-2+phase]
}

// Last returns the end of a row: see Whole.
func (b *Body) Last() []Inst { return b.Rest[len(b.Rest)-1] }

// Reduces reports whether the kernel has reductions.
func (b *Body) Reduces() bool { return b.Rest != nil }

// Rotating reports whether the accumulators rotate from step to step.
func (b *Body) Rotating() bool { return b.Reduces() && !b.PerPhase() }

// PerPhase reports whether each copy of the body has accumulators of its own.
func (b *Body) PerPhase() bool { return b.Reduces() && b.Unroll == b.Graph.Phases }

// AccsOnStack reports whether some accumulators are on the stack.
func (b *Body) AccsOnStack() bool { return len(b.Accs) < b.Graph.Accumulators() }

// WholeTails reports whether a masked step may cover all lanes: it may after an unrolled main loop that is not followed by whole
// steps.
func (b *Body) WholeTails() bool { return b.Unroll > 1 && !b.PerPhase() }

// Allocate assigns registers to instructions that find the invariants where the main loop does. It returns nil if they need
// more registers than the machine has.
func (b *Body) Allocate(order []Ref) []Inst {
	pinned, slots := map[Ref]int{}, map[Ref]int{}
	for _, p := range slices.Concat(b.Accs, b.Pinned) {
		pinned[p.V] = p.Reg
	}
	for i, v := range b.onStack {
		slots[v] = i
	}
	a, err := b.Graph.Allocate(order, pinned, slots)
	if err != nil || a.Spills > 0 {
		return nil
	}
	return a.Insts
}
