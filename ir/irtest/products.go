package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// product multiplies two values as matrices: one with its own transpose, or any
// two whose sizes have a common factor.
func (g *gen) product() {
	if g.chance("sibling", 3) && g.sibling() {
		return
	}
	x := g.pick("left", g.values())
	if !ir.OpDot.Info().Domain.Has(x.Type.DType) {
		return
	}
	op := ir.OpDot
	if ir.OpDotHalves.Info().Domain.Has(x.Type.DType) && g.chance("halves", 2) {
		op = ir.OpDotHalves
	}
	if g.chance("convolution", 3) {
		g.convolution(x)
		return
	}
	if rank := len(x.Type.Shape); rank >= 2 && g.chance("transpose", 2) {
		axes := make([]int, rank)
		for i := range axes {
			axes[i] = i
		}
		axes[rank-2], axes[rank-1] = rank-1, rank-2
		if s := append(x.Type.Shape[:rank-1:rank-1], x.Type.Shape[rank-2]); g.fits(s) {
			g.add(op, ir.Attr{}, x, g.add(ir.OpPermute, ir.Attr{Axes: axes}, x))
		}
		return
	}
	y := g.pick("right", g.values())
	if op == ir.OpDotHalves && g.chance("bytes", 2) {
		op = ir.OpDotBytes
		if y.Type.DType != ir.Int16 {
			y = g.add(ir.OpCast, ir.Attr{DType: ir.Int16}, y)
		}
	}
	m, ok := x.Type.Shape.NumElems().Int()
	n, known := y.Type.Shape.NumElems().Int()
	if !ok || !known || m*n == 0 || x.Type.DType != y.Type.DType && op.Info().Right == ir.Invalid {
		return
	}
	k := m
	for rest := n; rest > 0; {
		k, rest = rest, k%rest
	}
	if shape := ir.ShapeOf(m/k, n/k); g.fits(shape) {
		x = g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(m/k, k)}, x)
		g.add(op, ir.Attr{}, x, g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(k, n/k)}, y))
	}
}

// sibling multiplies the left matrix of a product with another right matrix, which may be made of the product. It
// reports whether there are such.
func (g *gen) sibling() bool {
	for _, v := range slices.Backward(g.f.Body) {
		if !v.Op.IsProduct() || len(v.Type.Shape) != 2 {
			continue
		}
		x, y := v.Args[0], g.pick("right", g.values())
		pairs, known := x.Type.Shape[1].Int()
		n, ok := y.Type.Shape.NumElems().Int()
		if !known || !ok || pairs == 0 || n == 0 || n%pairs != 0 || y.Type.DType != v.Args[1].Type.DType || !g.fits(ir.Shape{x.Type.Shape[0], ir.Fixed(n / pairs)}) {
			return false
		}
		g.add(v.Op, ir.Attr{}, x, g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(pairs, n/pairs)}, y))
		return true
	}
	return false
}

// convolution convolves a value with another one as weights. The elements of both are divided among one or two spatial
// axes and the axes before.
func (g *gen) convolution(x *ir.Value) {
	w := g.pick("weights", g.values())
	batch, of := ir.Fixed(1), x.Type.Shape // the images are the batch times a part of the rest
	if len(of) > 0 && len(of[0].Names()) > 0 {
		batch, of = of[0], of[1:]
	}
	n, ok := of.NumElems().Int()
	k, known := w.Type.Shape.NumElems().Int()
	if !ok || !known || n*k == 0 || x.Type.DType != w.Type.DType {
		return
	}
	part := func(name string, of, limit int) int { // draws a divisor
		d := g.int(name, 1, min(of, limit))
		for of%d > 0 {
			d--
		}
		return d
	}
	op, c, images := ir.OpConv, &ir.Conv{Groups: part("groups", k, 4)}, part("images", n, 3)
	all := batch.Mul(ir.Fixed(images))
	if ir.OpConvHalves.Info().Domain.Has(x.Type.DType) && g.chance("halves", 2) {
		op = ir.OpConvHalves
	}
	for n/images%c.Groups > 0 || k%c.Groups > 0 {
		c.Groups--
	}
	channels := part("channels", n/images/c.Groups, 4)
	for k/c.Groups%channels > 0 || n/images/c.Groups%channels > 0 {
		channels--
	}
	columns := part("columns", k/c.Groups/channels, 4)
	size, window := []int{n / images / c.Groups / channels}, []int{k / c.Groups / channels / columns}
	if g.chance("two axes", 2) {
		h, i := part("lines", size[0], 8), part("lines of a window", window[0], 3)
		size, window = []int{h, size[0] / h}, []int{i, window[0] / i}
	}
	shape := ir.Shape{all, ir.Fixed(c.Groups * columns)}
	for i := range size {
		c.Strides, c.Dilations = append(c.Strides, g.int("stride", 1, 3)), append(c.Dilations, g.int("dilation", 1, 2))
		reach := (window[i]-1)*c.Dilations[i] + 1
		c.Before = append(c.Before, g.int("before", min(0, 1-size[i]), 2))
		c.After = append(c.After, max(g.int("after", 0, 2), reach-size[i]-c.Before[i]))
		shape = append(shape, ir.Fixed((size[i]+c.Before[i]+c.After[i]-reach)/c.Strides[i]+1))
	}
	if !g.fits(shape) {
		return
	}
	x = g.add(ir.OpReshape, ir.Attr{Shape: append(ir.Shape{all, ir.Fixed(c.Groups * channels)}, ir.ShapeOf(size...)...)}, x)
	w = g.add(ir.OpReshape, ir.Attr{Shape: append(ir.ShapeOf(c.Groups*columns, channels), ir.ShapeOf(window...)...)}, w)
	g.add(op, ir.Attr{Conv: c}, x, w)
}
