package graph

import (
	"errors"
	goruntime "runtime"
	"sync"
	"weak"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"
)

// Tensor is an n-d array in memory. Package runtime documents its methods, and
// has more constructors.
type Tensor = runtime.Tensor

// Element lists Go's types of the elements that run.
type Element = runtime.Scalar

// The constructors below return no error, so that they can stand in a formula or
// a call. What they can't make is an empty Tensor that remembers why; any
// graph or run that it is given to returns that error, at the line of the
// constructor.

// Of returns data as a tensor of that shape, row-major, without a copy: writes
// go both ways. Without a shape it is 1-d of len(data).
func Of[T Element](data []T, shape ...int) *Tensor { return sticky(runtime.Of(data, shape...)) }

// New returns a tensor of zeros.
func New(dt DType, shape ...int) *Tensor { return sticky(runtime.New(dt, shape...)) }

// Zeros is New under NumPy's name.
func Zeros(dt DType, shape ...int) *Tensor { return sticky(runtime.Zeros(dt, shape...)) }

// Ones returns a tensor of ones, or of true.
func Ones(dt DType, shape ...int) *Tensor { return sticky(runtime.Ones(dt, shape...)) }

// Full returns a tensor whose elements are all v, a Go number or bool. For a
// Node that needs no memory see Fill.
func Full(dt DType, v any, shape ...int) *Tensor { return sticky(runtime.Full(dt, v, shape...)) }

// Eye returns the n by n identity matrix.
func Eye(dt DType, n int) *Tensor { return sticky(runtime.Eye(dt, n)) }

// Arange returns the numbers start, start+step, ... before stop.
func Arange(dt DType, start, stop, step float64) *Tensor {
	return sticky(runtime.Arange(dt, start, stop, step))
}

// Linspace returns n numbers from start to stop, both included.
func Linspace(dt DType, start, stop float64, n int) *Tensor {
	return sticky(runtime.Linspace(dt, start, stop, n))
}

// Data returns the elements in row-major order without a copy. The tensor must
// be row-major, as the outputs of programs are.
func Data[T Element](t *Tensor) ([]T, error) {
	if err := tensorErr(t); err != nil {
		return nil, err
	}
	return runtime.Data[T](t)
}

// failures holds the errors of the empty tensors that constructors returned, as
// long as those live.
var failures sync.Map // weak.Pointer[Tensor] -> *Error

func sticky(t *Tensor, err error) *Tensor {
	if err == nil {
		return t
	}
	t = new(Tensor)
	key := weak.Make(t)
	failures.Store(key, &Error{Pos: caller(), Msg: err.Error()})
	goruntime.AddCleanup(t, func(key weak.Pointer[Tensor]) { failures.Delete(key) }, key)
	return t
}

// tensorErr returns why a tensor can't be used, or nil.
func tensorErr(t *Tensor) error {
	switch {
	case t == nil:
		return errors.New("the tensor is nil")
	case t.DType() != ir.Invalid:
		return nil
	}
	if err, ok := failures.Load(weak.Make(t)); ok {
		return err.(*Error)
	}
	return errors.New("the tensor is empty: make one with Of or New")
}
