package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// Bisecting finds the first state of a program that differs from the definition of its graph. passes.Bisect searches
// among passes and rewrites; this file evaluates each state.

// bisect compares the states of a program with the definition of its text. Those of a graph are after each pass and
// rewrite, as a plan, as a schedule, and as it runs. It prints the first state that differs.
func (t *tool) bisect(ctx context.Context) error {
	s, err := t.source()
	if err != nil {
		return err
	}
	b := &bisection{tool: t, ctx: ctx, level: levelNames[s.level], begin: time.Now()}
	switch s.level {
	case graphLevel:
		err = b.ofGraph(s.run)
	case planLevel:
		err = b.ofPlan(s.run)
	case scheduleLevel:
		err = b.ofSchedule(s.run)
	}
	if err != nil {
		return err
	}
	b.elems = arrays(b.ins)
	if b.want, err = b.define(b.elems); err != nil {
		return err
	}
	found, err := b.search()
	for turn := 0; turn < specialDraws && !found && err == nil; turn++ {
		if b.special(turn) {
			found, err = b.search()
		}
	}
	if err == nil && !found {
		fmt.Fprintf(b.stdout, "no state differs from the definition of the %s (%d states compared)\n", b.level, b.tried)
	}
	return err
}

// ofGraph begins a search with the text of a graph.
func (b *bisection) ofGraph(text string) error {
	f, between, err := b.verifiedGraph(text)
	switch {
	case err != nil:
		return err
	case between:
		return b.unfit(betweenPasses, "bisect searches among all passes")
	}
	if b.ins, err = b.given((&defined{f}).Inputs(), true); err != nil {
		return err
	}
	b.symbolic, b.sizes = f, sizesOf(f, b.ins)
	if b.f, err = bound(f, b.sizes, b.ins); err != nil {
		return err
	}
	if err := evaluable(b.f); err != nil {
		return b.inText(err)
	}
	b.define = func(elems []eval.Array) ([]eval.Array, error) { return eval.Eval(b.f, elems) }
	b.inputs, b.search = (&defined{b.f}).Inputs(), b.states
	return nil
}

// ofPlan begins a search with the text of a plan.
func (b *bisection) ofPlan(text string) error {
	p, err := b.planText(text)
	if err != nil {
		return err
	}
	nests, err := b.tool.schedule(p)
	if err != nil {
		return b.inText(err)
	}
	b.define = func(elems []eval.Array) ([]eval.Array, error) { return eval.Plan(p, elems) }
	return b.ofNests(nests, func() (string, error) {
		same, err := b.split(p)
		if err != nil || !same {
			return "the plan without the steps that run once differs from the whole plan", err
		}
		return b.below(nests)
	})
}

// ofSchedule begins a search with the text of a schedule.
func (b *bisection) ofSchedule(text string) error {
	nests, err := b.nestText(text)
	if err != nil {
		return err
	}
	b.define = func(elems []eval.Array) ([]eval.Array, error) { return eval.Nests(nests, elems) }
	return b.ofNests(nests, func() (string, error) { return b.ran(nests) })
}

// ofNests makes the inputs of a schedule. where says which state below the text differs, or "".
func (b *bisection) ofNests(nests *nest.Program, where func() (string, error)) error {
	p, err := b.link(nests)
	if err != nil {
		return err
	}
	b.inputs = p.Inputs()
	b.ins, err = b.given(b.inputs, true)
	b.search = func() (bool, error) {
		text, err := where()
		if err == nil && text != "" {
			fmt.Fprintf(b.stdout, "%s (%d states compared)\n", text, b.tried)
		}
		return text != "", err
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
		for i, p := range b.inputs {
			if types.Has(p.DType) && !slices.ContainsFunc(b.in, func(n named) bool { return n.name == p.Name }) {
				ins[i], some = tensorOf(eval.SpecialArray(p.DType, (1+3*turn)*(i+1), ins[i].Shape()...)), true
			}
		}
		elems := arrays(ins)
		if want, err := b.define(elems); some && err == nil {
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
	ctx    context.Context
	level  string // the name of the level of the text
	inputs []graph.Port
	define func([]eval.Array) ([]eval.Array, error) // computes the text by its definition
	search func() (found bool, err error)           // finds the first difference for the inputs, and prints it
	ins    []*graph.Tensor
	elems  []eval.Array // elements of the inputs
	want   []eval.Array
	tried  int
	begin  time.Time

	// Of a graph.
	symbolic *ir.Func
	sizes    map[string]int
	f        *ir.Func // symbolic, bound to the sizes
}
