package graph

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir"
)

// Dim returns a symbolic extent: a size that is known when a program runs. Inputs that use one name must agree on its
// number. The text may be an expression in sizes: "2*n+1", "n/2" (rounded down), "n+m". Each name in it must occur in
// an input axis of the form a*name + b with numbers a and b. As an operand, as in x.Div(Dim("n")), it is the number.
// Text that can't be parsed is an error of the Node that uses the extent.
func Dim(text string) Extent {
	d, err := ir.ParseDim(text)
	if err != nil {
		return ir.BadDim(err)
	}
	return d
}

// NamedAxis is a named axis of an input; see Axis.
type NamedAxis struct {
	name   string
	extent any
}

// Axis names an axis of an Input; ops then check the name:
//
//	graph.Input("img", graph.Float32, graph.Axis("row", graph.Dim("h")), graph.Axis("col", graph.Dim("w")))
func Axis(name string, extent any) NamedAxis { return NamedAxis{name, extent} }

// nodes counts all nodes ever made: programs take their inputs in this order.
var nodes atomic.Uint64

// Input returns a Node for a tensor that is given when the program runs. A dim is an int, a Dim, or an Axis of either;
// without dims it is a scalar. The name must be one that no other input of the program has, of letters, digits, _
// and dots: "w", "layer.0.weight". A program takes
// the inputs that its outputs need, in order of creation.
func Input(name string, dt DType, extents ...any) Node {
	if !ir.IsPortName(name) {
		return fail("%q is not a name: use letters, digits, _ and dots", name)
	}
	shape, names := make(Shape, 0, len(extents)), make([]string, 0, len(extents))
	for _, d := range extents {
		axis, ok := d.(NamedAxis)
		if ok {
			d = axis.extent
		}
		own, err := extentsFrom(len(shape), []any{d})
		switch {
		case err != nil:
			return failInput(name, "%w", err)
		case ok && len(own) != 1:
			return failInput(name, "the axis %q is given %d extents: it has one", axis.name, len(own))
		case slices.Contains(own, ir.Fixed(-1)):
			return failInput(name, "an extent is -1: give an extent that differs from run to run as Dim(\"n\")")
		}
		shape = append(shape, own...)
		for range own {
			names = append(names, axis.name)
		}
	}
	x := source(ir.Attr{Shape: shape, DType: dt}, &node{input: name})
	if x.n.err != nil {
		return x
	}
	if err := x.n.checkNames(names); err != nil {
		return failInput(name, "%w", err)
	}
	x.n.names = someNames(names)
	return x
}

// failInput returns a Node poisoned by a mistake in the arguments of Input, other than its name.
func failInput(name, format string, args ...any) Node {
	return Node{poisonAs(ir.CallerPos(), "input "+name, fmt.Errorf(format, args...))}
}

// source completes the node of an input or a captured tensor.
func source(attr ir.Attr, n *node) Node {
	t, err := ir.Infer(ir.OpParam, attr, nil)
	switch {
	case err != nil && n.input != "":
		return failInput(n.input, "%w", err)
	case err != nil:
		return fail("%w", err)
	}
	n.op, n.attr, n.typ, n.pos, n.order = ir.OpParam, &attr, t, ir.CallerPos(), nodes.Add(1)
	return Node{n}
}

// Scalar returns a Node of one element. v is a Go number or bool that the type can hold: an integer type takes only
// exact numbers, a float type rounds. A Go number beside a Node needs no Scalar.
func Scalar(dt DType, v any) Node { return scalar(dt, v) }

// Scalar returns one element of x's type. It makes a number the left operand:
// x.Scalar(1).Sub(x) is 1 - x.
func (x Node) Scalar(v any) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	return scalar(n.typ.DType, v)
}

func scalar(dt DType, v any) Node {
	bits, err := ir.Encode(dt, v)
	if err != nil {
		return fail("%w", err)
	}
	return apply(ir.OpConst, ir.Attr{DType: dt, Bits: bits})
}

// Fill returns v at every index of a shape, as Scalar(dt, v) and BroadcastTo do, without using memory.
func Fill(dt DType, v any, extents ...any) Node { return scalar(dt, v).BroadcastTo(extents...) }

// extentsOf reads extents: ints, Dims, and slices of either. An int of -1 stays.
func extentsOf(extents []any) (Shape, error) { return extentsFrom(0, extents) }

// extentsFrom is extentsOf for the arguments from one on.
func extentsFrom(axis int, extents []any) (Shape, error) {
	out := make(Shape, 0, len(extents))
	for _, d := range extents {
		switch d := d.(type) {
		case int:
			out = append(out, ir.Fixed(d))
		case Extent:
			out = append(out, d)
		case []int:
			out = append(out, ir.ShapeOf(d...)...)
		case Shape:
			out = append(out, d...)
		case string:
			return nil, fmt.Errorf("an extent is an int or a Dim: write Dim(%q)", d)
		default:
			return nil, fmt.Errorf("an extent is an int or a Dim, not %T", d)
		}
	}
	for k, d := range out {
		if n, fixed := d.Int(); fixed && n < -1 {
			return nil, fmt.Errorf("extent %d of axis %d is negative", n, axis+k)
		} else if fixed {
			continue
		}
		if err := d.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Tensors that a program captures. A Const never changes: values that depend only on constants are computed once and
// the right matrices of products packed once, for all runs and sizes. A Variable is read at each run.
//
// Compile computes such values if they are no larger than the constants (passes.SplitGraph). The others belong to plans
// (passes.Split): the first run that needs one computes it, and it lives as long as a plan that reads it.

// Const returns a Node of a tensor that never changes. The program keeps a reference to the tensor and values computed
// from it, such as packed matrices, so its elements must stay as they are from Compile on; use Variable for a tensor
// that changes. The tensor may be a view of any layout. Ops also take a *Tensor as an operand directly. The Node of a
// failed tensor carries the tensor's own error.
func Const(t *Tensor) Node { return captured(t, true) }

// Variable returns a Node of a tensor whose elements are read at each run: writes between runs are seen. Type, shape
// and layout stay.
func Variable(t *Tensor) Node { return captured(t, false) }

func captured(t *Tensor, frozen bool) Node {
	if err := t.Err(); err != nil {
		if own := ownError(t); own != nil {
			return Node{&node{op: ir.OpParam, pos: own.Pos, err: own}}
		}
		return fail("%w", err)
	}
	return source(ir.Attr{Shape: ir.ShapeOf(t.Shape()...), DType: t.DType()}, &node{tensor: t, frozen: frozen})
}
