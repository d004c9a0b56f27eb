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
	// repeated are the labels along which a term has one element, and another has more or a symbol.
	repeated []string
}

// term is an array and the labels of its axes.
type term struct {
	x      Node
	labels []string
}

// node builds the graph of a contraction. An axis of extent 1 that broadcasts goes first, so that it is one that a
// factor has not. No other axis of extent 1 is special: an extent that is a symbol may be 1 in a run, and the result has the
// same bits then.
func (c *contraction) node() Node {
	if err := c.check(); err != nil {
		return fail("%w", err)
	}
	names, err := c.names()
	if err != nil {
		return fail("%w", err)
	}
	dt := c.terms[0].x.DType()
	in, become := factorType(dt)
	for i, t := range c.terms {
		if in != dt {
			t.x = become(t.x, in)
		}
		c.terms[i] = t.diagonal()
	}
	for i, t := range c.terms {
		c.terms[i] = t.sum(func(label string) bool { return !c.needs(label, i) })
	}
	for i, t := range c.terms {
		c.terms[i] = c.squeezed(t)
	}
	y := c.product().ordered(c.out)
	if in != dt {
		y = become(y, dt)
	}
	if names != nil {
		y = y.WithAxes(names...)
	}
	return y
}

// factorType returns the type that elements of dt are multiplied and summed in, and the conversion to it and back. Integers
// wrap: the last bits of products and sums are the same in a wider type, and in the signed type of as many bits.
func factorType(dt DType) (in DType, become func(Node, DType) Node) {
	switch {
	case ir.Reals.Has(dt):
		return dt.Compute(), Node.Cast
	case ir.Ints.Has(dt) && dt.Size() < Int32.Size():
		return Int32, Node.Cast
	case dt == Uint32:
		return Int32, Node.Bitcast
	case dt == Uint64:
		return Int64, Node.Bitcast
	}
	return dt, nil
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

// squeezed returns t without the axes of extent 1 that broadcast, and notes their labels.
func (c *contraction) squeezed(t term) term {
	return t.squeezed(func(k int, label string) bool {
		repeats := t.x.n.typ.Shape[k].Is(1) && !c.sizes[label].Is(1)
		if repeats {
			c.repeated = append(c.repeated, label)
		}
		return repeats
	})
}

// squeezed returns t without some axes, all of extent 1.
func (t term) squeezed(is func(k int, label string) bool) term {
	var axes []int
	for k, label := range t.labels {
		if is(k, label) {
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
// others. It is a product of matrices if both terms have labels of their own, else
// a product element by element and a sum, which is what dot is defined as where a
// matrix is a vector. Labels alone decide that, no extent does.
func (c *contraction) pair(x, y term, out []string) term {
	sums := slices.DeleteFunc(slices.Clone(x.labels), func(l string) bool { return slices.Contains(out, l) })
	if rightFirst(x, y, out) {
		x, y = y, x
	}
	rows, cols := c.lastRun(out, x, y), c.lastRun(out, y, x)
	if len(sums) > 0 && len(rows) > 0 && len(cols) > 0 {
		return c.matrices(x, y, rows, sums, cols, out)
	}
	all := slices.Concat(out, sums)
	return term{c.multiply(c.over(x, all), c.over(y, all)), all}.sum(func(l string) bool { return slices.Contains(sums, l) })
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

// lastRun returns the last consecutive labels that x has and y has not. One along which y repeats its only element is the
// first of them: the label before it is not joined where that axis of x has one element too.
func (c *contraction) lastRun(labels []string, x, y term) []string {
	own := func(l string) bool { return x.has(l) && !y.has(l) }
	end := len(labels)
	for end > 0 && !own(labels[end-1]) {
		end--
	}
	begin := end
	for begin > 0 && own(labels[begin-1]) {
		if begin--; slices.Contains(c.repeated, labels[begin]) {
			break
		}
	}
	return labels[begin:end]
}

// matrices returns the products of matrices, one for each index of the labels of
// out that are neither rows nor cols. Several labels of rows are one axis of the
// matrix, and those of extent 1 are left out. What only one term has and is not next to its rows or columns in the
// result is not merged with them, which would copy: the other term repeats along
// it.
func (c *contraction) matrices(x, y term, rows, sums, cols, out []string) term {
	one := func(l string) bool { return c.sizes[l].Is(1) && slices.Contains(out, l) }
	batch := slices.DeleteFunc(slices.Clone(out), func(l string) bool {
		return slices.Contains(rows, l) || slices.Contains(cols, l)
	})
	labels := slices.Concat(batch, rows, cols)
	x, y = x.squeezed(func(_ int, l string) bool { return one(l) }), y.squeezed(func(_ int, l string) bool { return one(l) })
	for _, list := range []*[]string{&batch, &rows, &cols} {
		*list = slices.DeleteFunc(slices.Clone(*list), one)
	}
	dot := apply(c.op, ir.Attr{}, c.matrix(x, batch, rows, sums).n, c.matrix(y, batch, sums, cols).n)
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
