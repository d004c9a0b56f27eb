package ir

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// inferConcat returns the type of operands concatenated along an axis. All must have one element type and, except along that
// axis, one shape.
func inferConcat(_ Op, a Attr, args []Type) (Type, error) {
	x := args[0]
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	shape := append(Shape{}, x.Shape...)
	for i, t := range args[1:] {
		if t.DType != x.DType {
			return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, t.DType)
		}
		same := append(Shape{}, t.Shape...)
		if len(same) == len(shape) {
			same[a.Axis] = x.Shape[a.Axis]
		}
		if !same.Equal(x.Shape) {
			return Type{}, fmt.Errorf("operand %d has shape %s and the first %s: they may differ along axis %d alone", 1+i, t.Shape, x.Shape, a.Axis)
		}
		shape[a.Axis] = shape[a.Axis].Add(t.Shape[a.Axis])
	}
	return Type{x.DType, shape}, shape.Check()
}

// partOfConcat returns the slice of the result that operand i is.
func partOfConcat(v *Value, i int, l layout.Layout) (layout.Layout, error) {
	begin := 0
	for _, a := range v.Args[:i] {
		n, _ := a.Type.Shape[v.Attr.Axis].Int()
		begin += n
	}
	n, _ := v.Args[i].Type.Shape[v.Attr.Axis].Int()
	return l.Slice(v.Attr.Axis, begin, n, 1)
}

// evalJoin stores the elements of each operand in their places in the result.
func evalJoin(v *Value, args [][]uint64) []uint64 {
	shape, _ := v.Type.Shape.Ints()
	out := make([]uint64, v.Type.Shape.size())
	for i, x := range args {
		l, err := v.Op.Info().Part(v, i, layout.RowMajor(shape...))
		if err != nil {
			panic(err)
		}
		k := 0
		for at := range l.All() {
			out[at] = x[k]
			k++
		}
	}
	return out
}
