package amd64

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestTotal proves that every instruction that expansions leave has instructions for
// every type that it takes and that runs, and that the table has no others.
func TestTotal(t *testing.T) {
	for _, target := range []*Target{AVX2(), AVX512()} {
		t.Run(target.name, func(t *testing.T) { requireTotal(t, target) })
	}
}

func requireTotal(t *testing.T, target *Target) {
	want := map[key]bool{}
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Lane {
			continue
		}
		for _, d := range info.Domain.List() {
			for _, to := range ir.AllTypes.List() {
				operands := make([]kernel.Operand, info.Arity)
				for i := range operands {
					operands[i].DType = d
				}
				if info.Mask {
					operands[0].DType = ir.Bool
				}
				k, err := kernel.SingleOp(op, to, operands...)
				if err != nil {
					require.Equal(t, ir.OpBitcast, op)
					continue
				}
				requireRows(t, target, elementary.Expand(k), want)
			}
		}
	}
	for _, d := range ir.OpScalb.Info().Domain.List() { // expansions alone have it
		want[key{ir.OpScalb, d}] = true
		require.NotNil(t, target.rows[key{ir.OpScalb, d}])
	}
	for k := range target.rows {
		composed := k.op.Info().Kind == ir.Composed && k.op.Info().Domain.Has(k.d) // the target has an instruction for it
		require.True(t, want[k] || composed, "%s does not take %s", k.op, k.d)
	}
}

// requireRows checks that the instructions of a kernel are in the tables, and adds
// what they need.
func requireRows(t *testing.T, target *Target, e *kernel.Kernel, want map[key]bool) {
	for _, in := range e.Body {
		if in.Op == ir.OpConst {
			continue
		}
		d := e.DType(in.Args[in.Arity()-1])
		if in.Op == ir.OpCast {
			require.Contains(t, target.casts, pair{d, in.DType}, "cast %s to %s", d, in.DType)
			continue
		}
		k := key{in.Op, d}
		want[k] = true
		_, one := target.rows[k]
		_, whole := target.whole[k]
		require.True(t, one != whole, "%s on %s", in.Op, d)
	}
}

// TestEncodings proves that every instruction of the lowering can be encoded.
func TestEncodings(t *testing.T) {
	for _, target := range []*Target{AVX2(), AVX512()} {
		for _, op := range target.forms {
			switch {
			case op.Form == vector.FormFMA && !op.Imm:
				for _, digits := range fusedDigits {
					require.NotEmpty(t, encodingsOf()[spelled(op, digits)], op.Name)
				}
			case special(op.Name) == nil && target.special[op.Name] == nil:
				require.NotEmpty(t, encodingsOf()[op.Name], op.Name)
			}
		}
	}
}

// TestMicroTable proves the table of micro-kernels total.
func TestMicroTable(t *testing.T) {
	for _, r := range kernel.MicroKinds() {
		require.Equal(t, !r.Written() && r != kernel.Reduce, int(r) < len(micros) && micros[r] != nil, "%s", r) // reduce has a body: see assemblers
	}
}

// TestTernary computes functions of three bits by their truth tables.
func TestTernary(t *testing.T) {
	for function, want := range map[uint8]func(x, y, z int) int{
		andThenOr: func(x, y, z int) int { return x&y | z }, andThenXor: func(x, y, z int) int { return x&y ^ z },
	} {
		for bits := range 8 {
			a, b, c := bits>>2&1, bits>>1&1, bits&1 // the overwritten source, and Inst.Src
			require.Equal(t, want(a, c, b), int(ternary(function, vector.OverFactor)>>bits&1))
			require.Equal(t, want(a, b, c), int(ternary(function, vector.OverFactorAddendLast)>>bits&1))
			require.Equal(t, want(b, c, a), int(ternary(function, vector.OverAddend)>>bits&1))
		}
	}
}
