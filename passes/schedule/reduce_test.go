package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// library has every kernel but those whose signature has one of its texts.
type library []string

func (l library) Engine(signature string) (string, bool) {
	for _, text := range l {
		if strings.Contains(signature, text) {
			return "", false
		}
	}
	return "avx2", true
}

// reducePlan returns a plan of one step from its text.
func reducePlan(t require.TestingT, text string, args ...any) *plan.Plan {
	p, err := plan.ParsePlan(fmt.Sprintf(text, args...))
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	return p
}

// checkReduction requires that strategies compute the step of a plan as the definition
// says, each in several blockings, or that they have a reason not to.
func checkReduction(t *testing.T, p *plan.Plan, want ...strategy) {
	step := p.Steps[0].Structured()
	inputs := randomInputs(p)
	expected := evalReduction(p, &step, inputs)
	for _, by := range want {
		for _, m := range machines() {
			for _, lib := range []library{nil, {"t3 = add"}} {
				d, why := by.draft(&target{Machine: m, lib: lib, buffers: p.Buffers, read: buffersRead(p)}, &step)
				if why == "a row reduction costs less" {
					t.Fatalf("%s: %s: %s", by.name, why, p)
				}
				if d == nil && lib != nil {
					continue
				}
				require.NotNil(t, d, "%s: %s: %s", by.name, why, p)
				requireResults(t, p, d, inputs, expected, by.name)
			}
		}
	}
}

// machines differ in their blocks, and compare all strategies.
func machines() []*Machine {
	one, many, small := Default(1), Default(8), Default(3)
	small.Blocks = 100
	for _, m := range []*Machine{one, many, small} {
		m.CompareAll = true
	}
	return []*Machine{one, many, small}
}

func requireResults(t *testing.T, p *plan.Plan, d *Draft, inputs, expected [][]uint64, name string) {
	program := &nest.Program{Name: p.Name, Buffers: p.Buffers, Arena: p.Arena, Tasks: []nest.Task{{Slots: d.Slots, Scratch: d.Scratch, Parts: d.Parts, Choices: []nest.Choice{d.Choice}}}}
	got, err := nest.Eval(program, inputs, nest.Shuffled(uint64(len(d.Parts))))
	require.NoError(t, err, "%s: %s", name, p)
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		require.Equal(t, expected, got, "%s: %s", name, p)
	}
}

// randomInputs returns elements for the params of a plan: small numbers, such that no
// sum is a NaN, whose payload is not defined.
func randomInputs(p *plan.Plan) (inputs [][]uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, b := range p.Buffers {
		if b.Kind != plan.ParamBuffer {
			continue
		}
		x := make([]uint64, b.Size())
		for i := range x {
			switch {
			case b.DType == ir.Bool:
				x[i] = r.Uint64() & 1
			case ir.Floats.Has(b.DType):
				x[i] = ir.FromFloat(b.DType, r.NormFloat64())
			default:
				x[i] = ir.Wrap(b.DType, r.Int64())
			}
		}
		inputs = append(inputs, x)
	}
	return inputs
}

// evalReduction is the definition of a step: each element of an output that is combined
// is ir.FoldRow of a chunk of its line.
func evalReduction(p *plan.Plan, s *plan.Step, inputs [][]uint64) (results [][]uint64) {
	memory := make([][]uint64, len(p.Buffers))
	for i, b := range p.Buffers {
		if memory[i] = make([]uint64, b.Size()); b.Kind == plan.ParamBuffer {
			copy(memory[i], inputs[b.Index])
		}
	}
	body := elementary.Expand(s.Body)
	_, axis := s.Kind()
	lines := map[[2]int][]uint64{} // by output and location
	index := make([]int, len(s.Axes))
	at := func(a *plan.Access, combined bool) int {
		where := a.Offset
		for k, i := range index {
			if combined && k == axis {
				i /= ir.FoldChunk
			}
			where += i * a.Strides[k]
		}
		return where
	}
	for i := range elems(s) {
		// Row-major with the Reduce axis last: the elements of a line come in order.
		index[axis] = i % s.Axes[axis].Extent
		i /= s.Axes[axis].Extent
		for k := len(index) - 1; k >= 0; k-- {
			if k != axis {
				index[k] = i % s.Axes[k].Extent
				i /= s.Axes[k].Extent
			}
		}
		in := make([]uint64, len(s.In))
		for k := range s.In {
			in[k] = memory[s.In[k].Buffer][at(&s.In[k], false)]
		}
		for o, v := range body.Eval(in) {
			out := &s.Out[o]
			if where := at(&out.Access, out.Combine != ir.OpInvalid); out.Combine == ir.OpInvalid {
				memory[out.Buffer][where] = v
			} else {
				lines[[2]int{o, where}] = append(lines[[2]int{o, where}], v)
			}
		}
	}
	for key, line := range lines {
		out := &s.Out[key[0]]
		memory[out.Buffer][key[1]] = ir.FoldRow(out.Combine, s.Body.DType(s.Body.Out[key[0]]), line)
	}
	for i, b := range p.Buffers {
		if b.Kind == plan.ResultBuffer {
			results = append(results, memory[i])
		}
	}
	return results
}

var lengths = []int{1, 2, 8, 31, 32, 33, 63, 64, 65, 130, 1023, 1024, 1025, 2047, 2048, 2049, 3000}

var (
	byRows    = strategy{"reduce rows", reduceRows}
	byColumns = strategy{"reduce columns", reduceColumns}
	byPairs   = strategy{"reduce pairs", reducePairs}
)

// TestReduceRows has an output that is stored beside two that are combined.
func TestReduceRows(t *testing.T) {
	for _, n := range lengths {
		for _, rows := range []int{1, 5} {
			checkReduction(t, reducePlan(t, `plan rows arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[2]d]
  %%1 = param y 1 : f32[%[1]d,%[2]d]
  %%2 = result a 0 : f32[%[3]d,%[1]d]
  %%3 = result b 1 : f32[%[1]d,%[2]d]
  %%4 = result c 2 : f32[%[1]d,%[3]d]
  step 0 [%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = sub t0 u1; store add(t0) t1 max(t1) }
    %%0{%[2]d,1}+0 %%1{%[2]d,1}+0 -> %%2{1,%[1]d}+0 %%3{%[2]d,1}+0 %%4{%[3]d,1}+0
}
`, rows, n, ir.Chunks(n)), byRows)
		}
	}
}
