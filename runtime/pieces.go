package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// How long calls take, and the division of those that would take too long. Assembly
// cannot be interrupted, so the duration of one call bounds how long Go's runtime waits to
// stop all goroutines. The duration of what is computed between two looks at the context
// bounds how long a run goes on after its cancellation. Both are estimated when a program
// is linked: a call of rows x columns, from its kernel and its engine.
//
// A call that may take longer than pieceNanos is executed in pieces, each a call of the
// same kernel for some of the rows, in order, or for some of the columns of one row. The
// elements are the same ones and are computed in the same way.

// pieceNanos is how long a call takes at most, and what is computed between two looks at
// the context, in estimated nanoseconds.
const pieceNanos = 50_000

// durations are how long kernels of an engine take at most, in nanoseconds. An estimate
// is too high for most kernels: the numbers are those of the slowest element types and of
// operands that come from memory. Zen 3, two virtual processors, shared.
type durations struct {
	call  float64 // to begin a call
	octet float64 // to read or write a byte of an element
	unit  float64 // of the cost in ir's table of ops
	moved float64 // to copy an element to or from elements that are apart
	pair  float64 // of elements that are multiplied and added by dot
}

var engineDurations = [abi.NumEngines]durations{
	abi.AVX512:   {call: 5, octet: 0.1, unit: 0.04, moved: 4, pair: 0.1},
	abi.AVX2:     {call: 5, octet: 0.1, unit: 0.04, moved: 4, pair: 0.1},
	abi.Portable: {call: 5, octet: 0.1, unit: 1.2, moved: 6, pair: 4},
}

// elementNanos estimates how long a kernel takes for each element of a call. fields are
// the greatest values of the kernel's.
func (d *durations) elementNanos(code kernel.Code, fields []int) float64 {
	nanos := 0.0
	for _, a := range code.Args() {
		nanos += d.octet * float64(a.DType.Size())
	}
	nanos += d.unit * bodyCost(code)
	m, ok := code.(*kernel.Micro)
	if !ok {
		return nanos
	}
	field := func(i int) float64 { return float64(max(1, fields[i])) }
	switch m.Kind {
	case kernel.Pack, kernel.Transpose, kernel.StoreNT:
		return d.moved
	case kernel.Dot:
		return d.pair * field(1)
	case kernel.ReduceColumns:
		return nanos * field(0)
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

// estimate returns how long a call takes, and notes what is needed to divide a long one. rows, cols and fields are the greatest ones.
func (c *linkedCall) estimate(code kernel.Code, on abi.Engine, piece, rows, cols int, fields []int) (nanos int) {
	d := &engineDurations[on]
	c.nanos = d.elementNanos(code, fields)
	if m, ok := code.(*kernel.Micro); ok && m.Kind == kernel.Sort { // all of a line, for some of it
		c.nanos *= float64(fields[2]) / float64(max(1, cols))
	}
	elems, fits := layout.MulInt(rows, cols)
	all := d.call + c.nanos*float64(elems)
	if fits && all <= float64(piece) {
		return int(all)
	}
	c.long, c.args, c.fieldsAt, c.leastCols = true, code.Args(), code.FieldAt(0), 1
	for _, l := range kernel.LimitsOf(code) {
		if l.Dim == kernel.Cols {
			c.leastCols = max(1, l.Least)
		}
	}
	if m, ok := code.(*kernel.Micro); ok {
		c.wholeRows = m.Kind == kernel.Reduce || m.Kind == kernel.ScanRows || m.Kind == kernel.Sort
	}
	return 0 // each piece counts
}

// at returns where argument i of a call begins at a row and a column.
func (c *linkedCall) at(f *abi.Frame, i, row, col int) unsafe.Pointer {
	a, bytes := &c.args[i], 0
	for _, d := range [...]struct {
		kernel.Dim
		index int
	}{{kernel.Rows, row}, {kernel.Cols, col}} {
		switch {
		case d.Dim == a.Outer:
			bytes += d.index * f.Step[i]
		case d.Dim == a.Inner && a.Across == kernel.One:
			bytes += d.index * a.DType.Size()
		case d.Dim == a.Inner:
			bytes += d.index * f.Step[c.fieldsAt+int(a.Across-kernel.Field0)]
		}
	}
	return unsafe.Add(f.Ptr[i], bytes)
}

// executePieces executes a long call. It reports false if the run has failed or is
// cancelled.
func (f *frames) executePieces(c *linkedCall, it *item, w *worker) bool {
	whole, piece := &f.frames[it.call], float64(f.task.piece)
	rowNanos := c.nanos * float64(whole.Cols)
	rows := max(1, int(min(piece/max(rowNanos, 1), float64(whole.Rows))))
	cols := whole.Cols
	if rowNanos > piece && !c.wholeRows {
		cols = max(c.leastCols, 64, int(piece/c.nanos)&^63) // of bytes, whole cache lines
	}
	defer clear(f.piece.Ptr[:]) // of tensors
	for r := 0; r < whole.Rows; r += rows {
		n := min(rows, whole.Rows-r)
		for k := 0; k < whole.Cols || k == 0; {
			m := min(cols, whole.Cols-k)
			if rest := whole.Cols - k - m; rest < c.leastCols {
				m += rest
			}
			f.piece = *whole
			f.piece.Rows, f.piece.Cols = n, m
			for i := range c.args {
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
