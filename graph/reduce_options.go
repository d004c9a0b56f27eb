package graph

import (
	"fmt"
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir"
)

// The axes and options of reductions and scans.

// A ReduceOption is given among the axes of a reduction or after the axis of a scan.
type ReduceOption interface{ reduceWith(*reduceOptions) }

type reduceOptions struct {
	keep, last, exclusive, reverse, initial bool
	ddof                                    int
	in                                      DType    // the type of totals, or Invalid
	method                                  string   // the method of a quantile
	given                                   []string // names of the given options
}

type reduceOption struct {
	name string
	set  func(*reduceOptions)
}

func (f reduceOption) reduceWith(o *reduceOptions) {
	f.set(o)
	o.given = append(o.given, f.name)
}

func (f reduceOption) String() string { return f.name }

// only returns an error if an option was given that is not among these, which would otherwise be ignored silently.
func (o reduceOptions) only(names ...string) error {
	for _, name := range o.given {
		if !slices.Contains(names, name) {
			return fmt.Errorf("does not take the option %s", name)
		}
	}
	return nil
}

// The options.
var (
	// KeepDims leaves reduced axes in the result, with extent 1, so that it
	// broadcasts against the operand.
	KeepDims ReduceOption = reduceOption{"KeepDims", func(o *reduceOptions) { o.keep = true }}
	// LastIndex makes ArgMin and ArgMax return the last of several equal elements, or of several NaNs.
	LastIndex ReduceOption = reduceOption{"LastIndex", func(o *reduceOptions) { o.last = true }}
)

// InType makes Sum, Prod, Mean, Var, Std, CumSum, CumProd and others that name it convert the elements to a type and
// compute in it, as NumPy's dtype argument does: InType(Float64) for the mean of integers or for sums of float32 in
// float64, or InType(Uint8) for sums of bytes that wrap.
func InType(dt DType) ReduceOption {
	return reduceOption{"InType", func(o *reduceOptions) { o.in = dt }}
}

// DDOF makes Var and Std divide by the number of elements minus n; the default is 0, as in NumPy. n is 1 for an
// unbiased estimate from a sample. If there are n elements or fewer, the divisor is 0 and the result +Inf or NaN.
func DDOF(n int) ReduceOption {
	return reduceOption{"DDOF", func(o *reduceOptions) { o.ddof = n }}
}

// reduction holds the arguments of a reduction of n.
type reduction struct {
	reduceOptions
	axes []int // in ascending order
}

// reduction interprets args. It returns an error for options other than those allowed.
func (n *node) reduction(args []any, options ...string) (reduction, error) {
	var r reduction
	var axes []any
	for _, a := range args {
		if o, ok := a.(ReduceOption); ok {
			o.reduceWith(&r.reduceOptions)
			continue
		}
		axes = append(axes, a)
	}
	err := r.only(options...)
	switch {
	case err != nil:
	case axes == nil:
		r.axes = upTo(len(n.typ.Shape))
	default:
		r.axes, err = n.axes(axes)
		sort.Ints(r.axes)
	}
	return r, err
}

// total returns x in the type of its total, or in that of the option InType, and the arguments without this option.
func total[A any](x Node, args []A) (Node, []A) { return inType(x, x.DType().Total(), args) }

// inType returns x in a type, or in that of the option InType, and the arguments without this option.
func inType[A any](x Node, in DType, args []A) (Node, []A) {
	args = slices.DeleteFunc(slices.Clone(args), func(a A) bool {
		var r reduceOptions
		if o, ok := any(a).(reduceOption); ok {
			o.set(&r)
		}
		if r.in == ir.Invalid {
			return false
		}
		in = r.in
		return true
	})
	if x.Err() != nil || in == x.DType() {
		return x, args
	}
	return x.Cast(in), args
}
