package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// A contraction multiplies arrays whose axes have labels: element by element
// along axes of one label, summed over the labels that the result has not.
// MatMul, Dot, Outer, Tensordot and Einsum are contractions.
type contraction struct {
	call  string // what it was called with, as errors show it
	op    ir.Op  // the product of matrices
	terms []term
	out   []string // labels of the result
	sizes map[string]Extent
}

// term is an array and the labels of its axes.
type term struct {
	x      Node
	labels []string
}

// node builds the graph of a contraction. Axes of extent 1 go first and come back
// at the end, so that what broadcasts is an axis that a factor has not.
func (c *contraction) node() Node {
	if err := c.check(); err != nil {
		return fail("%w", err)
	}
	names, err := c.names()
	if err != nil {
		return fail("%w", err)
	}
	first, ones := c.terms[0].x, []int{}
	for k, label := range c.out {
		if c.sizes[label].Is(1) {
			ones = append(ones, k)
		}
	}
	dt := first.DType()
	narrow := ir.Reals.Has(dt) && !dt.Native() // products and sums are of its compute type
	for i, t := range c.terms {
		if narrow {
			t.x = t.x.Cast(dt.Compute())
		}
		c.terms[i] = c.squeezed(t.diagonal())
	}
	c.out = slices.DeleteFunc(slices.Clone(c.out), func(l string) bool { return c.sizes[l].Is(1) })
	for i, t := range c.terms {
		c.terms[i] = t.sum(func(label string) bool { return !c.needs(label, i) })
	}
	y := c.product().ordered(c.out).Unsqueeze(ones)
	if narrow {
		y = y.Cast(dt)
	}
	if names != nil {
		y = y.WithAxes(names...)
	}
	return y
}

// needs reports whether the result has a label, or a term besides the given ones.
func (c *contraction) needs(label string, besides ...int) bool {
	for i, t := range c.terms {
		if !slices.Contains(besides, i) && slices.Contains(t.labels, label) {
			return true
		}
	}
	return slices.Contains(c.out, label)
}

// diagonal returns t without names, and with each label once: several axes of one
// label are its diagonal.
func (t term) diagonal() term {
	if t.x.n.names != nil {
		t.x = t.x.WithAxes(make([]string, len(t.labels))...)
	}
	for b := 0; b < len(t.labels); b++ {
		label := t.labels[b]
		if a := slices.Index(t.labels, label); a < b {
			t.x, t.labels = t.x.Diagonal(0, a, b), append(without(t.labels, a, b), label)
			b = a - 1
		}
	}
	return t
}

// squeezed returns t without the axes of extent 1 that broadcast, or that the
// result has: those that are summed over stay.
func (c *contraction) squeezed(t term) term {
	var axes []int
	for k, label := range t.labels {
		broadcast := !c.sizes[label].Is(1) || slices.Contains(c.out, label)
		if broadcast && t.x.n.typ.Shape[k].Is(1) {
			axes = append(axes, k)
		}
	}
	if axes == nil {
		return t
	}
	return term{t.x.Squeeze(axes), without(t.labels, axes...)}
}

// sum returns t summed over the labels that are to go.
func (t term) sum(gone func(label string) bool) term {
	var axes []int
	for k, label := range t.labels {
		if gone(label) {
			axes = append(axes, k)
		}
	}
	if axes == nil {
		return t
	}
	return term{t.x.reduce(ir.OpSum, []any{axes}), without(t.labels, axes...)}
}

// ordered returns the array with its axes in the order of labels.
func (t term) ordered(labels []string) Node {
	order := make([]int, len(labels))
	for i, label := range labels {
		order[i] = slices.Index(t.labels, label)
	}
	return t.x.Permute(order)
}

// over returns the array with an axis for each label, repeated along those that
// it has not.
func (c *contraction) over(t term, labels []string) Node {
	var have []string
	var missing []int
	for k, label := range labels {
		if t.has(label) {
			have = append(have, label)
		} else {
			missing = append(missing, k)
		}
	}
	return t.ordered(have).Unsqueeze(missing).BroadcastTo(c.shape(labels))
}

func (t term) has(label string) bool { return slices.Contains(t.labels, label) }

// shape returns the extents of labels.
func (c *contraction) shape(labels []string) Shape {
	out := make(Shape, len(labels))
	for i, label := range labels {
		out[i] = c.sizes[label]
	}
	return out
}

// pair returns the product of two terms with the labels out, summed over all
// others. It is a product of matrices if either term has labels of its own, else
// a product element by element: that and a sum is what dot is defined as where a
// matrix is a vector.
func (c *contraction) pair(x, y term, out []string) term {
	sums := slices.DeleteFunc(slices.Clone(x.labels), func(l string) bool { return slices.Contains(out, l) })
	if rightFirst(x, y, out) {
		x, y = y, x
	}
	rows := lastRun(out, func(l string) bool { return x.has(l) && !y.has(l) })
	cols := lastRun(out, func(l string) bool { return y.has(l) && !x.has(l) })
	switch {
	case len(sums) == 0:
		return term{c.multiply(c.over(x, out), c.over(y, out)), out}
	case len(rows) == 0 || len(cols) == 0:
		if len(y.labels) > len(x.labels) {
			x, y = y, x
		}
		return term{c.multiply(x.x, c.over(y, x.labels)), x.labels}.sum(func(l string) bool { return slices.Contains(sums, l) })
	case c.shape(sums).NumElems().Is(1):
		return c.outer(x.without(sums), y.without(sums), out)
	}
	return c.matrices(x, y, rows, sums, cols, out)
}

// multiply returns the products of elements.
func (c *contraction) multiply(x, y Node) Node {
	return x.elementwise(c.op.Info().By, y)
}

// rightFirst reports whether the last axis that only one of the terms has is the
// first one's: the columns of a product of matrices are the second one's.
func rightFirst(x, y term, out []string) bool {
	for _, label := range slices.Backward(out) {
		if x.has(label) != y.has(label) {
			return x.has(label)
		}
	}
	return false
}

// lastRun returns the last consecutive labels for which is holds.
func lastRun(labels []string, is func(label string) bool) []string {
	end := len(labels)
	for end > 0 && !is(labels[end-1]) {
		end--
	}
	begin := end
	for begin > 0 && is(labels[begin-1]) {
		begin--
	}
	return labels[begin:end]
}

// outer returns the product of matrices of one column and one row, with the bits
// that dot has: fma(x, y, 0).
func (c *contraction) outer(x, y term, out []string) term {
	a, b := c.over(x, out), c.over(y, out)
	if ir.Reals.Has(a.DType()) {
		return term{a.FMA(b, 0), out}
	}
	return term{c.multiply(a, b), out}
}

// without returns t without axes of extent 1.
func (t term) without(labels []string) term {
	axes := make([]int, len(labels))
	for i, label := range labels {
		axes[i] = slices.Index(t.labels, label)
	}
	return term{t.x.Squeeze(axes), without(t.labels, axes...)}
}

// matrices returns the products of matrices, one for each index of the labels of
// out that are neither rows nor cols. Several labels of rows are one axis of the
// matrix. What only one term has and is not next to its rows or columns in the
// result is not merged with them, which would copy: the other term repeats along
// it.
func (c *contraction) matrices(x, y term, rows, sums, cols, out []string) term {
	batch := slices.DeleteFunc(slices.Clone(out), func(l string) bool {
		return slices.Contains(rows, l) || slices.Contains(cols, l)
	})
	dot := apply(c.op, ir.Attr{}, c.matrix(x, batch, rows, sums).n, c.matrix(y, batch, sums, cols).n)
	labels := slices.Concat(batch, rows, cols)
	return term{dot.Reshape(c.shape(labels)), labels}
}

// matrix returns t as matrices. Repeating them comes last, so that passes see it.
func (c *contraction) matrix(t term, batch, rows, cols []string) Node {
	var have []string
	var missing []int
	for k, label := range batch {
		if t.has(label) {
			have = append(have, label)
		} else {
			missing = append(missing, k)
		}
	}
	last := Shape{c.shape(rows).NumElems(), c.shape(cols).NumElems()}
	x := t.ordered(slices.Concat(have, rows, cols)).Reshape(c.shape(have), last)
	return x.Unsqueeze(missing).BroadcastTo(c.shape(batch), last)
}
