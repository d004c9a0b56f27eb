package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The checks of FindNonFinite. Each check is a bool array computed in the graph beside the checked value: true where an
// element is finite, or where the elements it is computed from already contain NaNs or infinities.

// nonFiniteTypes are the types that have NaNs or infinities.
var nonFiniteTypes = ir.Floats | ir.Minifloats

// mayMakeNonFinite reports whether an op may compute a NaN or an infinity from finite elements. Ops that move elements
// don't.
func mayMakeNonFinite(v *ir.Value) bool {
	switch v.Op {
	case ir.OpCopy, ir.OpSelect, ir.OpUnlikely:
		return false
	}
	moves := v.Op.IsJoin() || v.Op.IsLine() && v.Op.MovesBits() || v.Op.Info().Sorts || v.Op.Info().Selects
	return nonFiniteTypes.Has(v.Type.DType) && v.Op.IsComputed() && !moves
}

// finiteChecks adds checks to a graph and caches the properties of values. After an error it adds nothing.
type finiteChecks struct {
	f     *ir.Func
	known [2]map[*ir.Value]*ir.Value // for each property, its bools for a value
	err   error
}

// The properties of elements.
const (
	isFinite = iota
	isNotNaN
)

func newFiniteChecks(f *ir.Func) *finiteChecks {
	return &finiteChecks{f: f, known: [2]map[*ir.Value]*ir.Value{{}, {}}}
}

// check returns the check of a value: an element is finite or some operand element is not, and it is not NaN or some
// operand element is.
func (c *finiteChecks) check(v *ir.Value) *ir.Value {
	var made [2]*ir.Value
	for property := range made {
		made[property] = c.of(property, v)
		if below := c.below(property, v); below != nil {
			made[property] = c.add(ir.OpOr, ir.Attr{}, made[property], c.add(ir.OpNot, ir.Attr{}, below))
		}
	}
	return c.add(ir.OpAnd, ir.Attr{}, made[isFinite], made[isNotNaN])
}

// add appends an op.
func (c *finiteChecks) add(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
	if c.err != nil {
		return nil
	}
	v, err := c.f.Add(op, a, args[0].Pos, args...)
	c.err = err
	return v
}

// of returns which elements of a value have a property.
func (c *finiteChecks) of(property int, v *ir.Value) *ir.Value {
	if known := c.known[property][v]; known != nil {
		return known
	}
	x := v
	if !ir.Reals.Has(v.Type.DType) {
		x = c.add(ir.OpCast, ir.Attr{DType: v.Type.DType.Compute()}, v)
	}
	var r *ir.Value
	if property == isFinite {
		r = c.add(ir.OpIsFinite, ir.Attr{}, x)
	} else {
		r = c.add(ir.OpEq, ir.Attr{}, x, x)
	}
	c.known[property][v] = r
	return r
}

// below returns for which elements of a value all operand elements that they are computed from have a property; nil if
// that is true for all. It broadcasts to the value's shape.
func (c *finiteChecks) below(property int, v *ir.Value) *ir.Value {
	var all *ir.Value
	for i, a := range v.Args {
		if !nonFiniteTypes.Has(a.Type.DType) {
			continue
		}
		x := c.read(v, i, c.of(property, a))
		if all != nil {
			x = c.add(ir.OpAnd, ir.Attr{}, all, x)
		}
		all = x
	}
	return all
}

// read returns, for each element of a value, whether all elements of operand i that it is computed from are true in ok.
// ok has the operand's shape.
func (c *finiteChecks) read(v *ir.Value, i int, ok *ir.Value) *ir.Value {
	if c.err != nil {
		return nil
	}
	rank := len(ok.Type.Shape)
	switch kind := v.Op.Info().Kind; {
	case v.Op.IsElementwise():
		return ok
	case kind == ir.Reduce:
		return c.add(ir.OpAll, ir.Attr{Axes: v.Attr.Axes}, ok)
	case kind == ir.Scan: // the running minimum of zeros and ones
		ok = c.add(ir.OpCumMin, ir.Attr{Axis: v.Attr.Axis, Exclusive: v.Attr.Exclusive}, c.add(ir.OpCast, ir.Attr{DType: Int32}, ok))
		return c.add(ir.OpCast, ir.Attr{DType: Bool}, ok)
	case v.Attr.Conv != nil && i == 0:
		return c.windows(v, ok)
	case v.Attr.Conv != nil: // all weights of an output channel
		all := c.add(ir.OpAll, ir.Attr{Axes: upTo(rank)[1:]}, ok)
		return c.add(ir.OpUnsqueeze, ir.Attr{Axes: upTo(rank - 1)[1:]}, all)
	case v.Op.IsProduct():
		return c.line(ok, rank-1-i) // along rows of the first operand and columns of the second
	case rank == len(v.Type.Shape) && sameBut(v.Attr.Axis, ok.Type.Shape, v.Type.Shape):
		return c.line(ok, v.Attr.Axis)
	case rank == 0:
		return ok
	}
	return c.add(ir.OpAll, ir.Attr{Axes: upTo(rank)}, ok)
}

// line returns whether all elements along an axis are true; the axis then has one element.
func (c *finiteChecks) line(ok *ir.Value, axis int) *ir.Value {
	all := c.add(ir.OpAll, ir.Attr{Axes: []int{axis}}, ok)
	return c.add(ir.OpUnsqueeze, ir.Attr{Axes: []int{axis}}, all)
}

// windows returns whether all elements in each window of a convolution are true, by a convolution that counts the false
// ones.
func (c *finiteChecks) windows(v, ok *ir.Value) *ir.Value {
	number := func(n uint64) *ir.Value {
		if c.err != nil {
			return nil
		}
		x, err := c.f.Add(ir.OpConst, ir.Attr{DType: Int32, Bits: n}, v.Pos)
		c.err = err
		return x
	}
	others := c.add(ir.OpCast, ir.Attr{DType: Int32}, c.add(ir.OpNot, ir.Attr{}, ok))
	ones := c.add(ir.OpExpand, ir.Attr{Shape: v.Args[1].Type.Shape}, number(1))
	count := c.add(ir.OpConv, ir.Attr{Conv: v.Attr.Conv}, others, ones)
	return c.add(ir.OpEq, ir.Attr{}, count, number(0))
}

// sameBut reports whether two shapes of one rank are equal except along an axis.
func sameBut(axis int, a, b Shape) bool {
	return slices.Equal(slices.Delete(slices.Clone(a), axis, axis+1), slices.Delete(slices.Clone(b), axis, axis+1))
}
