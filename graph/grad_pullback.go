package graph

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// pullback is one node and the cotangent of its result. Its method of returns the cotangents of the operands.
type pullback struct {
	*node
	result    Node // the node without axis names
	cotangent Node
	guarded   bool
	all       []Node // the cotangents of all operands, once a rule has computed them
}

// of returns the contribution to the cotangent of source i, in the shape of the source.
func (p *pullback) of(i int) Node {
	if p.cotangent.Err() != nil {
		return p.cotangent
	}
	d := &derivatives[p.op]
	g := Node{}
	switch {
	case p.rule != nil:
		g = p.ruled(i)
	case d.none != "":
		return p.fail(errors.New(d.none))
	case i < len(d.partial):
		g = scaled(p.cotangent, p.slope(d, i), d.singular || p.guarded)
	default:
		if p.all == nil {
			p.all = d.pull(p)
		}
		g = p.all[i]
	}
	switch {
	case g.n == nil:
		return g
	case g.Err() != nil:
		return p.fail(g.n.err)
	}
	return g.sumTo(p.sources()[i].typ.Shape)
}

// slope returns the partial derivative of an elementwise op with respect to operand i.
func (p *pullback) slope(d *derivative, i int) Node {
	y := Node{}
	if len(p.args) > 1 {
		y = p.arg(1)
	}
	return d.partial[i](p.arg(0), y, p.result)
}

// ruled returns the cotangent of source i by the rule of the node itself.
func (p *pullback) ruled(i int) Node {
	if p.all == nil {
		p.all = p.rule.pull(p.result, p.cotangent)
	}
	if len(p.all) != len(p.rule.xs) {
		return Node{poison(fmt.Errorf("its rule returns %d cotangents: there must be one for each of %d Nodes", len(p.all), len(p.rule.xs)))}
	}
	g, x := p.all[i], p.rule.xs[i]
	if g.n == nil || g.Err() != nil {
		return g
	}
	if have, want := (Node{g.n.unnamed()}), cotangentType(x.typ.DType); have.DType() == want || !ir.Fractions.Has(want) {
		switch shape, err := ir.Broadcast(have.n.typ.Shape, x.typ.Shape); {
		case err == nil && shape.Equal(x.typ.Shape):
			return have.BroadcastTo(shape)
		case err == nil && shape.Equal(have.n.typ.Shape):
			return have
		}
	}
	return Node{poison(fmt.Errorf("its rule returns the cotangent %s for %s: the types must be equal, and one shape must broadcast to the other", g.n.text(), x.text()))}
}

// fail returns a Node poisoned by an error of the derivative of p's op, at the line of the op.
func (p *pullback) fail(err error) Node {
	text := err.Error()
	var own *Error
	if errors.As(err, &own) {
		text = own.Msg
	}
	return Node{poisonAs(p.pos, "grad", fmt.Errorf("%s: %s", cmp.Or(p.call.String(), p.op.Method()), text))}
}

// arg returns an operand without axis names.
func (p *pullback) arg(i int) Node { return Node{p.args[i].unnamed()} }

// scaled returns the product of a cotangent and a partial derivative. With singular it is 0 where the cotangent is 0, even if
// the derivative is infinite or NaN there. The derivative is replaced, not the product, and only where it is not finite: so the
// derivative of the product with respect to the cotangent stays right.
func scaled(cotangent, d Node, singular bool) Node {
	if d.n == nil {
		return d
	}
	if singular {
		d = Where(cotangent.Eq(0).And(d.IsFinite().Not()), 0, d)
	}
	return cotangent.Mul(d)
}

// sumTo returns x summed over the axes along which a value of the given shape was repeated to x's shape.
func (x Node) sumTo(shape Shape) Node {
	n := x.get()
	if n.err != nil || n.typ.Shape.Equal(shape) {
		return x
	}
	lead := len(n.typ.Shape) - len(shape)
	axes := upTo(lead)
	for k, d := range shape {
		if d.Is(1) && !n.typ.Shape[lead+k].Is(1) {
			axes = append(axes, lead+k)
		}
	}
	return apply(ir.OpSum, ir.Attr{Axes: axes}, n).Reshape(shape)
}

// as returns x in a type of floats.
func (x Node) as(dt DType) Node {
	if x.Err() != nil || x.DType() == dt {
		return x
	}
	return x.Cast(dt)
}
