package amd64

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Products with windows (micro-kernel DotWindows). The rows of B are read from where the windows have their elements: one
// after the other along a run, with a jump to the next run, and another to the next channel. A call computes all columns of a
// line, and moves from one panel of them to the next itself.
//
// If windows are the left operand (DotLeftWindows), A is read that way. A call has one panel of B and the rows of
// several lines of windows, and moves from one line to the next. A tile has windows of one line, one stride apart, or
// equally many of two lines.

// dotWindows holds the offsets in the stack frame of the values that do not fit into registers, in bytes.
type dotWindows struct {
	taps, runs           int // of a run, and of a channel
	firstTaps            int // left of the run of the first pair
	firstRuns            int // left of its channel
	runsLeft             int // left of the present channel
	nextRun, nextChannel int // from behind the last tap of a run, or the last run of a channel, to the next
	runEnd, channelEnd   int // from the last tap of a run to the next run, or of a channel to the next channel
	runStep, channelStep int // from the first one
	lineStep, lineC      int // from one line of windows to the next, and in the product, if tiles have windows of two
}

// The registers that products of matrices use otherwise.
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
	for _, place := range []*int{&s.taps, &s.runs, &s.firstTaps, &s.firstRuns, &s.runsLeft, &s.nextRun, &s.nextChannel, &s.lineStep, &s.lineC} {
		*place = w.local(8)
	}
	if w.unrollsTaps() {
		for _, place := range []*int{&s.runEnd, &s.channelEnd, &s.runStep, &s.channelStep} {
			*place = w.local(8)
		}
	}
	w.windows = s
	field := func(i int) Arg { return mem(at(dotCount, w.field(i))) }
	first, tapStep, channelStep := dotB, dotTapStep, frameStep+8
	if w.left() {
		first, tapStep, channelStep = dotTop, dotAcross, frameStep
	} else {
		w.do("MOVQ", mem(at(dotCount, framePtr+8)), gp(dotB))
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
	if w.left() {
		w.do("MOVQ", gp(first), mem(stack(w.first)))
		w.beginLine()
		return
	}
	w.beginPanels()
}

// beginLine makes the windows of a line the rows of A. dotRows has their number.
func (w *dotWriter) beginLine() {
	w.here("line", "each line of windows")
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, frameCols)), gp(dotMask))
	w.do("MOVQ", gp(dotRows), mem(stack(w.rest)))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotCount))
	w.do("CMPQ", gp(dotRows), gp(dotCount))
	w.do("JLE", label("rows"))
	w.do("MOVQ", gp(dotCount), gp(dotRows))
	w.here("rows")
}

// nextLine continues with the next line of windows, if there is one. Its rows of the product follow those of the present
// line.
func (w *dotWriter) nextLine() {
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(stack(w.rest)), gp(dotRows))
	w.do("SUBQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotRows))
	w.do("JLE", label("end"))
	w.bytes(kernel.DotLineStep, dotTop)
	w.do("ADDQ", mem(stack(w.first)), gp(dotTop))
	w.do("MOVQ", gp(dotTop), mem(stack(w.first)))
	w.do("JMP", label("line"))
	w.here("end", "all lines are done")
}

// linePairs writes a loop over tiles with windows of two lines. It serves lines whose own tiles would have too few sums: lines
// of up to 3 windows, and of 7. Such a tile has 3 windows of each line, then the last 2, or 2 and 2: two lines of 7 windows have
// tiles of 6, 4 and 4 rows instead of 4, 3, 4 and 3. Other lines continue with a form.
func (w *dotWriter) linePairs(f, others dotForm) {
	s := w.windows
	w.here("lines", "windows of two lines together, if each has few")
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotMask))
	w.do("CMPQ", gp(dotMask), imm(3))
	w.do("JLE", label("short"))
	w.do("CMPQ", gp(dotMask), imm(7))
	w.do("JNE", label(others.name))
	w.here("short")
	w.do("LEAQ", mem(at(dotMask, 0).indexed(dotMask, 1)), gp(dotB))
	w.do("MOVQ", mem(stack(w.rest)), gp(dotA))
	w.do("CMPQ", gp(dotA), gp(dotB))
	w.do("JLT", label(others.name))
	w.do("IMULQ", gp(dotStepC), gp(dotMask))
	w.do("MOVQ", gp(dotMask), mem(stack(s.lineC)))
	w.bytes(kernel.DotLineStep, dotMask)
	w.do("MOVQ", gp(dotMask), mem(stack(s.lineStep)))
	w.here(f.name+"Tiles", "a tile of two lines")
	tile := func(rows int) *dotTile { return &dotTile{w, f, rows, f.name + itoa(rows), 2, false} }
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
	w.do("MOVQ", mem(stack(w.first)), gp(dotTop))
	w.do("ADDQ", mem(stack(s.lineStep)), gp(dotTop))
	w.do("MOVQ", gp(dotTop), mem(stack(w.first)))
	w.do("MOVQ", frameArg(), gp(dotCount))
	w.do("MOVQ", mem(stack(w.rest)), gp(dotRows))
	w.do("SUBQ", mem(at(dotCount, w.field(kernel.DotLine))), gp(dotRows))
	w.do("MOVQ", gp(dotRows), mem(stack(w.rest)))
	w.do("JMP", label("done"))
}

// startWindows sets the counters to the first pair.
func (t *dotTile) startWindows() {
	t.do("MOVQ", mem(stack(t.windows.firstRuns)), gp(dotTapsLeft))
	t.do("MOVQ", gp(dotTapsLeft), mem(stack(t.windows.runsLeft)))
	t.do("MOVQ", mem(stack(t.windows.firstTaps)), gp(dotTapsLeft))
}

// windowPairs is the loop over pairs. If the form unrolls pairs, the loop switches to whole channels or parts of a run at
// the beginning of one.
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
	t.here(t.name+"RunEnd", "the next run of taps, or the next channel")
	t.skip(s.nextRun)
	t.do("MOVQ", mem(stack(s.taps)), gp(dotTapsLeft))
	t.do("DECQ", mem(stack(s.runsLeft)))
	t.do("JNE", label(run))
	t.skip(s.nextChannel)
	t.do("MOVQ", mem(stack(s.runs)), gp(dotTapsLeft))
	t.do("MOVQ", gp(dotTapsLeft), mem(stack(s.runsLeft)))
	t.do("MOVQ", mem(stack(s.taps)), gp(dotTapsLeft))
	t.do("JMP", label(channel))
	t.here(t.name+"Total", "the sums of the tile are complete")
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
