package graph

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Concat returns the concatenation of arrays along an axis. They have one element type and, except along that axis, one
// shape. An array that the program computes is stored directly into its segment of the result; inputs, captured tensors
// and arrays that other ops also read are copied.
func Concat(axis any, arrays ...Node) Node {
	if len(arrays) == 0 {
		return fail("no arrays: give one or more")
	}
	args := make([]*node, len(arrays))
	for i, x := range arrays {
		args[i] = x.get()
	}
	if args[0].err != nil {
		return arrays[0]
	}
	k, err := args[0].axis(axis)
	switch {
	case err != nil:
		return Node{poison(err, args...)}
	case len(args) == 1:
		return arrays[0]
	}
	return apply(ir.OpConcat, ir.Attr{Axis: k}, args...)
}

// Stack returns arrays of one shape as the slices of a new axis, whose number in the result is axis.
func Stack(axis any, arrays ...Node) Node {
	if len(arrays) == 0 {
		return fail("no arrays: give one or more")
	}
	slices := make([]Node, len(arrays))
	for i, x := range arrays {
		slices[i] = x.Unsqueeze(axis)
	}
	y := Concat(axis, slices...)
	for i, x := range arrays {
		if first := arrays[0].get(); y.Err() != nil && x.Err() == nil && first.err == nil && !x.n.typ.Shape.Equal(first.typ.Shape) {
			return fail("operand %d has shape %s and the first %s: arrays of one shape are stacked", i, x.n.typ.Shape, first.typ.Shape)
		}
	}
	return y
}

// Roll returns x with its elements shifted along an axis, as NumPy's roll: element i of x becomes element i+shift of
// the result, and elements that leave at one end enter at the other.
func (x Node) Roll(axis any, shift int) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	k, err := n.axis(axis)
	if err != nil {
		return fail("%w", err)
	}
	extent, known := n.typ.Shape[k].Int()
	switch d := n.typ.Shape[k]; {
	case !known && (shift < -math.MaxInt/2 || shift > math.MaxInt/2): // index minus shift may overflow int
		return x.Roll(k, shift/2).Roll(k, shift-shift/2)
	case !known:
		return x.Take(k, Iota(Int64, d).Sub(shift).WrapIndex(d))
	case extent == 0:
		return x
	}
	if shift %= extent; shift < 0 {
		shift += extent
	}
	if shift == 0 {
		return x
	}
	return Concat(k, x.SliceAxis(k, extent-shift, extent, 1), x.SliceAxis(k, 0, extent-shift, 1))
}

// Unstack returns the slices of x along an axis, without that axis. The extent must be known and at most 65,536. On
// error it returns one poisoned Node.
func (x Node) Unstack(axis any) Nodes {
	n := x.get()
	if n.err != nil {
		return Nodes{x}
	}
	k, extent, err := n.knownAxis(axis)
	if err != nil {
		return Nodes{fail("%w", err)}
	}
	if extent > mostBuilt {
		return Nodes{fail("axis %d of %s has %d slices: up to %d are made", k, n.text(), extent, mostBuilt)}
	}
	out := make(Nodes, extent)
	for i := range out {
		out[i] = x.Index(k, i)
	}
	return out
}

// Split returns x cut along an axis into views of the given sizes, which must add up to its extent. On error it returns
// a poisoned Node for each size, at least one.
func (x Node) Split(axis any, sizes ...int) Nodes {
	n := x.get()
	poisoned := func(x Node) Nodes { return repeated(x, max(1, len(sizes))) }
	if n.err != nil {
		return poisoned(x)
	}
	k, extent, err := n.knownAxis(axis)
	if err != nil {
		return poisoned(fail("%w", err))
	}
	begin, out := 0, Nodes{}
	for _, size := range sizes {
		if size < 0 || size > extent-begin {
			return poisoned(fail("sizes %v of axis %d of %s, which has %d elements", sizes, k, n.text(), extent))
		}
		out = append(out, x.SliceAxis(k, begin, begin+size, 1))
		begin += size
	}
	if begin != extent {
		return poisoned(fail("sizes %v add up to %d, and axis %d of %s has %d elements", sizes, begin, k, n.text(), extent))
	}
	return out
}

// Chunk returns x cut along an axis into parts of equal size; the last one may be smaller. An axis with fewer
// elements than parts has fewer parts. The extent of the axis must be known before the program runs, and parts
// is at most 65,536. On error Chunk returns parts poisoned Nodes, at least 1 and at most 65,536.
func (x Node) Chunk(axis any, parts int) Nodes {
	n := x.get()
	poisoned := func(x Node) Nodes { return repeated(x, min(max(1, parts), mostBuilt)) }
	if n.err != nil {
		return poisoned(x)
	}
	k, extent, err := n.knownAxis(axis)
	switch {
	case err != nil:
		return poisoned(fail("%w", err))
	case parts < 1:
		return Nodes{fail("%d parts: give 1 or more", parts)}
	}
	size := max(1, (extent-1)/parts+1)
	if extent/size > mostBuilt {
		return poisoned(fail("axis %d of %s in parts of %d: up to %d are made", k, n.text(), size, mostBuilt))
	}
	var sizes []int
	for left := extent; left > 0; left -= size {
		sizes = append(sizes, min(size, left))
	}
	return x.Split(k, sizes...)
}

// knownAxis returns an axis and its extent, which must be a number.
func (n *node) knownAxis(axis any) (k, extent int, err error) {
	if k, err = n.axis(axis); err != nil {
		return 0, 0, err
	}
	extent, known := n.typ.Shape[k].Int()
	if !known {
		return 0, 0, fmt.Errorf("the extent of axis %d of %s is not known before the program runs", k, n.text())
	}
	return k, extent, nil
}
