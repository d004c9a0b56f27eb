//go:build unix

package main

import (
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The attack on the definitions: package eval accepts what the verifiers accept, and may fail but must not panic.
// Graphs are changed as text, number by number.

// mostEvaluated is the most elements of a value in an evaluation.
const mostEvaluated = 1 << 16

// evaluate computes a small plan by its definition.
func (t *tally) evaluate(p *plan.Plan) {
	for i := range p.Steps {
		if n, err := layout.NumElems(p.Steps[i].Extents()); err == nil && n > mostEvaluated/8 {
			return
		}
	}
	var ins []eval.Array
	for _, b := range p.Buffers {
		if n := b.Size(); b.Kind == plan.ParamBuffer && n <= mostEvaluated {
			ins = append(ins, eval.Array{DType: b.DType, Shape: b.Shape, Data: make([]uint64, n)})
		}
	}
	_, _ = eval.Plan(p, ins)
}

// attackGraph changes numbers in the text of a graph.
func (t *tally) attackGraph(random *rand.Rand, seed string) {
	t.cases++
	text := changeNumbers(random, seed)
	t.try(text, "a graph", func() {
		f, err := ir.Parse(text)
		if err != nil {
			return
		}
		t.parsed++
		if ir.Verify(f, ir.StageGraph) != nil {
			return
		}
		t.verified++
		if ins, ok := zeros(f); ok {
			if _, err := eval.Eval(f, ins); err == nil {
				t.ran++
			}
		}
	})
}

// zeros returns inputs of a graph, or nothing if evaluating it would take long. Values too large for memory are left to
// the evaluation.
func zeros(f *ir.Func) (ins []eval.Array, ok bool) {
	for _, p := range f.Params {
		shape, _ := p.Type.Shape.Ints()
		n, err := layout.NumElems(shape)
		if err != nil || n > mostEvaluated {
			return nil, false
		}
		ins = append(ins, eval.Array{DType: p.Type.DType, Shape: shape, Data: make([]uint64, n)})
	}
	for _, v := range f.Body {
		shape, _ := v.Type.Shape.Ints()
		if n, err := layout.NumElems(shape); err == nil && n > mostEvaluated && n <= 1<<27 {
			return nil, false
		}
	}
	return ins, true
}
