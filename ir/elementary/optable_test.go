package elementary_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestOpTable checks that rows say what the rest of the compiler relies on.
func TestOpTable(t *testing.T) {
	names := map[string]ir.Op{}
	for _, op := range ir.Ops() {
		info := op.Info()
		require.True(t, ir.IsName(info.Name), "op %d: name %q", op, info.Name)
		require.NotContains(t, names, info.Name)
		names[info.Name] = op
		found, ok := ir.OpByName(info.Name)
		require.True(t, ok && found == op, info.Name)

		require.NotEmpty(t, info.Doc, op)
		require.NotZero(t, info.Domain, op)
		require.Equal(t, info.Kind == ir.Lane || info.Kind == ir.Inner, info.Ref != nil, "%s: lane ops have a meaning", op)
		def, fast := elementary.Has(op)
		require.Equal(t, info.Kind == ir.Composed, def, "%s: composed ops have an expansion", op)
		require.Equal(t, info.Fast != 0, fast, "%s: the row says on which types there is a fast expansion", op)
		require.Equal(t, info.Kind == ir.Source, info.Arity == 0, op)
		require.True(t, info.Arity <= 3 && !info.More || !op.IsElementwise(), op)
		derived := op.IsElementwise() || op.IsView() || info.Kind == ir.Inner
		require.NotEqual(t, derived, info.Infer != nil, "%s: a row has a type rule, or it is elementwise or a view", op)
		require.NotEqual(t, derived || op == ir.OpParam, info.Eval != nil, "%s: a row has a definition, or it is elementwise or a view", op)
		require.True(t, !info.Commutative || info.Arity == 2, op)
		require.True(t, info.Involution == 0 || info.Arity == 1, op)
		require.True(t, !info.Mask || info.Arity == 3, op)
		require.False(t, info.Involution != 0 && info.Idempotent, op)
		require.Equal(t, info.Kind == ir.View, info.Shape != nil, "%s: views have a shape", op)
		require.Equal(t, info.Kind == ir.View, info.Layout != nil, "%s: views have a layout", op)
		require.True(t, info.Identity == nil || info.Arity == 2, op)
	}
	require.Equal(t, "invalid", ir.OpInvalid.String())
	require.Equal(t, "invalid", ir.Op(255).String())
	_, ok := ir.OpByName("invalid")
	require.False(t, ok)
}

// eachKernel calls f with the kernel of each elementwise op on each element
// type that runs, and each target of a cast.
func eachKernel(t *testing.T, f func(op ir.Op, dt ir.DType, k *kernel.Kernel)) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if !op.IsElementwise() {
			continue
		}
		targets := []ir.DType{ir.Invalid}
		if info.Result == ir.GivenType {
			targets = ir.AllTypes.List()
		}
		for _, dt := range info.Domain.List() {
			operands := make([]kernel.Operand, info.Arity)
			for i := range operands {
				operands[i].DType = dt
			}
			if info.Mask {
				operands[0].DType = ir.Bool
			}
			for _, to := range targets {
				k, err := kernel.SingleOp(op, to, operands...)
				if op == ir.OpBitcast && (to.Size() != dt.Size() || to == ir.Bool) {
					require.Error(t, err)
					continue
				}
				require.NoError(t, err, "%s of %s", op, dt)
				f(op, dt, k)
			}
		}
	}
}

// TestExpansions checks that expansions are of lane ops and of the right type.
func TestExpansions(t *testing.T) {
	eachKernel(t, func(op ir.Op, dt ir.DType, k *kernel.Kernel) {
		e := elementary.Expand(k)
		require.NoError(t, e.Verify(), "%s of %s:\n%s", op, dt, e)
		require.Equal(t, k.In, e.In)
		require.Equal(t, k.DType(k.Out[0]), e.DType(e.Out[0]), "%s of %s", op, dt)
		for _, in := range e.Body {
			kind := in.Op.Info().Kind
			require.True(t, kind == ir.Lane || kind == ir.Inner || in.Op == ir.OpConst, "%s of %s expands to %s", op, dt, in.Op)
		}
		again, err := kernel.ParseKernel(e.String())
		require.NoError(t, err)
		require.Equal(t, e.String(), again.String())
	})
}

// elements are operands that facts are tried on.
var elements = map[ir.DType][]uint64{
	ir.Bool:    {0, 1},
	ir.Uint8:   {0, 1, 2, 7, 8, 127, 128, 255},
	ir.Uint16:  {0, 1, 2, 15, 16, 255, 1<<15 - 1, 1 << 15, 1<<16 - 1},
	ir.Float16: {0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4100, 1, 0x7bff, 0x7c00, 0xfc00, 0x7e00},
	ir.Int32:   {0, 1, 2, ^uint64(0), 31, 32, 1<<31 - 1, 0xffffffff80000000},
	ir.Uint32:  {0, 1, 2, 31, 32, 1<<31 - 1, 1 << 31, 1<<32 - 1},
	ir.Int64:   {0, 1, 2, ^uint64(0), 63, 64, 1<<63 - 1, 1 << 63},
	ir.Float32: {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000, 1, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000},
	ir.Float64: {0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x4004000000000000, 1, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001},
}

// TestOpFacts checks the algebraic facts of the rows, and that every result is
// an element of its type, as bits.
func TestOpFacts(t *testing.T) {
	eachKernel(t, func(op ir.Op, dt ir.DType, k *kernel.Kernel) {
		info, evaluate := op.Info(), elementary.Expand(k).Evaluator(ir.Defined)
		f := func(args ...uint64) uint64 { return evaluate(args)[0] }
		// SingleOp orders commuting arguments; operands of one type do not tell.
		same := func(a, b uint64) bool { return a == b || ir.IsNaN(dt, a) && ir.IsNaN(dt, b) }
		out := k.DType(k.Out[0])
		neutral, hasNeutral := uint64(0), false
		if info.Identity != nil {
			neutral, hasNeutral = info.Identity(dt)
			require.True(t, !hasNeutral || isElement(dt, neutral) && out == dt, "%s of %s: %#x", op, dt, neutral)
		}
		for _, x := range elements[dt] {
			if hasNeutral {
				require.True(t, same(x, right(op, dt, x, neutral)), "%s of %s: %#x and %#x", op, dt, x, neutral)
				require.True(t, !info.Commutative || same(x, right(op, dt, neutral, x)), "%s of %s: %#x and %#x", op, dt, neutral, x)
			}
			for _, y := range elements[dt] {
				args := [3]uint64{x, y, elements[dt][1]}
				if info.Mask {
					args = [3]uint64{y & 1, x, y}
				}
				r := f(args[:info.Arity]...)
				require.True(t, isElement(out, r), "%s of %s: %#x", op, dt, r)
				if info.Commutative {
					require.True(t, same(r, f(y, x)), "%s of %s does not commute: %#x %#x", op, dt, x, y)
				}
			}
			switch {
			case info.Involution.Has(dt):
				require.True(t, same(x, f(f(x))), "%s of %s twice: %#x", op, dt, x)
			case info.Idempotent && info.Arity == 1:
				require.True(t, same(f(x), f(f(x))), "%s of %s twice: %#x", op, dt, x)
			case info.Idempotent:
				require.True(t, same(x, f(x, x)), "%s of %s with itself: %#x", op, dt, x)
			}
		}
	})
}

// right computes x op y with its operands in that order, which SingleOp of an op
// that commutes need not keep.
func right(op ir.Op, dt ir.DType, x, y uint64) uint64 {
	b := kernel.NewBuilder(kernel.Operand{DType: dt}, kernel.Operand{DType: dt})
	b.Store(b.Op(op, 0, 1))
	return elementary.Expand(b.Kernel()).Eval([]uint64{x, y})[0]
}

// isElement reports whether bits are extended to 64 as elements are.
func isElement(dt ir.DType, bits uint64) bool {
	shift := 64 - dt.Bits()
	switch {
	case dt == ir.Bool:
		return bits <= 1
	case ir.Complements.Has(dt):
		return uint64(int64(bits<<shift)>>shift) == bits
	}
	return bits<<shift>>shift == bits
}
