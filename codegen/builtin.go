package codegen

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Builtins returns the kernels that the library brings: every elementwise op on
// every type that runs, with every mix of unit and splat operands. They are the
// instructions from which any fused kernel can be put together. All are
// canonical, and sorted by signature.
//
// Operands that are all splats give one value, which the compiler folds or
// keeps as a scalar; only copy has that form, to fill a block.
func Builtins() []*ir.Kernel {
	bySig := map[string]*ir.Kernel{}
	for _, op := range ir.Ops() {
		if !op.IsElementwise() {
			continue
		}
		for _, sig := range opTypes(op) {
			for splats := range 1 << len(sig.in) {
				if splats == 1<<len(sig.in)-1 && op != ir.OpCopy {
					continue
				}
				k := singleOp(op, sig, splats)
				bySig[k.Signature()] = k
			}
		}
	}
	out := make([]*ir.Kernel, 0, len(bySig))
	for _, k := range bySig {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b *ir.Kernel) int { return cmp.Compare(a.Signature(), b.Signature()) })
	return out
}

// singleOp returns the kernel of an op; bit i of splats makes operand i one.
func singleOp(op ir.Op, types opType, splats int) *ir.Kernel {
	operands := make([]ir.Operand, len(types.in))
	for i, d := range types.in {
		operands[i] = ir.Operand{DType: d, Splat: splats>>i&1 == 1}
	}
	k, err := ir.SingleOp(op, types.given, operands...)
	if err != nil {
		panic(fmt.Sprintf("BUG: codegen: %s on %v: %v", op, types, err))
	}
	return k
}

// opType is one choice of types for an op: its operands', and the target of a
// conversion.
type opType struct {
	in    []ir.DType
	given ir.DType
}

// opTypes lists the choices of types that an op takes. A conversion to the
// operand's own type is a copy, and not listed.
func opTypes(op ir.Op) []opType {
	info := op.Info()
	var out []opType
	for _, d := range (info.Domain & ir.Running).List() {
		in := slices.Repeat([]ir.DType{d}, info.Arity)
		if info.Mask {
			in[0] = ir.Bool
		}
		if info.Result != ir.GivenType {
			out = append(out, opType{in, ir.Invalid})
			continue
		}
		for _, to := range ir.Running.List() {
			if _, err := op.ResultType(to, in...); err == nil && to != d {
				out = append(out, opType{in, to})
			}
		}
	}
	return out
}
