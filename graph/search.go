package graph

import (
	"context"
	"fmt"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// Searches for the first op that makes a wrong element, such as a NaN.

// check pairs a value of a graph with bools of its shape: whether each element is correct.
type check struct{ of, ok *ir.Value }

// search is a program whose results are the bools of checks, and the checked values in topological order. It is
// compiled when it first runs.
type search struct {
	once    sync.Once
	program *Program
	values  []*ir.Value
	err     error
}

// findFault runs a search. It returns the first value with a wrong element and the index of the first such element, or
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
	fn, captured := p.compiled.Whole()
	list, err := checks(fn)
	if err != nil {
		return err
	}
	fn.Results = nil
	q := &Program{name: p.name, inputs: p.inputs}
	for i, c := range list {
		s.values, fn.Results = append(s.values, c.of), append(fn.Results, c.ok)
		q.outputs = append(q.outputs, Port{Name: fmt.Sprint("value", i), DType: Bool, Shape: c.of.Type.Shape, Pos: c.of.Pos})
	}
	q.compiled = p.compiled.Sibling(fn, captured)
	s.program = q
	return nil
}

// faultText describes an op in an error: where the user wrote it, as part of which method, and what it did.
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

// firstFalse returns the row-major index of the first false element, or -1 if there is none.
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
