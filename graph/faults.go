package graph

import (
	"context"
	"fmt"
	"slices"
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
// nil if no element is wrong. checks adds checks to a graph.
func (p *Program) findFault(ctx context.Context, s *search, checks func(*ir.Func) ([]check, error), ins []*Tensor) (*ir.Value, []int, error) {
	s.once.Do(func() { s.err = s.make(p, checks) })
	if s.err != nil {
		return nil, nil, s.err
	}
	if len(s.values) == 0 {
		_, err := p.checkIns(ins)
		return nil, nil, err
	}
	outs := make([]*Tensor, len(s.values))
	if _, err := s.program.run(ctx, outs, ins, true); err != nil {
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
	fn.Results, fn.Outputs = nil, nil
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

// DivisionByZeroError names the first op that divided an integer by zero.
type DivisionByZeroError struct {
	Pos   Pos
	Call  string // the method that the op is part of, "" if that is not known
	Op    ir.Op
	Index []int // the index of the first such element of the op's result, in row-major order
}

func (e *DivisionByZeroError) Error() string {
	return faultText(e.Pos, e.Call, e.Op, fmt.Sprintf("divided by zero at index %v", e.Index))
}

// FindDivisionByZero computes the divisors of the program's integer divisions and returns a *DivisionByZeroError for the
// first Div, FloorDiv, Rem or Mod of the graph that divides an integer by zero. The error is nil if no divisor is zero. A run
// gives 0 for a division by zero. FindDivisionByZero does not look at floats, whose divisions by zero give infinities and NaN (see FindNonFinite), nor at
// fixed16x16, which saturates. An index outside its axis is an error only if a divisor depends on it; Run finds all. With
// WithDebug(DivisionByZero) each run begins with this check.
func (p *Program) FindDivisionByZero(ctx context.Context, ins ...*Tensor) error {
	if p.empty() {
		return misuse("run", noProgram)
	}
	v, index, err := p.findFault(ctx, &p.divisions, divisionChecksOf, ins)
	if v == nil {
		return p.outside(ctx, err, ins, nil)
	}
	return &DivisionByZeroError{Pos: v.Pos, Call: v.Call.String(), Op: v.Op, Index: index}
}

// divisionChecksOf adds to the graph, for each integer division, whether the divisor is not zero.
func divisionChecksOf(f *ir.Func) (list []check, err error) {
	add := func(op ir.Op, a ir.Attr, pos Pos, args ...*ir.Value) (v *ir.Value) {
		if err == nil {
			v, err = f.Add(op, a, pos, args...)
		}
		return v
	}
	for _, v := range slices.Clone(f.Body) {
		if !v.Op.Info().Divides || !ir.Ints.Has(v.Type.DType) {
			continue
		}
		by := v.Args[1]
		ok := add(ir.OpNe, ir.Attr{}, v.Pos, by, add(ir.OpConst, ir.Attr{DType: by.Type.DType}, v.Pos))
		list = append(list, check{v, add(ir.OpExpand, ir.Attr{Shape: v.Type.Shape}, v.Pos, ok)})
	}
	return list, err
}

// NonFiniteError names the first op that made a NaN or an infinity from finite numbers.
type NonFiniteError struct {
	Pos   Pos
	Call  string // the method that the op is part of, such as "softmax"; "" if that is not known
	Op    ir.Op
	Index []int // the index of the first such element of the op's result, in row-major order
}

func (e *NonFiniteError) Error() string {
	return faultText(e.Pos, e.Call, e.Op, fmt.Sprintf("made a NaN or an infinity at index %v", e.Index))
}

// FindNonFinite runs the program once more and returns a *NonFiniteError for the first op of the graph that makes a NaN
// or an infinity, or nil if there is none.
//
// An op makes one if an element of its result is not finite although the operand elements that it is computed from are;
// or if the element is NaN, as Inf-Inf, and none of those is. So a NaN in one element hides nothing in others, and ops
// that only move elements, such as Where, Concat and Take, make none. An element of a reduction or product is computed
// from lines of the operands, an element of a scan from the elements up to it, and that of other ops on lines, such as
// Scatter, from the whole line.
//
// FindNonFinite looks at the result of every op, also at those that the fused program never stores and those that were
// computed at compile time. With WithDebug(NonFinite) each run begins with this check.
func (p *Program) FindNonFinite(ctx context.Context, ins ...*Tensor) error {
	if p.empty() {
		return misuse("run", noProgram)
	}
	v, index, err := p.findFault(ctx, &p.nonFinite, finiteChecksOf, ins)
	if v == nil {
		return p.outside(ctx, err, ins, nil)
	}
	return &NonFiniteError{Pos: v.Pos, Call: v.Call.String(), Op: v.Op, Index: index}
}

// finiteChecksOf adds the checks of FindNonFinite.
func finiteChecksOf(f *ir.Func) ([]check, error) {
	var list []check
	c := newFiniteChecks(f)
	for _, v := range slices.Clone(f.Body) {
		if mayMakeNonFinite(v) {
			list = append(list, check{v, c.check(v)})
		}
	}
	return list, c.err
}
