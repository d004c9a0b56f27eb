package avo

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Products with windows (micro-kernel DotWindows). The rows of B are where the windows have their
// elements: one after the other along a run, with a jump to the next run, and another to the next
// channel. A call has all columns of a line, and goes from one panel of them to the next itself.
//
// If windows are the left operand (DotLeftWindows), it is A that is read so. A call has one panel of
// B, and the rows of several lines of windows: it goes from one line to the next. A tile has windows of
// one line, which are one stride apart, or as many of two.

// dotWindows are the places in the stack frame of what registers have no room for, in bytes.
type dotWindows struct {
	// begin, out and left are of the present panel: its first row of B, its product, and the columns
	// from it on. If windows are the left operand, begin and left are of the present line: its first
	// row of A, and the rows from it on.
	begin, out, left     int
	taps, runs           int // of a run, and of a channel
	firstTaps            int // that are left of the run of the first pair
	firstRuns            int // that are left of its channel
	runsLeft             int // of the present channel
	nextRun, nextChannel int // from behind the last tap of a run, or run of a channel, to the next
	runEnd, channelEnd   int // from the last tap of a run to the next run, or of a channel to the next channel
	runStep, channelStep int // from the first one
	lineStep, lineC      int // from one line of windows to the next, and in the product, if tiles have windows of two
}

// The registers that have other uses than in products of matrices.
const (
	dotTapStep  = dotStepB
	dotTapsLeft = dotStepB3
)

// left reports whether the windows are the left operand.
func (w *dotWriter) left() bool { return w.micro.Kind == kernel.DotLeftWindows }

// bytes reads a field of elements in bytes. dotCount has the address of the frame.
func (w *dotWriter) bytes(field, to int) {
	w.do("MOVQ", mem(at(dotCount, w.field(field))), gp(to))
	w.do("SHLQ", imm(int64(bits.TrailingZeros(uint(w.d.Size())))), gp(to))
}

// beginWindows reads the fields. dotCount has the address of the frame.
func (w *dotWriter) beginWindows() {
	s := &dotWindows{}
	for _, place := range []*int{&s.begin, &s.out, &s.left, &s.taps, &s.runs, &s.firstTaps, &s.firstRuns, &s.runsLeft, &s.nextRun, &s.nextChannel, &s.lineStep, &s.lineC} {
		*place = w.local(8)
	}
	if w.unrollsTaps() {
		for _, place := range []*int{&s.runEnd, &s.channelEnd, &s.runStep, &s.channelStep} {
			*place = w.local(8)
		}
	}
	w.windows = s
	field := func(i int) arg { return mem(at(dotCount, w.field(i))) }
	first, tapStep, channelStep := dotB, dotTapStep, codegen.FrameStep+8
	if w.left() {
		first, tapStep, channelStep = dotTop, dotAcross, codegen.FrameStep
	} else {
		w.do("MOVQ", mem(at(dotCount, codegen.FramePtr+8)), gp(dotB))
	}
	w.bytes(kernel.DotRunStep, dotA)
	if w.unrollsTaps() {
		w.do("MOVQ", gp(dotA), mem(stack(s.runStep)))
	}
	w.do("MOVQ", gp(dotA), gp(dotTapsLeft))
	w.do("IMULQ", field(kernel.DotSkipRuns), gp(dotTapsLeft))
	w.do("ADDQ", gp(dotTapsLeft), gp(first))
	w.bytes(kernel.DotTapStep, tapStep)
	w.do("MOVQ", gp(tapStep), gp(dotTapsLeft))
	w.do("IMULQ", field(kernel.DotSkipTaps), gp(dotTapsLeft))
	w.do("ADDQ", gp(dotTapsLeft), gp(first))
	w.do("MOVQ", gp(tapStep), gp(dotTapsLeft))
	w.do("IMULQ", field(kernel.DotTaps), gp(dotTapsLeft))
	w.do("NEGQ", gp(dotTapsLeft))
	w.do("ADDQ", gp(dotA), gp(dotTapsLeft))
	w.do("MOVQ", gp(dotTapsLeft), mem(stack(s.nextRun)))
	if w.unrollsTaps() {
		w.do("ADDQ", gp(tapStep), gp(dotTapsLeft))
		w.do("MOVQ", gp(dotTapsLeft), mem(stack(s.runEnd)))
	}
	w.do("IMULQ", field(kernel.DotRuns), gp(dotA))
	w.do("NEGQ", gp(dotA))
	w.do("ADDQ", mem(at(dotCount, channelStep)), gp(dotA))
	w.do("MOVQ", gp(dotA), mem(stack(s.nextChannel)))
	if w.unrollsTaps() {
		w.do("ADDQ", gp(dotA), gp(dotTapsLeft))
		w.do("MOVQ", gp(dotTapsLeft), mem(stack(s.channelEnd)))
		w.do("ADDQ", mem(stack(s.runStep)), gp(dotA))
		w.do("MOVQ", gp(dotA), mem(stack(s.channelStep)))
	}
	for _, c := range [][4]int{{kernel.DotTaps, s.taps, kernel.DotSkipTaps, s.firstTaps}, {kernel.DotRuns, s.runs, kernel.DotSkipRuns, s.firstRuns}} {
		w.do("MOVQ", field(c[0]), gp(dotA))
		w.do("MOVQ", gp(dotA), mem(stack(c[1])))
		w.do("SUBQ", field(c[2]), gp(dotA))
		w.do("MOVQ", gp(dotA), mem(stack(c[3])))
	}
	w.do("MOVQ", gp(first), mem(stack(s.begin)))
	if w.left() {
		w.beginLine()
		return
	}
	w.do("MOVQ", gp(dotC), mem(stack(s.out)))
	w.do("MOVQ", gp(dotMask), mem(stack(s.left)))
	w.here("panel")
}

// beginLine sets the rows to those of a line of windows, of as many as dotRows says.
func (w *dotWriter) beginLine() {
	w.here("line")
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, codegen.FrameCols)), gp(dotMask))
	w.do("MOVQ", gp(dotRows), mem(stack(w.windows.left)))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotCount))
	w.do("CMPQ", gp(dotRows), gp(dotCount))
	w.do("JLE", label("rows"))
	w.do("MOVQ", gp(dotCount), gp(dotRows))
	w.here("rows")
}

// nextLine goes on with the next line of windows, if there is one. Its rows of the product follow
// those of the present one.
func (w *dotWriter) nextLine() {
	s := w.windows
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(stack(s.left)), gp(dotRows))
	w.do("SUBQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotRows))
	w.do("JLE", label("end"))
	w.bytes(kernel.DotLineStep, dotTop)
	w.do("ADDQ", mem(stack(s.begin)), gp(dotTop))
	w.do("MOVQ", gp(dotTop), mem(stack(s.begin)))
	w.do("JMP", label("line"))
	w.here("end")
}

// linePairs writes a loop over tiles that have windows of two lines, which is for lines that are divided into
// tiles with too few sums otherwise: of up to 3 windows, and of 7. Their tiles have 3 windows of each line, and the last 2, or
// 2 and 2; so two lines of 7 windows have 6, 4 and 4 rows, and not 4, 3, 4 and 3. Other lines go on with a form.
func (w *dotWriter) linePairs(f, others dotForm) {
	s := w.windows
	w.here("lines")
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotMask))
	w.do("CMPQ", gp(dotMask), imm(3))
	w.do("JLE", label("short"))
	w.do("CMPQ", gp(dotMask), imm(7))
	w.do("JNE", label(others.name))
	w.here("short")
	w.do("LEAQ", mem(at(dotMask, 0).indexed(dotMask, 1)), gp(dotB))
	w.do("MOVQ", mem(stack(s.left)), gp(dotA))
	w.do("CMPQ", gp(dotA), gp(dotB))
	w.do("JLT", label(others.name))
	w.do("IMULQ", gp(dotStepC), gp(dotMask))
	w.do("MOVQ", gp(dotMask), mem(stack(s.lineC)))
	w.bytes(kernel.DotLineStep, dotMask)
	w.do("MOVQ", gp(dotMask), mem(stack(s.lineStep)))
	w.here(f.name + "Tiles")
	tile := func(rows int) *dotTile { return &dotTile{w, f, rows, f.name + itoa(rows), 2} }
	six, four, two := tile(6), tile(4), tile(2)
	w.do("CMPQ", gp(dotRows), imm(5))
	w.do("JGE", label(six.name))
	w.do("CMPQ", gp(dotRows), imm(3))
	w.do("JEQ", label(six.name))
	w.do("CMPQ", gp(dotRows), imm(1))
	w.do("JEQ", label(two.name))
	four.write()
	six.write()
	two.write()
	w.here("bothDone")
	w.do("ADDQ", mem(stack(s.lineC)), gp(dotC))
	w.do("MOVQ", mem(stack(s.begin)), gp(dotTop))
	w.do("ADDQ", mem(stack(s.lineStep)), gp(dotTop))
	w.do("MOVQ", gp(dotTop), mem(stack(s.begin)))
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(stack(s.left)), gp(dotRows))
	w.do("SUBQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotRows))
	w.do("MOVQ", gp(dotRows), mem(stack(s.left)))
	w.do("JMP", label("done"))
}

// nextPanel goes on with the next panel of columns, if there is one.
func (w *dotWriter) nextPanel() {
	s := w.windows
	w.do("MOVQ", mem(stack(s.left)), gp(dotMask))
	w.do("SUBQ", imm(int64(dotBytes/w.d.Size())), gp(dotMask))
	w.do("JLE", label("end"))
	w.do("MOVQ", gp(dotMask), mem(stack(s.left)))
	w.do("MOVQ", mem(stack(s.begin)), gp(dotB))
	w.do("ADDQ", imm(dotBytes), gp(dotB))
	w.do("MOVQ", gp(dotB), mem(stack(s.begin)))
	w.do("MOVQ", mem(stack(s.out)), gp(dotC))
	w.do("ADDQ", imm(dotBytes), gp(dotC))
	w.do("MOVQ", gp(dotC), mem(stack(s.out)))
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, codegen.FramePtr)), gp(dotTop))
	w.do("MOVQ", mem(at(dotCount, codegen.FrameRows)), gp(dotRows))
	w.do("JMP", label("panel"))
	w.here("end")
}

// startWindows sets dotB and the counters to the first pair.
func (t *dotTile) startWindows() {
	if !t.left() {
		t.do("MOVQ", mem(stack(t.windows.begin)), gp(dotB))
	}
	t.do("MOVQ", mem(stack(t.windows.firstRuns)), gp(dotTapsLeft))
	t.do("MOVQ", gp(dotTapsLeft), mem(stack(t.windows.runsLeft)))
	t.do("MOVQ", mem(stack(t.windows.firstTaps)), gp(dotTapsLeft))
}

// windowPairs is the loop over pairs. Where the form unrolls them it goes on with whole channels or parts of a run
// when it comes to the beginning of one.
func (t *dotTile) windowPairs() {
	s, pair, run, channel := t.windows, t.name+"Pair", t.name+"Pair", t.name+"Pair"
	if t.unrolls() {
		run, channel = t.name+"Run", t.name+"Run"
		t.beginUnrolled(&channel)
	}
	t.onePair(dotStepB)
	t.do("JEQ", label(t.name+"Total"))
	t.do("DECQ", gp(dotTapsLeft))
	t.do("JNE", label(pair))
	t.here(t.name + "RunEnd")
	t.skip(s.nextRun)
	t.do("MOVQ", mem(stack(s.taps)), gp(dotTapsLeft))
	t.do("DECQ", mem(stack(s.runsLeft)))
	t.do("JNE", label(run))
	t.skip(s.nextChannel)
	t.do("MOVQ", mem(stack(s.runs)), gp(dotTapsLeft))
	t.do("MOVQ", gp(dotTapsLeft), mem(stack(s.runsLeft)))
	t.do("MOVQ", mem(stack(s.taps)), gp(dotTapsLeft))
	t.do("JMP", label(channel))
	t.here(t.name + "Total")
}

// Windows have loops with several pairs in an iteration. Counters and pointers for each pair are
// a quarter of the instructions of a tile of 6 rows, 26 for a pair. On a quiet Zen 3 that makes no difference. On one that is
// shared with other machines, probably where another thread has the other half of the core, ResNet-18 takes 0.87 of
// the time with these loops.

// dotTaps is how many taps of a run, and runs of a channel, are in an iteration.
const dotTaps = 3

// unrollsTaps reports whether forms may unroll pairs. With AVX-512 a tile has more products for each pair.
func (w *dotWriter) unrollsTaps() bool { return dotBytes > w.width && w.d == ir.Float32 }

// unrolls reports whether the tile unrolls pairs. Masked forms are for the last columns alone.
func (t *dotTile) unrolls() bool { return t.unrollsTaps() && !t.masked }

// beginUnrolled writes the loops of several pairs, for the first pair, and sets channel to the label of those that
// begin a channel.
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

// channels writes the loop over whole channels of dotTaps runs of dotTaps taps. It goes on with the run behind it.
func (t *dotTile) channels() {
	s, few := t.windows, t.name+"Few"
	t.here(t.name + "Channel")
	for _, n := range []int{s.taps, s.runs} {
		t.do("CMPQ", mem(stack(n)), imm(dotTaps))
		t.do("JNE", label(t.name+"Run"))
	}
	if t.left() {
		t.leftChannels(few)
	} else {
		t.rightChannels(few)
	}
	t.here(few)
	t.do("MOVQ", imm32(dotTaps), gp(dotTapsLeft))
	t.do("ADDQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
}

// rightChannels is the loop of channels for windows that are the right operand, with weights side by side: each element of
// these is at its own distance from a pointer. The loop has 20.8 instructions for a pair of a tile of 6 rows.
func (t *dotTile) rightChannels(few string) {
	s, size := t.windows, t.d.Size()
	t.do("CMPQ", gp(dotAcross), imm(int64(size)))
	t.do("JNE", label(t.name+"Run"))
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JLT", label(few))
	t.do("PCALIGN", imm(32))
	t.here(t.name + "Whole")
	row := at(dotB, 0)
	rows := [dotTaps]memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2)}
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

// leftChannels is that for windows that are the left operand.
func (t *dotTile) leftChannels(few string) {
	s := t.windows
	t.do("LEAQ", mem(at(dotStepB, 0).indexed(dotStepB, 2)), gp(dotTapsLeft)) // three rows of B
	t.do("SUBQ", imm(dotTaps*dotTaps), gp(dotCount))
	t.do("JLT", label(few))
	t.do("CMPQ", gp(dotAcross), gp(dotStepA))
	t.do("JNE", label(t.name+"Apart"))
	t.overlapping(few)
	t.do("PCALIGN", imm(32))
	t.here(t.name + "Apart")
	row := at(dotB, 0)
	rows := []memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2), row.indexed(dotTapsLeft, 1), row.indexed(dotStepB, 4)}
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

// overlapping is the loop of channels for windows that are one tap apart: a tap of a window is the one before of the next
// window. An element is broadcast once for all, and each sum adds its products in the same order. The loop has 16.6
// instructions for a pair of a tile of 6 rows. Where registers are left they hold the rows of B; the others are read for each
// product.
func (t *dotTile) overlapping(done string) {
	s := t.windows
	t.do("LEAQ", mem(at(dotStepA3, 0).indexed(dotStepA, 4)), gp(dotAcross)) // seven windows
	t.do("PCALIGN", imm(32))
	t.here(t.name + "Whole")
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
	held, row := dotScratch-t.sum(t.rows, 0, 0), at(dotB, 0)
	rows := [dotTaps]memory{row, row.indexed(dotStepB, 1), row.indexed(dotStepB, 2)}
	ofB := func(tap, vector int) arg {
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
			t.do("VBROADCASTSS", mem([]memory{from, from.indexed(dotStepA, 1), from.indexed(dotStepA, 2), from.indexed(dotStepA3, 1),
				from.indexed(dotStepA, 4), from.indexed(dotStepA5, 1), from.indexed(dotStepA3, 2), from.indexed(dotAcross, 1)}[e]), t.vec(dotScratch))
			for tap := range dotTaps {
				if window := e - tap; 0 <= window && window < windows {
					for v := range t.vectors {
						t.do("VFMADD231PS", ofB(tap, v), t.vec(dotScratch), t.vec(t.sum(line*windows+window, v, 0)))
					}
				}
			}
		}
	}
}

// runs writes the loop over dotTaps taps of a run. It goes on with fewer taps.
func (t *dotTile) runs() {
	t.here(t.name + "Run")
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

// skip moves on in the windows by a distance that is in the stack frame.
func (t *dotTile) skip(distance int) {
	switch {
	case !t.left():
		t.do("ADDQ", mem(stack(distance)), gp(dotB))
	case t.rows > t.addressed():
		t.do("ADDQ", mem(stack(distance)), gp(dotMask))
		fallthrough
	default:
		t.do("ADDQ", mem(stack(distance)), gp(dotA))
	}
}
