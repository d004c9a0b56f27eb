package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Derivatives of products of matrices and of convolutions.

// pullDot: the cotangents of the factors of X Y are G Y' and X' G. That of a transposed factor is computed as the
// transpose of Y G' or G' X, so it is stored in the order of what was transposed.
func pullDot(p *pullback) []Node {
	x, y, g := p.arg(0), p.arg(1), p.cotangent
	return []Node{productFor(x.n, g, swapped(y)), productFor(y.n, swapped(x), g)}
}

// productFor returns the product of a and b, which is the cotangent of a factor.
func productFor(factor *node, a, b Node) Node {
	if k := len(factor.typ.Shape) - 1; factor.op == ir.OpPermute && factor.attr.Axes[k] < factor.attr.Axes[k-1] {
		return swapped(apply(ir.OpDot, ir.Attr{}, swapped(b).get(), swapped(a).get()))
	}
	return apply(ir.OpDot, ir.Attr{}, a.get(), b.get())
}

func swapped(x Node) Node { return x.SwapAxes(-1, -2) }

// pullConv: the cotangent of x, [n, c, spatial axes], is the transposed convolution of g, [n, m, windows], with the
// weights. The cotangent of the weights, [m, c/groups, spatial axes], is the product of g and the windows of x, summed
// over images and windows.
func pullConv(p *pullback) []Node {
	return []Node{p.convOperand(), p.convWeights()}
}

// convOperand returns the cotangent of x. If all windows reach x, ConvTranspose cuts off what belongs to the padding.
// Otherwise the cotangent of the padded x is computed and cropped.
func (p *pullback) convOperand() Node {
	x, w, c := p.args[0].typ.Shape, p.args[1].typ.Shape, p.attr.Conv
	direct := ConvOptions{Strides: c.Strides, Dilations: c.Dilations, Groups: c.Groups, Before: c.Before, After: c.After, Extra: make([]int, len(c.Strides))}
	padded := ConvOptions{Strides: c.Strides, Dilations: c.Dilations, Groups: c.Groups}
	reach := true
	for i, stride := range c.Strides {
		size, _ := w[2+i].Int()
		span := (size - 1) * c.Dilations[i]
		n, known := x[2+i].Int()
		if known {
			direct.Extra[i] = (n + c.Before[i] + c.After[i] - span - 1) % stride // the elements at the end in no window
		}
		reach = reach && (known || stride == 1) && min(c.Before[i], c.After[i]) >= 0 && max(c.Before[i], c.After[i]) <= span
	}
	if g := p.cotangent.ConvTranspose(p.arg(1), direct); reach && g.Err() == nil {
		return g
	}
	g := p.cotangent.ConvTranspose(p.arg(1), padded)
	before, after := []int{0, 0}, []int{0, 0}
	for i, stride := range c.Strides {
		if g.Err() != nil {
			return g
		}
		g = g.resized(2+i, x[2+i].Add(ir.Fixed(c.Before[i])).Add(ir.Fixed(c.After[i])), stride-1)
		before, after = append(before, -c.Before[i]), append(after, -c.After[i])
	}
	return g.Pad(before, after, PadConstant)
}

// convWeights returns the cotangent of the weights. The operands are stored with channels last: then the windows are the
// rows of a product whose columns, the channels of g, are contiguous, so neither is packed.
func (p *pullback) convWeights() Node {
	w, c := p.args[1].typ.Shape, p.attr.Conv
	spatial := len(c.Strides)
	last := append(append([]int{0}, upTo(2 + spatial)[2:]...), 1)
	x := p.arg(0).Permute(last)
	if padded := x.Pad(slices.Concat([]int{0}, c.Before, []int{0}), slices.Concat([]int{0}, c.After, []int{0}), PadConstant); padded.n != x.n {
		x = padded // an array of its own
	} else {
		x = x.Materialize()
	}
	g := p.cotangent.Permute(last).Materialize()
	for i := range c.Strides {
		size, _ := w[2+i].Int()
		x = x.Window(1+i, size, c.Strides[i], c.Dilations[i])
	}
	if x.Err() != nil {
		return x
	}
	// x is [n, windows, groups, c/groups, taps], and g is [n, windows, groups, m/groups].
	windows, taps := make([]string, spatial), make([]string, spatial)
	for i := range windows {
		windows[i], taps[i] = ".o"+string(rune('0'+i)), ".k"+string(rune('0'+i))
	}
	shape := x.n.typ.Shape
	x = x.Reshape(shape[:1+spatial], c.Groups, w[1], shape[2+spatial:])
	g = g.Reshape(shape[:1+spatial], c.Groups, w[0].Div(c.Groups))
	k := contraction{op: ir.OpDot, call: shapesText([]Node{x, g}), terms: []term{
		{x, slices.Concat([]string{".n"}, windows, []string{".g", ".c"}, taps)},
		{g, slices.Concat([]string{".n"}, windows, []string{".g", ".m"})},
	}, out: slices.Concat([]string{".g"}, taps, []string{".c", ".m"})}
	// The product is [groups, taps, c/groups, m/groups].
	order := append([]int{0, 2 + spatial, 1 + spatial}, upTo(1 + spatial)[1:]...)
	return k.node().Permute(order).Reshape(w)
}
