package passes

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
	"pgregory.net/rapid"
)

// TestBatchKeepsMeaning resizes plans of random graphs and compares the results with those of the graph.
func TestBatchKeepsMeaning(t *testing.T) {
	reached := map[string]int{}
	few := ir.SetOf(ir.Float32, ir.Int32)
	check := func(t *rapid.T) {
		cfg := irtest.Config{Reductions: true, Products: 6, Batch: true, DTypes: few, MaxNodes: rapid.SampledFrom([]int{12, 15, 20}).Draw(t, "most nodes")}
		f, inputs, sizes := irtest.SymbolicFunc(t, cfg)
		if !BatchName(f, "n") {
			reached["number computed of n"]++
			return
		}
		rows := rapid.SampledFrom([]int{2, 3, 4, 5, 7, 13}).Draw(t, "rows")
		whole, err := f.Bind(map[string]int{"n": rows})
		if err != nil {
			return // in other sizes, n must agree with a fixed extent
		}
		small := rapid.Bool().Draw(t, "small")
		s := &State{State: rewrite.State{Func: whole, Eager: small}}
		for _, p := range Default {
			require.NoError(t, run(s, p, machine(small)))
		}
		b := BatchOf(f, "n", s.Plan, rows)
		if b == nil {
			reached["rows mixed"]++
			return
		}
		text := s.Plan.String()
		for range 2 { // the second one must find the plan unchanged
			p := b.Resize(sizes["n"])
			if p == nil || sizes["n"] == 0 {
				return
			}
			require.NoError(t, p.Verify(), "%s\nof %d rows from\n%s", p, sizes["n"], text)
			bound, err := f.Bind(sizes)
			require.NoError(t, err)
			want, err := eval.Eval(bound, inputs)
			require.NoError(t, err)
			sameBits(t, want, planned(t, p, inputs), p.String()+"of "+text+"from\n"+f.String())
			require.Equal(t, text, s.Plan.String())
			countBatch(reached, p)
		}
	}
	cases := []string{"plan", "several steps", "row group", "product", "reduction", "number computed of n", "rows mixed"}
	missing := func() bool { return slices.ContainsFunc(cases, func(what string) bool { return reached[what] == 0 }) }
	for round := 0; round < 5 || round < 3000 && missing(); round++ {
		rapid.Check(t, check)
	}
	for _, what := range cases {
		require.Positive(t, reached[what], "no random graph had a %s: %v", what, reached)
	}
}

func countBatch(reached map[string]int, p *plan.Plan) {
	reached["plan"]++
	if len(p.Steps) > 1 {
		reached["several steps"]++
	}
	if len(p.Rows) > 0 {
		reached["row group"]++
	}
	for i := range p.Steps {
		if p.Steps[i].Contracts() {
			reached["product"]++
		}
		if p.Steps[i].Reduces() {
			reached["reduction"]++
		}
	}
}

// TestBatchOfPanels resizes a plan whose product has a right matrix that each run computes panel by panel.
func TestBatchOfPanels(t *testing.T) {
	f := parse(t, `func f(%x: f32[n,128], %y: f32[128,96]) {
  %0 = neg %y     : f32[128,96]
  %1 = dot %x, %0 : f32[n,96]
  return %1
}`)
	const rows, fewer = 7, 3
	whole, err := f.Bind(map[string]int{"n": rows})
	require.NoError(t, err)
	p, err := Lower(whole, Options{Verify: true, Machine: machine(false)})
	require.NoError(t, err)
	require.Len(t, p.Rows, 1, p.String())
	b := BatchOf(f, "n", p, rows)
	require.NotNil(t, b, p.String())
	counted := func(shape ...int) eval.Array {
		a := eval.Array{DType: ir.Float32, Shape: shape}
		for i := range shape[0] * shape[1] {
			a.Data = append(a.Data, ir.FromFloat(ir.Float32, float64(i%127)))
		}
		return a
	}
	inputs := []eval.Array{counted(fewer, 128), counted(128, 96)}
	bound, err := f.Bind(map[string]int{"n": fewer})
	require.NoError(t, err)
	want, err := eval.Eval(bound, inputs)
	require.NoError(t, err)
	require.Equal(t, want, planned(t, b.Resize(fewer), inputs))
}
