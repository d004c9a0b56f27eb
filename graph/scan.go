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

// CumSum returns the sums of the elements up to each along an axis. Integers
// wrap. Float32 is added one after the other within each 1024 elements, and those
// before are summed up in float64 and rounded: so the error of any is at most
// 1025 * 2^-24 times the sum of magnitudes, however long the line. Windows of it
// differ by as much: cast to Float64 where they are small beside the sum. Sums of
// magnitudes beyond float32 can become infinite, as in NumPy.
func (x Node) CumSum(axis any, opts ...ReduceOption) Node { return x.scan(ir.OpCumSum, axis, opts) }

// CumProd returns the products of the elements up to each along an axis.
func (x Node) CumProd(axis any, opts ...ReduceOption) Node { return x.scan(ir.OpCumProd, axis, opts) }

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
