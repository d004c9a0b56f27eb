package amd64

import "github.com/stridefuse/stridefuse/ir"

// Products with windows have loops with several pairs in an iteration. Otherwise the counters and pointers of each pair are a
// quarter of the 26 instructions per pair of a tile of 6 rows. On an idle Zen 3 these loops make no difference. On one
// shared with other machines, ResNet-18 takes 0.87 of the time with them, probably because another thread uses the other half
// of the core.

// dotTaps is the number of taps of a run, and of runs of a channel, in an iteration.
const dotTaps = 3

// unrollsTaps reports whether forms may unroll pairs. AVX-512 forms do not: their tiles have more products for each pair.
func (w *dotWriter) unrollsTaps() bool { return dotBytes > w.width && w.d == ir.Float32 }

// unrolls reports whether the tile unrolls pairs. Masked forms do not: they serve the last columns only.
func (t *dotTile) unrolls() bool { return t.unrollsTaps() && !t.masked }

// beginUnrolled writes the loops of several pairs that start at the first pair, and sets channel to the label of the loop
// over whole channels.
func (t *dotTile) beginUnrolled(channel *string) {
	if t.rows > dotTaps {
		*channel = t.name + "Channel"
		t.do("CMPQ", gp(dotTapsLeft), imm(dotTaps))
		t.do("JNE", label(t.name+"Run"))
		t.do("CMPQ", mem(stack(t.windows.runsLeft)), imm(dotTaps))
		t.do("JNE", label(t.name+"Run"))
		t.channels()
	}
	t.runs()
}

// channels writes the loop over whole channels of dotTaps runs of dotTaps taps. It continues with the run behind them.
func (t *dotTile) channels() {
	s, few := t.windows, t.name+"Few"
	t.here(t.name+"Channel", "channels of whole runs")
	for _, n := range []int{s.taps, s.runs} {
		t.do("CMPQ", mem(stack(n)), imm(dotTaps))
		t.do("JNE", label(t.name+"Run"))
	}
	if t.left() {
		t.leftChannels(few)
	} else {
		t.rightChannels(few)
	}
	t.here(few, "the other runs of taps")
	t.do("MOVQ", imm32(dotTaps), gp(dotTapsLeft))
	t.do("ADDQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
}

// rightChannels is the loop over channels if windows are the right operand and the weights are contiguous: each weight is at a
// constant distance from a pointer. The loop has 20.8 instructions for a pair of a tile of 6 rows.
func (t *dotTile) rightChannels(few string) {
	s, size := t.windows, t.d.Size()
	t.do("CMPQ", gp(dotAcross), imm(int64(size)))
	t.do("JNE", label(t.name+"Run"))
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JLT", label(few))
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Whole", "each channel")
	row := at(dotB, 0)
	rows := [dotTaps]Memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2)}
	for k := range dotTaps * dotTaps {
		t.productsAt(rows[k%dotTaps], k*size)
		if k%dotTaps == dotTaps-1 {
			t.skip([dotTaps]int{s.runStep, s.runStep, s.channelStep}[k/dotTaps])
		}
	}
	t.do("ADDQ", imm(int64(dotTaps*dotTaps*size)), gp(dotA))
	if t.rows > t.addressed() {
		t.do("ADDQ", imm(int64(dotTaps*dotTaps*size)), gp(dotMask))
	}
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JGE", label(t.name+"Whole"))
}

// leftChannels is the loop over channels if windows are the left operand.
func (t *dotTile) leftChannels(few string) {
	s := t.windows
	t.do("LEAQ", mem(at(dotStepB, 0).indexed(dotStepB, 2)), gp(dotTapsLeft)) // three rows of B
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JLT", label(few))
	t.do("CMPQ", gp(dotAcross), gp(dotStepA))
	t.do("JNE", label(t.name+"Apart"))
	t.overlapping(few)
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Apart", "windows that share no taps")
	row := at(dotB, 0)
	rows := []Memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2), row.indexed(dotTapsLeft, 1), row.indexed(dotStepB, 4)}
	for k := range dotTaps * dotTaps {
		t.products(rows[(k+k/len(rows))%len(rows)]) // the second time from the second row on
		switch {
		case k == dotTaps*dotTaps-1:
			t.skip(s.channelEnd)
		case k%dotTaps == dotTaps-1:
			t.skip(s.runEnd)
		default:
			t.across()
		}
		if k == len(rows)-1 || k == dotTaps*dotTaps-1 {
			t.do("LEAQ", mem(rows[len(rows)-1]), gp(dotB))
		}
	}
	t.do("ADDQ", gp(dotStepB), gp(dotB))
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JGE", label(t.name+"Apart"))
}

// overlapping is the loop over channels for windows one tap apart, where each tap of a window is the previous tap of the next
// window. An element is broadcast once for all of them, and each sum adds its products in the same order. The loop has 16.6
// instructions for a pair of a tile of 6 rows. Registers that are left over hold rows of B; other rows are read for each
// product.
func (t *dotTile) overlapping(done string) {
	s := t.windows
	t.do("LEAQ", mem(at(dotStepA3, 0).indexed(dotStepA, 4)), gp(dotAcross)) // seven windows
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Whole", "each channel")
	for run := range dotTaps {
		t.overlappingRun()
		t.do("ADDQ", gp(dotTapsLeft), gp(dotB))
		t.skip([dotTaps]int{s.runStep, s.runStep, s.channelStep}[run])
	}
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JGE", label(t.name+"Whole"))
	t.do("MOVQ", gp(dotStepA), gp(dotAcross))
	t.do("JMP", label(done))
}

// overlappingRun adds the products of a run of dotTaps taps.
func (t *dotTile) overlappingRun() {
	held, row := t.scratch-t.sum(t.rows, 0, 0), at(dotB, 0)
	rows := [dotTaps]Memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2)}
	ofB := func(tap, vector int) Arg {
		if n := tap*t.vectors + vector; n < held {
			return t.vec(t.sum(t.rows, 0, 0) + n)
		}
		return mem(rows[tap].at(t.width * vector))
	}
	for n := range min(held, dotTaps*t.vectors) {
		t.do("VMOVUPS", mem(rows[n/t.vectors].at(n%t.vectors*t.width)), ofB(n/t.vectors, n%t.vectors))
	}
	windows := t.rows / t.lines
	for e := range windows + dotTaps - 1 {
		for line := range t.lines {
			from := at([]int{dotA, dotMask}[line], 0)
			t.do("VBROADCASTSS", mem([]Memory{from, from.indexed(dotStepA, 1), from.indexed(dotStepA, 2), from.indexed(dotStepA3, 1),
				from.indexed(dotStepA, 4), from.indexed(dotStepA5, 1), from.indexed(dotStepA3, 2), from.indexed(dotAcross, 1)}[e]), t.vec(t.scratch))
			for tap := range dotTaps {
				if window := e - tap; 0 <= window && window < windows {
					for v := range t.vectors {
						t.do("VFMADD231PS", ofB(tap, v), t.vec(t.scratch), t.vec(t.sum(line*windows+window, v, 0)))
					}
				}
			}
		}
	}
}

// runs writes the loop over dotTaps taps of a run. It continues with fewer taps.
func (t *dotTile) runs() {
	t.here(t.name+"Run", "a run of taps")
	t.do("CMPQ", gp(dotTapsLeft), imm(dotTaps))
	t.do("JLT", label(t.name+"Pair"))
	t.do("CMPQ", gp(dotCount), imm(dotTaps))
	t.do("JLT", label(t.name+"Pair"))
	for k := range dotTaps {
		t.pair(k)
	}
	t.do("LEAQ", mem(at(dotB, 0).indexed(dotStepB, 2)), gp(dotB))
	t.do("ADDQ", gp(dotStepB), gp(dotB))
	t.do("SUBQ", imm(dotTaps), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
	t.do("SUBQ", imm(dotTaps), gp(dotTapsLeft))
	t.do("JNE", label(t.name+"Run"))
	t.do("JMP", label(t.name+"RunEnd"))
}
