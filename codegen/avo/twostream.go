package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
)

// Two rows reduced side by side (machine.Second). Measured on Zen 3, sums of rows of
// 4 KB read 21 GB/s of memory one by one and 26 GB/s as two streams. On Zen 4 both take the
// same time from memory; in the cache two rows, whose accumulators do not wait for each other, take
// 0.7 of the time of single ones for argmax and 0.9 for sums.
//
// Rows i and i + rows/2 of a call are a pair. An iteration of the main loop computes both.
// The code behind the main loop finishes one row, so it runs twice: first for the first
// row; then the pointers and accumulators of the two are exchanged, and it runs for the
// second row. If the number of rows is odd, the last row is computed alone.
//
// The result of the first row is stored before the last columns of the second row are
// read, so outputs must not overlap inputs, which the schedule ensures.

// twoStreamCols is the fewest columns of rows that are reduced in pairs. For shorter rows
// the exchange takes more time than it saves.
const twoStreamCols = 256

// allocateTwoStreams assigns the pointers of the second row and the counters to registers or
// the stack frame.
func (n *nest) allocateTwoStreams(place func() place64) {
	if n.b.Second == nil {
		return
	}
	n.second = make([]place64, len(n.pointer))
	for i := range n.second {
		if n.reduced(i) {
			n.second[i] = place64{reg: -1, disp: n.local(8)}
		} else {
			n.second[i] = place()
		}
	}
	n.pairs, n.secondIsNext = place(), place64{reg: -1, disp: n.local(8)}
}

// startTwoStreams computes the pointers of the second row and the counters: n.pairs counts
// the pairs, n.rows the pairs and the rows that are computed alone.
func (n *nest) startTwoStreams() {
	if n.b.Second == nil {
		return
	}
	n.do("MOVQ", n.rows.arg(), gp(ax))
	n.do("SHRQ", imm(1), gp(ax))
	n.do("XORQ", gp(dx), gp(dx))
	n.do("CMPQ", gp(cols), imm32(twoStreamCols))
	n.do("CMOVQLT", gp(dx), gp(ax))
	n.do("SUBQ", gp(ax), n.rows.arg())
	n.do("MOVQ", gp(ax), n.pairs.arg())
	for i, p := range n.pointer {
		n.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(dx))
		n.do("IMULQ", gp(ax), gp(dx))
		n.do("ADDQ", p.arg(), gp(dx))
		n.do("MOVQ", gp(dx), n.second[i].arg())
	}
	n.do("XORQ", gp(ax), gp(ax))
	n.do("MOVQ", gp(ax), n.secondIsNext.arg())
}

// twoStreamLoop writes the main loop of a pair of rows.
func (n *nest) twoStreamLoop() {
	if n.b.Second == nil {
		return
	}
	n.do("CMPQ", n.pairs.arg(), imm(0))
	n.do("JLE", label("single"))
	n.moveAccs(func(i int) (from, to int) { return n.b.Accs[i].Reg, n.b.Second.Accs[i] })
	n.loop("pair", func() {
		n.insts(n.b.Main)
		n.inSecond(func() {
			n.insts(n.b.Second.Main)
		})
	})
	n.do("JMP", label("tail"))
	n.here("single")
}

// inSecond calls write with the pointers of the second row in place of the first.
func (n *nest) inSecond(write func()) {
	n.pointer, n.second = n.second, n.pointer
	write()
	n.pointer, n.second = n.second, n.pointer
}

// moveAccs writes a move of each accumulator between the registers that move returns.
func (n *nest) moveAccs(move func(i int) (from, to int)) {
	for i := range n.b.Accs {
		from, to := move(i)
		n.do("VMOVAPS", y(from), y(to))
	}
}

// nextOfPair continues with the second row of a pair, and after that with the next pair.
func (n *nest) nextOfPair() {
	if n.b.Second == nil {
		return
	}
	n.do("CMPQ", n.pairs.arg(), imm(0))
	n.do("JLE", label("advance"))
	for i, p := range n.pointer {
		n.do("MOVQ", p.arg(), gp(ax))
		n.do("MOVQ", n.second[i].arg(), gp(dx))
		n.do("MOVQ", gp(dx), p.arg())
		n.do("MOVQ", gp(ax), n.second[i].arg())
	}
	n.do("XORQ", imm(1), n.secondIsNext.arg())
	n.do("JEQ", label("pairDone"))
	n.moveAccs(func(i int) (from, to int) { return n.b.Second.Accs[i], n.b.Accs[i].Reg })
	n.do("MOVQ", gp(cols), gp(index))
	n.do("ANDQ", imm32(int64(-n.lanes()*n.b.Graph.Phases)), gp(index))
	n.do("JMP", label("tail"))

	n.here("pairDone")
	n.inSecond(n.movePointers)
	n.do("DECQ", n.pairs.arg())
	n.do("JGT", label("advance"))
	n.do("DECQ", n.rows.arg())
	n.do("JLE", label("done"))
	for i, p := range n.pointer {
		n.do("MOVQ", n.second[i].arg(), gp(ax))
		n.do("MOVQ", gp(ax), p.arg())
	}
	n.do("JMP", label("row"))
	n.here("advance")
}
