package onnx

import (
	"math"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Convolutions and pools: sliding windows over the spatial axes, which are those after the
// batch and the channels.

var windowed = []operator{
	{"AveragePool", 1, 6, 1, 1, ir.Floats, poolAttrs(nil), averagePool},
	{"AveragePool", 7, 9, 1, 1, ir.Floats, poolAttrs(attrs{"count_include_pad": 0}), averagePool},
	{"AveragePool", 10, 18, 1, 1, ir.Floats, poolAttrs(attrs{"count_include_pad": 0, "ceil_mode": 0}), averagePool},
	{"AveragePool", 19, latest, 1, 1, ir.Floats, poolAttrs(attrs{"count_include_pad": 0, "ceil_mode": 0, "dilations": unset{[]int{}}}), averagePool},
	{"Conv", 1, latest, 2, 3, ir.Floats, poolAttrs(attrs{"dilations": unset{[]int{}}, "group": 1}), conv},
	{"GlobalAveragePool", 1, latest, 1, 1, ir.Floats, nil, func(c *call) []value {
		return one(c.x(0).Mean(from(2, c.x(0).Rank()), graph.KeepDims))
	}},
	{"GlobalMaxPool", 1, latest, 1, 1, ir.Floats, nil, func(c *call) []value {
		return one(c.x(0).Max(from(2, c.x(0).Rank()), graph.KeepDims))
	}},
	{"LRN", 1, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(1e-4), "beta": 0.75, "bias": 1., "size": unset{0}}, localResponse},
	{"MaxPool", 1, 7, 1, 1, ir.Numeric, poolAttrs(nil), maxPool},
	{"MaxPool", 8, 9, 1, 1, ir.Numeric, poolAttrs(attrs{"storage_order": 0}), maxPool},
	{"MaxPool", 10, latest, 1, 1, ir.Numeric, poolAttrs(attrs{"storage_order": 0, "ceil_mode": 0, "dilations": unset{[]int{}}}), maxPool},
}

// poolAttrs are the attributes of all operators with windows, and more.
func poolAttrs(more attrs) attrs {
	out := attrs{"auto_pad": "NOTSET", "kernel_shape": unset{[]int{}}, "pads": unset{[]int{}}, "strides": unset{[]int{}}}
	for name, v := range more {
		out[name] = v
	}
	return out
}

// windows are the windows that an operator slides over the spatial axes.
type windows struct {
	sizes, steps, dilations []int
	before, after           []int // elements of padding
	beyond                  []int // elements behind the padding that the last window needs
}

// windows reads the attributes of an operator. The sizes of windows are given, or those of
// the kernel.
func (c *call) windows(shape graph.Shape, sizes []int) windows {
	rank := len(shape) - 2
	if given, ok := attr[[]int](c, "kernel_shape"); ok {
		sizes = given
	}
	w := windows{sizes: sizes, steps: c.each("strides", rank, 1), dilations: slices.Repeat([]int{1}, max(rank, 0))}
	if _, ok := c.op.attrs["dilations"]; ok {
		w.dilations = c.each("dilations", rank, 1)
	}
	pads := c.each("pads", 2*rank, 0)
	if rank < 1 || len(sizes) != rank || slices.Min(append(slices.Concat(sizes, w.steps, w.dilations), 1)) < 1 {
		c.fail("windows %v with strides %v and dilations %v over the %d spatial axes", sizes, w.steps, w.dilations, rank)
	}
	if c.err != nil {
		return windows{}
	}
	w.before, w.after, w.beyond = slices.Clone(pads[:rank]), slices.Clone(pads[rank:]), make([]int, rank)
	for k := range rank {
		extent, fixed := shape[2+k].Int()
		if !fixed && (c.text("auto_pad") != "NOTSET" || c.ceils()) {
			c.fail("axis %d has a symbolic extent: give it with WithSize", 2+k)
			return windows{}
		}
		c.fit(&w, k, extent)
	}
	return w
}

// each returns an attribute with a number for each of n things.
func (c *call) each(name string, n, otherwise int) []int {
	list, ok := attr[[]int](c, name)
	if !ok {
		return slices.Repeat([]int{otherwise}, max(n, 0))
	}
	if len(list) != n {
		c.fail("attribute %q has %d numbers: it must have %d", name, len(list), n)
	}
	return list
}

func (c *call) ceils() bool {
	_, ok := c.op.attrs["ceil_mode"]
	return ok && c.flag("ceil_mode")
}

// fit finds the padding of axis k from auto_pad and ceil_mode.
func (c *call) fit(w *windows, k, extent int) {
	reach, step := (w.sizes[k]-1)*w.dilations[k]+1, w.steps[k]
	switch auto := c.text("auto_pad"); auto {
	case "NOTSET":
	case "VALID":
		w.before[k], w.after[k] = 0, 0
	case "SAME_UPPER", "SAME_LOWER": // as many windows as steps fit
		all := max(0, ((extent+step-1)/step-1)*step+reach-extent)
		w.before[k] = all / 2
		if auto == "SAME_LOWER" {
			w.before[k] = all - all/2
		}
		w.after[k] = all - w.before[k]
	default:
		c.fail("auto_pad %q is not known", auto)
	}
	if !c.ceils() {
		return
	}
	padded := w.before[k] + extent + w.after[k]
	if over := (padded - reach) % step; padded >= reach && over > 0 {
		// One window more, unless it would begin behind the elements.
		if first := padded - over - reach + step; first < w.before[k]+extent {
			w.beyond[k] = step - over
		}
	}
}

// pads returns what Pad takes for the axes of an operand.
func (w windows) pads(beyond bool) (before, after []int) {
	before, after = append([]int{0, 0}, w.before...), append([]int{0, 0}, w.after...)
	for k := range w.beyond {
		if beyond {
			after[2+k] += w.beyond[k]
		}
	}
	return before, after
}

// of returns the windows of x, padded with an element. They have as many last axes as
// there are spatial ones.
func (w windows) of(x graph.Node, element any) graph.Node {
	before, after := w.pads(true)
	return w.slide(x.PadWith(before, after, element))
}

func (w windows) slide(x graph.Node) graph.Node {
	for k, size := range w.sizes {
		x = x.Window(2+k, size, w.steps[k], w.dilations[k])
	}
	return x
}

// axes returns the last axes of windows of x.
func (w windows) axes(x graph.Node) []int { return from(x.Rank()-len(w.sizes), x.Rank()) }

// conv multiplies the windows of each group of channels by a kernel for each channel of
// the result.
func conv(c *call) []value {
	x, kernel := c.x(0), c.x(1)
	shape, sizes := x.Shape(), []int(nil)
	for _, d := range kernel.Shape()[min(2, kernel.Rank()):] {
		n, fixed := d.Int()
		if !fixed {
			return c.fail("the kernel has a symbolic extent")
		}
		sizes = append(sizes, n)
	}
	w, groups := c.windows(shape, sizes), c.int("group")
	if c.err != nil {
		return nil
	}
	if kernel.Rank() != len(shape) || groups < 1 || !slices.Equal(sizes, w.sizes) {
		return c.fail("a kernel %s for an operand %s in %d groups", kernel.Shape(), shape, groups)
	}
	parts := w.of(x, 0)
	parts = parts.Reshape(shape[0], groups, -1, parts.Shape()[2:])
	kernel = kernel.Reshape(groups, -1, kernel.Shape()[1:])
	// n batch, g group, i and o channels, then the places of windows, and in them.
	places, within := letters("p", len(sizes)), letters("k", len(sizes))
	y := graph.Einsum("n g i "+places+within+", g o i "+within+"-> n g o "+places, parts, kernel)
	y = y.Reshape(shape[0], -1, y.Shape()[min(3, y.Rank()):])
	if c.has(2) {
		y = y.Add(alignAt(c.x(2), 1, len(shape)))
	}
	return one(y)
}

// letters returns labels of n axes.
func letters(name string, n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(name + string(rune('a'+k)) + " ")
	}
	return b.String()
}

// lowest is an element that no other is less than.
func lowest(dt graph.DType) any {
	switch {
	case ir.Floats.Has(dt):
		return math.Inf(-1)
	case ir.Unsigned.Has(dt):
		return 0
	}
	return -1 << (8*dt.Size() - 1)
}

// maxPool returns the greatest element of each window, and which one of all elements that
// is: the first of equal ones.
func maxPool(c *call) []value {
	x := c.x(0)
	w := c.windows(x.Shape(), nil)
	if c.err != nil {
		return nil
	}
	parts := w.of(x, lowest(x.DType()))
	y := parts.Max(w.axes(parts))
	if !c.wants(1) {
		return one(y)
	}
	order := from(0, x.Rank())
	if c.flag("storage_order") { // the first spatial axis is counted fastest
		slices.Reverse(order[2:])
	}
	permuted := x.Permute(order).Shape()
	const behind = math.MaxInt64
	at := w.of(graph.Iota(graph.Int64, product(permuted)).Reshape(permuted).Permute(order), behind)
	greatest := parts.Eq(y.Unsqueeze(from(y.Rank(), parts.Rank())))
	return []value{compute(y), compute(graph.Where(greatest, at, behind).Min(w.axes(at)))}
}

// averagePool divides by the number of elements of the operand in each window, and if
// count_include_pad is set, of padding.
func averagePool(c *call) []value {
	x := c.x(0)
	w := c.windows(x.Shape(), nil)
	if c.err != nil {
		return nil
	}
	parts := w.of(widened(x), 0)
	sum := parts.Sum(w.axes(parts))
	if slices.Max(slices.Concat(w.before, w.after, w.beyond)) == 0 {
		return one(parts.Mean(w.axes(parts)).Cast(x.DType()))
	}
	counted := 0
	if _, ok := c.op.attrs["count_include_pad"]; ok && c.flag("count_include_pad") {
		counted = 1
	}
	before, after := w.pads(false)
	ones := graph.Fill(sum.DType(), 1, append(ir.ShapeOf(1, 1), x.Shape()[2:]...)).PadWith(before, after, counted)
	counts := w.slide(ones.Pad(make([]int, x.Rank()), append([]int{0, 0}, w.beyond...), graph.PadConstant))
	return one(sum.Div(counts.Sum(w.axes(counts))).Cast(x.DType()))
}

// localResponse divides by a power of the mean square of neighbouring channels.
func localResponse(c *call) []value {
	x, size := c.x(0), c.int("size")
	if size < 1 || x.Rank() < 2 {
		return c.fail("size %d for an operand of %d axes", size, x.Rank())
	}
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	before[1], after[1] = (size-1)/2, size-1-(size-1)/2
	sum := x.Square().Pad(before, after, graph.PadConstant).Window(1, size, 1, 1).Sum(-1)
	scale := sum.Mul(c.float("alpha") / float64(size)).Add(c.float("bias"))
	return one(x.Div(scale.Pow(c.float("beta"))))
}
