package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
)

// The states that bisect compares.

// states is search for a graph: it finds the first difference for the inputs, and prints it.
func (b *bisection) states() (found bool, err error) {
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
		return fmt.Sprintf("the schedule differs from the definition of the %s (%v), and the plan does not", b.level, err), nil
	}
	return b.ran(nests)
}

// ran says that a run differs from the definition, or "".
func (b *bisection) ran(nests *nest.Program) (string, error) {
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
