package tensor

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// Of returns data as a row-major tensor of that shape, without a copy: writes go both ways. Without a shape it is 1-d
// of len(data). The shape must hold exactly len(data) elements; nil data counts as empty. An empty shape makes a
// scalar, whether it is t.Shape() of a scalar or a literal; see ScalarOf.
func Of[T Element](data []T, shape ...int) *Tensor {
	if shape == nil {
		shape = []int{len(data)}
	}
	n, err := layout.NumElems(shape)
	if err != nil {
		return Failf("of: %v", err)
	}
	if n != len(data) {
		return Failf("of: shape %s has %d elements, data has %d", shapeText(shape), n, len(data))
	}
	return &Tensor{dtype: DTypeOf[T](), layout: layout.RowMajor(shape...), base: unsafe.Pointer(unsafe.SliceData(data))}
}

// ScalarOf returns a tensor of rank 0 that holds v.
func ScalarOf[T Element](v T) *Tensor {
	return &Tensor{dtype: DTypeOf[T](), layout: layout.RowMajor(), base: unsafe.Pointer(&v)}
}

// OfLayout returns data as a tensor of any layout, without a copy. Every location of the layout must be in [0,
// len(data)). If several indices share a location, a write shows at all of them.
func OfLayout[T Element](data []T, l layout.Layout) *Tensor {
	if len(l.Shape) != len(l.Strides) {
		return Failf("of: a layout with %d extents %v and %d strides %v: give one stride for each extent",
			len(l.Shape), l.Shape, len(l.Strides), l.Strides)
	}
	n, err := layout.NumElems(l.Shape)
	if err != nil {
		return Failf("of: %v", err)
	}
	l = layout.Layout{Shape: slices.Clone(l.Shape), Strides: slices.Clone(l.Strides), Offset: l.Offset}
	if n == 0 {
		l.Offset = 0 // there are no elements, so no location is read
	} else if lo, hi := l.Bounds(); lo < 0 || hi >= len(data) {
		return Failf("of: layout %s touches locations %d to %d, data has 0 to %d", l, lo, hi, len(data)-1)
	}
	return &Tensor{dtype: DTypeOf[T](), layout: l, base: unsafe.Pointer(unsafe.SliceData(data))}
}

// New returns a row-major tensor of zeros whose memory starts at a multiple of 64 bytes. Without a shape it is a
// scalar. It fails if the dtype has no kernels, the shape overflows int, or memory is short; no request panics or gets
// the process killed.
func New(dt ir.DType, shape ...int) *Tensor { return newTensor("new", dt, shape) }

// Zeros is New under NumPy's name.
func Zeros(dt ir.DType, shape ...int) *Tensor { return newTensor("zeros", dt, shape) }

// newTensor is New for the constructor of the given name.
func newTensor(op string, dt ir.DType, shape []int) *Tensor {
	n, err := byteCount(op, dt, shape)
	if err != nil {
		return Failf("%v", err)
	}
	bytes, err := memory.Allocate(n)
	if err != nil {
		return Failf("%s: %s: %v", op, TypeText(dt, shape), err)
	}
	return OfMemory(dt, layout.RowMajor(shape...), bytes)
}

// byteCount returns the bytes of a new tensor.
func byteCount(op string, dt ir.DType, shape []int) (int, error) {
	if err := dt.Check(); err != nil {
		return 0, fmt.Errorf("%s: %v", op, err)
	}
	n, err := layout.NumElems(shape)
	if err != nil {
		return 0, fmt.Errorf("%s: %v", op, err)
	}
	if n > math.MaxInt/dt.Size() {
		return 0, fmt.Errorf("%s: %s takes %d times %d bytes, which passes int", op, TypeText(dt, shape), n, dt.Size())
	}
	return n * dt.Size(), nil
}

// NewResult is New for the result of a function that stores every element: the elements have any values until then.
// Release gives the memory back, as it does for results of runs, and NewResult takes what was given back.
func NewResult(dt ir.DType, shape ...int) *Tensor {
	const op = "new"
	n, err := byteCount(op, dt, shape)
	if err != nil {
		return Failf("%v", err)
	}
	block := memory.Take(n)
	if block == nil {
		r, err := memory.Reserve(n)
		if err == nil {
			defer r.Release()
			block, err = r.Block(n)
		}
		if err != nil {
			return Failf("%s: %s: %v", op, TypeText(dt, shape), err)
		}
	}
	return OverResult(dt, layout.RowMajor(shape...), block, true)
}

// OfMemory returns a tensor over memory that contains all locations of the layout. It keeps the layout without copying
// it, since tensors never change theirs.
func OfMemory(dt ir.DType, l layout.Layout, bytes []byte) *Tensor {
	return &Tensor{dtype: dt, layout: l, base: unsafe.Pointer(unsafe.SliceData(bytes))}
}

// Ones returns a tensor of ones, or of true.
func Ones(dt ir.DType, shape ...int) *Tensor {
	return newFull("ones", dt, oneOf(dt), shape)
}

func oneOf(dt ir.DType) any {
	if dt == ir.Bool {
		return true
	}
	return 1
}

// Full returns a tensor whose elements are all value, a Go number or bool that is converted by the rules of Tensor.Set.
// Without a shape it is a scalar.
func Full(dt ir.DType, value any, shape ...int) *Tensor {
	return newFull("full", dt, value, shape)
}

func newFull(op string, dt ir.DType, value any, shape []int) *Tensor {
	bits, err := ir.Encode(dt, value)
	if err != nil {
		return Failf("%s: %v", op, err)
	}
	t := newTensor(op, dt, shape)
	if t.err != nil {
		return t
	}
	switch n := t.Size(); dt.Size() {
	case 1:
		fillSlice(unsafe.Slice((*uint8)(t.base), n), uint8(bits))
	case 2:
		fillSlice(unsafe.Slice((*uint16)(t.base), n), uint16(bits))
	case 4:
		fillSlice(unsafe.Slice((*uint32)(t.base), n), uint32(bits))
	case 8:
		fillSlice(unsafe.Slice((*uint64)(t.base), n), bits)
	default:
		panic(fmt.Sprintf("BUG: tensor: an element of %s has %d bytes", dt, dt.Size()))
	}
	return t
}

func fillSlice[U any](dst []U, v U) {
	for i := range dst {
		dst[i] = v
	}
}

// Eye returns the n by n identity matrix.
func Eye(dt ir.DType, n int) *Tensor {
	t := newTensor("eye", dt, []int{n, n})
	if t.err != nil {
		return t
	}
	bits, err := ir.Encode(dt, oneOf(dt))
	if err != nil {
		return Failf("eye: %v", err)
	}
	for i := range n {
		memory.StoreBits(dt, t.addr(i*(n+1)), bits)
	}
	return t
}

// Arange returns the numbers start, start+step, ... before stop as a 1-d tensor of ceil((stop-start)/step) elements, or
// none if stop is not after start. The step may be negative, but not zero. For integer dtypes start and step must be
// integers. For other dtypes number i is start + i*step, rounded once to float64 and then to the dtype. A number out of
// the dtype's range is an error.
func Arange(dt ir.DType, start, stop, step float64) *Tensor {
	r, err := ir.NewRange(dt, start, stop, step)
	if err != nil {
		return Failf("arange: %v", err)
	}
	t := newTensor("arange", dt, []int{r.Len})
	if t.err != nil {
		return t
	}
	for i := range r.Len {
		memory.StoreBits(dt, t.addr(i), r.Element(i))
	}
	return t
}

// Linspace returns n >= 0 equally spaced numbers from start to stop, both included, as a 1-d tensor. They are computed
// in float64 and rounded to the dtype. An integer dtype is an error unless all are integers.
func Linspace(dt ir.DType, start, stop float64, n int) *Tensor {
	if err := checkFinite(start, stop, stop-start); err != nil {
		return Failf("linspace: %v", err)
	}
	step := (stop - start) / float64(max(n-1, 1))
	return fillWith("linspace", newTensor("linspace", dt, []int{n}), func(i int) float64 {
		if i > 0 && i == n-1 {
			return stop
		}
		return start + float64(float64(i)*step)
	})
}

// LinspaceOpen returns the first n of the n+1 numbers of Linspace: those of NumPy's linspace with endpoint=False.
func LinspaceOpen(dt ir.DType, start, stop float64, n int) *Tensor {
	if err := checkFinite(start, stop, stop-start); err != nil {
		return Failf("linspaceopen: %v", err)
	}
	step := (stop - start) / float64(max(n, 1))
	return fillWith("linspaceopen", newTensor("linspaceopen", dt, []int{n}), func(i int) float64 { return start + float64(float64(i)*step) })
}

// checkFinite returns an error unless all numbers are finite.
func checkFinite(numbers ...float64) error {
	for _, f := range numbers {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%v in place of a finite number, among the arguments or as the length of their range", f)
		}
	}
	return nil
}

// fillWith sets element i of a fresh tensor to f(i), by the rules of Set, and returns it or a failed tensor. f is
// called in order.
func fillWith(op string, t *Tensor, f func(i int) float64) *Tensor {
	if t.err != nil {
		return t
	}
	if t.dtype == ir.Bool {
		return Failf("%s: dtype bool has no numbers: use a numeric one and compare", op)
	}
	for i := range t.Size() {
		bits, err := numberBits(t.dtype, f(i))
		if err != nil {
			return Failf("%s: element %d: %v", op, i, err)
		}
		memory.StoreBits(t.dtype, t.addr(i), bits)
	}
	return t
}
