package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Runnable programs of all levels.

// program can be run: a *graph.Program, or a program of a lower level.
type program interface {
	Inputs() []graph.Port
	RunAll(ctx context.Context, ins ...*graph.Tensor) ([]*graph.Tensor, error)
}

func (t *tool) executor() *runtime.Executor {
	return &runtime.Executor{Workers: t.workers, Portable: t.portable, Verify: true}
}

// schedule makes the schedule of a plan.
func (t *tool) schedule(p *plan.Plan) (*nest.Program, error) {
	e := t.executor()
	return schedule.Schedule(p, e.Machine(), e, t.ways())
}

// ways returns the options for scheduling plans.
func (t *tool) ways() schedule.Options { return schedule.Options{TilingOnly: t.tiling, Reasons: true} }

// link verifies a schedule and makes a program of it.
func (t *tool) link(nests *nest.Program) (program, error) {
	linked, err := t.executor().Link(nests)
	if err != nil {
		return nil, t.inText(err)
	}
	linked.Observe(&runtime.Observer{Progress: t.progress(), Every: progressEvery})
	s := &scheduled{linked: linked}
	for i := range nests.Buffers {
		switch b := &nests.Buffers[i]; b.Kind {
		case plan.ParamBuffer:
			s.params = append(s.params, b)
		case plan.ResultBuffer:
			s.results++
		}
	}
	slices.SortFunc(s.params, func(a, b *plan.Buffer) int { return a.Index - b.Index })
	return s, nil
}

// scheduled is a program given below the level of graphs.
type scheduled struct {
	linked  *runtime.Linked
	params  []*plan.Buffer // parameters, in the order of the inputs
	results int
}

// Inputs describes the parameters.
func (s *scheduled) Inputs() []graph.Port {
	ports := make([]graph.Port, len(s.params))
	for i, b := range s.params {
		ports[i] = graph.Port{Name: b.Name, DType: b.DType, Shape: ir.ShapeOf(b.Shape...)}
	}
	return ports
}

// RunAll runs the schedule, with inputs copied to the layouts that it has for them.
func (s *scheduled) RunAll(ctx context.Context, ins ...*graph.Tensor) ([]*graph.Tensor, error) {
	placed := make([]*graph.Tensor, len(ins))
	for i, b := range s.params {
		x, err := place(ins[i], b)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", b.Name, err)
		}
		placed[i] = x
	}
	outs := make([]*graph.Tensor, s.results)
	if err := s.linked.RunNew(ctx, outs, placed); err != nil {
		return nil, err
	}
	return outs, nil
}

// place returns a copy of a tensor with the layout of a buffer.
func place(x *graph.Tensor, b *plan.Buffer) (*graph.Tensor, error) {
	at := layout.RowMajor(b.Shape...)
	if b.At != nil {
		at = *b.At
	}
	lo, hi := at.Bounds()
	memory := graph.New(b.DType, max(0, hi-lo+1)) // a failed tensor if memory is short
	if err := memory.Err(); err != nil {
		return nil, err
	}
	at.Offset -= lo
	y := tensor.OfMemory(b.DType, at, stored(memory))
	return y, graph.Copy(y, x)
}

// defined is a graph that is computed by its definition.
type defined struct{ f *ir.Func }

// mostEvaluated is the most elements, in total, of the values of an evaluation; each takes 8 bytes.
const mostEvaluated = 1 << 25

// evaluable returns an error for a graph that is too large to evaluate by its definition.
func evaluable(f *ir.Func) error {
	total := 0
	for _, v := range slices.Concat(f.Params, f.Body) {
		shape, ok := v.Type.Shape.Ints()
		if !ok {
			continue
		}
		n, err := layout.NumElems(shape)
		if total += min(n, mostEvaluated+1); err != nil || total > mostEvaluated {
			return fmt.Errorf("the values have more than %d elements: that is too many for the definition; give less with -size, or another stage", mostEvaluated)
		}
	}
	return nil
}

// Inputs describes the parameters.
func (d *defined) Inputs() []graph.Port {
	ports := make([]graph.Port, len(d.f.Params))
	for i, p := range d.f.Params {
		ports[i] = graph.Port{Name: p.Name(), DType: p.Type.DType, Shape: p.Type.Shape}
	}
	return ports
}

// RunAll evaluates the graph.
func (d *defined) RunAll(ctx context.Context, ins ...*graph.Tensor) ([]*graph.Tensor, error) {
	results, err := eval.Eval(d.f, arrays(ins))
	if err != nil {
		return nil, err
	}
	outs := make([]*graph.Tensor, len(results))
	for i, r := range results {
		outs[i] = tensorOf(r)
	}
	return outs, ctx.Err()
}

// typeText describes an input for messages.
func typeText(p graph.Port) string { return strings.TrimPrefix(p.String(), p.Name+" ") }
