package formula

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Lists as arrays: of numbers, [1, 2, 3] and [[1, 2], [3, 4]], whose type is NumPy's: bools, integers or floats; and of
// arrays and numbers, [a, b], which become slices along a new first axis, in their common type.

// listed converts a sequence to an array.
func (p *parser) listed(v value) value {
	if holdsArrays(v) {
		return p.stacked(v)
	}
	l := &list{p: p, class: graph.Float64}
	l.shape(v)
	if len(l.extents) > 0 && !slices.Contains(l.extents, 0) {
		l.class = graph.Bool
	}
	l.add(v, 0)
	if p.err != nil {
		return value{at: v.at}
	}
	var t *graph.Tensor
	switch l.class {
	case graph.Bool:
		t = tensorOf(l, func(n number) bool { return n.i != 0 })
	case graph.Int64:
		t = tensorOf(l, func(n number) int64 { return n.i })
	default:
		t = tensorOf(l, number.float)
	}
	return p.checked(graph.Const(t), v.at)
}

// holdsArrays reports whether a sequence, or one in it, has an array.
func holdsArrays(v value) bool {
	return v.kind == array || slices.ContainsFunc(v.list, holdsArrays)
}

// stacked joins the elements of a sequence along a new first axis.
func (p *parser) stacked(v value) value {
	elements := slices.Clone(v.list)
	for i, e := range elements {
		switch e.kind {
		case array, numeric:
		case sequence:
			elements[i] = p.listed(e)
		default:
			p.fail(e.at, "a list holds numbers and arrays, not %s", e.kind)
		}
	}
	c := call{p: p}
	return p.checked(safe(&c, c.nodes(same, elements), func(x []graph.Node) graph.Node { return graph.Stack(0, x...) }), v.at)
}

// list is an array under construction.
type list struct {
	p       *parser
	extents []int
	class   graph.DType
	numbers []number
}

// shape takes the extents from the first element of each level.
func (l *list) shape(v value) {
	for v.kind == sequence {
		l.extents = append(l.extents, len(v.list))
		if len(v.list) == 0 {
			return
		}
		v = v.list[0]
	}
}

// add appends the numbers of a value at some depth of nesting.
func (l *list) add(v value, depth int) {
	switch {
	case depth == len(l.extents) && v.kind == numeric:
		l.class = max(l.class, v.num.class)
		l.numbers = append(l.numbers, v.num)
	case v.kind != sequence || depth == len(l.extents) || len(v.list) != l.extents[depth]:
		l.p.fail(v.at, "the lists in a list differ in length, or hold something else than numbers")
	default:
		for _, e := range v.list {
			l.add(e, depth+1)
		}
	}
}

func tensorOf[T bool | int64 | float64](l *list, of func(number) T) *graph.Tensor {
	data := make([]T, len(l.numbers))
	for i, n := range l.numbers {
		data[i] = of(n)
	}
	return graph.Of(data, l.extents...)
}
