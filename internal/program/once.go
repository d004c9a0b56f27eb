package program

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Values of constants that a program computes once, when it is made (passes.SplitGraph). Plans keep larger ones
// (passes.Split), and keep.go computes these.

// Bounds of what is computed at compile time, which no context can stop: mostOfNothing elements in total, plus
// mostOfConstants for each element of the constants. The first run that needs other values computes them.
const (
	mostOfNothing   = 1 << 16
	mostOfConstants = 64
)

// computesMuch reports whether values exceed these bounds. A file of a few bytes may describe 2^40 elements.
func computesMuch(once *ir.Func, constants []*tensor.Tensor) bool {
	left := mostOfNothing
	for _, t := range constants {
		left += mostOfConstants * min(t.Size(), math.MaxInt/(2*mostOfConstants*len(constants)))
	}
	for _, v := range once.Body {
		n, known := v.Type.Shape.NumElems().Int()
		if !known || n > left {
			return true
		}
		left -= n
	}
	return false
}

// computeConstants computes the values of the graph that depend only on constants, and replaces them by constants.
func (p *Program) computeConstants() error {
	c := passes.SplitGraph(p.Func, p.options.Frozen)
	if c == nil {
		return nil
	}
	var ins []*tensor.Tensor
	for _, i := range c.Params {
		ins = append(ins, p.Captured[i-p.Inputs])
	}
	if computesMuch(c.Func, ins) {
		return nil
	}
	p.Once = c.Func.Clone()
	options := p.options
	options.Frozen, options.Sized = nil, false
	pl, err := passes.Lower(c.Func, options)
	if err != nil {
		return err
	}
	outs, err := p.runOnce(context.Background(), pl, ins, nil)
	if err != nil {
		return err
	}
	for i, v := range c.Replace() {
		p.OnceTo = append(p.OnceTo, v.Name())
		p.Captured, p.options.Frozen = append(p.Captured, outs[i]), append(p.options.Frozen, true)
	}
	return nil
}

// runOnce runs a plan outside of the program's runs. The observer may be nil.
func (p *Program) runOnce(ctx context.Context, pl *plan.Plan, ins []*tensor.Tensor, o *runtime.Observer) ([]*tensor.Tensor, error) {
	nests, err := p.schedule(pl, schedule.Options{})
	if err != nil {
		return nil, err
	}
	linked, err := p.config.Executor.Link(nests)
	if err != nil {
		return nil, err
	}
	linked.Observe(o)
	outs, err := linked.Results()
	if err != nil {
		return nil, err
	}
	return outs, linked.Run(ctx, outs, ins)
}

// Whole returns a copy of the program's graph from before constants were computed, and the tensors that it captured.
func (p *Program) Whole() (*ir.Func, []*tensor.Tensor) {
	if p.Once == nil {
		return p.Func.Clone(), p.Captured
	}
	f := &ir.Func{Name: p.Func.Name, Fast: p.Func.Fast, Outputs: slices.Clone(p.Func.Outputs)}
	copies, named := map[*ir.Value]*ir.Value{}, map[string]*ir.Value{}
	params := len(p.Func.Params) - len(p.OnceTo)
	for _, v := range p.Func.Params[:params] {
		in := *v
		f.Params = append(f.Params, &in)
		copies[v], named[v.Name()] = &in, &in
	}
	add := func(body []*ir.Value) {
		for _, v := range body {
			w := *v
			w.Args = slices.Clone(v.Args)
			for i, a := range w.Args {
				w.Args[i] = copies[a]
			}
			copies[v] = f.Append(w)
		}
	}
	for _, v := range p.Once.Params {
		copies[v] = named[v.Name()]
	}
	add(p.Once.Body)
	for i, r := range p.Once.Results {
		copies[p.Func.Params[params+i]] = copies[r]
	}
	add(p.Func.Body)
	for _, r := range p.Func.Results {
		f.Results = append(f.Results, copies[r])
	}
	return f, p.Captured[:len(p.Captured)-len(p.OnceTo)]
}
