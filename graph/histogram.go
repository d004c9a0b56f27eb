package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Counts of elements in bins.

// Histogram returns as Int64 how many elements of x are in each bin, as NumPy's histogram. Bin i goes from edge i to
// just before edge i+1; the last bin includes its end. Elements outside all bins, and NaNs, are not counted. Edges are
// a sorted vector of two elements or more, a Node or a Tensor of x's type. Constant edges that are not sorted are an
// error; other edges are not checked.
func (x Node) Histogram(edges any) Node {
	n := x.get()
	var e Node
	switch edges := edges.(type) {
	case Node, *Tensor:
		e = Node{operand(edges, n.typ.DType)}
	default:
		return fail("the edges are %T: give a Node or a *Tensor, as Of makes it of a slice", edges)
	}
	switch {
	case n.err != nil || e.get().err != nil:
		return apply(ir.OpLt, ir.Attr{}, n, e.get())
	case len(e.n.typ.Shape) != 1:
		return fail("the edges %s are no vector", e.n.text())
	case e.n.typ.DType != n.typ.DType:
		return fail("%s and edges %s: Cast one of them", n.text(), e.n.text())
	}
	count := e.n.typ.Shape[0]
	if k, known := count.Int(); known && k < 2 {
		return fail("%d edges: give two or more", k)
	}
	if e.n.tensor != nil && e.n.frozen {
		if i, err := firstDescent(e.n.tensor); err != nil {
			return fail("%w", err)
		} else if i > 0 {
			before, _ := e.n.tensor.At(i - 1)
			after, _ := e.n.tensor.At(i)
			return fail("the edges are not sorted: edge %d is %v, and edge %d is %v", i-1, before, i, after)
		}
	}
	last := count.Sub(ir.Fixed(1))
	bins := e.SearchSorted(x, true).BinCount(count.Add(ir.Fixed(1))).SliceAxis(0, 1, count, 1) // 0 counts the elements before the first edge
	equal := x.Eq(e.Index(0, last)).Cast(Int64).Sum()
	return Where(Iota(Int64, last).Eq(last.Sub(ir.Fixed(1))), bins.Add(equal), bins)
}

// firstDescent returns the first index of a vector whose element is less than the one before or is NaN, or 0 if there
// is none.
func firstDescent(t *Tensor) (int, error) {
	var before uint64
	for i := range t.Extent(0) {
		v, err := t.At(i)
		if err != nil {
			return 0, err
		}
		bits, err := ir.Encode(t.DType(), v)
		if err != nil {
			return 0, err
		}
		if i > 0 && ir.OpLe.Info().Ref(t.DType(), Bool, [3]uint64{before, bits}) == 0 {
			return i, nil
		}
		before = bits
	}
	return 0, nil
}

// BinCount returns as Int64 how often each of the numbers 0 to bins-1 occurs in x, as NumPy's bincount.
func (x Node) BinCount(bins any) Node {
	i := x.Reshape(-1).indices()
	if i.Err() != nil {
		return i
	}
	if n, isInt := bins.(int); isInt && n < 1 {
		return fail("%d bins: give 1 or more", n)
	}
	one := Scalar(Int64, 1).BroadcastTo(i.n.typ.Shape.NumElems())
	return one.SegmentSum(i, bins)
}

// numbering is a call whose elements number bins or groups. The error of a run for a number without one names it and its element, which a
// run does not know, because kernels take indices from registers; so the numbers are computed once more.
type numbering struct {
	call  string
	first int64 // the index of number 0
	text  string
}

var numberings = []numbering{
	{"bincount", 0, "element %d, in row-major order, is %d: %d bins count the numbers 0 to %d: give more bins, or ClampIndex the elements"},
	{"groupby", 1, "code %[2]d of slice %[1]d: %[3]d groups have the codes 0 to %[4]d, and a negative one is in no group"},
}

// outside returns the error of a run, whose inputs it has not overwritten. If a number was outside its bins or groups, the error says which
// element that was.
func (p *Program) outside(ctx context.Context, err error, ins []*Tensor) error {
	var at *Error
	var index *ir.IndexError
	if !errors.As(err, &at) || !errors.As(err, &index) {
		return err
	}
	for _, n := range numberings {
		v, place, failed := p.findFault(ctx, &search{}, func(f *ir.Func) ([]check, error) { return n.checks(f, at.Pos, index) }, ins)
		if v != nil && failed == nil {
			count := index.Extent - int(n.first)
			return &Error{Pos: at.Pos, Op: at.Op, Msg: fmt.Sprintf(n.call+": "+n.text, place[0], index.Index-n.first, count, count-1)}
		}
	}
	return err
}

// checks adds, for each scatter by these numbers at a line, checks that its indices differ from the given one.
func (n *numbering) checks(f *ir.Func, pos Pos, index *ir.IndexError) (list []check, err error) {
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) (v *ir.Value) {
		if err == nil {
			v, err = f.Add(op, a, pos, args...)
		}
		return v
	}
	for _, v := range slices.Clone(f.Body) {
		if v.Pos != pos || !v.Op.Info().Scatters() || !n.numbers(v) {
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

// numbers reports whether the call made a scatter, or its indices.
func (n *numbering) numbers(scatter *ir.Value) bool {
	i := scatter.Args[1]
	for i.Op.IsView() {
		i = i.Args[0]
	}
	return scatter.Call.String() == n.call || i.Call.String() == n.call
}
