package codegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Builtins returns the built-in kernels, in canonical form and sorted by signature. Any fused kernel can be put together from
// them. They are:
//
//   - every elementwise op on every type that is computed in itself, with every mix of unit and splat operands unless the
//     op is long;
//   - conversions and short arithmetic on other types;
//   - the kernels of several operations, and the micro-kernels.
//
// There are no operations on splats only, except copy, which fills a block: such a value is computed once per row, or earlier. Nor
// are there selections by a splat condition, or clippings of a splat element: tilings fill a block with it.
func Builtins() []kernel.Code {
	var out []kernel.Code
	for _, op := range ir.Ops() {
		if !op.IsElementwise() {
			continue
		}
		for _, types := range opTypes(op) {
			for splats := range 1 << len(types.in) {
				if splats == 1<<len(types.in)-1 && op != ir.OpCopy || splats > 0 && filled(op) || len(types.in) == 3 && splats&1 == 1 {
					continue
				}
				if k := singleOp(op, types, splats); inTilings(k) {
					out = append(out, k, k.InTier(true))
				}
			}
		}
	}
	out = append(out, fusedBuiltins()...)
	out = append(out, builtinMicros()...)
	out = append(out, builtinReductions()...)
	out = append(out, builtinScans()...)
	slices.SortFunc(out, func(a, b kernel.Code) int { return cmp.Compare(a.Signature(), b.Signature()) })
	return slices.CompactFunc(out, func(a, b kernel.Code) bool { return a.Signature() == b.Signature() })
}

// signatures returns the set of the signatures of kernels.
func signatures(kernels []kernel.Code) map[string]bool {
	set := map[string]bool{}
	for _, k := range kernels {
		set[k.Signature()] = true
	}
	return set
}

// filled reports whether an op is so long that its kernels have unit operands only. Tilings first copy a splat to all columns.
func filled(op ir.Op) bool {
	return op.Info().Kind == ir.Composed && op.Info().Cost >= 10
}

// narrowOps are the ops with kernels on types that are computed in another type: those that take much less time than the
// conversions of a tiling. 16-bit integers have more.
var (
	narrowOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax}
	wordOps   = map[ir.DType][]ir.Op{ir.Uint16: {ir.OpDiv, ir.OpShl, ir.OpShr, ir.OpAddSat, ir.OpSubSat, ir.OpLt, ir.OpLe, ir.OpXor, ir.OpSelect}, ir.Int16: {ir.OpAbs, ir.OpShr, ir.OpAddSat, ir.OpSubSat, ir.OpLt, ir.OpSelect}}
	// shortCasts are the conversions that bypass a compute type.
	shortCasts = [][2]ir.DType{
		{ir.Uint8, ir.Uint16}, {ir.Uint8, ir.Int16}, {ir.Int8, ir.Int16}, {ir.Uint8, ir.Int8}, {ir.Int8, ir.Uint8},
		{ir.Uint16, ir.Uint8}, {ir.Int16, ir.Uint8}, {ir.Int16, ir.Int8}, {ir.Uint16, ir.Int16}, {ir.Int16, ir.Uint16},
		{ir.Bool, ir.Int8}, {ir.Bool, ir.Int16}, {ir.Int8, ir.Bool}, {ir.Int16, ir.Bool},
		{ir.Int16, ir.Float32}, {ir.Uint16, ir.Float32},
	}
)

// inTilings reports whether tilings use this one-op kernel. Tilings have no unlikely select, which only expansions make. They write
// an op that expands to one instruction as that instruction, and most ops on a type that is computed in another type as
// casts and the op on the other type.
func inTilings(k *kernel.Kernel) bool {
	in := k.Body[0]
	wide := elementary.Widen(k, func(in kernel.Inst, d ir.DType) bool {
		return slices.Contains(narrowOps, in.Op) || slices.Contains(wordOps[d], in.Op) || in.Op == ir.OpCast && slices.Contains(shortCasts, [2]ir.DType{d, in.DType})
	})
	return in.Op != ir.OpUnlikely && len(wide.Body) == 1 && wide.Body[0] == in &&
		(in.Op.Info().Kind != ir.Composed || len(elementary.Expand(k).Body) > 1)
}

// builtinMicros returns the micro-kernels that are determined by a type.
func builtinMicros() []kernel.Code {
	var out []kernel.Code
	for _, row := range kernel.MicroKinds() {
		if row.Written() {
			continue
		}
		for _, d := range row.Types().List() {
			if m := (&kernel.Micro{Kind: row, Type: d}); m.Verify() == nil {
				out = append(out, m)
			}
		}
	}
	return out
}

// parseAll parses kernel texts once for each type, which replaces T in them, and returns the canonical kernels.
func parseAll(types []ir.DType, texts ...string) []kernel.Code {
	var out []kernel.Code
	for _, text := range texts {
		for _, d := range types {
			c, err := kernel.ParseCode(strings.ReplaceAll(text, "T", d.Text()))
			if err != nil {
				panic(fmt.Sprintf("BUG: codegen: %s: %v", text, err))
			}
			out = append(out, kernel.InTier(c, false), kernel.InTier(c, true))
		}
	}
	return out
}

// singleOp returns the kernel of an op. Bit i of splats makes operand i a splat.
func singleOp(op ir.Op, types opType, splats int) *kernel.Kernel {
	operands := make([]kernel.Operand, len(types.in))
	for i, d := range types.in {
		operands[i] = kernel.Operand{DType: d, Splat: splats>>i&1 == 1}
	}
	k, err := kernel.SingleOp(op, types.given, operands...)
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
	for _, d := range info.Domain.List() {
		in := slices.Repeat([]ir.DType{d}, info.Arity)
		if info.Mask {
			in[0] = ir.Bool
		}
		if info.Result != ir.GivenType {
			out = append(out, opType{in, ir.Invalid})
			continue
		}
		for _, to := range ir.AllTypes.List() {
			if _, err := op.ResultType(to, in...); err == nil && to != d {
				out = append(out, opType{in, to})
			}
		}
	}
	return out
}
