package cmplx

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
)

// Complex lists Go's complex types.
type Complex interface{ complex64 | complex128 }

// Of returns data as a tensor of floats with an additional last axis of extent 2, without a copy: writes go both ways.
// The shape is that of the complex numbers; without one the tensor is one line.
func Of[T Complex](data []T, shape ...int) *graph.Tensor {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	shape = append(append([]int{}, shape...), 2)
	switch data := any(data).(type) {
	case []complex64:
		return graph.Of(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), 2*len(data)), shape...)
	case []complex128:
		return graph.Of(unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(data))), 2*len(data)), shape...)
	}
	panic("BUG: cmplx: a type that Complex does not list")
}

// Data returns the complex numbers of a tensor that Of could have made, without a copy. It returns an error if the
// elements are not contiguous or of another type, or if the last axis does not have 2 elements.
func Data[T Complex](t *graph.Tensor) ([]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	shape := t.Shape()
	if len(shape) == 0 || shape[len(shape)-1] != 2 {
		return nil, fmt.Errorf("cmplx: shape %v has no last axis of extent 2, for the parts of complex numbers", shape)
	}
	var p unsafe.Pointer
	var n int
	if unsafe.Sizeof(*new(T)) == unsafe.Sizeof(complex64(0)) {
		parts, err := graph.Data[float32](t)
		if err != nil {
			return nil, err
		}
		p, n = unsafe.Pointer(unsafe.SliceData(parts)), len(parts)
	} else {
		parts, err := graph.Data[float64](t)
		if err != nil {
			return nil, err
		}
		p, n = unsafe.Pointer(unsafe.SliceData(parts)), len(parts)
	}
	return unsafe.Slice((*T)(p), n/2), nil
}
