package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Errors of runs about an index outside its axis. A kernel takes indices from registers and knows neither the arrays nor the place of an
// index. So the indices are computed once more, and the error names the call, the arrays, and the first place of the index.

// wordings are the texts for calls whose indices number bins, groups or classes. Their arguments are, in this order, the place along the first axis
// that the kernel saw, the number, how many numbers there are, the greatest of them, the place in the user's array, and that array.
var wordings = map[string]struct {
	first int64 // the index of number 0
	text  string
}{
	"bincount":           {0, "element %[1]d, in row-major order, is %[2]d: %[3]d bins count the numbers 0 to %[4]d: give more bins, or ClampIndex the elements"},
	"groupby":            {1, "code %[2]d of slice %[1]d: %[3]d groups have the codes 0 to %[4]d, and a negative one is in no group"},
	"optim.crossentropy": {0, "label %[2]d%[5]s of %[6]s is outside the classes: the %[3]d classes have the labels 0 to %[4]d, and Ignore leaves a label out"},
}

// mostAlone is the number of ops of one line that are searched one by one, because indices of one may depend on results of another.
const mostAlone = 8

// outside returns the error of a run. If it is about an index outside an axis, the error names the op, its arrays and, if again allows to compute
// the indices once more from the inputs, the place of the index.
func (p *Program) outside(ctx context.Context, err error, ins []*Tensor, again bool) error {
	var at *Error
	var index *ir.IndexError
	if !errors.As(err, &at) || !errors.As(err, &index) {
		return err
	}
	sizes, _ := p.checkIns(ins)
	for only := -1; again && only < mostAlone; only++ {
		v, place, failed := p.findFault(ctx, &search{}, func(f *ir.Func) ([]check, error) { return indexChecks(f, at.Pos, index, only) }, ins)
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
// given one.
func indexChecks(f *ir.Func, pos Pos, index *ir.IndexError, only int) (list []check, err error) {
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) (v *ir.Value) {
		if err == nil {
			v, err = f.Add(op, a, pos, args...)
		}
		return v
	}
	number := func(n int64) *ir.Value { return add(ir.OpConst, ir.Attr{DType: Int64, Bits: uint64(n)}) }
	ops := slices.DeleteFunc(indexing(f, pos, index), func(v *ir.Value) bool { return !v.Op.Info().Indexed })
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

// outsideText describes an index of a gather or scatter that is outside its axis; place is that of the index in the op's indices, or nil.
func (p *Program) outsideText(v *ir.Value, place []int, index *ir.IndexError, sizes map[string]int) string {
	call, data := v.Called(), v.Args[0]
	user, at := origin(v.Args[1], place, sizes)
	where := ""
	if len(at) > 0 {
		where = " at " + ir.Bracketed(at)
	}
	for _, made := range []ir.Call{v.Call, pastViews(v.Args[1]).Call} {
		if w, ok := wordings[made.String()]; ok && place != nil {
			count, first := index.Extent-int(w.first), 0
			if len(place) > 0 {
				first = place[0]
			}
			return made.String() + ": " + fmt.Sprintf(w.text, first, index.Index-w.first, count, count-1, where, p.arrayText(user, sizes))
		}
	}
	axis := fmt.Sprintf("axis %d of %s", v.Attr.Axis, p.arrayText(data, sizes))
	if call == "gathernd" || call == "scatternd" || pastViews(data).Op == ir.OpConst { // an array that the user did not give
		axis = fmt.Sprintf("an axis of %d elements", index.Extent)
	}
	return fmt.Sprintf("%s: index %d%s of the indices %s is outside %s%s", call, index.Index, where, p.arrayText(user, sizes), axis, index.Allowed())
}

// pastViews returns the value that a view, or a view of views, is of.
func pastViews(v *ir.Value) *ir.Value {
	for v.Op.IsView() {
		v = v.Args[0]
	}
	return v
}

// origin returns the array that indices are views or conversions of, and the place in it of the index at a place, nil if that is not known.
func origin(i *ir.Value, place []int, sizes map[string]int) (*ir.Value, []int) {
	for i.Op.IsView() || i.Op == ir.OpCast {
		if i.Op.IsView() {
			place = before(i, place, sizes)
		}
		i = i.Args[0]
	}
	return i, place
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
