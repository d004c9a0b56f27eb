package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The error of BinCount for a number without a bin names the number, the element and the bins. A run does not know the
// element, because kernels take indices from registers, so the numbers are computed once more.

// outside returns the error of a run, whose inputs it has not overwritten. If a number was outside the bins of
// BinCount, it adds which element that was.
func (p *Program) outside(ctx context.Context, err error, ins []*Tensor) error {
	var at *Error
	var index *ir.IndexError
	if !errors.As(err, &at) || !errors.As(err, &index) {
		return err
	}
	v, place, failed := p.findFault(ctx, &search{}, func(f *ir.Func) ([]check, error) { return outsideChecks(f, at.Pos, index) }, ins)
	if v == nil || failed != nil {
		return err
	}
	return &Error{Pos: at.Pos, Op: at.Op, Msg: fmt.Sprintf("bincount: element %d, in row-major order, is %d: %d bins count the numbers 0 to %d: give more bins, or ClampIndex the elements", place[0], index.Index, index.Extent, index.Extent-1)}
}

// outsideChecks adds, for each BinCount at a line, checks that its numbers differ from the given one.
func outsideChecks(f *ir.Func, pos Pos, index *ir.IndexError) (list []check, err error) {
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) (v *ir.Value) {
		if err == nil {
			v, err = f.Add(op, a, pos, args...)
		}
		return v
	}
	for _, v := range slices.Clone(f.Body) {
		if v.Pos != pos || !v.Op.Info().Scatters() || v.Call.String() != "bincount" {
			continue
		}
		if extent, known := v.Args[0].Type.Shape[v.Attr.Axis].Int(); known && extent != index.Extent {
			continue
		}
		i := v.Args[1]
		if i.Type.DType != Int64 {
			i = add(ir.OpCast, ir.Attr{DType: Int64}, i)
		}
		list = append(list, check{v, add(ir.OpNe, ir.Attr{}, i, add(ir.OpConst, ir.Attr{DType: Int64, Bits: uint64(index.Index)}))})
	}
	return list, err
}
