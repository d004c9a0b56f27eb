package arm64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Products with windows (micro-kernels DotWindows and DotLeftWindows), and of many small matrices (DotBatch).
//
// The rows of B, or the elements of A, are read from where the windows have them: one tap after the other along a run, then a jump to
// the next run, and another to the next channel. If windows are the left operand, the rows of a tile may be windows of several lines.

// Registers of windows. They are those of the pointers to half the rows.
const (
	dotTapsLeft    = dotRow + dotMostRows/2 + iota // of the present run
	dotRunsLeft                                    // of the present channel
	dotTaps                                        // of a run
	dotRuns                                        // of a channel
	dotNextRun                                     // bytes from behind the last tap of a run to the next run
	dotNextChannel                                 // bytes from behind the last run of a channel to the next channel
)

// windows reports whether one operand is windows.
func (w *dotWriter) windows() bool {
	return w.micro.Kind == kernel.DotWindows || w.micro.Kind == kernel.DotLeftWindows
}

// beginWindows reads the fields of windows. tapStep is the register for the bytes from one tap to the next, channelStep the offset
// in the frame of the bytes from one channel to the next. It leaves the bytes to the first pair in dotScratch.
func (w *dotWriter) beginWindows(tapStep, channelStep int) {
	const runStep, number = dotTapsLeft, dotRunsLeft
	w.readBytes(tapStep, w.field(kernel.DotTapStep))
	w.readBytes(runStep, w.field(kernel.DotRunStep))
	w.read(dotTaps, w.field(kernel.DotTaps))
	w.read(dotRuns, w.field(kernel.DotRuns))
	w.do("MSUB", x(dotNextRun), x(dotTaps), x(tapStep), x(runStep))
	w.read(number, channelStep)
	w.do("MSUB", x(dotNextChannel), x(dotRuns), x(runStep), x(number))
	w.read(number, w.field(kernel.DotSkipRuns))
	w.do("MUL", x(runStep), x(runStep), x(number))
	w.read(number, w.field(kernel.DotSkipTaps))
	w.do("MADD", x(dotScratch), x(tapStep), x(number), x(runStep))
}

// startWindows sets the counters to the first pair.
func (t *dotTile) startWindows() {
	for _, n := range [][3]int{{dotTapsLeft, dotTaps, kernel.DotSkipTaps}, {dotRunsLeft, dotRuns, kernel.DotSkipRuns}} {
		t.read(n[0], t.field(n[2]))
		t.do("SUB", x(n[0]), x(n[1]), x(n[0]))
	}
}

// nextTap continues with the next pair, if there is one.
func (t *dotTile) nextTap() {
	pair := label(t.name + "Pair")
	t.do("SUBS", x(dotCount), x(dotCount), imm(1))
	t.do("BEQ", label(t.name+"Total"))
	window := dotB
	if t.micro.Kind == kernel.DotLeftWindows {
		window = dotAt
	}
	t.do("ADD", x(dotAt), x(dotAt), x(dotAcross))
	t.do("ADD", x(dotB), x(dotB), x(dotStepB))
	t.do("SUBS", x(dotTapsLeft), x(dotTapsLeft), imm(1))
	t.do("BNE", pair)
	t.do("ADD", x(window), x(window), x(dotNextRun))
	t.do("MOV", x(dotTapsLeft), x(dotTaps))
	t.do("SUBS", x(dotRunsLeft), x(dotRunsLeft), imm(1))
	t.do("BNE", pair)
	t.do("ADD", x(window), x(window), x(dotNextChannel))
	t.do("MOV", x(dotRunsLeft), x(dotRuns))
	t.do("B", pair)
	t.here(t.name + "Total")
}

// windowPointers sets the pointers to the tile's windows, which may be of several lines, and advances dotTop.
func (t *dotTile) windowPointers() {
	const lineStep = dotAt
	for row := range t.rows {
		same := t.fresh("line")
		t.do("MOV", x(dotRow+row), x(dotTop))
		t.do("ADD", x(dotTop), x(dotTop), x(dotStepA))
		t.do("SUBS", x(dotOfLine), x(dotOfLine), imm(1))
		t.do("BNE", label(same))
		t.readBytes(lineStep, t.field(kernel.DotLineStep))
		t.do("ADD", x(dotLine), x(dotLine), x(lineStep))
		t.do("MOV", x(dotTop), x(dotLine))
		t.read(dotOfLine, t.field(kernel.DotLine))
		t.here(same)
	}
}

// beginBatch begins the loop over matrices. It divides the columns of a call into the rows of a matrix.
func (w *dotWriter) beginBatch() {
	const rows, cols = dotRow, dotRow + 1
	w.read(cols, w.field(kernel.DotBatchCols))
	w.read(rows, frameCols)
	w.do("SDIV", x(rows), x(rows), x(cols))
	w.do("CMP", x(rows), imm(0))
	w.do("BLE", label("end"))
	w.do("STR", x(rows), mem(w.rows))
	w.keep(w.count, frameRows)
	for i, next := range []Memory{w.nextA, w.nextB, w.nextC} {
		w.keep(next, framePtr+8*i)
	}
	w.readBytes(dotStepC, w.field(kernel.DotBatchCols))
	w.readBytes(dotStepA, w.field(kernel.DotBatchLeftRow))
	w.readBytes(dotAcross, w.field(kernel.DotBatchLeftPair))
	w.readBytes(dotStepB, w.field(kernel.DotBatchRightRow))
	w.here("matrix")
	w.keep(w.cols, w.field(kernel.DotBatchCols))
	for i, next := range []Memory{w.nextA, w.nextC, w.nextB} { // dotPanel has the pointer to B at last
		arg := []int{0, 2, 1}[i]
		w.do("LDR", x(dotPanel), mem(next))
		if i < 2 {
			w.do("STR", x(dotPanel), mem([]Memory{w.left, w.out}[i]))
		}
		w.read(dotTop, frameStep+8*arg)
		w.do("ADD", x(dotTop), x(dotTop), x(dotPanel))
		w.do("STR", x(dotTop), mem(next))
	}
}

// nextMatrix continues with the next matrix, if there is one.
func (w *dotWriter) nextMatrix() {
	w.do("LDR", x(dotScratch), mem(w.count))
	w.do("SUBS", x(dotScratch), x(dotScratch), imm(1))
	w.do("STR", x(dotScratch), mem(w.count))
	w.do("BNE", label("matrix"))
}
