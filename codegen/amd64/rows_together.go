package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Rows of a depthwise convolution that are computed together.
//
// The body of such a kernel is a chain of products, each of a unit operand and a splat (codegen/taps.go). If the operands
// of the chain are the elements of a window, they lie in several lines of one array, and the row below reads the same lines
// shifted by one. So several rows are computed at a time, vector by vector: a vector of a line is loaded once for all of
// them, and the splats once for the whole call.
//
// Only the frame tells that the operands are such lines: its pointers and steps say so. Otherwise, or if there are too few rows or
// columns, the call is computed row by row. The results have the same bits, as each element is the sum of the same
// products in the same order.
//
// 	together: tests the frame, and goes to row if it is another case
// 	block:    some rows; those of the last block may be computed a second time
// 	vector:   a vector of each; the last one may be computed a second time
//
// A row computed a second time must not read what the first time overwrote, so the output must not overlap the lines. The output
// may be the array of sums that the products are added to, if there are only whole blocks of whole vectors.

// window describes the operands of a body that are the elements of a window.
type window struct {
	lines, width int
	taps         []int // unit operands, line by line
	weights      []int // the splat that each is multiplied by
	sum          int   // the unit operand that the products are added to, or -1
}

// windowShapes are the lines and the widths of the windows, by the number of elements: a window
// of 3x3, one or two lines of one of 5x5, and one of 7x7.
var windowShapes = map[int][2]int{9: {3, 3}, 5: {1, 5}, 10: {2, 5}, 7: {1, 7}}

// mostTogether is the greatest number of rows that are computed together.
const mostTogether = 4

// windowOf returns the window of a body of float32 with one output, or nil if it has none. All other operands of such a body are
// splats.
func windowOf(k *kernel.Kernel) *window {
	w := &window{sum: -1}
	unit := func(r kernel.Ref) bool { return int(r) < len(k.In) && !k.In[r].Splat }
	isSplat := func(r kernel.Ref) bool { return int(r) < len(k.In) && k.In[r].Splat }
	chain := 0
	for j := range k.Body {
		in := &k.Body[j]
		last := kernel.Ref(len(k.In) + j - 1)
		a := in.Args
		if (in.Op == ir.OpMul || in.Op == ir.OpFMA) && isSplat(a[0]) { // either factor is first, as operands are in the order of their values
			a[0], a[1] = a[1], a[0]
		}
		switch {
		case in.DType != ir.Float32 || !unit(a[0]) || !isSplat(a[1]) || slices.Contains(w.taps, int(a[0])):
		case j == 0 && in.Op == ir.OpMul, j > 0 && in.Op == ir.OpFMA && a[2] == last:
			chain++
		case j == 0 && in.Op == ir.OpFMA && unit(a[2]):
			w.sum = int(a[2])
			chain++
		}
		if chain == j+1 {
			w.taps, w.weights = append(w.taps, int(a[0])), append(w.weights, int(a[1]))
		}
	}
	shape, ok := windowShapes[chain]
	if k.Interleaved() {
		return nil
	}
	units := 0
	for _, in := range k.In {
		if !in.Splat {
			units++
		}
	}
	if w.sum >= 0 {
		units--
	}
	if !ok || units != chain || slices.Contains(w.taps, w.sum) || len(k.Out) != 1 || k.OutType(0) != ir.Float32 {
		return nil
	}
	for _, in := range k.Body[chain:] { // only the next instruction reads the sum, and all operands are splats
		for _, r := range in.Args[:in.Arity()] {
			if unit(r) {
				return nil
			}
		}
	}
	w.lines, w.width = shape[0], shape[1]
	return w
}

// The general registers of a block of rows.
const (
	rowsLine    = firstFree + iota // the first line
	rowsStep                       // from one line to the next
	rowsStep3                      // three times that
	rowsStep5                      // five times, or the step of sums
	rowsOut                        // the first row of the output
	rowsOutStep                    // from one to the next
	rowsOutStep3
	rowsLeft
	rowsSum
	rowsSumStep  = rowsStep5
	rowsSumStep3 = dx
	rowsLast     = ax // the last index at which a vector begins
)

// together holds the instructions of a block.
type together struct {
	*window
	rows  int
	insts []vector.Inst
}

// The places of vectors of a block: line i, row i of the output, row i of the sums.
const (
	ofLine = 100 * (1 + iota)
	ofOut
	ofSum
)

// newTogether returns the block with the fewest instructions per row, or nil if the body has no window.
func newTogether(b *vector.Body) *together {
	w := windowOf(b.Graph.Kernel)
	if w == nil || b.Graph.Target != vector.Target(AVX2()) || len(b.Exits()) > 0 {
		return nil
	}
	var best *together
	for rows := mostTogether; rows > 1; rows-- {
		insts := w.block(b, rows)
		if insts != nil && (best == nil || len(insts)*best.rows < len(best.insts)*rows) {
			best = &together{w, rows, insts}
		}
	}
	return best
}

// block returns the instructions of a vector of some rows, or nil if there are too few registers.
func (w *window) block(b *vector.Body, rows int) []vector.Inst {
	k, g := b.Graph.Kernel, &graph{Graph: b.Graph}
	c := &vector.Copy{Graph: b.Graph}
	l := lowerTo(c)
	bytes := g.Machine().Width
	loaded := func(operand, disp int) ref {
		place := vector.PlaceOf(operand, ir.Float32.Size(), disp, bytes)
		return g.op("VMOVUPS", g.inPlace(place))
	}
	var order []ref
	sum := make([]ref, rows)
	if w.sum >= 0 {
		for r := range sum {
			sum[r] = loaded(ofSum+r, 0)
			order = append(order, sum[r])
		}
	}
	for line := range w.lines + rows - 1 {
		for i := range w.width {
			x := loaded(ofLine+line, i*ir.Float32.Size())
			order = append(order, x)
			for r := range rows {
				if line < r || line-r >= w.lines {
					continue
				}
				tap := (line-r)*w.width + i
				args := [3]value{one(x), l.splat(w.weights[tap], ir.Float32), one(sum[r])}
				sum[r] = b.Graph.Apply(c, k.Body[tap], args).Part[0]
				order = append(order, sum[r])
			}
		}
	}
	for r := range rows {
		c.Values = make([]value, len(k.In)+len(k.Body))
		for i := range k.In {
			if k.In[i].Splat {
				c.Values[i] = l.splat(i, ir.Float32)
			}
		}
		chain := len(w.taps)
		c.Values[len(k.In)+chain-1] = one(sum[r])
		for j, in := range k.Body[chain:] {
			var a [3]value
			for i, arg := range in.Args[:in.Arity()] {
				a[i] = c.Values[arg]
			}
			c.Values[len(k.In)+chain+j] = b.Graph.Apply(c, in, a)
		}
		out := c.Values[k.Out[0]].Part[0]
		place := vector.PlaceOf(ofOut+r, ir.Float32.Size(), 0, bytes)
		order = append(order, b.Graph.Schedule([]ref{g.placed("STORE", place, out)}, func(v ref) bool {
			return b.Graph.Invariant(v) || slices.Contains(order, v)
		})...)
	}
	return b.Allocate(order)
}
