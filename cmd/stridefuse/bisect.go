package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
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
	if f, err = t.bound(f, ins); err != nil {
		return err
	}
	if err := evaluable(f); err != nil {
		return t.inText(err)
	}
	b := &bisection{tool: t, ctx: ctx, f: f, ins: ins, elems: arrays(ins), begin: time.Now()}
	if b.want, err = eval.Eval(f, b.elems); err != nil {
		return err
	}
	return b.search()
}

// bound returns the graph bound to the sizes of its inputs.
func (t *tool) bound(f *ir.Func, ins []*graph.Tensor) (*ir.Func, error) {
	sizes := map[string]int{}
	for i, p := range f.Params {
		for k, d := range p.Type.Shape {
			if name, factor, offset, ok := d.Linear(); ok {
				sizes[name] = (ins[i].Extent(k) - offset) / factor
			}
		}
	}
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
	ctx   context.Context
	f     *ir.Func
	ins   []*graph.Tensor
	elems []eval.Array // elements of the inputs
	want  []eval.Array
	tried int
	begin time.Time
}

// search finds the first difference, and prints it.
func (b *bisection) search() error {
	options := passes.Options{Machine: b.executor().Machine()}
	c, err := passes.Bisect(b.pipeline, b.f, options, b.agrees)
	if err != nil {
		return err
	}
	if c.Pass != "" {
		b.report(c)
		return nil
	}
	p, err := passes.Lower(b.f.Clone(), options)
	if err != nil {
		return err
	}
	nests, err := b.schedule(p)
	if err != nil {
		return err
	}
	where, err := b.below(nests)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "%s (%d states compared)\n", cmp.Or(where, "no state differs from the definition of the graph"), b.tried)
	return nil
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
