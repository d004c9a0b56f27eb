package graph

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// Scans keep the shape: each element becomes the reduction of the elements up to it along an axis. The axis is a number
// or a name.

// The options of scans.
var (
	// Exclusive excludes each element from its own result. The first result is then 0, 1, or for CumMin the greatest
	// and for CumMax the least number of the type.
	Exclusive ReduceOption = reduceOption{"Exclusive", func(o *reduceOptions) { o.exclusive = true }}
	// Reverse runs from the last element to the first.
	Reverse ReduceOption = reduceOption{"Reverse", func(o *reduceOptions) { o.reverse = true }}
	// Initial puts the result of no elements, which Exclusive describes, before the results: the axis has one element
	// more. With Reverse it is the last element.
	Initial ReduceOption = reduceOption{"Initial", func(o *reduceOptions) { o.initial = true }}
)

// CumSum returns the running sum along an axis. Bools and integers of 8 and 16 bits are added as Int64 or Uint64, as in
// NumPy; InType chooses another type. Integers wrap.
//
// Float32 elements are added in order within each 1024 elements. The totals before them are added in float64 and
// rounded. So the error is at most 1025 * 2^-24 times the sum of magnitudes, however long the line. Differences of two
// running sums have the same error: cast to Float64 if they are small beside the sums.
//
// Up to 1024 elements are added as a plain loop adds them. In a longer line, 1024 elements whose sum overflows are
// added at half their size. So a float32 sum is finite wherever the exact one is, even after sums that are not, and a
// float64 sum wherever a plain loop has stayed finite.
func (x Node) CumSum(axis any, opts ...ReduceOption) Node {
	return x.cumulate(ir.OpCumSum, axis, opts)
}

// CumProd returns the running product along an axis, in the type of CumSum. Float32 and Float64 are multiplied in order
// in float64 and each result is rounded, as a plain loop in float64 does. A single line takes the time of its
// multiplications in order; lines are computed side by side.
func (x Node) CumProd(axis any, opts ...ReduceOption) Node {
	return x.cumulate(ir.OpCumProd, axis, opts)
}

// cumulate is scan in the type of totals.
func (x Node) cumulate(op ir.Op, axis any, opts []ReduceOption) Node {
	y, opts := total(x, opts)
	return y.scan(op, axis, opts)
}

// CumMin returns the running minimum along an axis, NaN from the first NaN on.
func (x Node) CumMin(axis any, opts ...ReduceOption) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.scan(ir.OpCumMin, axis, opts) })
}

// CumMax returns the running maximum along an axis, NaN from the first NaN on.
func (x Node) CumMax(axis any, opts ...ReduceOption) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.scan(ir.OpCumMax, axis, opts) })
}

func (x Node) scan(op ir.Op, axis any, opts []ReduceOption) Node {
	n := x.get()
	if n.err != nil {
		return apply(op, ir.Attr{}, n)
	}
	k, err := n.axis(axis)
	if err != nil {
		return Node{poison(err, n)}
	}
	o, err := scanOptions(opts)
	if err != nil {
		return Node{poison(err, n)}
	}
	if o.reverse {
		x = x.Flip(k)
	}
	if o.initial { // the scan excludes an element more
		after := make([]int, x.Rank())
		after[k] = 1
		x = x.Pad(make([]int, x.Rank()), after, PadConstant)
	}
	x = apply(op, ir.Attr{Axis: k, Exclusive: o.exclusive || o.initial}, x.get())
	if o.reverse {
		x = x.Flip(k)
	}
	return x
}

func scanOptions(opts []ReduceOption) (o reduceOptions, err error) {
	for _, opt := range opts {
		if opt == nil {
			return o, errors.New("an option is nil")
		}
		opt.reduceWith(&o)
	}
	if o.exclusive && o.initial {
		return o, errors.New("with Exclusive the total is left out, and with Initial it is not: give one of them")
	}
	return o, o.only("Exclusive", "Reverse", "Initial")
}
