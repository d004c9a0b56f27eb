package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The times of calls, and the division of long calls. Assembly cannot be interrupted, so the duration of one call bounds the time that Go's
// runtime waits to stop all goroutines. The duration between two checks of the context bounds the time that a run continues after its
// cancellation. Both are estimated when a program is linked, from the kernel, the engine, and the rows and columns of a call.
//
// A call that may take longer than pieceNanos is executed in pieces. Each is a call of the same kernel for some of the rows, in order, or for
// some of the columns of one row. If the rows are windows of an image, a piece is some lines of them, or a part of one. The same
// elements are computed in the same way.

// pieceNanos is the longest estimated time of a call, and between two checks of the context, in nanoseconds.
var pieceNanos = machine.CallNanos

// callTimes returns the call times of kernels of an engine.
func callTimes(on abi.Engine) *tuning.CallTimes {
	if on == abi.Portable {
		return &machine.GoCalls
	}
	return &machine.AssemblyCalls
}

// unitNanos estimates the time of a kernel for one unit of its time.
func unitNanos(d *tuning.CallTimes, code kernel.Code, args []kernel.Arg, u kernel.Unit) float64 {
	switch u {
	case kernel.Moved:
		return d.Move
	case kernel.Paired:
		if args[len(args)-1].DType.Size() < 8 {
			return d.Short
		}
		return d.Pair
	case kernel.Selected:
		return d.Selected * float64(args[0].DType.Size())
	case kernel.Computed:
		nanos := d.Cost * bodyCost(code)
		for _, a := range args {
			nanos += d.Byte * float64(a.DType.Size()*a.Each())
		}
		return nanos
	}
	panic(fmt.Sprintf("BUG: runtime: no duration for unit %d of %s", u, code.Signature()))
}

// elementNanos estimates the time of a kernel for each element of a call with the given number of columns. cols and fields are the greatest
// values.
func (k *linkedKernel) elementNanos(cols int, field func(i int) int) float64 {
	nanos := k.nanos + k.row/float64(max(1, cols))
	if k.time.Indexed && field(0) <= machine.NearBytes/max(64, 8*cols) {
		nanos = min(nanos, k.near)
	}
	if k.time.Times != kernel.One {
		nanos *= float64(max(1, field(int(k.time.Times-kernel.Field0))))
	}
	if k.time.PerRow {
		nanos /= float64(max(1, cols))
	}
	return nanos
}

// bodyCost returns the cost of computing an element and combining it.
func bodyCost(code kernel.Code) float64 {
	const combine = 8 // of an op with the memory, or with the element before
	body, cost := (*kernel.Kernel)(nil), float64(combine)
	switch c := code.(type) {
	case *kernel.Kernel:
		body = c
	case *kernel.Micro:
		body = c.Body
	}
	if body != nil {
		for i := range body.Body {
			cost += max(1, body.Body[i].Op.Info().Cost)
		}
	}
	return cost
}

// estimate returns the estimated time of a call, or true if the call is long, in which case each of its pieces counts. rows, cols and fields are
// the greatest values.
func (c *linkedCall) estimate(piece, rows, cols int, field func(i int) int) (nanos int, long bool) {
	c.nanos = c.kernel.elementNanos(cols, field)
	elems, fits := layout.MulInt(rows, cols)
	all := c.kernel.begin + c.nanos*float64(elems)
	if fits && all <= float64(piece) {
		return int(all), false
	}
	return 0, true
}

// at returns the address of argument i of a call at a row and a column.
func (c *linkedCall) at(f *abi.Frame, i, row, col int) unsafe.Pointer {
	a, bytes := &c.kernel.args[i], 0
	for _, d := range [...]struct {
		kernel.Extent
		index int
	}{{kernel.Rows, row}, {kernel.Cols, col}} {
		switch {
		case d.Extent == a.Windows.Of:
			bytes += c.window(f, &a.Windows, d.index) * a.DType.Size()
		case d.Extent == a.Outer:
			bytes += d.index * f.Step[i]
		case d.Extent == a.Inner && a.Across == kernel.One:
			bytes += d.index * a.DType.Size() * a.Each()
		case d.Extent == a.Inner:
			bytes += d.index * c.field(f, a.Across)
		}
	}
	return unsafe.Add(f.Ptr[i], bytes)
}

// window returns the element at which window i begins.
func (c *linkedCall) window(f *abi.Frame, w *kernel.Windows, i int) int {
	if w.Line == kernel.One {
		return i
	}
	line := c.field(f, w.Line)
	return i/line*c.field(f, w.LineStep) + i%line*c.field(f, w.Step)
}

// field returns a field of a frame.
func (c *linkedCall) field(f *abi.Frame, d kernel.Extent) int {
	return f.Step[c.kernel.fieldsAt+int(d-kernel.Field0)]
}

// executePieces executes a long call. It returns false if the run has failed or is cancelled.
func (f *frames) executePieces(c *linkedCall, it *item, w *worker) bool {
	whole, piece := &f.frames[it.call], float64(f.task.piece)
	rowNanos := c.nanos * float64(whole.Cols)
	rows := max(1, int(min(piece/max(rowNanos, 1), float64(whole.Rows))))
	cols, least := whole.Cols, c.kernel.leastCols
	if rowNanos > piece && !c.kernel.wholeRows {
		cols = max(least, 64, int(piece/c.nanos)&^63) // of bytes, whole cache lines
	}
	line := 1
	if c.kernel.line != kernel.One {
		line = c.field(whole, c.kernel.line)
	}
	defer clear(f.piece.Ptr[:]) // of tensors
	for r, n := 0, 0; r < whole.Rows; r += n {
		if n = rows - rows%line; rows < line {
			n = min(rows, line-r%line)
		}
		n = min(n, whole.Rows-r)
		for k := 0; k < whole.Cols || k == 0; {
			m := min(cols, whole.Cols-k)
			if rest := whole.Cols - k - m; rest < least {
				m += rest
			}
			f.piece = *whole
			f.piece.Rows, f.piece.Cols = n, m
			for i := range c.kernel.args {
				f.piece.Ptr[i] = c.at(whole, i, r, k)
			}
			call(it.fn, &f.piece)
			k += max(1, m)
			if !f.spend(int(c.nanos*float64(n)*float64(m)), w) {
				return false
			}
		}
	}
	return true
}
