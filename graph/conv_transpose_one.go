package graph

import "github.com/stridefuse/stridefuse/ir"

// isOne reports whether x, [n, c, spatial axes], has one element per channel and is transposed without gaps. Then the
// result is x times the weights, as in the first layer of an image generator. Computed as a convolution it would mostly
// add zeros.
func (t *transposed) isOne(w Node) bool {
	for i, d := range t.o.Dilations {
		if !t.x.n.typ.Shape[2+i].Is(1) || d != 1 {
			return false
		}
	}
	return ir.OpDot.Info().Domain.Has(t.x.DType())
}

// ofOne returns the transposed convolution of an x with one element per channel.
func (t *transposed) ofOne(w Node) Node {
	k, groups := w.n.typ.Shape, ir.Fixed(t.o.Groups)
	x := t.x.Reshape(t.x.n.typ.Shape[0], groups, k[0].Div(t.o.Groups))
	y := einsum(ir.OpDot, "ngc,gcm->ngm", x, w.Reshape(groups, k[0].Div(t.o.Groups), k[1:].NumElems()))
	if y.Err() != nil {
		return y
	}
	before, after := []int{0, 0}, []int{0, 0}
	for i := range t.axes {
		before, after = append(before, -t.o.Before[i]), append(after, t.o.Extra[i]-t.o.After[i])
	}
	y = y.Reshape(t.x.n.typ.Shape[0], k[1].Mul(groups), k[2:]).Pad(before, after, PadConstant)
	if t.o.ChannelsLast {
		return y.MoveAxis(1, -1)
	}
	return y
}
