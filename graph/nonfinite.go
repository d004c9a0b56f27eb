package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// NonFiniteError says which op was the first to make a NaN or an infinity of numbers.
type NonFiniteError struct {
	Pos   Pos
	Op    ir.Op
	Index []int // of the element in the op's result, the first in row-major order
}

func (e *NonFiniteError) Error() string {
	text := fmt.Sprintf("%s made a NaN or an infinity at index %v, of operands without one", e.Op, e.Index)
	if p := e.Pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
}

// FindNonFinite runs the program once more and returns a *NonFiniteError for the first op
// of the graph whose result has a NaN or an infinity although its operands have none; nil
// if there is no such op. That is the op to look at, also where others go on computing
// with the NaN, or hide it. It looks at the result of every op: those that a fused program
// never stores have the same bits. With WithDebug(NonFinite) each run begins with it.
func (p *Program) FindNonFinite(ctx context.Context, ins ...*Tensor) error {
	if p.empty() {
		return misuse("run: " + noProgram)
	}
	search, values, err := p.search()
	if err != nil || len(values) == 0 {
		return err
	}
	outs := make([]*Tensor, len(values))
	b, err := search.ready(ctx, ins)
	if err == nil {
		err = search.run(ctx, b, outs, ins, true)
	}
	if err != nil {
		return atCaller(err)
	}
	spoilt := map[*ir.Value]bool{}
	for i, v := range values {
		at, err := firstFalse(outs[i])
		if err != nil {
			return err
		}
		spoilt[v] = at >= 0
		if at < 0 || v.Op == ir.OpParam || slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return spoiltBelow(a, spoilt) }) {
			continue
		}
		index, err := outs[i].UnravelIndex(at)
		if err != nil {
			return err
		}
		return &NonFiniteError{Pos: v.Pos, Op: v.Op, Index: index}
	}
	return nil
}

// search returns the program that says of each element of each value whether it is a
// number, and those values, in topological order.
func (p *Program) search() (*Program, []*ir.Value, error) {
	s := &Program{name: p.name, fn: p.fn.Clone(), inputs: p.inputs, captured: p.captured, sizes: p.sizes, options: p.options, executor: p.executor, machine: p.machine}
	s.options.Frozen = slices.Clone(p.options.Frozen)
	s.cache.limit = 1
	var values []*ir.Value
	for _, v := range slices.Concat(s.fn.Params, s.fn.Body) {
		if ir.Floats.Has(v.Type.DType) && (v.Op == ir.OpParam || v.Op.IsComputed()) {
			values = append(values, v)
		}
	}
	s.fn.Results = nil
	for _, v := range values {
		r, err := s.fn.Add(ir.OpIsFinite, ir.Attr{}, v.Pos, v)
		if err != nil {
			return nil, nil, err
		}
		s.fn.Results = append(s.fn.Results, r)
		s.outputs = append(s.outputs, Port{Name: fmt.Sprint("value", len(s.outputs)), DType: Bool, Shape: v.Type.Shape, Pos: v.Pos})
	}
	return s, values, nil
}

// spoiltBelow reports whether what a value reads may have a NaN or an infinity.
func spoiltBelow(v *ir.Value, spoilt map[*ir.Value]bool) bool {
	for v.Op.IsView() {
		v = v.Args[0]
	}
	if d := v.Type.DType; v.Op == ir.OpConst && ir.Floats.Has(d) {
		x := ir.ToFloat(d, v.Attr.Bits)
		return x-x != 0
	}
	return spoilt[v]
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
