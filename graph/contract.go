package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// A contraction multiplies arrays whose axes have labels: elements at equal indices of common labels are multiplied,
// and labels that the result lacks are summed over. MatMul, Dot, Outer, Tensordot and Einsum are contractions.
type contraction struct {
	call  string // the call, as errors show it
	op    ir.Op  // the op that multiplies matrices
	terms []term
	out   []string // labels of the result
	sizes map[string]Extent
	// repeated has the labels along which one term has a single element and another term has more or a symbolic extent
	repeated []string
}

// term is an array and the labels of its axes.
type term struct {
	x      Node
	labels []string
}

// node builds the graph of a contraction. It first removes axes of extent 1 that broadcast, as if the factor lacked
// them. Other axes of extent 1 are not special: a symbolic extent may be 1 in a run, and the result must have the same
// bits then.
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

// factorType returns the type in which elements of dt are multiplied and summed, and the conversions to it and back.
// Integers wrap: their low bits are the same in a wider type, and in the signed type of the same width.
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

// needs reports whether the result has a label, or a term other than the given ones has it.
func (c *contraction) needs(label string, besides ...int) bool {
	for i, t := range c.terms {
		if !slices.Contains(besides, i) && slices.Contains(t.labels, label) {
			return true
		}
	}
	return slices.Contains(c.out, label)
}

// diagonal returns t without axis names and with each label once: several axes of one label become their diagonal.
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

// squeezed returns t without the axes of extent 1 that broadcast, and records their labels.
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

// sum returns t summed over the given labels.
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

// over returns the array with an axis for each label, repeated along the labels that it lacks.
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

// pair returns the product of two terms with the labels out, summed over all other labels. It is a product of matrices
// if both terms have labels that the other lacks; otherwise it is a product of elements and a sum, which is how dot
// defines products with vectors. The choice depends only on labels, not on extents.
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

// multiply returns the elementwise products of two terms.
func (c *contraction) multiply(x, y Node) Node {
	return x.elementwise(c.op.Info().By, y)
}

// rightFirst reports whether the last axis that only one term has belongs to the first term. Then the terms are
// swapped, since the columns of a product come from its right operand.
func rightFirst(x, y term, out []string) bool {
	for _, label := range slices.Backward(out) {
		if x.has(label) != y.has(label) {
			return x.has(label)
		}
	}
	return false
}

// lastRun returns the last consecutive labels that x has and y lacks. A label along which y repeats its only element
// begins a new run, because the label before it must not be merged with it: that axis of x may have a single element
// too.
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

// matrices returns products of matrices, one for each index of the labels of out that are neither rows nor cols.
// Several row labels are merged to one axis, and labels of extent 1 are left out. A label that only one term has is
// merged only if it is next to that term's rows or columns in the result; otherwise merging would copy, so the other
// term repeats along it.
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

// matrix returns t as matrices. Repetition comes last, so that passes can see it.
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
