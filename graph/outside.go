package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Errors of runs about an index outside its axis. A kernel takes indices from registers and knows neither the arrays nor the place of an
// index. So the indices are computed once more, and the error names the call, the arrays, and the first place of the index.

// mostAlone is the number of ops of one line that are searched one by one, because indices of one may depend on results of another.
const mostAlone = 8

// outside returns the error of a run. If it is about an index outside an axis, the error names the op, its arrays and the place of the index.
// The run may have overwritten the inputs of lost: indices that depend on them can't be computed once more, and the error names no place.
func (p *Program) outside(ctx context.Context, err error, ins []*Tensor, lost []int) error {
	var at *Error
	var index *ir.IndexError
	if !errors.As(err, &at) || !errors.As(err, &index) {
		return err
	}
	sizes, _ := p.checkIns(ins)
	for only := -1; only < mostAlone; only++ {
		v, place, failed := p.findFault(ctx, &search{}, func(f *ir.Func) ([]check, error) { return indexChecks(f, at.Pos, index, lost, only) }, ins)
		if v != nil && failed == nil {
			return index.Saying(at.Pos, p.outsideText(v, place, index, sizes))
		}
		if only < 0 && failed == nil {
			break
		}
	}
	f, _ := p.compiled.Whole()
	return p.withoutPlace(f, err, sizes)
}

// withoutPlace returns an error about an index outside an axis with the name of the op and, if only one op of f can have made it, its arrays. It
// returns other errors as they are.
func (p *Program) withoutPlace(f *ir.Func, err error, sizes map[string]int) error {
	var at *Error
	var index *ir.IndexError
	if !errors.As(err, &at) || !errors.As(err, &index) {
		return err
	}
	ops := indexing(f, at.Pos, index)
	switch same := func(v *ir.Value) bool { return v.Called() == ops[0].Called() }; {
	case len(ops) == 1 && ops[0].Op.Info().Indexed:
		return index.Saying(at.Pos, p.outsideText(ops[0], nil, index, sizes))
	case len(ops) > 0 && !slices.ContainsFunc(ops, func(v *ir.Value) bool { return !same(v) }):
		return index.Saying(at.Pos, ops[0].Called()+": "+index.Error())
	}
	return err
}

// indexing returns the ops at a position that may have had the index.
func indexing(f *ir.Func, pos Pos, index *ir.IndexError) (ops []*ir.Value) {
	for _, v := range f.Body {
		info := v.Op.Info()
		if v.Pos != pos && v.Pos != (Pos{}) || !(info.Indexed || info.Ragged || info.Walks) {
			continue
		}
		if extent, known := v.Args[0].Type.Shape[v.Attr.Axis].Int(); info.Indexed && known && extent != index.Extent {
			continue
		}
		ops = append(ops, v)
	}
	return ops
}

// indexChecks adds, for each gather and scatter at a position or only for one of them, checks that its indices are inside or differ from the
// given one. It leaves out indices that depend on lost inputs.
func indexChecks(f *ir.Func, pos Pos, index *ir.IndexError, lost []int, only int) (list []check, err error) {
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) (v *ir.Value) {
		if err == nil {
			v, err = f.Add(op, a, pos, args...)
		}
		return v
	}
	number := func(n int64) *ir.Value { return add(ir.OpConst, ir.Attr{DType: Int64, Bits: uint64(n)}) }
	gone := dependents(f, lost)
	ops := slices.DeleteFunc(indexing(f, pos, index), func(v *ir.Value) bool { return !v.Op.Info().Indexed || gone[v.Args[1]] })
	for k, v := range ops {
		if only >= 0 && k != only {
			continue
		}
		i := v.Args[1]
		if i.Type.DType != Int64 {
			i = add(ir.OpCast, ir.Attr{DType: Int64}, i)
		}
		extent := add(ir.OpExtent, ir.Attr{DType: Int64, Begin: v.Args[0].Type.Shape[v.Attr.Axis]})
		inside := add(ir.OpAnd, ir.Attr{}, add(ir.OpGe, ir.Attr{}, i, number(0)), add(ir.OpLt, ir.Attr{}, i, extent))
		list = append(list, check{v, add(ir.OpOr, ir.Attr{}, inside, add(ir.OpNe, ir.Attr{}, i, number(index.Index)))})
	}
	return list, err
}

// dependents returns the inputs with the given numbers, and all values that depend on one of them.
func dependents(f *ir.Func, inputs []int) map[*ir.Value]bool {
	set := map[*ir.Value]bool{}
	for _, i := range inputs {
		set[f.Params[i]] = true
	}
	for _, v := range f.Body {
		if len(set) > 0 && slices.ContainsFunc(v.Args, func(x *ir.Value) bool { return set[x] }) {
			set[v] = true
		}
	}
	return set
}

// outsideText describes an index of a gather or scatter that is outside its axis; place is that of the index in the op's indices, or nil.
func (p *Program) outsideText(v *ir.Value, place []int, index *ir.IndexError, sizes map[string]int) string {
	call, data, hint := v.Called(), v.Args[0], v.Attr.Note
	o := userIndexOf(v.Args[1], place, index.Index, hint != "", sizes)
	number, allowed, where := strconv.FormatInt(o.number, 10), index.Allowed(), ""
	if o.array.Type.DType == Uint64 {
		number, allowed = strconv.FormatUint(uint64(o.number), 10), (&ir.IndexError{Index: math.MaxInt64, Extent: index.Extent}).Allowed()
	}
	if len(o.place) > 0 {
		where = " at " + ir.Bracketed(o.place)
	}
	array := p.arrayText(o.array, sizes)
	if hint != "" {
		first := o.number - index.Index
		return fmt.Sprintf("%s: %s%s of %s is outside %d to %d: %s", call, number, where, array, first, first+int64(index.Extent)-1, hint)
	}
	axis := fmt.Sprintf("axis %d of %s", v.Attr.Axis, p.arrayText(data, sizes))
	if call == "gathernd" || call == "scatternd" || pastViews(data).Op == ir.OpConst { // an array that the user did not give
		axis = fmt.Sprintf("an axis of %d elements", index.Extent)
	}
	return fmt.Sprintf("%s: index %s%s of the indices %s is outside %s%s", call, number, where, array, axis, allowed)
}

// pastViews returns the value that a view, or a view of views, is of.
func pastViews(v *ir.Value) *ir.Value {
	for v.Op.IsView() {
		v = v.Args[0]
	}
	return v
}

// userIndex is an index as the user gave it: an element of an array.
type userIndex struct {
	array  *ir.Value
	place  []int // in the array, nil if it is not known
	number int64 // the bits of the element
}

// userIndexOf follows the index at a place of some indices to the array that has it: through views, conversions that keep all integers, and
// choices between the index and a constant. If sums is set, it also follows sums with constants to an element of which the index is the sum.
func userIndexOf(i *ir.Value, place []int, index int64, sums bool, sizes map[string]int) userIndex {
	o := userIndex{i, place, index}
	for {
		v := o.array
		x, c := besideConst(v)
		switch {
		case v.Op.IsView():
			o.place, x = before(v, o.place, sizes), v.Args[0]
		case v.Op == ir.OpCast && keepsInts(v.Args[0].Type.DType, v.Type.DType):
			x = v.Args[0]
		case x == nil:
			return o
		case v.Op == ir.OpAdd && v.Type.DType == Int64 && sums:
			o.number -= c
		case (v.Op == ir.OpSelect || v.Op == ir.OpMin || v.Op == ir.OpMax) && c != o.number:
		default:
			return o
		}
		o.array = x
	}
}

// besideConst returns the last operand of v but for a constant, and the constant, if there is one and the operand has the shape of v.
func besideConst(v *ir.Value) (x *ir.Value, c int64) {
	for k, last := 0, len(v.Args)-1; k < 2 && last > 0; k++ {
		x, at := v.Args[last-k], pastViews(v.Args[last-1+k])
		if at.Op == ir.OpConst && x.Type.Shape.Equal(v.Type.Shape) {
			return x, int64(at.Attr.Bits)
		}
	}
	return nil, 0
}

// keepsInts reports whether a conversion of integers keeps all of them, if Uint64 are read again from the bits of Int64.
func keepsInts(from, to DType) bool {
	same := from == to || from == Uint64 && to == Int64
	wider := from.Size() < to.Size() && (ir.Unsigned.Has(from) || ir.Signed.Has(to))
	return ir.Ints.Has(from) && ir.Ints.Has(to) && (same || wider)
}

// before returns the place in the operand of a view of the element at a place of the view, or nil if it is not known.
func before(view *ir.Value, place []int, sizes map[string]int) []int {
	x := view.Args[0].Type.Shape
	bound, err := view.Bound(sizes)
	if place == nil || err != nil {
		return nil
	}
	if x, err = x.Bind(sizes); err != nil {
		return nil
	}
	shape, _ := x.Ints()
	l, err := bound.Layout(layout.RowMajor(shape...))
	if err != nil {
		return nil
	}
	place, err = layout.Unravel(shape, l.At(place...))
	if err != nil {
		return nil
	}
	return place
}

// arrayText returns the type of a value with its sizes, behind its name if it is an input.
func (p *Program) arrayText(v *ir.Value, sizes map[string]int) string {
	t := v.Type
	if s, err := t.Shape.Bind(sizes); err == nil {
		t.Shape = s
	}
	text := specText(t, nil)
	if v.Op == ir.OpParam && slices.ContainsFunc(p.inputs, func(in Port) bool { return in.Name == v.Name() }) {
		text = v.Name() + " " + text
	}
	return text
}
