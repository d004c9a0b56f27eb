package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
)

// TestPortableTable proves the table total: every lane op that an expansion of one
// leaves has its Go on its choice of types, and no other op has.
func TestPortableTable(t *testing.T) {
	for _, op := range ir.Ops() {
		_, ok := portableOps[op]
		require.Equal(t, op.Info().Kind == ir.Lane, ok, "%s", op)
		if !ok {
			continue
		}
		require.NotEmpty(t, opTypes(op), "%s", op)
		for _, types := range opTypes(op) {
			e := elementary.Expand(singleOp(op, types, 0))
			for _, in := range e.Body {
				if in.Op == ir.OpConst {
					continue
				}
				text := string(portableOps[in.Op](e.DType(in.Args[in.Arity()-1]), in.DType))
				for i := range in.Arity() {
					require.Contains(t, text, "$"+string("xyz"[i]), "%s %v", op, types)
				}
			}
		}
	}
}

// TestEveryFloatIsRounded looks for arithmetic that Go could fuse: a float sum
// or product that is not inside a conversion.
func TestEveryFloatIsRounded(t *testing.T) {
	for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv} {
		for _, d := range []ir.DType{ir.Float32, ir.Float64} {
			text := string(portableOps[op](d, d))
			require.True(t, strings.HasPrefix(text, "$T(") && strings.HasSuffix(text, ")"), "%s: %s", op, text)
		}
	}
}

func TestBuiltins(t *testing.T) {
	kernels := Builtins()
	seen := map[string]bool{}
	ops := map[ir.Op]bool{}
	for _, k := range kernels {
		require.NoError(t, k.Verify())
		canon, _ := k.Canonical()
		require.Equal(t, canon.Signature(), k.Signature())
		require.False(t, seen[k.Signature()], k.Signature())
		seen[k.Signature()] = true
		if k.Fold == nil {
			ops[k.Body[0].Op] = true
		}
	}
	for _, op := range ir.Ops() {
		require.Equal(t, op.IsElementwise() || op == ir.OpDot || op == ir.OpPermute, ops[op], "%s", op)
	}
	for _, sig := range []string{
		"kernel (s0:f32) { t0 = copy s0; store t0 }",
		"kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }",
		"kernel (s0:f32, u1:f32) { t0 = sub s0 u1; store t0 }",
		"kernel (u0:f64) { t0 = cast:bool u0; store t0 }",
		"kernel (u0:bool, s1:i64, u2:i64) { t0 = select u0 s1 u2; store t0 }",
		"kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add s2 t0; store t1 }",
		"kernel (u0:f64, s1:f64, u2:f64) { t0 = sub u0 s1; t1 = div t0 u2; store t1 }",
		"kernel (u0:f32, u1:f32, u2:f32) { t0 = div u0 u1; t1 = sub u2 t0; store t1 }",
		"kernel (u0:u8) { store max(u0) }",
		"kernel (u0:bool) { store and(u0) }",
		"kernel (u0:f64, s1:f64) { t0 = sub u0 s1; t1 = exp t0; store t1 add(t1) }",
		"kernel (s0:i64, u1:i64) { t0 = dot s0 u1; store t0 }",
		"kernel (u0:u8) { t0 = permute u0; store t0 }",
	} {
		require.Contains(t, seen, sig)
	}
	// Splats alone are computed apart; pairs come in the types of formulas.
	for _, sig := range []string{
		"kernel (s0:f32, s1:f32) { t0 = sub s0 s1; store t0 }",
		"kernel (s0:f32, s1:f32, u2:f32) { t0 = mul s0 s1; t1 = add t0 u2; store t1 }",
		"kernel (u0:i32, u1:i32, u2:i32) { t0 = mul u0 u1; t1 = add t0 u2; store t1 }",
	} {
		require.NotContains(t, seen, sig)
	}
}
