package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// NonFiniteError says which op was the first to make a NaN or an infinity of numbers.
type NonFiniteError struct {
	Pos   Pos
	Call  string // the method that the op is part of, "softmax"; "" where that is not known
	Op    ir.Op
	Index []int // of the element in the op's result, the first in row-major order
}

func (e *NonFiniteError) Error() string {
	text := fmt.Sprintf("%s made a NaN or an infinity at index %v", e.Op.Method(), e.Index)
	if e.Call != "" && e.Call != e.Op.Method() {
		text = e.Call + ": " + text
	}
	if p := e.Pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
}

// FindNonFinite runs the program once more and returns a *NonFiniteError for the first op
// of the graph that makes a NaN or an infinity, nil if there is no such op. An op makes one
// where an element of its result is not finite, and the elements of its operands that it is
// computed from are; or where it is NaN, as Inf-Inf, and none of those is. So a NaN or an
// infinity in one element hides nothing in others, and ops that only move elements, as Where,
// Concat and Take, make none. An element of a reduction or product is computed from lines of
// the operands, one of a scan from those up to it, and one of other ops on lines, as Scatter
// and its kin, from the whole line.
//
// It looks at the result of every op: those that a fused program never stores have the same
// bits, and those of constants, which were computed when it was compiled, are computed again.
// With WithDebug(NonFinite) each run begins with it.
func (p *Program) FindNonFinite(ctx context.Context, ins ...*Tensor) error {
	if p.empty() {
		return misuse("run: " + noProgram)
	}
	p.search.once.Do(func() { p.search.err = p.newSearch() })
	search, values := p.search.program, p.search.values
	if p.search.err != nil || len(values) == 0 {
		return p.search.err
	}
	outs := make([]*Tensor, len(values))
	if err := search.runNew(ctx, outs, ins); err != nil {
		return err
	}
	for i, v := range values {
		at, err := firstFalse(outs[i])
		if err != nil {
			return err
		}
		if at < 0 {
			continue
		}
		index, err := outs[i].UnravelIndex(at)
		if err != nil {
			return err
		}
		return &NonFiniteError{Pos: v.Pos, Call: v.Call.String(), Op: v.Op, Index: index}
	}
	return nil
}

// search is what FindNonFinite runs: a program with a result for each of some values, which
// says of each element whether it is as it should be. The values are in topological order.
type search struct {
	once    sync.Once
	program *Program
	values  []*ir.Value
	err     error
}

// newSearch makes the program's search.
func (p *Program) newSearch() error {
	fn, captured := p.whole()
	s := &Program{name: p.name, fn: fn, inputs: p.inputs, captured: captured, sizes: p.sizes, options: p.options, executor: p.executor, machine: p.machine, drafts: p.drafts}
	s.options.Frozen = slices.Clone(p.options.Frozen)
	if n := len(fn.Params); n < len(s.options.Frozen) {
		s.options.Frozen = s.options.Frozen[:n]
	}
	s.cache.limit = p.cache.limit
	fn.Results = nil
	c := newFiniteChecks(fn)
	for _, v := range slices.Clone(fn.Body) {
		if !mayMakeNonFinite(v) {
			continue
		}
		r := c.check(v)
		if c.err != nil {
			return c.err
		}
		p.search.values, fn.Results = append(p.search.values, v), append(fn.Results, r)
		s.outputs = append(s.outputs, Port{Name: fmt.Sprint("value", len(s.outputs)), DType: Bool, Shape: v.Type.Shape, Pos: v.Pos})
	}
	p.search.program = s
	return nil
}

// whole returns a copy of the program's graph as it was before any of it was computed of
// constants, and the tensors that it captured.
func (p *Program) whole() (*ir.Func, []*Tensor) {
	if p.once == nil {
		return p.fn.Clone(), p.captured
	}
	f := &ir.Func{Name: p.fn.Name, Fast: p.fn.Fast}
	copies, named := map[*ir.Value]*ir.Value{}, map[string]*ir.Value{}
	params := len(p.fn.Params) - len(p.onceTo)
	for _, v := range p.fn.Params[:params] {
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
	for _, v := range p.once.Params {
		copies[v] = named[v.Name()]
	}
	add(p.once.Body)
	for i, r := range p.once.Results {
		copies[p.fn.Params[params+i]] = copies[r]
	}
	add(p.fn.Body)
	return f, p.captured[:len(p.captured)-len(p.onceTo)]
}

// firstFalse returns the row-major place of the first element that is false, -1 if none is.
func firstFalse(t *Tensor) (int, error) {
	all, err := All[bool](t)
	if err != nil {
		return 0, err
	}
	at := 0
	for ok := range all {
		if !ok {
			return at, nil
		}
		at++
	}
	return -1, nil
}
