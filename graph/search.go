package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// Searches for the first op that does what it should not, such as to make a NaN.

// check is a value of a graph, and bools of its shape: whether an element is as it should be.
type check struct{ of, ok *ir.Value }

// search is a program with the bools of checks as results, and the values that they check, in topological order. It is made when
// it is first run.
type search struct {
	once    sync.Once
	program *Program
	values  []*ir.Value
	err     error
}

// findFault runs a search. It returns the first value with an element that is not as it should be, and the first such index;
// nil if there is none. checks adds checks to a graph.
func (p *Program) findFault(ctx context.Context, s *search, checks func(*ir.Func) ([]check, error), ins []*Tensor) (*ir.Value, []int, error) {
	s.once.Do(func() { s.err = s.make(p, checks) })
	if s.err != nil || len(s.values) == 0 {
		return nil, nil, s.err
	}
	outs := make([]*Tensor, len(s.values))
	if err := s.program.runNew(ctx, outs, ins); err != nil {
		return nil, nil, err
	}
	for i, v := range s.values {
		at, err := firstFalse(outs[i])
		if err != nil {
			return nil, nil, err
		}
		if at < 0 {
			continue
		}
		index, err := outs[i].UnravelIndex(at)
		return v, index, err
	}
	return nil, nil, nil
}

// make makes the search of a program.
func (s *search) make(p *Program, checks func(*ir.Func) ([]check, error)) error {
	fn, captured := p.whole()
	list, err := checks(fn)
	if err != nil {
		return err
	}
	fn.Results = nil
	q := &Program{name: p.name, fn: fn, inputs: p.inputs, captured: captured, sizes: p.sizes, options: p.options, executor: p.executor, machine: p.machine, drafts: p.drafts, tilings: p.tilings}
	q.options.Frozen = slices.Clone(p.options.Frozen)
	if n := len(fn.Params); n < len(q.options.Frozen) {
		q.options.Frozen = q.options.Frozen[:n]
	}
	q.cache.limit = p.cache.limit
	for i, c := range list {
		s.values, fn.Results = append(s.values, c.of), append(fn.Results, c.ok)
		q.outputs = append(q.outputs, Port{Name: fmt.Sprint("value", i), DType: Bool, Shape: c.of.Type.Shape, Pos: c.of.Pos})
	}
	s.program = q
	return nil
}

// faultText is the text of an error about an op: where the user wrote it, as part of which method, and what it did.
func faultText(pos Pos, call string, op ir.Op, what string) string {
	text := op.Method() + " " + what
	if call != "" && call != op.Method() {
		text = call + ": " + text
	}
	if p := pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
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
