package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// A box is a rectangular part of a value, possibly strided: what a chain of slices selects.

// indexRun is n indices along an axis: first, first+step, first+2*step, ...
type indexRun struct{ first, n, step int }

// of returns the indices of r at the positions of another run.
func (r indexRun) of(at indexRun) indexRun {
	if at.n <= 1 { // a step that is never taken could overflow int
		return indexRun{r.first + at.first*r.step, at.n, 1}
	}
	return indexRun{r.first + at.first*r.step, at.n, at.step * r.step}
}

// before counts the leading indices of a run that lie on the near side of a cut at c: indices below c if the run
// ascends, from c upwards if it descends.
func (r indexRun) before(c int) int {
	switch {
	case r.step > 0 && c > r.first:
		return min(r.n, (c-r.first-1)/r.step+1)
	case r.step < 0 && c <= r.first:
		return min(r.n, (r.first-c)/-r.step+1)
	}
	return 0
}

// box holds one run of indices per axis of a value.
type box []indexRun

// piece is a box of a value.
type piece struct {
	of  *ir.Value
	box box
}

// whole returns the piece with all elements of a value.
func whole(v *ir.Value) piece {
	b := make(box, len(v.Type.Shape))
	for k, d := range v.Type.Shape {
		n, _ := d.Int()
		b[k] = indexRun{0, n, 1}
	}
	return piece{v, b}
}

// size returns the number of elements of a piece.
func (q piece) size() int {
	n := 1
	for _, r := range q.box {
		n *= r.n
	}
	return n
}

// with returns a piece of the value of with the box of q, except for the run along axis.
func (q piece) with(of *ir.Value, axis int, r indexRun) piece {
	b := slices.Clone(q.box)
	b[axis] = r
	return piece{of, b}
}

// extend appends the piece next along an axis, if both are of one value and next continues q. It reports whether it
// did.
func (q *piece) extend(axis int, next piece) bool {
	r, n := q.box[axis], next.box[axis]
	if next.of != q.of || n.step != r.step || n.first != r.first+r.n*r.step || !slices.Equal(q.with(q.of, axis, n).box, next.box) {
		return false
	}
	*q = q.with(q.of, axis, indexRun{r.first, r.n + n.n, r.step})
	return true
}

// sliced returns the elements of a value at a run of indices along an axis.
func sliced(f *ir.Func, v *ir.Value, axis int, r indexRun) (*ir.Value, error) {
	if n, _ := v.Type.Shape[axis].Int(); r == (indexRun{0, n, 1}) {
		return v, nil
	}
	return f.Add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(r.first), Len: ir.Fixed(r.n), Step: r.step}, v.Pos, v)
}
