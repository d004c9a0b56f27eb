package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// value is what a name in a model stands for: a Node, a tensor known at load, sizes known at load (perhaps symbolic),
// or a sequence of values. The zero value is an optional input that is left out.
type value struct {
	node   graph.Node
	tensor *graph.Tensor
	array  array   // elements that depend on sizes
	items  []value // elements of a sequence
	kind   kind
	stage  int  // the stage that computes the value, see stages
	text   bool // its elements are indices of strings
	sized  bool // computed from sizes alone: with numbers for them it is known at load
}

type kind uint8

const (
	missing  kind = iota
	computed      // node
	constant      // tensor
	symbolic      // sizes
	sequence      // items
	absent        // an absent optional value
)

// isTensor reports whether the value is an array, known at load or not.
func (v value) isTensor() bool { return v.kind == computed || v.kind == constant || v.kind == symbolic }

// isKnown reports whether the whole value is known at load.
func (v value) isKnown() bool {
	return v.kind != computed && v.kind != symbolic && !slices.ContainsFunc(v.items, func(v value) bool { return !v.isKnown() })
}

func compute(x graph.Node) value       { return value{kind: computed, node: x} }
func constantOf(t *graph.Tensor) value { return value{kind: constant, tensor: t} }

// sizesOf returns sizes as an int64 of one axis or none: a constant if all are numbers.
func sizesOf(sizes []graph.Extent, scalar bool) value {
	a := arrayOf(sizes, scalar)
	if v, ok := a.value(); ok {
		return v
	}
	return value{kind: symbolic, array: a}
}

// asNode returns the value as a Node.
func (v value) asNode() graph.Node {
	switch v.kind {
	case constant:
		return constantNode(v.tensor)
	case symbolic:
		return v.array.node()
	}
	return v.node
}

// constantNode returns a constant. A single element becomes a number, which kernels repeat without reading an array.
func constantNode(t *graph.Tensor) graph.Node {
	if t.Size() != 1 || t.Err() != nil {
		return graph.Const(t)
	}
	x, err := t.Reshape().At()
	if h, ok := x.(graph.Half); ok {
		x = h.Float32()
	}
	if err != nil {
		return graph.Const(t)
	}
	return graph.Fill(t.DType(), x, t.Shape())
}

// shape returns the extents of the value.
func (v value) shape() graph.Shape {
	switch v.kind {
	case constant:
		return ir.ShapeOf(v.tensor.Shape()...)
	case symbolic:
		return ir.ShapeOf(v.array.shape...)
	}
	return v.node.Shape()
}

func (v value) dtype() graph.DType {
	switch v.kind {
	case constant:
		return v.tensor.DType()
	case symbolic:
		return v.array.dtype
	}
	return v.node.DType()
}

// asSizes returns the elements of integers of one axis or none, if they are known at load.
func (v value) asSizes() (sizes []graph.Extent, scalar, ok bool) {
	a, ok := v.asArray()
	if !ok {
		return nil, false, false
	}
	return a.extents()
}

// integers returns the elements of a tensor of int64.
func integers(t *graph.Tensor) ([]int, error) {
	all, err := graph.All[int64](t)
	if err != nil {
		return nil, err
	}
	return mapped(slices.Collect(all), func(n int64) int { return int(n) }), nil
}
