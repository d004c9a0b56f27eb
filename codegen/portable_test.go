package codegen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestPortableTable proves the table total: every lane op that an expansion of one
// leaves has its Go on its choice of types, and no other op has.
func TestPortableTable(t *testing.T) {
	for _, op := range ir.Ops() {
		_, ok := portableOps[op]
		kind := op.Info().Kind
		require.Equal(t, kind == ir.Lane || kind == ir.Inner, ok, "%s", op)
		if kind != ir.Lane {
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

// TestMicroTables checks that the portable engine has a template for every micro-kernel that
// is generated. The tests of package runtime/lines check the micro-kernels that are written by hand.
func TestMicroTables(t *testing.T) {
	for _, r := range kernel.MicroKinds() {
		if r.Written() {
			continue
		}
		require.Contains(t, portableMicros, r)
		require.Contains(t, microLoops, r)
	}
}

func TestBuiltins(t *testing.T) {
	kernels := Builtins()
	seen := map[string]bool{}
	ops := map[ir.Op]bool{}
	rows := map[kernel.MicroKind]ir.DTypes{}
	for _, c := range kernels {
		require.NoError(t, c.Verify())
		canon, _ := kernel.Canonical(c)
		require.Equal(t, canon.Signature(), c.Signature())
		require.False(t, seen[c.Signature()], c.Signature())
		seen[c.Signature()] = true
		switch c := c.(type) {
		case *kernel.Kernel:
			ops[c.Body[0].Op] = true
		case *kernel.Micro:
			rows[c.Kind] |= ir.SetOf(c.Type)
		}
	}
	for _, op := range ir.Ops() {
		require.False(t, ops[op] && !op.IsElementwise(), "%s", op)
	}
	for _, r := range kernel.MicroKinds() { // in every type that it is made for
		if r.Written() {
			continue
		}
		require.Contains(t, rows, r)
		require.Equal(t, r.Types(), rows[r]&^ir.SetOf(ir.Invalid), "%s", r)
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
		"reduce [max] kernel (u0:u8) { store u0 }",
		"reduce [and] kernel (u0:bool) { store u0 }",
		"reduce [_, add] kernel (u0:f64, s1:f64) { t0 = sub u0 s1; t1 = exp t0; store t1 t1 }",
		"dot i64",
		"transpose u8",
	} {
		require.Contains(t, seen, sig)
	}
	// Splats alone are computed apart; pairs come in the types of formulas.
	for _, sig := range []string{
		"kernel (s0:f32, s1:f32) { t0 = sub s0 s1; store t0 }",
		"kernel (s0:f32, s1:f32, u2:f32) { t0 = mul s0 s1; t1 = add t0 u2; store t1 }",
		"kernel (u0:i32, u1:i32, u2:i32) { t0 = sub u0 u1; t1 = div t0 u2; store t1 }",
	} {
		require.NotContains(t, seen, sig)
	}
}
