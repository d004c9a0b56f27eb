package ir

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Ops on whole lines: a line of the result is computed from the lines of the operands at the same indices of all other axes. Gather and
// scatter read and store elements at indices that another operand holds, and some combine the elements. Sorts order the elements of
// a line.

// IndexError is the error of an index that is outside its axis.
type IndexError struct {
	Index  int64
	Extent int
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("index %d is outside an axis of %d elements%s", e.Index, e.Extent, e.Allowed())
}

// Allowed returns which indices the axis has, as the end of an error's text. An axis without elements has none, and the text is "".
func (e *IndexError) Allowed() string {
	if e.Extent == 0 {
		return ""
	}
	text := fmt.Sprintf(": allowed are 0 to %d", e.Extent-1)
	if e.Index < 0 && e.Index >= -int64(e.Extent) {
		text += ", and by FromEnd those that count from the end"
	}
	return text
}

// At returns the error of a run in which the op at a position has the index.
func (e *IndexError) At(pos Pos) *Error { return e.Saying(pos, e.Error()) }

// Saying is At with another text.
func (e *IndexError) Saying(pos Pos, text string) *Error {
	return &Error{Pos: pos, Op: "run", Msg: text, cause: e}
}

// CatchIndex recovers the panic of an index outside its axis and stores it in err. Evaluators of definitions defer it.
func CatchIndex(err *error) {
	switch p := recover().(type) {
	case nil:
	case *IndexError:
		*err = p
	default:
		panic(p)
	}
}

// LineIndex returns an index of a line of the given extent, or panics with an IndexError.
func LineIndex(index int64, extent int) int {
	if uint64(index) >= uint64(extent) {
		panic(&IndexError{index, extent})
	}
	return int(index)
}

// MovesBits reports whether an op on lines moves elements of any type unchanged. Other ops on lines compare or combine them.
func (op Op) MovesBits() bool {
	info := op.Info()
	return info.Kind == Line && !info.Places && !info.Sorts && !info.Selects && info.By == OpInvalid && op != OpWindowQuantile
}

// inferGather returns the type of the gathered elements of x. There is one index along the axis for each element of the result.
func inferGather(op Op, a Attr, args []Type) (Type, error) {
	x, index := args[0], args[1]
	if err := checkIndices(op, a, x, index); err != nil {
		return Type{}, err
	}
	return Type{x.DType, index.Shape}, nil
}

// inferGatherReduce returns the type of gathered elements of x that are combined to one element along the axis.
func inferGatherReduce(op Op, a Attr, args []Type) (Type, error) {
	x, index := args[0], args[1]
	if err := checkIndices(op, a, x, index); err != nil {
		return Type{}, err
	}
	switch {
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	case index.Shape[a.Axis].Is(0):
		return Type{}, fmt.Errorf("indices of shape %s: no element of axis %d to combine", index.Shape, a.Axis)
	}
	t := Type{x.DType, slices.Clone(index.Shape)}
	t.Shape[a.Axis] = Fixed(1)
	return t, nil
}

// inferGatherProducts returns the type of sums of products of gathered elements and weights.
func inferGatherProducts(op Op, a Attr, args []Type) (Type, error) {
	if err := checkWeights(args[0], args[1], args[2]); err != nil {
		return Type{}, err
	}
	return inferGatherReduce(op, a, args[:2])
}

// checkWeights returns an error unless there is a weight for each index into x.
func checkWeights(x, index, weights Type) error {
	if want := (Type{x.DType, index.Shape}); weights.DType != want.DType || !weights.Shape.Equal(want.Shape) {
		return fmt.Errorf("weights %s: there must be one for each index, %s", weights, want)
	}
	return nil
}

// inferScatter returns the type of x after updates: some of its elements are replaced by, or combined with, those of another
// operand.
func inferScatter(op Op, a Attr, args []Type) (Type, error) {
	x, index, updates := args[0], args[1], args[2]
	if err := checkIndices(op, a, x, index); err != nil {
		return Type{}, err
	}
	switch {
	case updates.DType != x.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, updates.DType)
	case !updates.Shape.Equal(index.Shape):
		return Type{}, fmt.Errorf("%s elements for indices of shape %s: give one for each index", updates.Shape, index.Shape)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	return x, nil
}

// takesIndices returns an error unless op takes indices of type d: Int64, or also Uint8 if op combines updates, so that histograms
// can read bytes directly.
func takesIndices(op Op, d DType) error {
	if d == Int64 || d == Uint8 && op.Info().Scatters() && op.Info().By != OpInvalid {
		return nil
	}
	return fmt.Errorf("the indices are %s: they must be int64", d)
}

func checkIndices(op Op, a Attr, x, index Type) error {
	if err := takesIndices(op, index.DType); err != nil {
		return err
	}
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return err
	}
	same := append(Shape{}, index.Shape...)
	if len(same) == len(x.Shape) {
		same[a.Axis] = x.Shape[a.Axis]
	}
	if !same.Equal(x.Shape) {
		return fmt.Errorf("indices of shape %s for shape %s: they may differ along axis %d alone", index.Shape, x.Shape, a.Axis)
	}
	if n, known := index.Shape.NumElems().Int(); x.Shape[a.Axis].Is(0) && (!known || n > 0) {
		return NoElements(a.Axis, "shape "+x.Shape.String(), " to index")
	}
	return nil
}

// inferSort returns the type of the first elements of sorted lines, or of their positions.
func inferSort(op Op, a Attr, args []Type) (Type, error) {
	x := args[0]
	if !op.Info().Domain.Has(x.DType) {
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	if err := a.Len.Err(); err != nil {
		return Type{}, err
	}
	first, fixed := a.Len.Int()
	if n, known := x.Shape[a.Axis].Int(); fixed && (first < 0 || known && first > n) {
		return Type{}, fmt.Errorf("the first %s elements of axis %d of shape %s: there are %s", a.Len, a.Axis, x.Shape, x.Shape[a.Axis])
	}
	t := Type{x.DType, slices.Clone(x.Shape)}
	t.Shape[a.Axis] = a.Len
	t.DType = LineType(op, t.DType)
	return t, t.Shape.Check()
}

// CheckLine returns an error unless op is an op on lines that takes operands of the given element types.
func CheckLine(op Op, types ...DType) error {
	info := op.Info()
	switch {
	case info.Kind != Line || len(types) != info.Arity:
		return errors.New("no op on lines has such operands")
	case !info.Domain.Has(types[0]):
		return DoesNotTake(op.Info().Domain, types[0])
	}
	for i, d := range types {
		switch {
		case info.holdsIndices(i):
			if err := takesIndices(op, d); err != nil {
				return err
			}
		case d != types[0]:
			return fmt.Errorf("dtypes %s and %s differ", types[0], d)
		}
	}
	return nil
}

// LineType returns the element type of the result of an op on lines of elements of type d.
func LineType(op Op, d DType) DType {
	if op.Info().Places {
		return Int64
	}
	return d
}

// CheckLengths returns an error unless an op on lines computes n elements from operands with lengths in along the axis. Kernels take
// the number of elements of each operand from the other lengths.
func CheckLengths(op Op, n int, in []int) error {
	ok, info := false, op.Info()
	switch {
	case info.Sorts:
		ok = n <= in[0]
	case info.Ragged:
		ok = in[1] > 0 && n == in[1]-1 && (!info.Weighted || in[2] == in[3])
	case info.Searches(), info.Selects:
		ok = n == in[1]
	case op == OpWindowQuantile:
		ok = n == in[1] && n <= in[0]
	case info.Walks:
		ok = n == in[2] && in[1]%NodeWords == 0
	case info.Gathers() && info.By != OpInvalid:
		ok = n == 1 && in[1] > 0 && (!info.Weighted || in[1] == in[2])
	case info.Gathers():
		ok = n == in[1]
	case info.Indexed: // with updates
		ok = n == in[0] && in[1] == in[2]
	default:
		ok = n == in[0] && n == in[1]
	}
	if !ok {
		return fmt.Errorf("%s makes no %d elements of operands of %v along the axis", op, n, in)
	}
	return nil
}
