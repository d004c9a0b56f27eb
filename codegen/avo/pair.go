package avo

import (
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Two rows folded side by side. A fold that waits for memory reads one stream of
// addresses, for which the machine fetches only so far ahead: two streams far
// apart have more lines on their way. Measured on Zen 3, sums of rows of 4 KB
// read 21 GB/s of memory one by one and 26 GB/s in pairs.
//
// Rows i and i + rows/2 of a call are a pair, if they are long enough. The main loop takes a step of
// each; after it the two change places, so that what follows the loop, once for
// each, sees one row. An odd row is the last, and alone. The result of a row is
// stored before the last columns of the other are read, so no fold may be in place:
// plans and runs take care of that.

const (
	// shortPair is how many instructions a body has at most that waits for memory.
	// One that finds a place as well waits less, and gains as much: floats of 4 KB rows
	// were read at 18 GB/s one by one and at 22 in pairs.
	shortPair, shortFind = 8, 20
	// mostPaired is how many accumulators one row of a pair has at most.
	mostPaired = 4
	// leastPaired is from how many columns on there are pairs: shorter rows take
	// less time than changing places.
	leastPaired = 256
)

// rowPair is what a body has more for the other row.
type rowPair struct {
	main []machineInst
	accs []int // registers, in the order of body.accs
}

// pairs reports whether a body that is unrolled by turns takes rows in pairs: a
// short one, with room for twice the accumulators, that keeps nothing of its row
// in registers besides.
func pairs(k *kernel.Kernel, first []ref) bool {
	for _, in := range k.In {
		if in.Splat {
			return false
		}
	}
	most := shortPair
	if slices.ContainsFunc(k.Fold, ir.Op.Finds) {
		most = shortFind
	}
	return len(first) <= most && !slices.Contains(k.Fold, ir.OpInvalid) && accumulators(foldsOf(k)) <= mostPaired
}

// besideThese returns the accumulators of the other row.
func (g *graph) besideThese(accs []ref) []ref {
	out := make([]ref, len(accs))
	for i := range accs {
		out[i] = g.accNode(len(accs) + i)
	}
	return out
}

// newPair allocates the main loop for the other row. accs are those of both.
func (g *graph) newPair(b *body, order, accs []ref, pinned, slots map[ref]int) error {
	p, near := &rowPair{}, len(accs)/2
	other := maps.Clone(pinned)
	for i, acc := range accs[:near] {
		beside := accs[near+i]
		other[acc], other[beside] = pinned[beside], pinned[acc]
		p.accs = append(p.accs, other[acc])
	}
	a, err := g.allocate(order, other, slots)
	if err != nil {
		return err
	}
	p.main = a.out
	b.pair, b.spills = p, max(b.spills, a.spills)
	return nil
}

// layPair gives the other row's pointers and the counters their places.
func (n *nest) layPair(take func() place64) {
	if n.b.pair == nil {
		return
	}
	n.beside = make([]place64, len(n.pointer))
	for i := range n.beside {
		if n.folded(i) {
			n.beside[i] = place64{reg: -1, disp: n.local(8)}
		} else {
			n.beside[i] = take()
		}
	}
	n.pairs, n.side = take(), place64{reg: -1, disp: n.local(8)}
}

// startPairs finds the other rows and counts: pairs of rows in n.pairs, those and
// a row alone in n.rows.
func (n *nest) startPairs() {
	if n.b.pair == nil {
		return
	}
	n.do("MOVQ", n.rows.arg(), gp(ax))
	n.do("SHRQ", imm(1), gp(ax))
	n.do("XORQ", gp(dx), gp(dx))
	n.do("CMPQ", gp(cols), imm32(leastPaired))
	n.do("CMOVQLT", gp(dx), gp(ax))
	n.do("SUBQ", gp(ax), n.rows.arg())
	n.do("MOVQ", gp(ax), n.pairs.arg())
	for i, p := range n.pointer {
		n.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(dx))
		n.do("IMULQ", gp(ax), gp(dx))
		n.do("ADDQ", p.arg(), gp(dx))
		n.do("MOVQ", gp(dx), n.beside[i].arg())
	}
	n.do("XORQ", gp(ax), gp(ax))
	n.do("MOVQ", gp(ax), n.side.arg())
}

// pairLoop is the main loop of two rows.
func (n *nest) pairLoop() {
	if n.b.pair == nil {
		return
	}
	n.do("CMPQ", n.pairs.arg(), imm(0))
	n.do("JLE", label("alone"))
	n.moveAccs(func(i int) (from, to int) { return n.b.accs[i].reg, n.b.pair.accs[i] })
	n.loop("pair", func() {
		n.prefetch()
		n.insts(n.b.main)
		n.inOther(func() {
			n.prefetch()
			n.insts(n.b.pair.main)
		})
	})
	n.do("JMP", label("tail"))
	n.here("alone")
}

// inOther writes instructions for the other row of a pair.
func (n *nest) inOther(write func()) {
	n.pointer, n.beside = n.beside, n.pointer
	write()
	n.pointer, n.beside = n.beside, n.pointer
}

func (n *nest) moveAccs(move func(i int) (from, to int)) {
	for i := range n.b.accs {
		from, to := move(i)
		n.do("VMOVAPS", y(from), y(to))
	}
}

// nextOfPair goes on with the second row of a pair, and after it to the next.
func (n *nest) nextOfPair() {
	if n.b.pair == nil {
		return
	}
	n.do("CMPQ", n.pairs.arg(), imm(0))
	n.do("JLE", label("down"))
	for i, p := range n.pointer {
		n.do("MOVQ", p.arg(), gp(ax))
		n.do("MOVQ", n.beside[i].arg(), gp(dx))
		n.do("MOVQ", gp(dx), p.arg())
		n.do("MOVQ", gp(ax), n.beside[i].arg())
	}
	n.do("XORQ", imm(1), n.side.arg())
	n.do("JEQ", label("both"))
	n.moveAccs(func(i int) (from, to int) { return n.b.pair.accs[i], n.b.accs[i].reg })
	n.do("MOVQ", gp(cols), gp(index))
	n.do("ANDQ", imm32(int64(-8*n.b.g.turns)), gp(index))
	n.do("JMP", label("tail"))

	n.here("both")
	n.inOther(n.movePointers)
	n.do("DECQ", n.pairs.arg())
	n.do("JGT", label("down"))
	n.do("DECQ", n.rows.arg())
	n.do("JLE", label("done"))
	for i, p := range n.pointer {
		n.do("MOVQ", n.beside[i].arg(), gp(ax))
		n.do("MOVQ", gp(ax), p.arg())
	}
	n.do("JMP", label("row"))
	n.here("down")
}
