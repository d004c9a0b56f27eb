package runtime

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// randomBody makes a body of random operations on random operands.
func randomBody(t *rapid.T) *kernel.Kernel {
	types := []ir.DType{ir.Float32, ir.Float32, ir.Float64, ir.Int32, ir.Bool, ir.Uint8}
	var in []kernel.Operand
	for range rapid.IntRange(1, 4).Draw(t, "inputs") {
		in = append(in, kernel.Operand{DType: rapid.SampledFrom(types).Draw(t, "dtype"), Splat: rapid.Bool().Draw(t, "splat")})
	}
	b := kernel.NewBuilder(in...)
	values := []kernel.Ref{}
	for i := range in {
		values = append(values, kernel.Ref(i))
	}
	for range rapid.IntRange(0, 10).Draw(t, "instructions") {
		if r, ok := randomInst(t, b, values); ok {
			values = append(values, r)
		}
	}
	outs := rapid.SliceOfN(rapid.SampledFrom(values), 1, 3).Draw(t, "stores")
	if rapid.Bool().Draw(t, "store the last") {
		outs[0] = values[len(values)-1]
	}
	for _, r := range outs {
		b.Store(r)
	}
	return b.Kernel()
}

func randomInst(t *rapid.T, b *kernel.Builder, values []kernel.Ref) (kernel.Ref, bool) {
	var ops []ir.Op
	for _, op := range ir.Ops() {
		if op.IsElementwise() || op == ir.OpConst {
			ops = append(ops, op)
		}
	}
	op := rapid.SampledFrom(ops).Draw(t, "op")
	if op == ir.OpConst {
		return b.Int(rapid.SampledFrom(ir.Running.List()).Draw(t, "dtype"), 1), true
	}
	args := rapid.SliceOfN(rapid.SampledFrom(values), op.Info().Arity, op.Info().Arity).Draw(t, "args")
	types := []ir.DType{}
	for _, a := range args {
		types = append(types, b.DType(a))
	}
	given := rapid.SampledFrom(ir.Running.List()).Draw(t, "target")
	if _, err := op.ResultType(given, types...); err != nil {
		return 0, false
	}
	switch op {
	case ir.OpCast:
		return b.Cast(given, args[0]), true
	case ir.OpBitcast:
		if ir.Floats.Has(b.DType(args[0])) { // which NaN it is would show
			return 0, false
		}
		return b.Bitcast(given, args[0]), true
	}
	return b.Op(op, args...), true
}

// randomFormula makes a body of arithmetic, most of which reads what comes just
// before it: what super-kernels are for.
func randomFormula(t *rapid.T) *kernel.Kernel {
	dt := rapid.SampledFrom([]ir.DType{ir.Float32, ir.Float64}).Draw(t, "dtype")
	var in []kernel.Operand
	for range rapid.IntRange(2, 5).Draw(t, "inputs") {
		in = append(in, kernel.Operand{DType: dt, Splat: rapid.IntRange(0, 2).Draw(t, "splat") == 0})
	}
	b := kernel.NewBuilder(in...)
	ops := []ir.Op{ir.OpMul, ir.OpAdd, ir.OpSub, ir.OpDiv, ir.OpMul, ir.OpAdd, ir.OpSub, ir.OpAbs, ir.OpSqrt, ir.OpSquare, ir.OpReciprocal}
	last := kernel.Ref(rapid.IntRange(0, len(in)-1).Draw(t, "first"))
	for range rapid.IntRange(2, 14).Draw(t, "instructions") {
		op := rapid.SampledFrom(ops).Draw(t, "op")
		args := make([]kernel.Ref, op.Info().Arity)
		for i := range args {
			args[i] = kernel.Ref(rapid.IntRange(0, len(in)+len(b.Kernel().Body)-1).Draw(t, "arg"))
		}
		args[rapid.IntRange(0, len(args)-1).Draw(t, "side")] = last
		last = b.Op(op, args...)
	}
	b.Store(last)
	if rapid.IntRange(0, 3).Draw(t, "another store") == 0 {
		b.Store(kernel.Ref(rapid.IntRange(0, int(last)).Draw(t, "stored")))
	}
	return b.Kernel()
}

// randomPlan runs a body on operands that lie at random strides, some of them
// temporaries that an output may share memory with.
func randomPlan(t *rapid.T, body *kernel.Kernel) *plan.Plan {
	k, order := body.Canonical()
	if len(order) == 0 {
		t.Skip("no operand left")
	}
	extent := rapid.SampledFrom([]int{1, 2, 3, 7, 8, 9, 33, 70})
	extents := rapid.SliceOfN(extent, 2, 4).Draw(t, "extents")
	for layout.RowMajor(extents...).Size() > 5000 {
		extents[rapid.IntRange(0, len(extents)-1).Draw(t, "smaller")] = 1
	}
	rowMajor := layout.RowMajor(extents...).Strides
	rows, cols := rapid.IntRange(1, 80).Draw(t, "rows"), rapid.IntRange(1, 80).Draw(t, "cols")
	m := &planMaker{}
	var operands []plan.Access
	shareable := map[int]bool{}
	for i, in := range k.In {
		if !in.Splat && rapid.Bool().Draw(t, "temporary") {
			from := m.param(in.DType, extents...)
			to := m.temp(in.DType, -1, extents...)
			m.step(copyKernel(in.DType), extents, rows, cols, access(from, 0, rowMajor...), access(to, 0, rowMajor...))
			operands = append(operands, access(to, 0, rowMajor...))
			shareable[to] = true
			continue
		}
		operands = append(operands, randomAccess(t, m, k.In[i], extents))
	}
	var outs []int
	for _, r := range k.Out {
		share := -1
		for to := range shareable {
			if m.plan.Buffers[to].DType == k.DType(r) && shareable[to] && rapid.Bool().Draw(t, "in place") {
				share, shareable[to] = to, false
				break
			}
		}
		outs = append(outs, m.temp(k.DType(r), share, extents...))
		operands = append(operands, access(outs[len(outs)-1], 0, rowMajor...))
	}
	m.step(k, extents, rows, cols, operands...)
	for o, r := range k.Out {
		m.step(copyKernel(k.DType(r)), extents, rows, cols,
			access(outs[o], 0, rowMajor...), access(m.result(k.DType(r), extents...), 0, rowMajor...))
	}
	return &m.plan
}

func copyKernel(dt ir.DType) *kernel.Kernel {
	k, _ := kernel.SingleOp(ir.OpCopy, ir.Invalid, unit(dt))
	return k
}

// randomAccess makes a param that is read at random strides.
func randomAccess(t *rapid.T, m *planMaker, o kernel.Operand, extents []int) plan.Access {
	strides := make([]int, len(extents))
	lo, hi := 0, 0
	for k, n := range extents {
		strides[k] = rapid.SampledFrom([]int{0, 1, 1, -1, 2, 5, 33, -40}).Draw(t, "stride")
		if k == len(extents)-1 && o.Splat {
			strides[k] = 0
		}
		lo, hi = lo+min(0, (n-1)*strides[k]), hi+max(0, (n-1)*strides[k])
	}
	return plan.Access{Buffer: m.param(o.DType, hi-lo+1), Offset: -lo, Strides: strides}
}

func TestRandomPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAll(t, randomPlan(t, randomBody(t))) })
}

func TestRandomFormulas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkAll(t, randomPlan(t, randomFormula(t))) })
}

// inPlacePlan computes body into temporaries that lie where its operands do.
func inPlacePlan(body *kernel.Kernel, n int) *plan.Plan {
	var m planMaker
	var operands []plan.Access
	for range body.In {
		from, to := m.param(f32, n), m.temp(f32, -1, n)
		m.step(copyKernel(f32), []int{1, n}, 1, 4096, access(from, 0, 0, 1), access(to, 0, 0, 1))
		operands = append(operands, access(to, 0, 0, 1))
	}
	for o := range body.Out {
		operands = append(operands, access(m.temp(f32, operands[o].Buffer, n), 0, 0, 1))
	}
	m.step(body, []int{1, n}, 1, 4096, operands...)
	for _, a := range operands[len(body.In):] {
		m.step(copyKernel(f32), []int{1, n}, 1, 4096, a, access(m.result(f32, n), 0, 0, 1))
	}
	return &m.plan
}

// Outputs that lie where operands do that are read after the store.
func TestInPlaceStores(t *testing.T) {
	bodies := map[string]func(b *kernel.Builder){
		"early store": func(b *kernel.Builder) {
			sum := b.Op(ir.OpAdd, 0, 1)
			b.Store(sum)
			b.Store(b.Op(ir.OpSub, sum, 0)) // reads where sum went
		},
		"swap": func(b *kernel.Builder) { b.Store(1); b.Store(0) },
		"both from both": func(b *kernel.Builder) {
			b.Store(b.Op(ir.OpSub, 0, 1))
			b.Store(b.Op(ir.OpDiv, 0, 1))
		},
		"twice": func(b *kernel.Builder) {
			sum := b.Op(ir.OpSub, 1, 0)
			b.Store(sum)
			b.Store(sum)
		},
		"an operand and a value": func(b *kernel.Builder) {
			b.Store(1)
			b.Store(b.Op(ir.OpMul, 0, 0))
		},
	}
	for name, write := range bodies {
		b := kernel.NewBuilder(unit(f32), unit(f32))
		write(b)
		p := inPlacePlan(b.Kernel(), 3000)
		t.Run(name, func(t *testing.T) { checkAll(t, p) })
	}
}

// Values of splats alone are computed once a row, or once.
func TestRowValues(t *testing.T) {
	b := kernel.NewBuilder(unit(f32), splat(f32), splat(f32))
	scale := b.Op(ir.OpDiv, 1, 2)                                         // a number a row
	b.Store(b.Op(ir.OpMul, 0, b.Op(ir.OpAdd, scale, b.Op(ir.OpSqrt, 2)))) // sqrt: one for all
	b.Store(scale)
	for _, e := range [][2]int{{1, 5000}, {300, 5}, {40, 3000}, {1, 1}, {17, 1}} {
		var m planMaker
		x, y, z := m.param(f32, e[0], e[1]), m.param(f32, e[0]), m.param(f32, 1)
		out, out2 := m.result(f32, e[0], e[1]), m.result(f32, e[0], e[1])
		m.step(b.Kernel(), e[:], 64, 2500, access(x, 0, e[1], 1), access(y, 0, 1, 0), access(z, 0, 0, 0),
			access(out, 0, e[1], 1), access(out2, 0, e[1], 1))
		t.Run(fmt.Sprint(e), func(t *testing.T) { checkAll(t, &m.plan) })
	}
}

func TestCoverMissesKernel(t *testing.T) {
	none := func(abi.Engine, string) (func(*abi.Frame), bool) { return nil, false }
	_, err := (&Executor{lookup: none}).Link(fiveOpsPlan(10, 10))
	require.ErrorContains(t, err, "no kernel is registered for kernel (")
}

// An operation without assembly is computed by the portable kernel among others.
func TestMixedCover(t *testing.T) {
	if !abi.HasAVX2() {
		t.Skip("no AVX2")
	}
	e := &Executor{lookup: func(on abi.Engine, sig string) (func(*abi.Frame), bool) {
		if on == abi.AVX2 && strings.Contains(sig, " = div ") {
			return nil, false
		}
		return abi.Lookup(abi.Portable, sig) // whichever was asked
	}}
	l := check(t, e, fiveOpsPlan(5000, 5000), "")
	require.Equal(t, "avx2+portable", l.Steps()[0].Engine)
	require.Equal(t, "cover of 4", l.Steps()[0].Compiled) // mul and add, abs and add, div, mul and sub
}

func singleSig(t *testing.T, op ir.Op) string {
	k, err := kernel.SingleOp(op, ir.Invalid, unit(f32), unit(f32))
	require.NoError(t, err)
	return k.Signature()
}
