package gonum

// Matrices and vectors of gonum as tensors, and tensors as matrices and vectors, over the same memory: a write to one shows in the other.

import (
	"reflect"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Of returns a matrix as a tensor over its memory: [r, c], float64. The matrix may be a *mat.Dense, any part of one, a transpose, or another
// type with a method RawMatrix; a *mat.VecDense, or another type with RawVector, is a tensor [n], and its transpose a row [1, n]. Other
// matrices have no such memory, and the tensor is a failed one, whose Err says so: copy them by mat.DenseCopyOf.
func Of(m mat.Matrix) *graph.Tensor {
	if isNil(m) {
		return tensor.Failf("the matrix is nil")
	}
	switch m := m.(type) {
	case mat.RawMatrixer:
		return OfGeneral(m.RawMatrix())
	case mat.RawVectorer:
		return OfVector(m.RawVector())
	case mat.Transpose:
		t := Of(m.Matrix)
		if t.Rank() == 1 {
			return t.Reshape(1, -1)
		}
		return t.Permute(1, 0)
	case mat.TransposeVec:
		return Of(m.Vector).Reshape(1, -1)
	}
	return tensor.Failf("a %T has no memory of rows and columns: mat.DenseCopyOf makes a matrix that has", m)
}

// isNil reports whether a matrix, or the one that it transposes, is nil or a nil pointer.
func isNil(m mat.Matrix) bool {
	if v := reflect.ValueOf(m); m == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	t, ok := m.(mat.Untransposer)
	return ok && isNil(t.Untranspose())
}

// OfGeneral returns a matrix of BLAS as a tensor [rows, cols] over its memory.
func OfGeneral(m blas64.General) *graph.Tensor { return ofRows(m.Rows, m.Cols, m.Stride, m.Data) }

// OfGeneral32 is OfGeneral for float32.
func OfGeneral32(m blas32.General) *graph.Tensor { return ofRows(m.Rows, m.Cols, m.Stride, m.Data) }

// OfVector returns a vector of BLAS as a tensor [n] over its memory. Its increment may be negative: the last element is then first in memory.
func OfVector(v blas64.Vector) *graph.Tensor { return ofElems(v.N, v.Inc, v.Data) }

// OfVector32 is OfVector for float32.
func OfVector32(v blas32.Vector) *graph.Tensor { return ofElems(v.N, v.Inc, v.Data) }

func ofRows[T float32 | float64](rows, cols, stride int, data []T) *graph.Tensor {
	return graph.OfLayout(data, graph.Layout{Shape: []int{rows, cols}, Strides: []int{stride, 1}})
}

func ofElems[T float32 | float64](n, inc int, data []T) *graph.Tensor {
	l := graph.Layout{Shape: []int{n}, Strides: []int{inc}}
	if inc < 0 && n > 0 {
		l.Offset = (1 - n) * inc
	}
	return graph.OfLayout(data, l)
}

// Dense returns a float64 tensor [r, c] as a matrix over its memory. Columns must follow one another, and rows must not overlap: the tensor
// may be a matrix, or some rows and columns of one. gonum has no matrices without elements, so such a tensor is an error.
func Dense(t *graph.Tensor) (*mat.Dense, error) {
	m, err := General(t)
	if err != nil {
		return nil, err
	}
	var d mat.Dense
	d.SetRawMatrix(m)
	return &d, nil
}

// VecDense returns a float64 tensor [n] as a vector over its memory. Its elements may be any distance apart.
func VecDense(t *graph.Tensor) (*mat.VecDense, error) {
	const op = "vector of tensor"
	if err := check[float64](op, t, 1); err != nil {
		return nil, err
	}
	n, inc := t.Extent(0), max(1, t.Strides()[0])
	if n > 1 && t.Strides()[0] <= 0 {
		return nil, fail(op, "the tensor has the stride %d: a vector of gonum has a positive one", t.Strides()[0])
	}
	var v mat.VecDense
	v.SetRawVector(blas64.Vector{N: n, Inc: inc, Data: unsafe.Slice((*float64)(t.Pointer()), (n-1)*inc+1)})
	return &v, nil
}

// General returns a float64 tensor [r, c] as a matrix of BLAS, as Dense does.
func General(t *graph.Tensor) (blas64.General, error) {
	rows, cols, stride, data, err := general[float64](t)
	return blas64.General{Rows: rows, Cols: cols, Stride: stride, Data: data}, err
}

// General32 is General for float32.
func General32(t *graph.Tensor) (blas32.General, error) {
	rows, cols, stride, data, err := general[float32](t)
	return blas32.General{Rows: rows, Cols: cols, Stride: stride, Data: data}, err
}

// general returns the parts of a matrix of BLAS over the memory of a tensor.
func general[T float32 | float64](t *graph.Tensor) (rows, cols, stride int, data []T, err error) {
	const op = "matrix of tensor"
	if err := check[T](op, t, 2); err != nil {
		return 0, 0, 0, nil, err
	}
	rows, cols = t.Extent(0), t.Extent(1)
	stride = t.Strides()[0]
	if rows == 1 {
		stride = cols
	}
	if cols > 1 && t.Strides()[1] != 1 || stride < cols {
		return 0, 0, 0, nil, fail(op, "the tensor has the strides %v: columns of a matrix of gonum follow one another, and rows don't overlap; Contiguous makes a copy that does", t.Strides())
	}
	return rows, cols, stride, unsafe.Slice((*T)(t.Pointer()), (rows-1)*stride+cols), nil
}

// check returns an error unless a tensor has elements, of the Go type T, and so many axes.
func check[T graph.Element](op string, t *graph.Tensor, rank int) error {
	switch want := tensor.DTypeOf[T](); {
	case t.Err() != nil:
		return t.Err()
	case t.DType() != want:
		return fail(op, "the tensor is %v, not %v", t.DType(), want)
	case t.Rank() != rank:
		return fail(op, "the tensor has shape %v, which has not %d axes", t.Shape(), rank)
	case t.Size() == 0:
		return fail(op, "the tensor has shape %v: gonum has no matrices without elements", t.Shape())
	}
	return nil
}
