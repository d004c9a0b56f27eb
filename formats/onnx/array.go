package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// array is a small tensor whose elements are known up to the sizes of inputs, in row-major order. Bools are 0 and 1.
type array struct {
	dtype graph.DType
	shape []int
	elems []quantity
}

// mostElems limits the elements that are evaluated as quantities.
const mostElems = 4096

// arrayTypes are the element types of arrays.
var arrayTypes = ir.SetOf(graph.Bool, graph.Int32, graph.Int64, graph.Float32, graph.Float64)

// asArray returns a value as an array. ok is false if its elements are no quantities that are known at load.
func (v value) asArray() (a array, ok bool) {
	switch {
	case v.kind == symbolic:
		return v.array, true
	case v.kind != constant || v.tensor.Size() > mostElems || !arrayTypes.Has(v.tensor.DType()):
		return a, false
	}
	a = array{dtype: v.tensor.DType(), shape: v.tensor.Shape()}
	switch a.dtype {
	case graph.Bool:
		a.elems, ok = quantities(v.tensor, func(b bool) (quantity, bool) { return truthOf(b), true })
	case graph.Int32:
		a.elems, ok = quantities(v.tensor, func(n int32) (quantity, bool) { return integer(int(n)), true })
	case graph.Int64:
		a.elems, ok = quantities(v.tensor, func(n int64) (quantity, bool) { return integer(int(n)), int64(int(n)) == n })
	case graph.Float32:
		a.elems, ok = quantities(v.tensor, func(x float32) (quantity, bool) { return quantityOf(float64(x)) })
	case graph.Float64:
		a.elems, ok = quantities(v.tensor, quantityOf)
	}
	return a, ok
}

func quantities[T bool | int32 | int64 | float32 | float64](t *graph.Tensor, of func(T) (quantity, bool)) (out []quantity, ok bool) {
	all, err := graph.All[T](t)
	if err != nil {
		return nil, false
	}
	for x := range all {
		q, ok := of(x)
		if !ok {
			return nil, false
		}
		out = append(out, q)
	}
	return out, true
}

func truthOf(b bool) quantity {
	if b {
		return integer(1)
	}
	return integer(0)
}

// value returns the array as a value: a constant if all elements are numbers. ok is false if the element type does not
// hold a number exactly.
func (a array) value() (v value, ok bool) {
	fits, known := true, true
	for _, q := range a.elems {
		_, fixed := q.num.Int()
		known = known && fixed
		fits = fits && q.num.Err() == nil && a.holds(q)
	}
	switch {
	case !fits || len(a.elems) > mostElems:
		return v, false
	case !known:
		return value{kind: symbolic, array: a}, true
	}
	return constantOf(a.numbers()), true
}

// holds reports whether the element type has a quantity exactly.
func (a array) holds(q quantity) bool {
	x, fixed := q.fixed()
	switch {
	case q.den > 1 && !ir.Floats.Has(a.dtype):
		return false
	case !fixed || a.dtype == graph.Int64:
		return true
	case a.dtype == graph.Bool:
		return x == 0 || x == 1
	case a.dtype == graph.Int32:
		return x == float64(int32(x))
	case a.dtype == graph.Float32:
		return x == float64(float32(x))
	}
	return math.Abs(x) <= 1<<53
}

// numbers returns a tensor with the elements that are numbers, and 0 for the others.
func (a array) numbers() *graph.Tensor {
	switch a.dtype {
	case graph.Bool:
		return numbersOf(a, func(q quantity) bool { return q != integer(0) })
	case graph.Int32:
		return numbersOf(a, func(q quantity) int32 { n, _ := q.int(); return int32(n) })
	case graph.Int64:
		return numbersOf(a, func(q quantity) int64 { n, _ := q.int(); return int64(n) })
	case graph.Float32:
		return numbersOf(a, func(q quantity) float32 { x, _ := q.fixed(); return float32(x) })
	}
	return numbersOf(a, func(q quantity) float64 { x, _ := q.fixed(); return x })
}

func numbersOf[T bool | int32 | int64 | float32 | float64](a array, of func(quantity) T) *graph.Tensor {
	out := make([]T, len(a.elems))
	for i, q := range a.elems {
		if _, fixed := q.num.Int(); fixed {
			out[i] = of(q)
		}
	}
	return graph.Of(out).Reshape(a.shape...)
}

// node computes the array at run time, for an operation that needs it as elements.
func (a array) node() graph.Node {
	y := graph.Const(a.numbers()).Flatten()
	at := graph.Iota(graph.Int64, len(a.elems))
	for i, q := range a.elems {
		if _, fixed := q.num.Int(); fixed {
			continue
		}
		x := graph.Scalar(graph.Int64, 0).Add(q.num).Cast(a.dtype)
		if q.den > 1 {
			x = x.Div(q.den)
		}
		y = graph.Where(at.Eq(i), x, y)
	}
	return y.Reshape(a.shape)
}

// extents returns the elements of integers of one axis or none.
func (a array) extents() (sizes []graph.Extent, scalar, ok bool) {
	if len(a.shape) > 1 || a.dtype != graph.Int32 && a.dtype != graph.Int64 {
		return nil, false, false
	}
	for _, q := range a.elems {
		sizes = append(sizes, q.num)
	}
	return sizes, len(a.shape) == 0, true
}

// arrayOf returns sizes as an array of int64, with one axis or none.
func arrayOf(sizes []graph.Extent, scalar bool) array {
	a := array{dtype: graph.Int64, elems: mapped(sizes, whole)}
	if !scalar {
		a.shape = []int{len(sizes)}
	}
	return a
}

// broadcast returns the elements of arrays that broadcast to one shape.
func broadcast(in []array) (shape []int, elems [][]quantity, ok bool) {
	for _, a := range in {
		for len(shape) < len(a.shape) {
			shape = append([]int{1}, shape...)
		}
		for k, n := range a.shape {
			at := len(shape) - len(a.shape) + k
			if shape[at] != n && shape[at] != 1 && n != 1 {
				return nil, nil, false
			}
			if n != 1 {
				shape[at] = n
			}
		}
	}
	count := 1
	for _, n := range shape {
		if count *= n; count > mostElems {
			return nil, nil, false
		}
	}
	for _, a := range in {
		out := make([]quantity, count)
		for i := range out {
			at, stride, rest := 0, 1, i
			for k, n := range slices.Backward(shape) {
				own := k - (len(shape) - len(a.shape))
				if own >= 0 && a.shape[own] != 1 {
					at += rest % n * stride
					stride *= n
				}
				rest /= n
			}
			out[i] = a.elems[at]
		}
		elems = append(elems, out)
	}
	return shape, elems, true
}
