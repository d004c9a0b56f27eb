package program

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Values of constants that a program computes once, when it is made, if they are no larger than the constants. Larger
// ones belong to plans: passes.Split chooses them, and keep.go computes them.

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
	if !slices.Contains(p.options.Frozen, true) {
		return nil
	}
	p.Func.Number()
	c := findConstants(p.Func, p.options.Frozen)
	roots := c.roots()
	if len(roots) == 0 {
		return nil
	}
	once := p.Func.Clone()
	once.Number()
	once.Results = nil
	for _, r := range roots {
		once.Results = append(once.Results, once.Body[r.ID])
	}
	used := once.Keep()
	var ins []*tensor.Tensor
	for _, i := range used {
		ins = append(ins, p.Captured[i-p.Inputs])
	}
	if computesMuch(once, ins) {
		return nil
	}
	p.Once = once.Clone()
	options := p.options
	options.Frozen = nil
	pl, err := passes.Lower(once, options)
	if err != nil {
		return err
	}
	outs, err := p.runOnce(context.Background(), pl, ins)
	if err != nil {
		return err
	}
	stands := map[*ir.Value]*ir.Value{}
	for i, r := range roots {
		stands[r] = p.Func.Param(p.freeName("once"+strconv.Itoa(i)), r.Type, nil)
		stands[r].Pos = r.Pos
		p.OnceTo = append(p.OnceTo, stands[r].Name())
		p.Captured, p.options.Frozen = append(p.Captured, outs[i]), append(p.options.Frozen, true)
	}
	for _, v := range p.Func.Body {
		for i, a := range v.Args {
			if s := stands[a]; s != nil {
				v.Args[i] = s
			}
		}
	}
	for i, r := range p.Func.Results {
		if s := stands[r]; s != nil {
			p.Func.Results[i] = s
		}
	}
	p.Func.Sweep()
	return nil
}

// freeName returns a name that no param has.
func (p *Program) freeName(name string) string {
	for slices.ContainsFunc(p.Func.Params, func(v *ir.Value) bool { return v.Name() == name }) {
		name += "_"
	}
	return name
}

// runOnce runs a plan outside of the program's runs.
func (p *Program) runOnce(ctx context.Context, pl *plan.Plan, ins []*tensor.Tensor) ([]*tensor.Tensor, error) {
	nests, err := p.schedule(pl, schedule.Options{})
	if err != nil {
		return nil, err
	}
	linked, err := p.config.Executor.Link(nests)
	if err != nil {
		return nil, err
	}
	outs := make([]*tensor.Tensor, results(pl))
	return outs, linked.RunNew(ctx, outs, ins)
}

// results returns the number of a plan's results.
func results(pl *plan.Plan) int {
	n := 0
	for i := range pl.Buffers {
		if pl.Buffers[i].Kind == plan.ResultBuffer {
			n++
		}
	}
	return n
}

// Whole returns a copy of the program's graph from before constants were computed, and the tensors that it captured.
func (p *Program) Whole() (*ir.Func, []*tensor.Tensor) {
	if p.Once == nil {
		return p.Func.Clone(), p.Captured
	}
	f := &ir.Func{Name: p.Func.Name, Fast: p.Func.Fast}
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
