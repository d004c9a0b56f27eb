package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// foldOps are the ops that reductions fold by.
var foldOps = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpArgMin, ir.OpArgMax}

// foldKernels are the reductions that nearly every program has, for each of
// superTypes, T: norms, moments, distances, softmax, and
// where the least or greatest element stands. A square is what plans have for it, a
// product.
var foldKernels = []string{
	"kernel (u0:T) { t0 = mul u0 u0; store add(t0) }",
	"kernel (u0:T) { t0 = abs u0; store add(t0) }",
	"kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store add(t1) }",
	"kernel (s0:T, s1:T, u2:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 t1; store add(t2) }",
	"kernel (u0:T, u1:T) { t0 = mul u0 u1; store add(t0) }",
	"kernel (u0:T, u1:T) { t0 = sub u0 u1; t1 = mul t0 t0; store add(t1) }",
	"kernel (u0:T, s1:T) { t0 = sub u0 s1; t1 = exp t0; store t1 add(t1) }",
	"kernel (u0:T) { store min(u0) max(u0) }",
	"kernel (u0:T) { store argmin(u0) min(u0) }",
	"kernel (u0:T) { store argmax(u0) max(u0) }",
	"kernel (u0:T, u1:T, s2:i32, s3:i32, u4:i32, s5:i32, u6:i32) { t0 = ne u0 u0; t1 = eq u1 u0; t2 = or t0 t1; t3 = mul s2 s3; t4 = add t3 u4; t5 = select t2 t4 s5; t6 = min t5 u6; store t6 }",
}

// partialKernels fold what a float32 sum or product does in float64.
var partialKernels = []string{
	"kernel (u0:f32) { t0 = cast:f64 u0; store add(t0) }",
	"kernel (u0:f32) { t0 = cast:f64 u0; store mul(t0) }",
	"kernel (u0:f32, u1:f64) { t0 = cast:f64 u0; t1 = add t0 u1; store t1 }",
	"kernel (u0:f32, u1:f64) { t0 = cast:f64 u0; t1 = mul t0 u1; store t1 }",
}

// wideKernels fold what a type that is computed in another folds in that, for each
// such type, T, its compute type, W, and op.
const wideKernels = "kernel (u0:T) { t0 = cast:W u0; store BY(t0) }"

// manyRows is what a fold down the rows does to its accumulators, u0, in as many
// rows as runtime takes in one go, for each of superTypes and the ops of arithmetic.
const manyRows = "kernel (u0:T, u1:T, u2:T, u3:T, u4:T) { t0 = BY u0 u1; t1 = BY t0 u2; t2 = BY t1 u3; t3 = BY t2 u4; store t3 }"

// normKernels are what layer normalization does with the moments of a row.
var normKernels = []string{
	"kernel (s0:T, u1:T, s2:T) { t0 = mul s0 u1; t1 = add t0 s2; t2 = rsqrt t1; store t2 }",
	"kernel (s0:T, s1:T, u2:T, s3:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 s3; store t2 }",
	"kernel (s0:T, s1:T, u2:T, s3:T, u4:T, u5:T) { t0 = mul s0 s1; t1 = sub u2 t0; t2 = mul t1 s3; t3 = mul u4 t2; t4 = add t3 u5; store t4 }",
}

// builtinFolds returns the kernels with folds among Builtins, of an operand as
// it is by every op on every type, and those above.
func builtinFolds() []*kernel.Kernel {
	texts := slices.Clone(partialKernels)
	for _, by := range foldOps {
		for _, d := range (by.Info().Domain & ir.Native).List() {
			texts = append(texts, fmt.Sprintf("kernel (u0:%s) { store %s(u0) }", d.Text(), by))
		}
	}
	for _, d := range (ir.Running &^ ir.Native).List() {
		for _, by := range foldOps {
			if by.Info().Domain.Has(d) && !slices.Contains([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}, by) {
				texts = append(texts, strings.NewReplacer("BY", by.String(), "T", d.Text(), "W", d.Compute().Text()).Replace(wideKernels))
			}
		}
	}
	for _, by := range foldOps[:4] {
		for _, d := range superTypes {
			texts = append(texts, strings.NewReplacer("BY", by.String(), "T", d.Text()).Replace(manyRows))
		}
	}
	for _, text := range slices.Concat(foldKernels, normKernels) {
		for _, d := range superTypes {
			texts = append(texts, strings.ReplaceAll(text, "T", d.Text()))
		}
	}
	var out []*kernel.Kernel
	for _, text := range texts {
		k, err := kernel.ParseKernel(text)
		if err != nil {
			panic(fmt.Sprintf("BUG: codegen: %s: %v", text, err))
		}
		out = append(out, k.InTier(false), k.InTier(true))
	}
	return out
}
