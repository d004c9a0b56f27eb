package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// combiners returns the combining ops of the op table's reductions, in its order, and the types of their elements.
func combiners() (ops []ir.Op, types map[ir.Op]ir.DTypes) {
	types = map[ir.Op]ir.DTypes{}
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Reduce || info.By == ir.OpInvalid {
			continue
		}
		by := info.By
		if op.IsArgReduction() {
			by = op
		}
		if types[by] == 0 {
			ops = append(ops, by)
		}
		types[by] |= info.Domain
	}
	return ops, types
}

// reduceKernels are the reductions that nearly every program has, for each of superTypes, T: norms, moments, distances, softmax and
// its logarithm, reductions that skip NaN, and positions of the least or greatest element. Plans write x*x for square(x).
var reduceKernels = []string{
	"reduce [add] kernel (u0:T) { t0 = mul u0 u0; store t0 }",
	"reduce [add] kernel (u0:T) { t0 = abs u0; store t0 }",
	"reduce [add] kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store t1 }",
	"reduce [add] kernel (s0:T, s1:T, u2:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 t1; store t2 }",
	"reduce [add] kernel (u0:T, u1:T) { t0 = mul u0 u1; store t0 }",
	"reduce [add] kernel (u0:T, u1:T) { t0 = sub u0 u1; t1 = mul t0 t0; store t1 }",
	"reduce [_, add] kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = exp t0; store t1 t1 }",
	"reduce [add, add] kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store t1 t0 }",
	"reduce [add, add] kernel (u0:T, s1:T, s2:T) { t0 = sub u0 s1; t1 = eq s2 t0; t2 = cast:T t1; t3 = exp t0; t4 = select t1 s2 t3; store t2 t4 }",
	"reduce [or] kernel (u0:T) { t0 = ne u0 u0; store t0 }",
	"reduce [add] kernel (u0:T, s1:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; store t1 }",
	"reduce [add, add] kernel (u0:T, s1:T, s2:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; t2 = select t0 s1 s2; store t1 t2 }",
	"reduce [and, max] kernel (u0:T, s1:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; store t0 t1 }",
	"reduce [and, min] kernel (u0:T, s1:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; store t0 t1 }",
	"reduce [min, max] kernel (u0:T) { store u0 u0 }",
	"reduce [argmin, min] kernel (u0:T) { store u0 u0 }",
	"reduce [argmax, max] kernel (u0:T) { store u0 u0 }",
	"kernel (u0:T, u1:T, s2:i32, s3:i32, u4:i32, s5:i32, u6:i32) { t0 = ne u0 u0; t1 = eq u1 u0; t2 = or t0 t1; t3 = mul s2 s3; t4 = add t3 u4; t5 = select t2 t4 s5; t6 = min t5 u6; store t6 }",
	"kernel (u0:T, s1:T, u2:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; t2 = add t1 u2; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T, u4:T) { t0 = ne u0 u0; t1 = select t0 s1 u0; t2 = add u2 t1; t3 = select t0 s1 s3; t4 = add u4 t3; store t2 t4 }",
	"kernel (u0:T, u1:bool, s2:T, u3:T) { t0 = ne u0 u0; t1 = and t0 u1; t2 = select t0 s2 u0; t3 = max t2 u3; store t1 t3 }",
	"kernel (u0:T, u1:bool, s2:T, u3:T) { t0 = ne u0 u0; t1 = and t0 u1; t2 = select t0 s2 u0; t3 = min t2 u3; store t1 t3 }",
}

// questionKernels test whether any or all elements are beyond a number or equal to others, and count them, for each of
// questionTypes, T: of rows, and of columns.
var questionKernels = []string{
	"reduce [or] kernel (s0:T, u1:T) { t0 = lt s0 u1; store t0 }",
	"reduce [or] kernel (u0:T, s1:T) { t0 = lt u0 s1; store t0 }",
	"reduce [or] kernel (u0:T, u1:T) { t0 = ne u0 u1; store t0 }",
	"reduce [add] kernel (s0:T, u1:T) { t0 = lt s0 u1; t1 = cast:i32 t0; store t1 }",
	"reduce [add] kernel (u0:T, s1:T) { t0 = lt u0 s1; t1 = cast:i32 t0; store t1 }",
	"reduce [add] kernel (u0:T, s1:T) { t0 = eq u0 s1; t1 = cast:i32 t0; store t1 }",
	"reduce [and] kernel (s0:T, u1:T) { t0 = lt s0 u1; store t0 }",
	"reduce [and] kernel (u0:T, s1:T) { t0 = lt u0 s1; store t0 }",
	"reduce [and] kernel (u0:T, u1:T) { t0 = eq u0 u1; store t0 }",
	"kernel (s0:T, u1:T, u2:bool) { t0 = lt s0 u1; t1 = and t0 u2; store t1 }",
	"kernel (u0:T, s1:T, u2:bool) { t0 = lt u0 s1; t1 = and t0 u2; store t1 }",
}

var questionTypes = []ir.DType{ir.Float32, ir.Float64, ir.Int32}

// streamKernels reduce several rows from memory together, for each of superTypes, T: as many rows as leave registers for
// the computation.
var streamKernels = []string{
	"reduce [add, add] kernel (u0:T, u1:T) { store u0 u1 }",
	"reduce [max, max] kernel (u0:T, u1:T) { store u0 u1 }",
	"reduce [min, min] kernel (u0:T, u1:T) { store u0 u1 }",
	"reduce [max, max, max, max] kernel (u0:T, u1:T, u2:T, u3:T) { store u0 u1 u2 u3 }",
	"reduce [min, min, min, min] kernel (u0:T, u1:T, u2:T, u3:T) { store u0 u1 u2 u3 }",
	"reduce [argmax, argmax, max, max] kernel (u0:T, u1:T) { store u0 u1 u0 u1 }",
	"reduce [argmin, argmin, min, min] kernel (u0:T, u1:T) { store u0 u1 u0 u1 }",
	"reduce [add, add] kernel (u0:T, u1:T) { t0 = mul u0 u0; t1 = mul u1 u1; store t0 t1 }",
	"reduce [add, add] kernel (u0:T, u1:T) { t0 = abs u0; t1 = abs u1; store t0 t1 }",
	"reduce [add, add] kernel (u0:T, u1:T, u2:T) { t0 = mul u0 u1; t1 = mul u2 u1; store t0 t1 }",
	"reduce [add, add, add] kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = mul u2 u1; t2 = mul u3 u1; store t0 t1 t2 }",
}

// isStream reports whether a reduction is one of streamKernels.
func isStream(m *kernel.Micro) bool {
	return slices.ContainsFunc(parseAll(superTypes, streamKernels...), func(c kernel.Code) bool { return c.Signature() == m.Signature() })
}

// partialKernels combine partial results: those of a float32 sum in float64, and those of a sum of short integers in 64 bits.
var partialKernels = []string{
	"reduce [add] kernel (u0:i32) { t0 = cast:i64 u0; store t0 }",
	"kernel (u0:i32, u1:i64) { t0 = cast:i64 u0; t1 = add t0 u1; store t1 }",
	"reduce [add] kernel (u0:f32) { t0 = cast:f64 u0; store t0 }",
	"kernel (u0:f32, u1:f64) { t0 = cast:f64 u0; t1 = add t0 u1; store t1 }",
}

// productKernels are the levels of a product of floats, along rows and columns, and its end (package ir, product.go).
var productKernels = []string{
	"reduce [mul] kernel (u0:f64) { t0 = significand u0; store t0 }",
	"reduce [add] kernel (u0:f64, u1:f64) { t0 = exponent u0; t1 = add t0 u1; store t1 }",
	"kernel (u0:f64, u1:f64) { t0 = ldexp u0 u1; t1 = cast:f32 t0; store t1 }",
	"reduce [mul, add] kernel (u0:f64) { t0 = significand u0; t1 = exponent u0; store t0 t1 }",
	"reduce [mul, add] kernel (u0:f32) { t0 = significand u0; t1 = cast:f64 t0; t2 = exponent u0; store t1 t2 }",
	"kernel (u0:f64, u1:f64, u2:f64) { t0 = significand u0; t1 = mul t0 u1; t2 = exponent u0; t3 = add t2 u2; store t1 t3 }",
	"kernel (u0:f32, u1:f64, u2:f32) { t0 = significand u0; t1 = cast:f64 t0; t2 = mul t1 u1; t3 = exponent u0; t4 = add t3 u2; store t2 t4 }",
}

// byteKernels count bools, and sum 1-byte and 2-byte integers and distances of bytes.
var byteKernels = []string{
	"reduce [add] kernel (u0:bool) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:bool) { t0 = cast:i32 u0; store t0 }",
	"reduce [add] kernel (u0:u8) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:u8) { t0 = cast:u64 u0; store t0 }",
	"reduce [add] kernel (u0:u8) { t0 = cast:i32 u0; store t0 }",
	"reduce [add] kernel (u0:i8) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:i8) { t0 = cast:i32 u0; store t0 }",
	"reduce [add] kernel (u0:i16) { t0 = cast:i64 u0; store t0 }",
	"reduce [add] kernel (u0:i16) { t0 = cast:i32 u0; store t0 }",
	"reduce [add] kernel (u0:u16) { t0 = cast:u64 u0; store t0 }",
	"reduce [add] kernel (u0:u8, u1:u8) { t0 = max u0 u1; t1 = min u0 u1; t2 = sub t0 t1; t3 = cast:i64 t2; store t3 }",
	"reduce [add] kernel (u0:u8, u1:u8) { t0 = max u0 u1; t1 = min u0 u1; t2 = sub t0 t1; t3 = cast:i32 t2; store t3 }",
}

// byteProducts are sums of products of bytes, for each pair of types of bytes, A and B: of one row, and of several rows with the
// same vector (row-reduction/streams). byteDistances are sums of squares and of squared distances, for each type of bytes.
var (
	byteProducts = []string{
		"reduce [add] kernel (u0:A, u1:B) { t0 = cast:i32 u0; t1 = cast:i32 u1; t2 = mul t0 t1; store t2 }",
		"reduce [add, add] kernel (u0:A, u1:B, u2:B) { t0 = cast:i32 u0; t1 = cast:i32 u1; t2 = mul t0 t1; t3 = cast:i32 u2; t4 = mul t0 t3; store t2 t4 }",
	}
	byteDistances = []string{
		"reduce [add] kernel (u0:A) { t0 = cast:i32 u0; t1 = mul t0 t0; store t1 }",
		"reduce [add] kernel (u0:A, u1:A) { t0 = cast:i32 u0; t1 = cast:i32 u1; t2 = sub t0 t1; t3 = mul t2 t2; store t3 }",
		"reduce [add, add] kernel (u0:A, u1:A, u2:A) { t0 = cast:i32 u0; t1 = cast:i32 u1; t2 = sub t0 t1; t3 = mul t2 t2; t4 = cast:i32 u2; t5 = sub t4 t1; t6 = mul t5 t5; store t3 t6 }",
	}
)

// byteProductKernels returns the kernels of products and distances of bytes.
func byteProductKernels() (out []kernel.Code) {
	for _, a := range []string{"i8", "u8"} {
		for _, b := range []string{"i8", "u8"} {
			texts := byteProducts
			if a == b {
				texts = slices.Concat(texts, byteDistances)
			}
			for _, text := range texts {
				out = append(out, parseAll([]ir.DType{ir.Invalid}, strings.NewReplacer("A", a, "B", b).Replace(text))...)
			}
		}
	}
	return out
}

// wideKernels reduce a type that is computed in another type, for each such type, T, its compute type, W, and op.
const wideKernels = "reduce [BY] kernel (u0:T) { t0 = cast:W u0; store t0 }"

// halfKernels are reductions of 16-bit floats, for each such type, T: products of matrices and vectors, variances, and sums and
// maxima of columns.
var halfKernels = []string{
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = add t0 u1; store t1 }",
	"kernel (u0:T, u1:f32) { t0 = cast:f32 u0; t1 = max t0 u1; store t1 }",
	"reduce [add] kernel (u0:T, u1:T) { t0 = cast:f32 u0; t1 = cast:f32 u1; t2 = mul t0 t1; store t2 }",
	"reduce [add] kernel (u0:T, s1:f32) { t0 = cast:f32 u0; t1 = sub t0 s1; t2 = mul t1 t1; store t2 }",
	"reduce [add] kernel (u0:T, s1:f32, s2:f32) { t0 = cast:f32 u0; t1 = mul s1 s2; t2 = sub t0 t1; t3 = mul t2 t2; store t3 }",
}

// placeKernels find the greatest or least integer of a chunk of a row, and its position.
var placeKernels = []string{
	"reduce [argBY, BY] kernel (u0:i32) { store u0 u0 }",
	"reduce [argBY, BY] kernel (u0:i64) { store u0 u0 }",
	"reduce [argBY, BY] kernel (u0:u8) { store u0 u0 }",
	"reduce [argBY, BY] kernel (u0:i8) { t0 = cast:i32 u0; store t0 t0 }",
	"reduce [argBY, BY] kernel (u0:i16) { t0 = cast:i32 u0; store t0 t0 }",
	"reduce [argBY, BY] kernel (u0:u16) { t0 = cast:i32 u0; store t0 t0 }",
}

// manyRows combines the accumulators of a column reduction, u0, with the rows of one call (Machine.RowsAtOnce), for each
// of superTypes and the ops of arithmetic.
const manyRows = "kernel (u0:T, u1:T, u2:T, u3:T, u4:T) { t0 = BY u0 u1; t1 = BY t0 u2; t2 = BY t1 u3; t3 = BY t2 u4; store t3 }"

// fourRows combines, in pairs, four rows of a table that gather_reduce selects, for each of superTypes and each op except sums.
// eightRows combines eight.
const (
	fourRows  = "kernel (u0:T, u1:T, u2:T, u3:T) { t0 = BY u0 u1; t1 = BY u2 u3; t2 = BY t0 t1; store t2 }"
	eightRows = "kernel (u0:T, u1:T, u2:T, u3:T, u4:T, u5:T, u6:T, u7:T) { t0 = BY u0 u1; t1 = BY u2 u3; t2 = BY t0 t1; t3 = BY u4 u5; t4 = BY u6 u7; t5 = BY t3 t4; t6 = BY t2 t5; store t6 }"
)

// manyRowsOf are bodies for which column reductions have kernels that combine one row and manyRowsAtOnce rows, for each of some
// types, T: of a row vector times a matrix, of norms and variances of columns and of rows, of positions of the least or
// greatest element of a column, and of counts. The numbers are the operands that are the same in all rows.
var manyRowsOf = []struct {
	body  string
	by    ir.Op
	same  []int
	types []ir.DType
}{
	{"kernel (u0:T, s1:T) { t0 = mul u0 s1; store t0 }", ir.OpAdd, nil, superTypes},
	{"kernel (u0:T) { t0 = mul u0 u0; store t0 }", ir.OpAdd, nil, superTypes},
	{"kernel (u0:T, u1:T) { t0 = sub u0 u1; t1 = mul t0 t0; store t1 }", ir.OpAdd, []int{1}, superTypes},
	{"kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store t1 }", ir.OpAdd, nil, superTypes},
	{"kernel (u0:T, u1:T, s2:i32, s3:i32) { t0 = eq u0 u1; t1 = ne u0 u0; t2 = or t0 t1; t3 = select t2 s2 s3; store t3 }", ir.OpMin, []int{1, 3}, superTypes},
	{"kernel (u0:T, u1:T, s2:i32, s3:i32) { t0 = eq u0 u1; t1 = select t0 s2 s3; store t1 }", ir.OpMin, []int{1, 3}, []ir.DType{ir.Int32, ir.Int64}},
	{"kernel (s0:T, u1:T) { t0 = lt s0 u1; t1 = cast:i32 t0; store t1 }", ir.OpAdd, []int{0}, questionTypes},
	{"kernel (u0:T, s1:T) { t0 = lt u0 s1; t1 = cast:i32 t0; store t1 }", ir.OpAdd, []int{1}, questionTypes},
	{"kernel (u0:T) { store u0 }", ir.OpMax, nil, []ir.DType{ir.Int32, ir.Int64}},
	{"kernel (u0:T) { t0 = cast:i32 u0; store t0 }", ir.OpMax, nil, []ir.DType{ir.Int8, ir.Int16, ir.Uint16}},
	{"kernel (u0:T) { t0 = cast:i32 u0; store t0 }", ir.OpMin, nil, []ir.DType{ir.Int8, ir.Int16, ir.Uint16}},
	{"kernel (u0:T) { store u0 }", ir.OpMin, nil, []ir.DType{ir.Int32, ir.Int64}},
	{"kernel (u0:T) { store u0 }", ir.OpAdd, nil, []ir.DType{ir.Int32, ir.Int64}},
	{"kernel (u0:T) { t0 = cast:i32 u0; store t0 }", ir.OpAdd, nil, []ir.DType{ir.Bool, ir.Uint8, ir.Int8, ir.Uint16, ir.Int16}},
}

// manyRowsAtOnce is Machine.RowsAtOnce.
const manyRowsAtOnce = 4

// normKernels are the bodies that layer normalization applies to a row after its moments are known.
var normKernels = []string{
	"kernel (s0:T, u1:T, s2:T) { t0 = mul s0 u1; t1 = add t0 s2; t2 = rsqrt t1; store t2 }",
	"kernel (s0:T, s1:T, u2:T, s3:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 s3; store t2 }",
	"kernel (s0:T, s1:T, u2:T, s3:T, u4:T, u5:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 s3; t3 = mul u4 t2; t4 = add t3 u5; store t4 }",
}

// columnKernels reduce columns, for each of superTypes, T: distances of all rows of one matrix to all of another, and products in
// which other ops replace multiplication and addition. A difference has two kernels, as either side may move from
// row to row.
var columnKernels = []string{
	"reduce_columns add kernel (u0:T) { store u0 }",
	"reduce_columns add kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store t1 }",
	"reduce_columns add kernel (s0:T, u1:T) { t0 = sub s0 u1; t1 = mul t0 t0; store t1 }",
	"reduce_columns add kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = abs t0; store t1 }",
	"reduce_columns add kernel (s0:T, u1:T) { t0 = sub s0 u1; t1 = abs t0; store t1 }",
	"reduce_columns max kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = abs t0; store t1 }",
	"reduce_columns max kernel (s0:T, u1:T) { t0 = sub s0 u1; t1 = abs t0; store t1 }",
	"reduce_columns add kernel (u0:T, s1:T) { t0 = mul u0 s1; store t0 }",
	"reduce_columns min kernel (u0:T, s1:T) { t0 = add u0 s1; store t0 }",
	"reduce_columns max kernel (u0:T, s1:T) { t0 = add u0 s1; store t0 }",
}

// builtinReductions returns the built-in reductions: of a plain operand by every op on every type, and those above.
func builtinReductions() []kernel.Code {
	out := parseAll([]ir.DType{ir.Invalid}, slices.Concat(partialKernels, productKernels, byteKernels)...)
	out = append(out, parseAll(superTypes, streamKernels...)...)
	out = append(out, parseAll(questionTypes, questionKernels...)...)
	ops, types := combiners()
	for _, by := range ops {
		out = append(out, parseAll((types[by]&ir.Native).List(), fmt.Sprintf("reduce [%s] kernel (u0:T) { store u0 }", by))...)
	}
	for _, d := range (ir.AllTypes &^ ir.Native).List() {
		for _, by := range ops {
			if types[by].Has(d) && !slices.Contains([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}, by) {
				out = append(out, parseAll([]ir.DType{ir.Invalid}, strings.NewReplacer("BY", by.String(), "T", d.Text(), "W", d.Compute().Text()).Replace(wideKernels))...)
			}
		}
	}
	out = append(out, parseAll([]ir.DType{ir.Float16, ir.BFloat16}, halfKernels...)...)
	out = append(out, byteProductKernels()...)
	for _, by := range []string{"min", "max"} {
		for _, text := range placeKernels {
			out = append(out, parseAll([]ir.DType{ir.Invalid}, strings.ReplaceAll(text, "BY", by))...)
		}
	}
	for _, by := range kernel.ReduceColumns.Ops() {
		out = append(out, parseAll(superTypes, strings.ReplaceAll(manyRows, "BY", by.String()))...)
	}
	for _, op := range kernel.GatherReduce.Ops() {
		if op.Info().By == ir.OpAdd {
			continue
		}
		out = append(out, parseAll(superTypes, strings.ReplaceAll(fourRows, "BY", op.Info().By.String()), strings.ReplaceAll(eightRows, "BY", op.Info().By.String()))...)
	}
	out = append(out, manyRowKernels()...)
	return append(out, parseAll(superTypes, slices.Concat(reduceKernels, normKernels, columnKernels)...)...)
}

// manyRowKernels returns the kernels of manyRowsOf.
func manyRowKernels() (out []kernel.Code) {
	for _, row := range manyRowsOf {
		for _, d := range row.types {
			body, err := kernel.ParseKernel(strings.ReplaceAll(row.body, "T", d.Text()))
			if err != nil {
				panic(fmt.Sprintf("BUG: codegen: %s: %v", row.body, err))
			}
			for _, rows := range []int{1, manyRowsAtOnce} {
				k, _ := body.Accumulate([]ir.Op{row.by}, rows, func(in int) bool { return slices.Contains(row.same, in) })
				out = append(out, k)
			}
		}
	}
	return out
}
