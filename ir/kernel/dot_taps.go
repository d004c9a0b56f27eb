package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Products with the windows of an image: Dot whose second (or first) argument is read from where the windows have their elements.

// The fields of DotWindows, whose second argument is windows of channels. Pair k is element k + skipped of the windows' channels,
// one channel after the other; each channel has runs of taps elements. The first three fields are those of Dot.
const (
	DotChannels = iota + DotNext // number of channels of the pairs
	DotSpan                      // elements of a channel that a call may read
	DotRuns                      // of a channel
	DotTaps                      // of a run
	DotRunStep                   // elements from one run to the next
	DotTapStep                   // elements from one tap to the next
	DotSkipRuns                  // runs of the first channel before the first pair
	DotSkipTaps                  // taps of that run before the first pair
)

// The additional fields of DotLeftWindows, whose first argument is the windows. It has DotStep instead of DotAcross.
const (
	DotStep     = DotAcross          // elements from one window of a line to the next
	DotLine     = iota + DotSkipTaps // windows of a line
	DotLineStep                      // elements from one line of windows to the next
)

// The names of the fields.
var (
	dotWindowsFields     = []string{"across", "pairs", "adds", "channels", "span", "runs", "taps", "run_step", "tap_step", "skip_runs", "skip_taps"}
	dotLeftWindowsFields = append(append([]string{"step"}, dotWindowsFields[1:]...), "line", "line_step")
)

func dotLeftWindowsArgs(m *Micro) []Arg { // channels x what windows read of them, pairs x columns
	windows := Windows{Of: Rows, Line: Field0 + DotLine, LineStep: Field0 + DotLineStep, Step: Field0 + DotStep}
	return []Arg{{DType: m.Type, Windows: windows, Outer: Field0 + DotChannels, Inner: Field0 + DotSpan},
		{DType: m.Type, Outer: Field0 + DotPairs, Inner: Cols}, {DType: m.Type, Out: true, Outer: Rows, Inner: Cols}}
}

func dotLeftWindowsLimits(m *Micro) []Limit {
	return append(dotWindowsLimits(m), Limit{Extent: Rows, Most: math.MaxInt32}, Limit{Extent: Cols, Most: DotColumns(m.Type)},
		Limit{Extent: Field0 + DotStep, Most: math.MaxInt32}, Limit{Extent: Field0 + DotLine, Least: 1, Most: math.MaxInt32}, Limit{Extent: Field0 + DotLineStep, Most: math.MaxInt32})
}

func dotWindowsArgs(m *Micro) []Arg { // rows x pairs, channels x what windows read of them
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Field0 + DotPairs, Across: Field0 + DotAcross},
		{DType: m.Type, Windows: Windows{Of: Cols}, Outer: Field0 + DotChannels, Inner: Field0 + DotSpan}, {DType: m.Type, Out: true, Outer: Rows, Inner: Cols}}
}

func dotWindowsLimits(*Micro) []Limit {
	limits := []Limit{{Field0 + DotPairs, 1, ir.DotChunk, true}}
	for _, f := range []Extent{DotChannels, DotSpan, DotRunStep, DotTapStep} {
		limits = append(limits, Limit{Extent: Field0 + f, Most: math.MaxInt32})
	}
	for _, f := range []Extent{DotRuns, DotTaps} {
		limits = append(limits, Limit{Extent: Field0 + f, Least: 1, Most: mostTaps})
	}
	for _, f := range []Extent{DotSkipRuns, DotSkipTaps} {
		limits = append(limits, Limit{Extent: Field0 + f, Most: mostTaps})
	}
	return limits
}

// mostTaps is the greatest number of runs of a channel, and of taps of a run.
const mostTaps = 1 << 10

func dotWindowsFit(_, cols int, fields []int) bool { return windowsFit(int64(cols), fields) }

func dotLeftWindowsFit(rows, _ int, fields []int) bool {
	last, line := int64(max(rows, 1)-1), int64(fields[DotLine])
	return windowsFit(last/line*int64(fields[DotLineStep])+min(last, line-1)*int64(fields[DotStep])+1, fields)
}

// windowsFit reports whether the pairs are within the channels, and whether all windows with first elements below first are within
// the span.
func windowsFit(first int64, fields []int) bool {
	f := func(i int) int64 { return int64(fields[i]) }
	skipped := f(DotSkipRuns)*f(DotTaps) + f(DotSkipTaps)
	reach := (f(DotRuns)-1)*f(DotRunStep) + (f(DotTaps)-1)*f(DotTapStep) + first
	return f(DotSkipTaps) < f(DotTaps) && f(DotSkipRuns) < f(DotRuns) && skipped+f(DotPairs) <= f(DotChannels)*f(DotRuns)*f(DotTaps) && reach <= f(DotSpan)
}

func dotWindowsMeaning(m *Micro, _ *Kernel) Reference {
	by := ir.OpDot.Info().By
	return func(f ir.Arithmetic, b Block) {
		x, y := make([]uint64, b.Field(DotPairs)), make([]uint64, b.Field(DotPairs))
		runs, taps := b.Field(DotRuns), b.Field(DotTaps)
		skipped := b.Field(DotSkipRuns)*taps + b.Field(DotSkipTaps)
		for r := range b.Rows() {
			for c := range b.Cols() {
				for k := range x {
					at := k + skipped
					channel, tap := at/(runs*taps), at/taps%runs*b.Field(DotRunStep)+at%taps*b.Field(DotTapStep)
					if m.Kind == DotLeftWindows {
						line := b.Field(DotLine)
						x[k], y[k] = b.Get(0, channel, r/line*b.Field(DotLineStep)+r%line*b.Field(DotStep)+tap), b.Get(1, k, c)
					} else {
						x[k], y[k] = b.Get(0, r, k), b.Get(1, channel, tap+c)
					}
				}
				sum := f.DotLine(by, m.Type, x, y, false)
				if b.Field(DotAdds) != 0 {
					sum = f.Combine(ir.OpAdd, m.Type, b.Get(2, r, c), sum)
				}
				b.Set(2, r, c, sum)
			}
		}
	}
}
