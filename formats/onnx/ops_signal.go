package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Signals: window functions, the weights of mel bins, and Fourier transforms. ops_fourier.go has
// the transform of lines.

var signals = []operator{
	{"BlackmanWindow", 17, latest, 1, 1, ir.Ints, windowFunctionAttrs, windowFunction(func(turn float64) float64 {
		return 0.42 - float64(0.5*math.Cos(turn)) + float64(0.08*math.Cos(2*turn))
	})},
	{"DFT", 17, 19, 1, 2, ir.Floats, attrs{"axis": 1, "inverse": 0, "onesided": 0}, dft},
	{"DFT", 20, latest, 1, 3, ir.Floats, attrs{"inverse": 0, "onesided": 0}, dft},
	{"HammingWindow", 17, latest, 1, 1, ir.Ints, windowFunctionAttrs, windowFunction(func(turn float64) float64 {
		return 25./46 - float64(21./46*math.Cos(turn))
	})},
	{"HannWindow", 17, latest, 1, 1, ir.Ints, windowFunctionAttrs, windowFunction(func(turn float64) float64 {
		return 0.5 - float64(0.5*math.Cos(turn))
	})},
	{"MelWeightMatrix", 17, latest, 5, 5, ir.Ints, attrs{"output_datatype": 1}, melWeights},
	{"STFT", 17, latest, 2, 4, ir.Floats, attrs{"onesided": 1}, stft},
}

var windowFunctionAttrs = attrs{"output_datatype": 1, "periodic": 1}

// mostSamples limits the elements that are computed at load for signals.
const mostSamples = 1 << 20

// windowFunction returns a function of n positions on a turn of 2π. If periodic, the turn ends after the last position,
// otherwise at it.
func windowFunction(f func(turn float64) float64) func(c *call) []value {
	return func(c *call) []value {
		n := c.int1(0)
		if n < 0 || n > mostSamples {
			return c.fail("a window of %d elements: it must be 0 to %d", n, mostSamples)
		}
		if c.spendElements(n); c.err != nil {
			return nil
		}
		length := float64(n)
		if !c.flag("periodic") {
			length--
		}
		list := make([]float64, n)
		for i := range list {
			list[i] = f(2 * math.Pi * float64(i) / length)
		}
		return one(graph.Const(graph.Of(list)).Cast(c.typeNamed("output_datatype")))
	}
}

// melWeights returns the matrix [frequencies, bins] of triangles of equal width in mels that overlap by half.
func melWeights(c *call) []value {
	bins, length, rate := c.int1(0), c.int1(1), c.int1(2)
	low, high := c.floats(3), c.floats(4)
	if c.err != nil {
		return nil
	}
	rows := length/2 + 1
	if bins < 1 || length < 1 || rate < 1 || len(low) != 1 || len(high) != 1 || rows > mostSamples || bins > mostSamples/rows {
		return c.fail("%d bins of transforms of %d at %d samples in a second: they must be positive, and up to %d elements", bins, length, rate, mostSamples)
	}
	if c.spendElements(rows * bins); c.err != nil {
		return nil
	}
	mel := func(hertz float64) float64 { return 2595 * math.Log1p(hertz/700) / math.Ln10 }
	from := mel(low[0])
	step := (mel(high[0]) - from) / float64(bins+2)
	edge := func(i int) int {
		hertz := 700 * math.Expm1((from+float64(float64(i)*step))/2595*math.Ln10)
		return int(math.Floor(float64(length+1) * hertz / float64(rate)))
	}
	out := make([]float64, rows*bins)
	for i := range bins {
		left, center, right := edge(i), edge(i+1), edge(i+2)
		if left < 0 || left > center || center > right || right > rows {
			return c.fail("bin %d has the frequencies %d to %d of %d", i, left, right, rows)
		}
		for j := left; j < center; j++ {
			out[j*bins+i] = float64(j-left) / float64(center-left)
		}
		for j := center + 1; j < right; j++ {
			out[j*bins+i] = float64(right-j) / float64(right-center)
		}
		if center < rows {
			out[center*bins+i] = 1
		}
	}
	return one(graph.Const(graph.Of(out, rows, bins)).Cast(c.typeNamed("output_datatype")))
}

// dft transforms an axis of complex or real numbers, whose parts are the last axis. The axis is first cut or
// zero-padded to a given length.
func dft(c *call) []value {
	x, inverse, half := c.x(0), c.flag("inverse"), c.flag("onesided")
	axis := -2
	if c.op.since < 20 {
		axis = c.int("axis")
	} else if c.has(2) {
		axis = c.int1(2)
	}
	if axis = c.wrapAxis(axis, x.Rank()); c.err != nil || axis == x.Rank()-1 {
		return c.fail("axis %d of an operand of shape %s: the last axis has the parts of numbers", axis, x.Shape())
	}
	z := c.spectrum(x.MoveAxis(axis, -2))
	extent, fixed := x.Shape()[axis].Int()
	n := extent
	if inverse && half {
		n = 2 * (extent - 1)
	}
	if c.has(1) {
		n = c.int1(1)
	}
	if c.err != nil || !fixed || n < 1 || n > mostSamples {
		return c.fail("a transform of %d elements of an axis of extent %s: both must be known at load, and 1 to %d", n, x.Shape()[axis], mostSamples)
	}
	kept := n
	if half {
		kept = n/2 + 1
	}
	switch {
	case !inverse:
		z = c.transformed(z.resized(n), n, false).resized(kept)
	case half:
		z = c.transformed(z.resized(kept).mirrored(n), n, true)
		z.im = nil
	default:
		z = c.transformed(z.resized(n), n, true)
	}
	return one(z.parts().MoveAxis(-2, axis).Cast(x.DType()))
}

// stft transforms frames of a signal [batch, length, parts] or [batch, length], which begin frame_step elements apart.
func stft(c *call) []value {
	x, step := c.x(0), c.int1(1)
	if x.Rank() == 2 {
		x = x.Unsqueeze(-1)
	}
	if x.Rank() != 3 {
		return c.fail("a signal of shape %s: it must be [batch, length, 1 or 2]", c.x(0).Shape())
	}
	n, known := x.Shape()[1].Int()
	if c.has(3) {
		n, known = c.int1(3), true
	} else if c.has(2) && c.x(2).Rank() == 1 {
		n, known = c.x(2).Shape()[0].Int()
	}
	switch {
	case c.err != nil || !known || n < 1 || n > mostSamples || step < 1:
		return c.fail("frames of %d elements, %d apart: both must be known at load, and 1 to %d", n, step, mostSamples)
	case c.has(2) && (c.x(2).Rank() != 1 || !c.x(2).Shape()[0].Is(n)):
		return c.fail("a window of shape %s for frames of %d elements", c.x(2).Shape(), n)
	}
	frames := x.Window(1, n, step, 1).SwapAxes(-1, -2) // [batch, frames, n, parts]
	if c.has(2) {
		frames = frames.Mul(c.x(2).Unsqueeze(-1))
	}
	z := c.spectrum(frames)
	if c.err != nil {
		return nil
	}
	z = c.transformed(z, n, false)
	if c.flag("onesided") {
		z = z.resized(n/2 + 1)
	}
	return one(z.parts().Cast(x.DType()))
}
