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
// differ by as much: cast to Float64 where they are small beside the sum. The sums of
// a chunk of 1024 begin anew, without those before it: where they overflow, or the
// sums of chunks do, what follows is infinite, or NaN where both infinities are added, also
// where the sum of all elements in their order does not overflow. NumPy, which adds in
// that order, then has a number. Cast Float32 to Float64, which has room, where sums of
// 1024 magnitudes can be beyond its range.
func (x Node) CumSum(axis any, opts ...ReduceOption) Node {
	return x.cumulate("cumsum", ir.OpCumSum, axis, opts)
}

// CumProd returns the products of the elements up to each along an axis, in the type that
// CumSum has. Float32 and
// Float64 are multiplied in chunks of 1024 as CumSum adds: a chunk's product that
// overflows or vanishes makes what follows infinite, 0 or NaN. Cast Float32 to Float64
// where it can.
func (x Node) CumProd(axis any, opts ...ReduceOption) Node {
	return x.cumulate("cumprod", ir.OpCumProd, axis, opts)
}

// cumulate is scan in the type of totals.
func (x Node) cumulate(name string, op ir.Op, axis any, opts []ReduceOption) Node {
	y, opts := total(x, opts)
	return within(name, x, y.scan(op, axis, opts))
}

// CumMin returns the least of the elements up to each along an axis, NaN from the
// first NaN on.
func (x Node) CumMin(axis any, opts ...ReduceOption) Node { return x.scan(ir.OpCumMin, axis, opts) }

// CumMax returns the greatest of the elements up to each along an axis, NaN from
// the first NaN on.
func (x Node) CumMax(axis any, opts ...ReduceOption) Node { return x.scan(ir.OpCumMax, axis, opts) }

func (x Node) scan(op ir.Op, axis any, opts []ReduceOption) Node {
	n := x.get()
	if n.err != nil {
		return apply(op, ir.Attr{}, n)
	}
	k, err := n.axis(axis)
	if err != nil {
		return Node{poison(op, err, n)}
	}
	o, err := scanOptions(opts)
	if err != nil {
		return Node{poison(op, err, n)}
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
