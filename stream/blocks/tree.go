package blocks

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// tree divides a sum or product of floats along some axes. The definition in package ir (reduce.go) reduces groups of
// axes, the last group first, and the lines of a group in chunks. Each block reduces the groups after the rows; the
// chunks of the group that begins with the rows are parts; the finish function does the rest.
type tree struct {
	op     ir.Op   // a sum or product
	groups [][]int // groups of axes of the operand
	at     int     // the group that begins with the rows
	low    ir.DType
	high   ir.DType // type of partial results
}

// tree divides the reduction of x, and makes blocks begin at chunks.
func (d *Division) tree(op ir.Op, x *ir.Value, axes []int) (tree, error) {
	shape, _ := d.total(x).Shape.Ints()
	low := x.Type.DType.Compute()
	t := tree{op: op, groups: ir.ReduceGroups(shape, axes), low: low, high: ir.PartialType(op.Info().By, low)}
	p := d.places[x]
	t.at = slices.IndexFunc(t.groups, func(g []int) bool { return slices.Contains(g, p.axis) })
	group := t.groups[t.at]
	if group[0] != p.axis {
		return t, fmt.Errorf("axes %v are reduced as one line, in which the rows of a block are apart: reduce axis %d first, alone", group, p.axis)
	}
	inner := p.scale
	for _, k := range group[1:] {
		inner *= shape[k]
	}
	return t, d.Limits.Align(ir.ReduceChunk, inner)
}

// part reduces the groups after the rows, and the chunks of the group with the rows; the chunks are the first axis. A
// product of float64 has two parts, significands and exponents (package ir, product.go).
func (t tree) part(w *writer, x *ir.Value) []*ir.Value {
	n := []*ir.Value{w.cast(x, t.low)}
	for i, group := range t.groups[:t.at+1] {
		if i > 0 {
			n = t.join(w, n)
		}
		n = t.chunks(w, n, group)
	}
	return n
}

// finish reduces the chunks of all blocks, and the groups before the rows.
func (t tree) finish(w *writer, parts []*ir.Value) *ir.Value {
	n := t.join(w, parts)
	for _, group := range t.groups[t.at+1:] {
		n = t.join(w, t.chunks(w, n, group))
	}
	if len(n) == 2 {
		return w.add(ir.OpLdexp, ir.Attr{}, n[0], n[0], n[1])
	}
	return w.cast(n[0], t.low)
}

// chunks reduces chunks of lines along axes. The chunks are a new first axis.
func (t tree) chunks(w *writer, n []*ir.Value, along []int) []*ir.Value {
	by, x := t.op.Info().By, n[0]
	if !ir.ScalesProducts(by, t.low) {
		return []*ir.Value{w.chunks(by, x, along)}
	}
	e := w.add(ir.OpExponent, ir.Attr{}, x, x)
	if len(n) == 2 {
		e = w.add(ir.OpAdd, ir.Attr{}, x, n[1], e)
	}
	return []*ir.Value{w.chunks(by, w.add(ir.OpSignificand, ir.Attr{}, x, x), along), w.chunks(ir.OpAdd, e, along)}
}

// join reduces the first axis, the chunks of lines, to one element per line.
func (t tree) join(w *writer, n []*ir.Value) []*ir.Value {
	n = slices.Clone(n)
	for i, x := range n {
		n[i] = w.cast(x, t.high)
	}
	for extents(n[0])[0] > 1 {
		n = t.chunks(w, n, []int{0})
	}
	for i, x := range n {
		n[i] = w.squeeze(x, 0)
	}
	return n
}

// chunks reduces chunks of lines along axes by an op. The chunks are a new first axis.
func (w *writer) chunks(by ir.Op, x *ir.Value, along []int) *ir.Value {
	shape := extents(x)
	var axes, rest []int
	n := 1
	for i, e := range shape {
		if slices.Contains(along, i) {
			n *= e
			continue
		}
		axes, rest = append(axes, i), append(rest, e)
	}
	x = w.permute(x, append(axes, along...)...)
	if n == 1 { // reduce_chunks needs lines of two elements or more
		return w.reshape(x, append([]int{1}, rest...)...)
	}
	x = w.reshape(x, append(rest, n)...)
	y := w.add(ir.OpReduceChunks, ir.Attr{By: by}, x, x)
	if n > ir.ReduceChunk {
		return y
	}
	return w.unsqueeze(y, 0)
}
