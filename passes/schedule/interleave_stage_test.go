package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// groupsPlan is a plan of one step whose operands are the members of three interleave groups: output i is computed of member i
// of the first, a member of the second, and maybe the output before.
func groupsPlan(t *rapid.T) *plan.Plan {
	dtype := rapid.SampledFrom([]ir.DType{ir.Uint8, ir.Int16, ir.Float32, ir.Float64}).Draw(t, "dtype")
	factor := rapid.IntRange(2, kernel.MaxFactor).Draw(t, "factor")
	outer := rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "outer")
	n := rapid.SampledFrom([]int{1, 2, 7, 8, 31, 32, 33, 64, 65, 300}).Draw(t, "length")
	p := &plan.Plan{Name: "f"}
	s := plan.Step{Axes: []plan.Axis{{Extent: outer}, {Extent: n}, {Extent: 1}}}
	var in []plan.Access
	body := &kernel.Kernel{}
	for k, name := range []string{"x", "y"} {
		p.Buffers = append(p.Buffers, plan.Buffer{Kind: plan.ParamBuffer, Name: name, Index: k, DType: dtype, Shape: []int{outer, n, factor}})
		for i := range factor {
			in = append(in, plan.Access{Buffer: k, Offset: i, Strides: []int{n * factor, factor, 1}})
			body.In = append(body.In, kernel.Operand{DType: dtype})
		}
	}
	p.Buffers = append(p.Buffers, plan.Buffer{Kind: plan.ResultBuffer, Name: "z", DType: dtype, Shape: []int{outer, n, factor}})
	op := func(a, b kernel.Ref) kernel.Ref {
		by := rapid.SampledFrom([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul}).Draw(t, "op")
		body.Body = append(body.Body, kernel.Inst{Op: by, DType: dtype, Args: [3]kernel.Ref{a, b}})
		return kernel.Ref(len(body.In) + len(body.Body) - 1)
	}
	others := rapid.Permutation(axesOf(make([]int, factor))).Draw(t, "others")
	for i := range factor {
		v := op(kernel.Ref(i), kernel.Ref(factor+others[i]))
		if i > 0 && rapid.Bool().Draw(t, "chained") {
			v = op(v, body.Out[i-1])
		}
		body.Out = append(body.Out, v)
	}
	var order []int
	s.Body, order = body.Canonical()
	for _, i := range order {
		s.In = append(s.In, in[i])
	}
	for i := range factor {
		s.Out = append(s.Out, plan.Output{Access: plan.Access{Buffer: 2, Offset: i, Strides: []int{n * factor, factor, 1}}})
	}
	p.Steps = []plan.Step{s}
	return p
}

// TestStagedGroups checks steps on interleaved operands, by one kernel and by tilings: that they compute what the step says,
// and that the members of a group go through local memory together.
func TestStagedGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := groupsPlan(t)
		require.NoError(t, p.Verify(), p)
		lib := rapid.SampledFrom([]library{anyKernel, singles}).Draw(t, "library")
		to := &target{Machine: small(t), lib: lib, buffers: p.Buffers, read: buffersRead(p)}
		to.TransposedCols = 2
		var inputs []eval.Array
		for k := range 2 {
			a := eval.Array{DType: p.Buffers[k].DType, Shape: p.Buffers[k].Shape}
			for i := range p.Buffers[k].Size() {
				a.Data = append(a.Data, ir.RefCast(ir.Int64, a.DType, [3]uint64{uint64((i*37+k)%61 - 30)}))
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
			if by.name == "elementwise/scattered" {
				require.NotContains(t, program.String(), "call pack", "%s\n%s", p, program)
			}
		}
	})
}
