package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

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

// FindDivisionByZero runs the program once more and returns a *DivisionByZeroError for the first Div, FloorDiv, Rem or
// Mod of the graph that divides an integer by zero, or nil if there is none. Such divisions give 0. It does not look at
// floats, whose divisions by zero give infinities and NaN (see FindNonFinite), nor at fixed16x16, which saturates. With
// WithDebug(DivisionByZero) each run begins with this check.
func (p *Program) FindDivisionByZero(ctx context.Context, ins ...*Tensor) error {
	if p.empty() {
		return misuse("run", noProgram)
	}
	v, index, err := p.findFault(ctx, &p.divisions, divisionChecksOf, ins)
	if v == nil {
		return err
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
