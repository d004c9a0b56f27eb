package schedule

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// insertionPlan is a plan of one step of which one output is a copy, a sum or the negative of these, and the others are copies
// of elements beside it. The first buffer has a few elements more than the copies need, before and behind them. inMemory says
// whether whole rows are in it.
func insertionPlan(t *rapid.T) (p *plan.Plan, inMemory bool) {
	dtype := rapid.SampledFrom([]ir.DType{ir.Uint8, ir.Int16, ir.Float32, ir.Float64}).Draw(t, "dtype")
	factor := rapid.IntRange(2, kernel.MaxFactor).Draw(t, "factor")
	place := rapid.IntRange(0, factor-1).Draw(t, "place")
	outer := rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "outer")
	n := rapid.SampledFrom([]int{1, 2, 7, 8, 31, 32, 33, 64, 65, 300}).Draw(t, "length")
	before, behind := rapid.IntRange(0, 2).Draw(t, "before"), rapid.IntRange(0, 2).Draw(t, "behind")
	size := outer * n * factor
	p = &plan.Plan{Name: "f", Buffers: []plan.Buffer{
		{Kind: plan.ParamBuffer, Name: "x", DType: dtype, Shape: []int{before + size + behind}},
		{Kind: plan.ParamBuffer, Name: "y", Index: 1, DType: dtype, Shape: []int{2, outer, n}},
		{Kind: plan.ResultBuffer, Name: "z", DType: dtype, Shape: []int{outer, n, factor}},
	}}
	first := before // the element of x that the first line has, where it is read
	switch place {
	case 0:
		first = before - 1
	case factor - 1: // the last element is replaced, and may be missing
		p.Buffers[0].Shape[0]--
	}
	inMemory = first >= 0 && (place < factor-1 || behind > 0)
	body := &kernel.Kernel{In: []kernel.Operand{{DType: dtype}, {DType: dtype}}}
	in := []plan.Access{{Buffer: 1, Strides: []int{n, 1, 1}}, {Buffer: 1, Offset: outer * n, Strides: []int{n, 1, 1}}}
	for i := range factor {
		if i != place {
			body.In = append(body.In, kernel.Operand{DType: dtype})
			in = append(in, plan.Access{Offset: first + i, Strides: []int{n * factor, factor, 1}})
		}
	}
	computed := kernel.Inst{Op: ir.OpCopy, DType: dtype}
	if rapid.Bool().Draw(t, "sum") {
		computed = kernel.Inst{Op: ir.OpAdd, DType: dtype, Args: [3]kernel.Ref{0, 1}}
	}
	if computed.Op == ir.OpAdd && !dtype.Native() {
		computed.Op = ir.OpMax
	}
	s := plan.Step{Axes: []plan.Axis{{Extent: outer}, {Extent: n}, {Extent: 1}}}
	next := kernel.Ref(2)
	for i := range factor {
		inst := computed
		if i != place {
			inst = kernel.Inst{Op: ir.OpCopy, DType: dtype, Args: [3]kernel.Ref{next}}
			next++
		}
		body.Body, body.Out = append(body.Body, inst), append(body.Out, kernel.Ref(len(body.In)+i))
		s.Out = append(s.Out, plan.Output{Access: plan.Access{Buffer: 2, Offset: i, Strides: []int{n * factor, factor, 1}}})
	}
	if dtype.Native() && rapid.Bool().Draw(t, "negative") {
		body.Body = append(body.Body, kernel.Inst{Op: ir.OpNeg, DType: dtype, Args: [3]kernel.Ref{body.Out[place]}})
		body.Out[place] = kernel.Ref(len(body.In) + factor)
	}
	var order []int
	s.Body, order = body.Canonical()
	for _, i := range order {
		s.In = append(s.In, in[i])
	}
	p.Steps = []plan.Step{s}
	return p, inMemory
}

// TestInsertion checks steps that set elements by all strategies, and that whole rows are read where memory has them.
func TestInsertion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, inMemory := insertionPlan(t)
		require.NoError(t, p.Verify(), p)
		to := &target{Machine: small(t), lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}
		var inputs []eval.Array
		for k := range 2 {
			a := eval.Array{DType: p.Buffers[k].DType, Shape: p.Buffers[k].Shape}
			for i := range p.Buffers[k].Size() {
				a.Data = append(a.Data, ir.RefCast(ir.Int64, a.DType, [3]uint64{uint64((i*37 + k) % 61)}))
			}
			inputs = append(inputs, a)
		}
		for _, by := range offersOf(to, &p.Steps[0]) {
			d, why := by.drafted()
			if d == nil {
				require.NotEmpty(t, why)
				continue
			}
			program := programOf(p, []*Draft{d})
			require.NoError(t, program.Verify(), "%s\n%s%s", by.name, p, program)
			require.NoError(t, eval.CheckTranslation(p, program, inputs), "%s\n%s%s", by.name, p, program)
			if by.name == "elementwise/scattered" && p.Steps[0].Axes[1].Extent > 1 {
				require.Equal(t, inMemory, strings.Contains(program.String(), "call insert"), "%s\n%s", p, program)
			}
		}
	})
}
