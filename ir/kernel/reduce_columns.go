package kernel

import (
	"errors"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Column reductions: the micro-kernel ReduceColumns. It combines elements in a column of the unit operands, one in each row. A vector
// then holds elements of several results, the lanes of ir.ReduceRow need no memory, and nothing is combined across a
// vector.
//
//	reduce_columns add kernel (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store t1 }
//
// Rows and Cols are those of the output; Cols is at least ColumnBlock. The element at row
// r and column c combines the body's values for i from 0 to the field length: a unit
// operand has element (i, c), the same for all r, and a splat operand element (r, i),
// which is contiguous in i. In the frame, Step has the bytes from row i to row i+1 of a
// unit operand, and from row r to row r+1 of a splat operand and of the output. The output
// overlaps no input. An element of it may be stored more than once.

// ColumnBlock is the least number of columns of a call of ReduceColumns, and the number that the narrowest kernels compute at a time.
// The last block ends at the last column.
const ColumnBlock = 16

// The limits of the body of ReduceColumns. They ensure that all accumulators are in registers.
const (
	columnInputs = 3
	columnBody   = 4
)

// columnOps are the instructions that the body of ReduceColumns may have.
var columnOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAbs, ir.OpMin, ir.OpMax}

func columnArgs(m *Micro) []Arg {
	args := m.Body.Args()
	for i, in := range m.Body.In {
		args[i].Outer, args[i].Inner = Field0, Cols
		if in.Splat {
			args[i].Outer, args[i].Inner = Rows, Field0
		}
	}
	return args
}

func columnLimits(*Micro) []Limit {
	return []Limit{{Extent: Cols, Least: ColumnBlock, Most: math.MaxInt}, {Field0, 1, ir.ReduceChunk, true}}
}

// checkReduceColumns returns an error unless the body is small and of one float type, and its output depends on a unit operand.
func checkReduceColumns(m *Micro) error {
	k := m.Body
	if len(k.In) == 0 || len(k.In) > columnInputs || len(k.Body) > columnBody || len(k.Out) != 1 {
		return errors.New("the body of reduce_columns has few operands, a few instructions and one output")
	}
	for _, in := range k.In {
		if in.DType != k.In[0].DType || in.DType != ir.Float32 && in.DType != ir.Float64 {
			return errors.New("the body of reduce_columns is of one type of float, float32 or float64")
		}
	}
	for _, in := range k.Body {
		if !slices.Contains(columnOps, in.Op) {
			return errors.New("the body of reduce_columns has no " + in.Op.String())
		}
	}
	for i, need := range k.needed()[:len(k.In)] {
		if need && !k.In[i].Splat {
			return nil
		}
	}
	return errors.New("reduce_columns combines elements of unit operands")
}
