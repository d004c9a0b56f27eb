package graph

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// Scans keep the shape: each element is what a reduction of the elements up to
// it along an axis would be. The axis is a number or a name.

// The options of scans.
var (
	// Exclusive leaves each element itself out: the first is 0, 1, or for CumMin
	// the greatest and for CumMax the least number that the type has.
	Exclusive ReduceOption = reduceOption{"Exclusive", func(o *reduceOptions) { o.exclusive = true }}
	// Reverse runs from the last element to the first.
	Reverse ReduceOption = reduceOption{"Reverse", func(o *reduceOptions) { o.reverse = true }}
)

// CumSum returns the sums of the elements up to each along an axis. Bools and integers of 8
// and 16 bits are added as Int64 or Uint64, as NumPy does; InType gives another type.
// Integers wrap. Float32 is added one after the other within each 1024 elements, and those
// before are summed up in float64 and rounded: so the error of any is at most
// 1025 * 2^-24 times the sum of magnitudes, however long the line. Windows of it
// differ by as much: cast to Float64 where they are small beside the sum.
//
// Up to 1024 elements are added as a plain loop adds them. In a longer line, 1024 elements
// whose sums overflow are added at half their size. So a float32 sum is finite wherever the
// exact one is, also behind others that are not, and a float64 sum wherever a plain loop has
// finite ones up to there.
func (x Node) CumSum(axis any, opts ...ReduceOption) Node {
	return x.cumulate(ir.OpCumSum, axis, opts)
}

// CumProd returns the products of the elements up to each along an axis, in the type that
// CumSum has. Float32 and Float64 are multiplied one element after the other in float64, and
// each product is rounded: so a result is what a plain loop in float64 has. One line takes the
// time of its multiplications in order; lines are computed side by side.
func (x Node) CumProd(axis any, opts ...ReduceOption) Node {
	return x.cumulate(ir.OpCumProd, axis, opts)
}

// cumulate is scan in the type of totals.
func (x Node) cumulate(op ir.Op, axis any, opts []ReduceOption) Node {
	y, opts := total(x, opts)
	return y.scan(op, axis, opts)
}

// CumMin returns the least of the elements up to each along an axis, NaN from the
// first NaN on.
func (x Node) CumMin(axis any, opts ...ReduceOption) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.scan(ir.OpCumMin, axis, opts) })
}

// CumMax returns the greatest of the elements up to each along an axis, NaN from
// the first NaN on.
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
	x = apply(op, ir.Attr{Axis: k, Exclusive: o.exclusive}, x.get())
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
	return o, o.only("Exclusive", "Reverse")
}
