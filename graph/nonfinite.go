package graph

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

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
		return err
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
