package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Reductions of rows of a table that indices select, such as sums of embeddings. Each lane of ir.ReduceRow is a row.

// gatherReduceOf returns the function that reduces rows by their indices.
func gatherReduceOf(m *kernel.Micro) func(*abi.Frame) {
	return typed(m.Type, gatherReduce[uint8](m), gatherReduce[uint32](m), gatherReduce[uint64](m), gatherReduce[float32](m), gatherReduce[float64](m))
}

// laneColumns is the number of columns that are reduced at a time: a cache line of 4-byte elements.
const laneColumns = 16

// gatherReduce returns the function that reduces rows, or their products with weights, by an op, laneColumns at a time.
func gatherReduce[T number](m *kernel.Micro) func(*abi.Frame) {
	op := m.Op.Info()
	combine, at := combiner[T](op.By, m.Type), gatherOut(op)
	return func(f *abi.Frame) {
		extent, length, across, acrossWeights := f.Step[at+2], f.Step[at+3], f.Step[at+4], f.Step[at+6]
		var lanes [ir.ReduceLanes][laneColumns]T
		var product [laneColumns]T
		for r := range f.Rows {
			indices, out := unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Slice((*T)(unsafe.Add(f.Ptr[at], r*f.Step[at])), f.Cols)
			for from := 0; from < f.Cols; from += laneColumns {
				n := min(laneColumns, f.Cols-from)
				for i := range length {
					row := unsafe.Add(f.Ptr[0], lineIndex[int64](indices, across, i, extent)*f.Step[0])
					in, lane := unsafe.Slice((*T)(row), f.Cols)[from:][:n], lanes[i%ir.ReduceLanes][:n]
					if op.Weighted {
						w := *(*T)(unsafe.Add(f.Ptr[2], r*f.Step[2]+i*acrossWeights))
						for c, e := range in {
							product[c] = e * w
						}
						in = product[:n]
					}
					if i < ir.ReduceLanes {
						copy(lane, in)
						continue
					}
					for c, e := range in {
						lane[c] = combine(lane[c], e)
					}
				}
				for half := ir.ReduceLanes / 2; half > 0; half /= 2 {
					for b := half; b < min(length, 2*half); b++ {
						for c, e := range lanes[b][:n] {
							lanes[b-half][c] = combine(lanes[b-half][c], e)
						}
					}
				}
				copy(out[from:], lanes[0][:n])
			}
		}
	}
}

// gatherOut returns the output's argument number of gather_reduce. The scratch memory and the fields follow it.
func gatherOut(op *ir.OpInfo) int { return op.Arity }

// combiner returns the function of an op that combines elements of a type, or nil.
func combiner[T number](op ir.Op, d ir.DType) func(a, b T) T {
	signed := ir.Signed.Has(d)
	switch {
	case op == ir.OpAdd:
		return func(a, b T) T { return a + b }
	case op == ir.OpMul:
		return func(a, b T) T { return a * b }
	case op == ir.OpMin && !signed:
		return func(a, b T) T { return min(a, b) }
	case op == ir.OpMax && !signed:
		return func(a, b T) T { return max(a, b) }
	}
	sign := element[T](ir.SignBit(d)) // adding it maps the order of signed integers to that of unsigned ones
	switch op {
	case ir.OpMin:
		return func(a, b T) T { return min(a+sign, b+sign) - sign }
	case ir.OpMax:
		return func(a, b T) T { return max(a+sign, b+sign) - sign }
	}
	return nil
}
