package codegen

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// superKernels are bodies of several operations that formulas often have: one kernel for
// them saves a pass through memory. $0, $1, ... are the operands, and each may be a splat.
var superKernels = []string{
	"t0 = mul $0 $1; t1 = add t0 $2",
	"t0 = mul $0 $1; t1 = sub t0 $2",
	"t0 = mul $0 $1; t1 = sub $2 t0",
	"t0 = mul $0 $1; t1 = mul t0 $2",
	"t0 = add $0 $1; t1 = add t0 $2",
	"t0 = add $0 $1; t1 = mul t0 $2",
	"t0 = add $0 $1; t1 = div $2 t0",
	"t0 = add $0 $1; t1 = sqrt t0",
	"t0 = add $0 $1; t1 = reciprocal t0",
	"t0 = sub $0 $1; t1 = add t0 $2",
	"t0 = sub $0 $1; t1 = mul t0 $2",
	"t0 = sub $0 $1; t1 = div t0 $2",
	"t0 = sub $0 $1; t1 = mul t0 t0",
	"t0 = sub $0 $1; t1 = abs t0",
	"t0 = div $0 $1; t1 = add t0 $2",
	"t0 = div $0 $1; t1 = sub t0 $2",
	"t0 = div $0 $1; t1 = sub $2 t0",
	"t0 = abs $0; t1 = add t0 $1",
	"t0 = mul $0 $0; t1 = add t0 $1",
}

// thresholds are such bodies of bytes. The canonical order of a comparison is
// by lt and le.
var thresholds = []string{
	"t0 = lt $0 $1; t1 = select t0 $2 $3",
	"t0 = le $0 $1; t1 = select t0 $2 $3",
}

// pictures are longer bodies of bytes: ranges, and the mix of two pictures by weights.
var pictures = []string{
	"kernel (s0:u8, u1:u8, u2:u8, s3:u8) { t0 = lt s0 u1; t1 = lt u2 s3; t2 = and t0 t1; store t2 }",
	"kernel (s0:u8, u1:u8, s2:u8) { t0 = lt s0 u1; t1 = lt u1 s2; t2 = and t0 t1; store t2 }",
	"kernel (u0:u8, s1:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; store t1 }",
	"kernel (u0:u8, s1:u16, u2:u16, s3:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = add t1 u2; t3 = shr t2 s3; store t3 }",
	"kernel (u0:u8, s1:u16, u2:u16, s3:u16) { t0 = cast:u16 u0; t1 = mul t0 s1; t2 = addsat t1 u2; t3 = shr t2 s3; store t3 }",
	"kernel (u0:u16, s1:u16) { t0 = shr u0 s1; t1 = cast:u8 t0; store t1 }",
}

// longKernels are longer ones, with the operands that formulas have, for each of superTypes, T: steps
// of polynomials, sums and differences of products, counts, choices between values, clipping,
// greatest ones of few, those of biases and their bounds, and normalizations.
var longKernels = []string{
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = add t0 u2; t2 = mul t1 u3; store t2 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = mul u0 u1; t1 = add t0 s2; t2 = mul t1 u3; store t2 }",
	"kernel (u0:T, s1:T, s2:T, u3:T) { t0 = mul u0 s1; t1 = add t0 s2; t2 = mul t1 u3; store t2 }",
	"kernel (s0:T, u1:T, u2:T, u3:T) { t0 = mul s0 u1; t1 = mul t0 u2; t2 = add t1 u3; store t2 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = add t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = mul u0 s1; t1 = mul u2 s3; t2 = add t0 t1; store t2 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = mul u0 u1; t1 = mul u2 u3; t2 = sub t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = mul u0 s1; t1 = mul u2 s3; t2 = sub t0 t1; store t2 }",
	"kernel (u0:T, s1:T) { t0 = lt u0 s1; t1 = cast:T t0; store t1 }",
	"kernel (s0:T, u1:T) { t0 = lt s0 u1; t1 = cast:T t0; store t1 }",
	"kernel (s0:T, u1:T, u2:T, s3:T) { t0 = lt s0 u1; t1 = lt u2 s3; t2 = and t0 t1; store t2 }",
	"kernel (u0:T, s1:T, u2:T) { t0 = lt u0 s1; t1 = cast:T t0; t2 = add t1 u2; store t2 }",
	"kernel (s0:T, u1:T, u2:T) { t0 = lt s0 u1; t1 = cast:T t0; t2 = add t1 u2; store t2 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = add u0 u1; t1 = lt t0 s2; t2 = cast:T t1; t3 = add t2 u3; store t3 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = lt u0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:T, s1:T, u2:T, u3:T) { t0 = lt u0 s1; t1 = select t0 u2 u3; store t1 }",
	"kernel (s0:T, u1:T, u2:T, u3:T) { t0 = lt s0 u1; t1 = select t0 u2 u3; store t1 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = lt u0 s1; t1 = select t0 u2 s3; store t1 }",
	"kernel (s0:T, u1:T, u2:T, s3:T) { t0 = lt s0 u1; t1 = select t0 u2 s3; store t1 }",
	"kernel (u0:T, s1:T, s2:T, u3:T) { t0 = lt u0 s1; t1 = select t0 s2 u3; store t1 }",
	"kernel (s0:T, u1:T, s2:T, u3:T) { t0 = lt s0 u1; t1 = select t0 s2 u3; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = max u0 s1; t1 = min t0 s2; store t1 }",
	"kernel (u0:T, u1:T, s2:T) { t0 = add u0 u1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, s1:T, s2:T) { t0 = add u0 s1; t1 = max t0 s2; store t1 }",
	"kernel (u0:T, s1:T, u2:T, s3:T) { t0 = add u0 s1; t1 = add t0 u2; t2 = max t1 s3; store t2 }",
	"kernel (u0:T, u1:T, u2:T) { t0 = max u0 u1; t1 = max t0 u2; store t1 }",
	"kernel (u0:T, u1:T, s2:T, u3:T) { t0 = add u0 u1; t1 = max t0 s2; t2 = add u3 u1; t3 = max t2 s2; t4 = max t1 t3; store t4 }",
	"kernel (u0:T, u1:T, u2:T, u3:T) { t0 = max u0 u1; t1 = max u2 u3; t2 = max t0 t1; store t2 }",
	"kernel (u0:T, s1:T, s2:T, u3:T, u4:T) { t0 = sub u0 s1; t1 = mul t0 s2; t2 = mul t1 u3; t3 = add t2 u4; store t3 }",
	"kernel (u0:T, u1:T, u2:T, u3:T, u4:T) { t0 = sub u0 u1; t1 = mul t0 u2; t2 = mul t1 u3; t3 = add t2 u4; store t3 }",
}

// superTypes are the element types that superKernels come in.
var superTypes = []ir.DType{ir.Float32, ir.Float64}

// Builtins returns the kernels that the library brings: every elementwise op on
// every type that is computed in itself, with every mix of unit and splat operands unless
// the op is long, conversions and short arithmetic on other types, the super-kernels, and
// the micro-kernels. They are the instructions from which any fused
// kernel can be put together. All are canonical, and sorted by signature.
//
// There are no operations on splats alone, except copy, which fills a block: such a value
// is computed once for each row, or before.
func Builtins() []kernel.Code {
	var out []kernel.Code
	for _, op := range ir.Ops() {
		if !op.IsElementwise() {
			continue
		}
		for _, types := range opTypes(op) {
			for splats := range 1 << len(types.in) {
				if splats == 1<<len(types.in)-1 && op != ir.OpCopy || splats > 0 && filled(op) {
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

// fusedBuiltins returns the kernels of several operations among Builtins that save passes over
// memory: a tiling computes the same from the others.
func fusedBuiltins() []kernel.Code {
	var out []kernel.Code
	add := func(bodies []string, types ...ir.DType) {
		for _, body := range bodies {
			for _, d := range types {
				for splats := range 1 << strings.Count(body, "$") {
					if k := superKernel(body, d, splats); !splatOnly(k) {
						out = append(out, k)
					}
				}
			}
		}
	}
	add(superKernels, superTypes...)
	add(thresholds, ir.Uint8)
	out = append(out, parseAll(superTypes, longKernels...)...)
	out = append(out, parseAll(superTypes[:1], pictures...)...)
	return append(append(out, dotChains()...), taps()...)
}

// signatures returns the set of the signatures of kernels.
func signatures(kernels []kernel.Code) map[string]bool {
	set := map[string]bool{}
	for _, k := range kernels {
		set[k.Signature()] = true
	}
	return set
}

// dotChains returns the kernels of products of small matrices that are not of one op: the first
// chains of floats, and the step of one pair of integers.
func dotChains() (out []kernel.Code) {
	add := func(by ir.Op, d ir.DType, pairs int, first bool) {
		k, _ := kernel.DotChain(by, d, pairs, first)
		out = append(out, k)
	}
	for _, d := range superTypes {
		for pairs := 2; pairs <= kernel.DotChainPairs; pairs++ {
			add(ir.OpMul, d, pairs, true)
		}
	}
	add(ir.OpMul, ir.Int32, 1, false)
	add(ir.OpMul, ir.Int64, 1, false)
	add(ir.OpMulHalves, ir.Int32, 1, false)
	return out
}

// filled reports whether an op takes so long that it has kernels of unit operands alone:
// tilings copy a splat to all columns before it.
func filled(op ir.Op) bool {
	return op.Info().Kind == ir.Composed && op.Info().Cost >= 10
}

// narrowOps are the ops that have kernels on types that are computed in another: those that
// take much less time than the conversions of a tiling. Integers of 16 bits have more.
var (
	narrowOps = []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax}
	wordOps   = map[ir.DType][]ir.Op{ir.Uint16: {ir.OpShr, ir.OpAddSat, ir.OpSubSat, ir.OpLt, ir.OpLe}, ir.Int16: {ir.OpShr, ir.OpAddSat, ir.OpSubSat}}
	// shortCasts are conversions that do not go by way of a compute type.
	shortCasts = [][2]ir.DType{{ir.Uint8, ir.Uint16}, {ir.Uint8, ir.Int16}, {ir.Int8, ir.Int16}, {ir.Uint16, ir.Uint8}, {ir.Int16, ir.Uint8}, {ir.Int16, ir.Int8}}
)

// inTilings reports whether tilings have the op of a kernel of one: the unlikely select is
// made by expansions alone, an op that expands to one instruction is written as that, and
// most ops on a type that is computed in another as casts and the op on that one.
func inTilings(k *kernel.Kernel) bool {
	in := k.Body[0]
	wide := elementary.Widen(k, func(in kernel.Inst, d ir.DType) bool {
		return slices.Contains(narrowOps, in.Op) || slices.Contains(wordOps[d], in.Op) || in.Op == ir.OpCast && slices.Contains(shortCasts, [2]ir.DType{d, in.DType})
	})
	return in.Op != ir.OpUnlikely && len(wide.Body) == 1 && wide.Body[0] == in &&
		(in.Op.Info().Kind != ir.Composed || len(elementary.Expand(k).Body) > 1)
}

// builtinMicros returns the micro-kernels that need nothing but a type.
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

// parseAll parses kernel texts once for each type, which replaces T in them, and returns
// the canonical kernels.
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

// superKernel returns the kernel of a body; bit i of splats makes operand i one.
func superKernel(body string, d ir.DType, splats int) *kernel.Kernel {
	name := func(i int) string { return "us"[splats>>i&1:][:1] + strconv.Itoa(i) }
	in := make([]string, strings.Count(body, "$"))
	for i := range in {
		in[i] = name(i) + ":" + d.Text()
	}
	body = os.Expand(body, func(operand string) string {
		i, _ := strconv.Atoi(operand)
		return name(i)
	})
	last := strings.Count(body, ";")
	k, err := kernel.ParseKernel(fmt.Sprintf("kernel (%s) { %s; store t%d }", strings.Join(in, ", "), body, last))
	if err != nil {
		panic(fmt.Sprintf("BUG: codegen: %s: %v", body, err))
	}
	k, _ = k.Canonical()
	return k
}

// splatOnly reports whether an operation has splats for all its operands: tilings
// compute those apart, once a row.
func splatOnly(k *kernel.Kernel) bool {
	for _, in := range k.Body {
		unit := func(r kernel.Ref) bool { return k.Inst(r) != nil || !k.In[r].Splat }
		if !slices.ContainsFunc(in.Args[:in.Arity()], unit) {
			return true
		}
	}
	return false
}

// singleOp returns the kernel of an op; bit i of splats makes operand i one.
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
