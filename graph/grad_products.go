package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Derivatives of products of matrices and of convolutions.

// pullDot: the cotangents of the factors of X Y are G Y' and X' G.
func pullDot(p *pullback) []Node {
	x, y, g := p.arg(0), p.arg(1), p.cotangent
	return []Node{
		apply(ir.OpDot, ir.Attr{}, g.get(), y.SwapAxes(-1, -2).get()),
		apply(ir.OpDot, ir.Attr{}, x.SwapAxes(-1, -2).get(), g.get()),
	}
}

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

// convWeights returns the cotangent of the weights.
func (p *pullback) convWeights() Node {
	x, w, c := p.arg(0), p.args[1].typ.Shape, p.attr.Conv
	before, after := append([]int{0, 0}, c.Before...), append([]int{0, 0}, c.After...)
	x = x.Pad(before, after, PadConstant)
	for i := range c.Strides {
		size, _ := w[2+i].Int()
		x = x.Window(2+i, size, c.Strides[i], c.Dilations[i])
	}
	if x.Err() != nil {
		return x
	}
	groups := ir.Fixed(c.Groups)
	g := p.cotangent
	// x is [n, groups, c/groups, windows, weights], and g is [n, groups, m/groups, windows].
	x = x.Reshape(x.n.typ.Shape[0], groups, w[1], x.n.typ.Shape[2:])
	g = g.Reshape(g.n.typ.Shape[0], groups, w[0].Div(c.Groups), g.n.typ.Shape[2:])
	windows, taps := make([]string, len(c.Strides)), make([]string, len(c.Strides))
	for i := range windows {
		windows[i], taps[i] = ".o"+string(rune('0'+i)), ".k"+string(rune('0'+i))
	}
	k := contraction{op: ir.OpDot, call: shapesText([]Node{x, g}), terms: []term{
		{g, slices.Concat([]string{".n", ".g", ".m"}, windows)},
		{x, slices.Concat([]string{".n", ".g", ".c"}, windows, taps)},
	}, out: slices.Concat([]string{".g", ".m", ".c"}, taps)}
	return k.node().Reshape(w)
}
