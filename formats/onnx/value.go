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
	sizes  []graph.Extent // elements of an int64 of one axis or none
	scalar bool           // sizes has no axis
	items  []value        // elements of a sequence
	kind   kind
	stage  int // the stage that computes the value, see stages
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

// sizesOf returns the value with the given elements: a constant if all are numbers.
func sizesOf(sizes []graph.Extent, scalar bool) value {
	numbers := make([]int64, len(sizes))
	for i, d := range sizes {
		n, fixed := d.Int()
		if !fixed {
			return value{kind: symbolic, sizes: sizes, scalar: scalar}
		}
		numbers[i] = int64(n)
	}
	if scalar {
		return constantOf(graph.ScalarOf(numbers[0]))
	}
	return constantOf(graph.Of(numbers))
}

// asNode returns the value as a Node.
func (v value) asNode() graph.Node {
	switch v.kind {
	case constant:
		return constantNode(v.tensor)
	case symbolic:
		return sizesNode(v.sizes, v.scalar)
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

// sizesNode computes the sizes at run time, for an operation that needs them as elements.
func sizesNode(sizes []graph.Extent, scalar bool) graph.Node {
	at := graph.Iota(graph.Int64, len(sizes))
	sum := graph.Fill(graph.Int64, 0, len(sizes))
	for i, d := range sizes {
		sum = sum.Add(graph.Where(at.Eq(i), at.Scalar(0).Add(d), 0))
	}
	if scalar {
		return sum.Index(0, 0)
	}
	return sum
}

// shape returns the extents of the value.
func (v value) shape() graph.Shape {
	switch v.kind {
	case constant:
		return ir.ShapeOf(v.tensor.Shape()...)
	case symbolic:
		if v.scalar {
			return graph.Shape{}
		}
		return ir.ShapeOf(len(v.sizes))
	}
	return v.node.Shape()
}

func (v value) dtype() graph.DType {
	switch v.kind {
	case constant:
		return v.tensor.DType()
	case symbolic:
		return graph.Int64
	}
	return v.node.DType()
}

// mostSizes limits the elements that are evaluated as sizes.
const mostSizes = 4096

// asSizes returns the elements of integers of one axis or none, if they are known at load.
func (v value) asSizes() (sizes []graph.Extent, scalar, ok bool) {
	switch {
	case v.kind == symbolic:
		return v.sizes, v.scalar, true
	case v.kind != constant || v.tensor.Rank() > 1 || v.tensor.Size() > mostSizes || !ir.Ints.Has(v.tensor.DType()):
		return nil, false, false
	}
	numbers, err := integers(v.tensor)
	if err != nil {
		return nil, false, false
	}
	return ir.ShapeOf(numbers...), v.tensor.Rank() == 0, true
}

// integers returns the elements of a tensor of int32 or int64, the usual types of sizes.
func integers(t *graph.Tensor) ([]int, error) {
	if t.DType() == graph.Int32 {
		return elements[int32](t)
	}
	return elements[int64](t)
}

func elements[T int32 | int64](t *graph.Tensor) ([]int, error) {
	all, err := graph.All[T](t)
	if err != nil {
		return nil, err
	}
	out := slices.Collect(all)
	ints := make([]int, len(out))
	for i, n := range out {
		ints[i] = int(n)
	}
	return ints, nil
}
