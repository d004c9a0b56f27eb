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
	Call  string // the method that the op is part of, "softmax"; "" where that is not known
	Op    ir.Op
	Index []int // of the element in the op's result, the first in row-major order
}

func (e *NonFiniteError) Error() string {
	return faultText(e.Pos, e.Call, e.Op, fmt.Sprintf("made a NaN or an infinity at index %v", e.Index))
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
