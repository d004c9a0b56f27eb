package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
)

// Bisecting finds the first state of a program that differs from the definition of its graph. passes.Bisect searches
// among passes and rewrites; this file evaluates each state.

// bisect compares the states of a program with the definition of its graph: after each pass and rewrite, as a plan, as
// a schedule, and as it runs. It prints the first state that differs.
func (t *tool) bisect(ctx context.Context) error {
	s, err := t.source()
	if err != nil {
		return err
	}
	if s.level != graphLevel {
		return fmt.Errorf("%s: this is a %s: bisect begins with the text of a graph", t.arg, levelNames[s.level])
	}
	f, err := t.graphText(s.run)
	if err != nil {
		return err
	}
	if err := ir.Verify(f, ir.StageGraph); err != nil {
		return t.inText(err)
	}
	ins, err := t.given((&defined{f}).Inputs(), true)
	if err != nil {
		return err
	}
	b := &bisection{tool: t, ctx: ctx, symbolic: f, ins: ins, sizes: sizesOf(f, ins), elems: arrays(ins), begin: time.Now()}
	if b.f, err = bound(f, b.sizes, ins); err != nil {
		return err
	}
	if err := evaluable(b.f); err != nil {
		return t.inText(err)
	}
	if b.want, err = eval.Eval(b.f, b.elems); err != nil {
		return err
	}
	found, err := b.search()
	for turn := 0; turn < specialDraws && !found && err == nil; turn++ {
		if b.special(turn) {
			found, err = b.search()
		}
	}
	if err == nil && !found {
		fmt.Fprintf(b.stdout, "no state differs from the definition of the graph (%d states compared)\n", b.tried)
	}
	return err
}

// specialDraws is the number of times that inputs without a file are replaced by special elements.
const specialDraws = 6

// special replaces the inputs that have no file by special elements: zeros, NaN, infinities, extremes, and numbers beside those at
// which types stop being exact. Each turn has others, so that short inputs too get elements of all kinds. Inputs of integers stay made up if the graph does not take special ones, for example as indices. It
// reports whether the graph takes the inputs.
func (b *bisection) special(turn int) bool {
	for _, types := range []ir.DTypes{ir.AllTypes, ir.Fractions} {
		ins, some := slices.Clone(b.ins), false
		for i, p := range b.f.Params {
			if types.Has(p.Type.DType) && !slices.ContainsFunc(b.in, func(n named) bool { return n.name == p.Name() }) {
				ins[i], some = tensorOf(eval.SpecialArray(p.Type.DType, (1+3*turn)*(i+1), ins[i].Shape()...)), true
			}
		}
		elems := arrays(ins)
		if want, err := eval.Eval(b.f, elems); some && err == nil {
			b.ins, b.elems, b.want = ins, elems, want
			return true
		}
	}
	return false
}

// sizesOf returns the symbolic sizes of a graph, by the shapes of its inputs.
func sizesOf(f *ir.Func, ins []*graph.Tensor) map[string]int {
	sizes := map[string]int{}
	for i, p := range f.Params {
		for k, d := range p.Type.Shape {
			if name, factor, offset, ok := d.Linear(); ok {
				sizes[name] = (ins[i].Extent(k) - offset) / factor
			}
		}
	}
	return sizes
}

// bound returns a graph bound to sizes, which are those of its inputs.
func bound(f *ir.Func, sizes map[string]int, ins []*graph.Tensor) (*ir.Func, error) {
	g, err := f.Bind(sizes)
	if err != nil {
		return nil, err
	}
	for i, p := range g.Params {
		shape, _ := p.Type.Shape.Ints()
		if have := fmt.Sprint(ins[i].Shape()); have != fmt.Sprint(shape) {
			return nil, fmt.Errorf("input %s is %s, and the file has %s", p.Name(), p.Type.Shape, have)
		}
	}
	return g, nil
}

// bisection is one search.
type bisection struct {
	*tool
	ctx      context.Context
	symbolic *ir.Func
	sizes    map[string]int
	f        *ir.Func // symbolic, bound to the sizes
	ins      []*graph.Tensor
	elems    []eval.Array // elements of the inputs
	want     []eval.Array
	tried    int
	begin    time.Time
}

// search finds the first difference for the inputs, and prints it.
func (b *bisection) search() (found bool, err error) {
	options := passes.Options{Machine: b.executor().Machine(), Frozen: make([]bool, len(b.f.Params)), Sized: len(b.sizes) > 0}
	for i, p := range b.f.Params {
		options.Frozen[i] = strings.HasPrefix(p.Name(), "const") || strings.HasPrefix(p.Name(), "once") // package graph names captured tensors so
	}
	c, err := passes.Bisect(b.pipeline, b.f, options, b.agrees)
	if err != nil {
		return false, err
	}
	if c.Pass != "" {
		b.report(c)
		return true, nil
	}
	p, err := passes.Lower(b.f.Clone(), options)
	if err != nil {
		return false, err
	}
	where, err := b.behind(p, options)
	if err != nil || where == "" {
		return false, err
	}
	fmt.Fprintf(b.stdout, "%s (%d states compared)\n", where, b.tried)
	return true, nil
}

// agrees evaluates a state of the passes.
func (b *bisection) agrees(s *passes.State) (bool, error) {
	if err := b.step(); err != nil {
		return false, err
	}
	got, err := []eval.Array(nil), error(nil)
	if s.Plan != nil {
		got, err = eval.Plan(s.Plan, b.elems)
	} else {
		got, err = eval.Eval(s.Func, b.elems)
	}
	return err == nil && sameArrays(got, b.want), nil
}

// step counts a state, and ends the search if the context has ended.
func (b *bisection) step() error {
	b.tried++
	if time.Since(b.begin) > quiet {
		fmt.Fprintf(b.stderr, "\rstate %d ", b.tried)
	}
	return b.ctx.Err()
}

// behind says which stage behind the passes differs, or "" if none does: the plan p in two parts, a plan resized to the
// sizes of the inputs, the schedule, or the run.
func (b *bisection) behind(p *plan.Plan, o passes.Options) (string, error) {
	if same, err := b.split(p); err != nil || !same {
		return "the plan without the steps that run once differs from the definition of the graph, and the whole plan does not", err
	}
	if where, err := b.resized(o); err != nil || where != "" {
		return where, err
	}
	nests, err := b.schedule(p)
	if err != nil {
		return "", err
	}
	return b.below(nests)
}

// split reports whether the parts of a plan, of which one runs once, compute what the graph does.
func (b *bisection) split(p *plan.Plan) (bool, error) {
	if err := b.step(); err != nil {
		return false, err
	}
	once, params, rest, err := passes.Split(p)
	if err != nil {
		return false, err
	}
	ins := slices.Clone(b.elems)
	if once != nil {
		var own []eval.Array
		for _, i := range params {
			own = append(own, ins[i])
		}
		kept, err := eval.Plan(once, own)
		if err != nil {
			return false, err
		}
		ins = append(ins, kept...)
	}
	got, err := eval.Plan(rest, ins)
	return err == nil && sameArrays(got, b.want), nil
}

// resized says whether a plan for a larger batch, resized to the batch of the inputs, differs. It returns "" if no size
// of the graph is a batch.
func (b *bisection) resized(o passes.Options) (string, error) {
	for name, rows := range b.sizes {
		if most := passes.MostRows(rows); passes.BatchName(b.symbolic, name) && most > rows {
			larger := maps.Clone(b.sizes)
			larger[name] = most
			f, err := b.symbolic.Bind(larger)
			if err != nil { // no other number of rows fits the graph
				continue
			}
			p, err := passes.Lower(f, o)
			if err != nil {
				return "", err
			}
			batch := passes.BatchOf(b.symbolic, name, p, most)
			if batch == nil {
				continue
			}
			if p = batch.Resize(rows); p == nil {
				continue
			}
			if err := b.step(); err != nil {
				return "", err
			}
			if got, err := eval.Plan(p, b.elems); err != nil || !sameArrays(got, b.want) {
				return fmt.Sprintf("the plan for %s=%d, resized to %[1]s=%[3]d, differs from the definition of the graph (%v), and the plan made for %[1]s=%[3]d does not\n%s", name, most, rows, err, p), nil
			}
		}
	}
	return "", nil
}

// below says which part of the schedule differs, its definition or its run, or "" if none does.
func (b *bisection) below(nests *nest.Program) (string, error) {
	if err := b.step(); err != nil {
		return "", err
	}
	got, err := eval.Nests(nests, b.elems)
	if err != nil || !sameArrays(got, b.want) {
		return fmt.Sprintf("the schedule differs from the definition of the graph (%v), and the plan does not", err), nil
	}
	if err := b.step(); err != nil {
		return "", err
	}
	p, err := b.link(nests)
	if err != nil {
		return "", err
	}
	outs, err := p.RunAll(b.ctx, b.ins...)
	if err != nil {
		return "", err
	}
	if !sameArrays(arrays(outs), b.want) {
		return "the run differs from the definition of the schedule: a kernel or the runtime is wrong; compare with -portable and -tiling", nil
	}
	return "", nil
}

// report prints what a pass has broken.
func (b *bisection) report(c *passes.Culprit) {
	fmt.Fprintf(b.stdout, "pass %s", c.Pass)
	if c.Rewrite > 0 {
		fmt.Fprintf(b.stdout, ", rewrite %d: %s", c.Rewrite, c.Op.Method())
		if c.Pos.File != "" {
			fmt.Fprintf(b.stdout, " of %s", c.Pos)
		}
	}
	fmt.Fprintf(b.stdout, " (%d states compared)\n%s", c.Tried, lineDiff(c.Before, c.After))
}
