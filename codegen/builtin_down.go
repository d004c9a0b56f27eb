package codegen

import (
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// downKernels fold down the rows, for each of superTypes, T: distances of all rows of
// one matrix to all of another, and products in which sums, minima and maxima take
// the place of products and sums. Which side of a difference moves from row to row
// makes two kernels of one.
var downKernels = []string{
	"kernel down (u0:T, s1:T) { t0 = sub u0 s1; t1 = mul t0 t0; store add(t1) }",
	"kernel down (s0:T, u1:T) { t0 = sub s0 u1; t1 = mul t0 t0; store add(t1) }",
	"kernel down (u0:T, s1:T) { t0 = sub u0 s1; t1 = abs t0; store add(t1) }",
	"kernel down (s0:T, u1:T) { t0 = sub s0 u1; t1 = abs t0; store add(t1) }",
	"kernel down (u0:T, s1:T) { t0 = sub u0 s1; t1 = abs t0; store max(t1) }",
	"kernel down (s0:T, u1:T) { t0 = sub s0 u1; t1 = abs t0; store max(t1) }",
	"kernel down (u0:T, s1:T) { t0 = mul u0 s1; store add(t0) }",
	"kernel down (u0:T, s1:T) { t0 = add u0 s1; store min(t0) }",
	"kernel down (u0:T, s1:T) { t0 = add u0 s1; store max(t0) }",
}

// builtinDowns returns the kernels that fold down among Builtins.
func builtinDowns() []*kernel.Kernel {
	var out []*kernel.Kernel
	for _, text := range downKernels {
		for _, d := range superTypes {
			k, err := kernel.ParseKernel(strings.ReplaceAll(text, "T", d.Text()))
			if err != nil {
				panic(fmt.Sprintf("BUG: codegen: %s: %v", text, err))
			}
			out = append(out, k.InTier(false))
		}
	}
	return out
}
