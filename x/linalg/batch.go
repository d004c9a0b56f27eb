package linalg

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// This file reads batches of matrices from tensors, applies a function to each matrix, and makes tensors of the
// results.

// matrices is a batch in its own memory: row-major, one matrix after another.
type matrices struct {
	op, name   string // function and argument, for errors
	dtype      graph.DType
	batch      []int // extents of the axes before the last two
	rows, cols int
	data       []float64
}

// fail returns an error on the line of the user's call.
func fail(op, format string, args ...any) error {
	return &graph.Error{Pos: ir.CallerPos(), Op: op, Msg: fmt.Sprintf(format, args...)}
}

// read copies the matrices of a tensor.
func read(op, name string, t *graph.Tensor) (matrices, error) {
	if err := t.Err(); err != nil {
		return matrices{}, err
	}
	if dt := t.DType(); dt != graph.Float32 && dt != graph.Float64 {
		return matrices{}, fail(op, "%s is %v%v: it must be float32 or float64", name, dt, t.Shape())
	}
	if t.Rank() < 2 {
		return matrices{}, fail(op, "%s has shape %v: the last two axes are those of a matrix", name, t.Shape())
	}
	shape, at := t.Shape(), t.Rank()-2
	m := matrices{op: op, name: name, dtype: t.DType(), batch: shape[:at], rows: shape[at], cols: shape[at+1]}
	if m.dtype == graph.Float64 {
		own := t.Clone()
		if err := own.Err(); err != nil {
			return matrices{}, err
		}
		var err error
		m.data, err = graph.Data[float64](own)
		return m, err
	}
	narrow, err := graph.Data[float32](t.Contiguous())
	if err != nil {
		return matrices{}, err
	}
	m.data = make([]float64, len(narrow))
	for i, v := range narrow {
		m.data[i] = float64(v)
	}
	return m, nil
}

// readSquare is read for matrices that must be square.
func readSquare(op, name string, t *graph.Tensor) (matrices, error) {
	m, err := read(op, name, t)
	if err == nil && m.rows != m.cols {
		err = fail(op, "%s has shape %v: its matrices must be square", name, t.Shape())
	}
	return m, err
}

// like returns as many matrices of zeros as m has, of its dtype, for results.
func (m matrices) like(rows, cols int) matrices {
	m.rows, m.cols, m.data = rows, cols, make([]float64, m.count()*rows*cols)
	return m
}

func (m matrices) count() int {
	n := 1
	for _, extent := range m.batch {
		n *= extent
	}
	return n
}

// at returns the elements of one matrix.
func (m matrices) at(i int) []float64 {
	size := m.rows * m.cols
	return m.data[i*size : (i+1)*size : (i+1)*size]
}

// general returns one matrix as gonum describes it.
func (m matrices) general(i int) blas64.General {
	return blas64.General{Rows: m.rows, Cols: m.cols, Stride: max(1, m.cols), Data: m.at(i)}
}

// place returns the name of one matrix in an error: "a", or "a[2,1]" in a batch.
func (m matrices) place(i int) string {
	if len(m.batch) == 0 {
		return m.name
	}
	index := make([]string, len(m.batch))
	for axis, extent := range slices.Backward(m.batch) {
		index[axis] = fmt.Sprint(i % extent)
		i /= extent
	}
	return m.name + "[" + strings.Join(index, ",") + "]"
}

// tensor returns the matrices as a tensor.
func (m matrices) tensor() *graph.Tensor { return m.shaped(m.rows, m.cols) }

// shaped returns the data as a tensor whose axes are the batch and those given.
func (m matrices) shaped(axes ...int) *graph.Tensor {
	return rounded(m.dtype, m.data, append(slices.Clone(m.batch), axes...))
}

// rounded returns numbers as a tensor of a dtype.
func rounded(dt graph.DType, data []float64, shape []int) *graph.Tensor {
	if dt == graph.Float64 {
		return graph.Of(data, shape...)
	}
	narrow := make([]float32, len(data))
	for i, v := range data {
		narrow[i] = float32(v)
	}
	return graph.Of(narrow, shape...)
}

// each calls a function for each matrix, on all processors. Each goroutine gets one range and its own function from
// worker, which may allocate scratch. It returns the error of the first failing matrix, for any number of processors,
// or the error of the context.
func (m matrices) each(ctx context.Context, worker func() func(i int) error) error {
	if ctx == nil {
		return fail(m.op, "the context is nil: give it context.Background()")
	}
	n := m.count()
	workers := max(1, min(runtime.GOMAXPROCS(0), n))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			f := worker()
			for i := n * w / workers; i < n*(w+1)/workers && errs[w] == nil; i++ {
				if errs[w] = ctx.Err(); errs[w] == nil {
					errs[w] = f(i)
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return fail(m.op, "%v", err)
		}
	}
	return nil
}
