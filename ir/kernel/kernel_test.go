package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// drawKernel makes a kernel of random ops on random operands.
func drawKernel(t *rapid.T) *kernel.Kernel {
	k := &kernel.Kernel{}
	for range rapid.IntRange(0, 6).Draw(t, "operands") {
		k.In = append(k.In, kernel.Operand{
			DType: rapid.SampledFrom(ir.AllTypes.List()).Draw(t, "dtype"),
			Splat: rapid.Bool().Draw(t, "splat"),
		})
	}
	for range rapid.IntRange(1, 12).Draw(t, "instructions") {
		k.Body = append(k.Body, drawInst(t, k))
	}
	for range rapid.IntRange(1, 3).Draw(t, "outputs") {
		k.Out = append(k.Out, kernel.Ref(rapid.IntRange(0, len(k.In)+len(k.Body)-1).Draw(t, "out")))
	}
	require.NoError(t, k.Verify())
	return k
}

// drawInst draws an instruction that the values of k can be operands of, or a
// constant.
func drawInst(t *rapid.T, k *kernel.Kernel) kernel.Inst {
	n := len(k.In) + len(k.Body)
	op := rapid.SampledFrom(ir.Ops()).Draw(t, "op")
	in := kernel.Inst{Op: op}
	types := make([]ir.DType, min(op.Info().Arity, len(in.Args)))
	for i := range types {
		if n > 0 {
			in.Args[i] = kernel.Ref(rapid.IntRange(0, n-1).Draw(t, "arg"))
			types[i] = k.DType(in.Args[i])
		}
	}
	given := rapid.SampledFrom(ir.AllTypes.List()).Draw(t, "given")
	if op.IsElementwise() && n > 0 {
		if dt, err := op.ResultType(given, types...); err == nil {
			in.DType = dt
			return in
		}
	}
	return kernel.Inst{Op: ir.OpConst, DType: given, Bits: irtest.Element(t, given)}
}

func TestKernelRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := drawKernel(t)
		again, err := kernel.ParseKernel(k.String())
		require.NoError(t, err, k)
		require.Equal(t, k.String(), again.String())
		require.Equal(t, len(k.In), len(again.In))
		require.Equal(t, k.Body, again.Body)
		require.Equal(t, k.Out, again.Out)
		irtest.RequireInGrammar(t, k.String())
	})
}

func TestParseKernelErrors(t *testing.T) {
	cases := []struct{ text, want string }{
		{"kern", `1:1: found "kern", want "kernel"`},
		{"kernel (u0:f32) { store }", "1:1: a kernel without a store"},
		{"kernel (u1:f32) { store u1 }", "1:9: operand u1, want u0 or s0"},
		{"kernel (t0:f32) { store t0 }", "1:9: operand t0, want u0 or s0"},
		{"kernel (u0:f32) { store s0 }", "1:25: no value s0 is known here"},
		{"kernel (u0:f32) { store x }", `1:25: found "x", want a value: u, s or t and a number`},
		{"kernel (u0:f32) { t1 = neg u0; store t1 }", "1:19: result t1, want t0"},
		{"kernel (u0:f32) { t0 = neg t0; store t0 }", "1:28: no value t0 is known here"},
		{"kernel (u0:f32) { t0 = neg u0 store t0 }", `1:31: found "store", want a value`},
		{"kernel (u0:f32) { t0 = neg u0 u0; store t0 }", "1:24: neg: takes 1 operands, got 2"},
		{"kernel (u0:f32) { t0 = cast u0; store t0 }", "1:24: cast: a type stands after the operations that state one"},
		{"kernel (u0:f32) { t0 = neg:f32 u0; store t0 }", "1:24: neg: a type stands after the operations that state one"},
		{"kernel (u0:f32) { t0 = cast:qi8 u0; store t0 }", `no element type has the name "qi8"`},
		{"kernel (u0:f32) { t0 = and u0 u0; store t0 }", "1:24: and: does not take float32"},
		{"kernel (u0:f32) { t0 = flip u0; store t0 }", "1:24: flip: is not elementwise"},
		{"kernel () { t0 = const:f32; store t0 }", "1:18: const: the bits of an element stand after const alone"},
		{"kernel (u0:i32) { t0 = table:f32 u0; store t0 }", "1:24: table: the bits of an element stand after const alone, and the name of a table after table"},
		{"kernel (u0:i32) { t0 = table:f32:1 u0; store t0 }", "1:1: t0: no table 1 of float32 is known"},
		{"kernel () { t0 = const:f32:100000000; store t0 }", "1:18: const: the bits are not an element of float32"},
		{"kernel () { t0 = const:f32:10000000000000000; store t0 }", "1:28: more than 64 bits"},
		{"kernel (u0:f32) { store u99999999999999999999 }", "1:25: no value u99999999999999999999 is known here"},
		{"kernel (u0:f32) { store u0 } x", `1:30: found "x", want the end of the text`},
	}
	for _, c := range cases {
		_, err := kernel.ParseKernel(c.text)
		require.ErrorContains(t, err, c.want, c.text)
	}
}

func TestKernelVerify(t *testing.T) {
	k := &kernel.Kernel{Body: []kernel.Inst{{Op: ir.OpConst, DType: ir.Bool, Bits: 2}}, Out: []kernel.Ref{0}}
	require.EqualError(t, k.Verify(), "t0: 0x2 is not an element of bool")
	k.Body[0] = kernel.Inst{Op: ir.OpConst, DType: ir.Int32, Bits: 1 << 31}
	require.EqualError(t, k.Verify(), "t0: 0x80000000 is not an element of int32")
	k.Body[0] = kernel.Inst{Op: ir.OpConst, DType: ir.Float32, Bits: 1 << 31}
	require.NoError(t, k.Verify())
}

// TestTables checks that expansions alone read tables.
func TestTables(t *testing.T) {
	k, err := kernel.SingleOp(ir.OpTanh, ir.Invalid, kernel.Operand{DType: ir.Float32})
	require.NoError(t, err)
	e := elementary.Expand(k)
	require.Contains(t, e.String(), " = table:f32:")
	require.NoError(t, e.Verify())
	require.EqualError(t, e.CheckBody(), "table: expansions alone have it")
	for i := range e.Body {
		if in := &e.Body[i]; in.Op == ir.OpTable {
			in.DType = ir.Int32
		}
	}
	require.ErrorContains(t, e.Verify(), "of int32 is known")
	_, err = ir.Infer(ir.OpTable, ir.Attr{DType: ir.Float32}, []ir.Type{{DType: ir.Int32}})
	require.EqualError(t, err, "expansions of other operations alone have it")
}

// TestMaxBody checks that the limit is of bodies before expansion: plans have
// no longer ones, and expansions may be longer.
func TestMaxBody(t *testing.T) {
	b := kernel.NewBuilder(kernel.Operand{DType: ir.Float32}, kernel.Operand{DType: ir.Float32, Splat: true})
	last := kernel.Ref(0)
	for range kernel.MaxBody {
		last = b.Op(ir.OpClip, last, 1, 1)
	}
	b.Store(last)
	require.NoError(t, b.Kernel().CheckBody())
	long := elementary.Expand(b.Kernel())
	require.NoError(t, long.Verify())
	require.EqualError(t, long.CheckBody(), "512 instructions: a kernel has at most 256 before expansion")
	p, err := plan.ParsePlan("plan p arena=0 {\n  %0 = param x 0 : f32[1,1]\n  %1 = const 1.5 : f32[]\n  %2 = result y 0 : f32[1,1]\n" +
		"  step 0 [1,1]\n    " + long.String() + "\n    %0{1,1}+0 %1{0,0}+0 -> %2{1,1}+0\n}\n")
	require.NoError(t, err)
	require.ErrorContains(t, p.Verify(), "512 instructions: a kernel has at most 256 before expansion")
}
