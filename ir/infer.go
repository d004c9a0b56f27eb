package ir

import (
	"errors"
	"fmt"
)

// Infer returns the type of an operation's result, or what is wrong with its
// operands. It is the one rule: builders, the parser and the verifier ask it.
func Infer(op Op, attr Attr, args []Type) (Type, error) {
	info := op.Info()
	if op == OpInvalid || len(args) != info.Arity {
		return Type{}, fmt.Errorf("takes %d operands, got %d", info.Arity, len(args))
	}
	for _, t := range args {
		if err := t.DType.CheckRuns(); err != nil {
			return Type{}, err
		}
	}
	switch info.Kind {
	case Source:
		return inferSource(op, attr)
	case View:
		s, err := viewShapes[op](attr, args[0].Shape)
		if err != nil {
			return Type{}, err
		}
		return Type{args[0].DType, s}, s.Check()
	}
	dt, err := inferDType(op, attr, args)
	if err != nil {
		return Type{}, err
	}
	shape := args[0].Shape
	for _, t := range args[1:] {
		if shape, err = Broadcast(shape, t.Shape); err != nil {
			return Type{}, err
		}
	}
	return Type{dt, shape}, shape.Check()
}

func inferSource(op Op, attr Attr) (Type, error) {
	if op == OpConst && len(attr.Shape) > 0 {
		return Type{}, fmt.Errorf("a constant is one element, not of shape %s: expand it", attr.Shape)
	}
	if err := attr.DType.CheckRuns(); err != nil {
		return Type{}, err
	}
	return Type{attr.DType, attr.Shape}, attr.Shape.Check()
}

// inferDType returns the element type of an elementwise result.
func inferDType(op Op, attr Attr, args []Type) (DType, error) {
	types := [3]DType{}
	for i, t := range args {
		types[i] = t.DType
	}
	return op.ResultType(attr.DType, types[:len(args)]...)
}

// ResultType returns the element type of an elementwise op's result, or what
// is wrong with the operands' types. given is the target of a cast.
func (op Op) ResultType(given DType, args ...DType) (DType, error) {
	info := op.Info()
	if info.Mask {
		if args[0] != Bool {
			return Invalid, fmt.Errorf("the condition is %s: it must be bool", args[0])
		}
		args = args[1:]
	}
	dt := args[0]
	for _, t := range args {
		if t != dt {
			return Invalid, fmt.Errorf("dtypes %s and %s differ: Cast one of them", dt, t)
		}
		if !info.Domain.Has(t) {
			return Invalid, fmt.Errorf("does not take %s: Cast to one of %s", t, info.Domain&Running)
		}
	}
	switch info.Result {
	case GivesBool:
		return Bool, nil
	case GivenType:
		if err := given.CheckRuns(); err != nil {
			return Invalid, err
		}
		if op == OpBitcast && (given.Size() != dt.Size() || !Numeric.Has(given)) {
			return Invalid, fmt.Errorf("%s has %d bytes and %s has %d: only types of one size share bits", dt, dt.Size(), given, given.Size())
		}
		return given, nil
	}
	return dt, nil
}

// viewShapes holds the rule of each view op: the shape of the result.
var viewShapes = map[Op]func(Attr, Shape) (Shape, error){
	OpReshape:   reshapeShape,
	OpPermute:   permuteShape,
	OpSlice:     sliceShape,
	OpIndex:     indexShape,
	OpFlip:      flipShape,
	OpExpand:    expandShape,
	OpDiagonal:  diagonalShape,
	OpSqueeze:   squeezeShape,
	OpUnsqueeze: unsqueezeShape,
	OpAccess:    accessShape,
}

func reshapeShape(a Attr, s Shape) (Shape, error) {
	if err := a.Shape.Check(); err != nil {
		return nil, err
	}
	if have, want := s.NumElems(), a.Shape.NumElems(); have != want || have == tooLarge {
		return nil, fmt.Errorf("shape %s has %s elements and %s has %s", s, have, a.Shape, want)
	}
	return a.Shape, nil
}

func permuteShape(a Attr, s Shape) (Shape, error) {
	if len(a.Axes) != len(s) {
		return nil, fmt.Errorf("%d axes given for shape %s: name each axis once", len(a.Axes), s)
	}
	if err := checkAxes(a.Axes, len(s)); err != nil {
		return nil, err
	}
	out := make(Shape, len(s))
	for i, k := range a.Axes {
		out[i] = s[k]
	}
	return out, nil
}

func sliceShape(a Attr, s Shape) (Shape, error) {
	if err := checkAxes([]int{a.Axis}, len(s)); err != nil {
		return nil, err
	}
	if a.Step == 0 {
		return nil, errors.New("a step of 0 never ends")
	}
	begin, fixed := a.Begin.Int()
	n, fixed2 := a.Len.Int()
	extent, fixed3 := s[a.Axis].Int()
	if fixed && fixed2 && fixed3 && !insideSlice(begin, n, a.Step, extent) {
		return nil, fmt.Errorf("%d elements from index %d by steps of %d leave axis %d, which has %d", n, begin, a.Step, a.Axis, extent)
	}
	out := append(Shape{}, s...)
	out[a.Axis] = a.Len
	return out, nil
}

// insideSlice reports whether begin, begin+step, ... (n of them) are in [0,extent).
func insideSlice(begin, n, step, extent int) bool {
	if n <= 1 {
		return n == 0 || n == 1 && 0 <= begin && begin < extent
	}
	span, ok := mulInt(n-1, step)
	last, ok2 := addInt(begin, span)
	return ok && ok2 && 0 <= begin && begin < extent && 0 <= last && last < extent
}

func indexShape(a Attr, s Shape) (Shape, error) {
	if err := checkAxes([]int{a.Axis}, len(s)); err != nil {
		return nil, err
	}
	at, fixed := a.Begin.Int()
	if extent, fixed2 := s[a.Axis].Int(); fixed && fixed2 && (at < 0 || at >= extent) {
		return nil, fmt.Errorf("index %d is outside axis %d, which has %d", at, a.Axis, extent)
	}
	return append(append(Shape{}, s[:a.Axis]...), s[a.Axis+1:]...), nil
}

func flipShape(a Attr, s Shape) (Shape, error) { return s, checkAxes(a.Axes, len(s)) }

func expandShape(a Attr, s Shape) (Shape, error) {
	got, err := Broadcast(s, a.Shape)
	if err == nil && !got.Equal(a.Shape) {
		err = fmt.Errorf("shape %s does not expand to %s: only axes of extent 1 repeat", s, a.Shape)
	}
	return a.Shape, err
}

func diagonalShape(a Attr, s Shape) (Shape, error) {
	if len(a.Axes) != 2 {
		return nil, fmt.Errorf("a diagonal has two axes, got %d", len(a.Axes))
	}
	if err := checkAxes(a.Axes, len(s)); err != nil {
		return nil, err
	}
	rows, ok := s[a.Axes[0]].Int()
	cols, ok2 := s[a.Axes[1]].Int()
	n := a.Len
	if ok && ok2 {
		n = Fixed(DiagonalLen(rows, cols, a.Step))
	} else if n == (Dim{}) {
		return nil, fmt.Errorf("the diagonal of symbolic axes %s and %s: only k = 0 of equal axes", s[a.Axes[0]], s[a.Axes[1]])
	}
	var out Shape
	for i, d := range s {
		if i != a.Axes[0] && i != a.Axes[1] {
			out = append(out, d)
		}
	}
	return append(out, n), nil
}

// DiagonalLen returns the number of elements (i, i+k) of a rows x cols array.
func DiagonalLen(rows, cols, k int) int {
	if k >= 0 {
		return max(0, min(rows, cols-min(k, cols)))
	}
	return max(0, min(rows+max(k, -rows), cols))
}

func squeezeShape(a Attr, s Shape) (Shape, error) {
	if err := checkAxes(a.Axes, len(s)); err != nil {
		return nil, err
	}
	drop := make([]bool, len(s))
	for _, k := range a.Axes {
		if !s[k].Is(1) {
			return nil, fmt.Errorf("axis %d of shape %s has extent %s: only axes of extent 1 can go", k, s, s[k])
		}
		drop[k] = true
	}
	out := Shape{}
	for i, d := range s {
		if !drop[i] {
			out = append(out, d)
		}
	}
	return out, nil
}

func unsqueezeShape(a Attr, s Shape) (Shape, error) {
	rank := len(s) + len(a.Axes)
	if err := checkAxes(a.Axes, rank); err != nil {
		return nil, err
	}
	out := make(Shape, rank)
	for _, k := range a.Axes {
		out[k] = Fixed(1)
	}
	next := 0
	for i := range out {
		if out[i] == (Dim{}) {
			out[i] = s[next]
			next++
		}
	}
	return out, nil
}

func accessShape(a Attr, _ Shape) (Shape, error) {
	if a.At == nil {
		return nil, errors.New("an access has a layout")
	}
	return a.Shape, a.At.checkFor(a.Shape)
}

// checkFor returns an error unless the layout is well formed and has as many
// elements as the shape, which must be of numbers.
func (l Layout) checkFor(s Shape) error {
	if len(l.Shape) != len(l.Strides) || len(l.Shape) > MaxRank {
		return fmt.Errorf("a layout of %d extents and %d strides", len(l.Shape), len(l.Strides))
	}
	n, err := NumElems(l.Shape)
	if err == nil && !s.NumElems().Is(n) {
		err = fmt.Errorf("layout %s has %d elements and shape %s has %s", l, n, s, s.NumElems())
	}
	return err
}

// checkAxes returns an error unless axes are distinct and in [0,rank).
func checkAxes(axes []int, rank int) error {
	if rank > MaxRank {
		return fmt.Errorf("%d axes: the greatest rank is %d", rank, MaxRank)
	}
	seen := uint64(0)
	for _, k := range axes {
		if k < 0 || k >= rank {
			return fmt.Errorf("axis %d is outside rank %d", k, rank)
		}
		if seen&(1<<k) != 0 {
			return fmt.Errorf("axis %d is named twice", k)
		}
		seen |= 1 << k
	}
	return nil
}
