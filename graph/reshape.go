package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Reshape returns the elements of x, in row-major order, under another shape of the same size. An extent is an int or a
// Dim; one extent may be -1 and is computed from the others. No elements move if strides can describe the new shape, or
// if the readers of the result can follow the old one; Explain tells.
func (x Node) Reshape(extents ...any) Node {
	return x.view(ir.OpReshape, func(n *node) (ir.Attr, bool, error) {
		shape, err := extentsOf(extents)
		if err == nil {
			shape, err = inferExtent(n.typ.Shape, shape)
		}
		return ir.Attr{Shape: shape}, shape.Equal(n.typ.Shape), err
	})
}

// Flatten returns the elements of x in row-major order, as one axis.
func (x Node) Flatten() Node { return x.Reshape(-1) }

// Ravel is Flatten under NumPy's other name. Neither copies.
func (x Node) Ravel() Node { return x.Reshape(-1) }

// inferExtent returns the shape with its -1 replaced by the number of elements of from divided by the other extents.
func inferExtent(from, shape Shape) (Shape, error) {
	open := slices.Index(shape, ir.Fixed(-1))
	if open < 0 {
		return shape, nil
	}
	rest := slices.Delete(slices.Clone(shape), open, open+1)
	if slices.Contains(rest, ir.Fixed(-1)) {
		return nil, fmt.Errorf("shape %s has two extents of -1: one is inferred", shape)
	}
	d, ok := quotient(from, rest)
	if n, known := from.NumElems().Int(); !ok && known && !rest.NumElems().Is(0) {
		return nil, fmt.Errorf("shape %s has %d elements, and %s does not divide them: no extent in place of -1 fits %s", from, n, rest.NumElems(), shape)
	}
	if !ok {
		return nil, fmt.Errorf("shape %s has %s elements, and %s does not divide them: give the extent in place of -1",
			from, from.NumElems(), rest.NumElems())
	}
	out := slices.Clone(shape)
	out[open] = d
	return out, nil
}

// quotient divides the product of the extents of a by the product of the extents of b.
func quotient(a, b Shape) (Extent, bool) {
	n, over := monomial(a)
	k, under := monomial(b)
	for _, f := range under {
		i := slices.Index(over, f)
		if i < 0 {
			return Extent{}, false
		}
		over = slices.Delete(over, i, i+1)
	}
	num, small := n.Int()
	den, small2 := k.Int()
	if !small || !small2 || den == 0 { // 0 elements fit any shape
		return Extent{}, false
	}
	q := Shape(over).NumElems()
	if num%den == 0 {
		return q.Mul(ir.Fixed(num / den)), true
	}
	all := q.Mul(n)
	_, known := all.Int()
	return all.Div(den), !known // the run checks a symbolic size
}

// monomial splits a product of extents into its numeric factor and its other factors.
func monomial(s Shape) (number Extent, others []Extent) {
	number = ir.Fixed(1)
	for _, d := range s {
		if _, fixed := d.Int(); fixed {
			number = number.Mul(d)
			continue
		}
		text := d.String()
		if strings.ContainsAny(text, "+-(") { // a sum is one factor
			others = append(others, d)
			continue
		}
		for f := range strings.SplitSeq(text, "*") {
			if c, err := strconv.Atoi(f); err == nil {
				number = number.Mul(ir.Fixed(c))
			} else {
				others = append(others, ir.Sym(f))
			}
		}
	}
	return number, others
}
