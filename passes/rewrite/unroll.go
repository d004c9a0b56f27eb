package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Unroll splits elementwise values with a short axis, such as the channels of pixels, into one value per index: their
// channels. It does so if they are combined with one channel or with a reduction along the axis. Examples: each pixel
// is multiplied by its opacity, or divided by the sum of its channels. One loop then computes all channels and the
// sum, which is neither stored nor repeated in memory. A reduction along the axis becomes a tree of channels. A value
// that is needed whole is the join of its channels.
//
// Connected values are unrolled together or not at all. They are not unrolled if a view needs one of them whole, or
// if their channels have too many ops.
//
// A concatenation of several channels that are stored elsewhere, such as a roll along them, becomes one of single
// channels: one loop then stores all of them side by side.
//
// Requires: views are ops; no two values compute the same.
// Ensures: values keep their types.
func Unroll(s *State) error {
	u := &unroller{s: s}
	if s.NoFuse || !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return u.axis(v) >= 0 || u.joinsSeveral(v) }) {
		return nil
	}
	u.choose()
	u.channels, u.read = map[*ir.Value][]*ir.Value{}, map[channel]*ir.Value{}
	return s.Rewrite(u.rewrite)
}

// unroller holds the sets of values that Unroll replaces, and the channels made so far.
type unroller struct {
	s        *State
	readers  map[*ir.Value][]*ir.Value
	results  map[*ir.Value]bool
	chosen   map[*ir.Value]*unrolled   // by value of a chosen set
	channels map[*ir.Value][]*ir.Value // by chosen value, permute of one, or join of channels
	read     map[channel]*ir.Value     // channels of other operands
}

// unrolled is a set of values that are unrolled together.
type unrolled struct {
	axis   int
	values []*ir.Value
	whole  map[*ir.Value]bool // values that are needed whole
}

// channel names one index of an axis of a value.
type channel struct {
	of      *ir.Value
	axis, i int
}

// IsShort reports whether the indices of an axis of v may become separate values: it has at most kernel.MaxFactor of
// them, and enough lines. The schedule deinterleaves values stored along a short axis, or joins the axis with its
// neighbour.
func (s *State) IsShort(v *ir.Value, axis int) bool {
	n, _ := v.Type.Shape[axis].Int()
	return n > 1 && n <= kernel.MaxFactor && (s.Eager || Size(v.Type.Shape) >= n*shortAxisLines)
}

// fusible reports whether a value is elementwise and not a copy. A copy exists to have memory of its own.
func fusible(v *ir.Value) bool { return v.Op.IsElementwise() && v.Op != ir.OpCopy }

// axis returns the short axis along which v repeats one channel or the result of a reduction, or -1.
func (u *unroller) axis(v *ir.Value) int {
	if !fusible(v) {
		return -1
	}
	for _, a := range v.Args {
		x := unexpanded(a)
		if len(x.Type.Shape) != len(v.Type.Shape) || Size(x.Type.Shape) == 1 {
			continue
		}
		for axis, d := range slices.Backward(v.Type.Shape) {
			n, _ := d.Int()
			if x.Type.Shape[axis].Is(1) && u.s.IsShort(v, axis) && repeatedBy(x, v, axis) == n && (isChannel(x, axis) || u.reduced(x, v, n)) {
				return axis
			}
		}
	}
	return -1
}

// isChannel reports whether x, of extent 1 along an axis, is one index of a longer axis.
func isChannel(x *ir.Value, axis int) bool {
	return x.Op == ir.OpSlice && x.Attr.Axis == axis && !x.Args[0].Type.Shape[axis].Is(1)
}

// reduced reports whether x is computed, element by element, from a reduction whose operand has lines of n elements
// and as many elements as v.
func (u *unroller) reduced(x, v *ir.Value, n int) bool {
	waiting := []*ir.Value{x}
	for i := 0; i < len(waiting) && i < AgainOps; i++ {
		switch y := waiting[i]; {
		case y.Op == ir.OpReduceChunks:
			if LineOf(y) == n && Size(y.Args[0].Type.Shape) == Size(v.Type.Shape) {
				return true
			}
		case fusible(y) || y.Op.IsView():
			waiting = append(waiting, y.Args...)
		}
	}
	return false
}

// unexpanded returns the operand of an expand, or a.
func unexpanded(a *ir.Value) *ir.Value {
	if a.Op == ir.OpExpand {
		return a.Args[0]
	}
	return a
}

// repeatedBy returns how often v repeats each element of x along an axis and the adjacent axes of extent 1.
func repeatedBy(x, v *ir.Value, axis int) int {
	of, in := Extents(v), Extents(x)
	first, end := axis, axis+1
	for first > 0 && in[first-1] == 1 {
		first--
	}
	for end < len(in) && in[end] == 1 {
		end++
	}
	times := 1
	for _, n := range of[first:end] {
		times *= n
	}
	return times
}

// choose finds the sets of values to unroll.
func (u *unroller) choose() {
	u.readers, u.results = ReadersOf(u.s.Func)
	u.chosen = map[*ir.Value]*unrolled{}
	seen := map[*ir.Value]bool{}
	for _, v := range u.s.Func.Body {
		if axis := u.axis(v); axis >= 0 && !seen[v] {
			set := &unrolled{axis: axis, values: u.connected(v, seen), whole: map[*ir.Value]bool{}}
			if u.possible(set) {
				for _, x := range set.values {
					u.chosen[x] = set
				}
			}
		}
	}
}

// connected returns v and the values of its shape that are connected with it through reads.
func (u *unroller) connected(v *ir.Value, seen map[*ir.Value]bool) (values []*ir.Value) {
	waiting := []*ir.Value{v}
	seen[v] = true
	for len(waiting) > 0 {
		x := waiting[len(waiting)-1]
		waiting, values = waiting[:len(waiting)-1], append(values, x)
		for _, near := range [][]*ir.Value{x.Args, u.readers[x]} {
			for _, y := range near {
				if fusible(y) && !seen[y] && y.Type.Shape.Equal(v.Type.Shape) {
					seen[y] = true
					waiting = append(waiting, y)
				}
			}
		}
	}
	return values
}

// possible reports whether a set can be unrolled, and marks the values that are needed whole.
func (u *unroller) possible(set *unrolled) bool {
	n, _ := set.values[0].Type.Shape[set.axis].Int()
	if len(set.values)*n > AgainOps {
		return false
	}
	for _, x := range set.values {
		set.whole[x] = u.results[x]
		for _, v := range u.readers[x] {
			switch {
			case u.reduces(v, set.axis):
			case v.Op.IsJoin() || v.Op.IsLine() || v.Op.IsProduct() || IsScan(v):
				set.whole[x] = true
			case !fusible(v) || !v.Type.Shape.Equal(x.Type.Shape):
				return false
			}
		}
	}
	return true
}

// reduces reports whether v reduces its operand along an axis, or only permutes it for reductions along the axis.
func (u *unroller) reduces(v *ir.Value, axis int) bool {
	last := len(v.Args[0].Type.Shape) - 1
	switch {
	case v.Op == ir.OpReduceChunks:
		return axis == last && !v.Attr.By.IsArgReduction()
	case v.Op == ir.OpPermute && !u.results[v] && slices.IsSorted(v.Attr.Axes[:last]) && v.Attr.Axes[last] == axis:
		return !slices.ContainsFunc(u.readers[v], func(r *ir.Value) bool { return !u.reduces(r, last) })
	}
	return false
}

// joinsSeveral reports whether v joins channels along a short last axis, several of which are an operand that no loop
// computes.
func (u *unroller) joinsSeveral(v *ir.Value) bool {
	axis := len(v.Type.Shape) - 1
	if v.Op != ir.OpConcat || v.Attr.Axis != axis || !u.s.IsShort(v, axis) {
		return false
	}
	several := false
	for _, a := range v.Args {
		several = several || !a.Type.Shape[axis].Is(1)
		for a.Op == ir.OpSlice {
			a = a.Args[0]
		}
		if a.Op.IsComputed() || a.Op.IsView() {
			return false
		}
	}
	return several
}

// single returns a join of several channels as one of single channels.
func (a *adder) single() *ir.Value {
	axis, parts := a.v.Attr.Axis, []*ir.Value{}
	for _, x := range a.v.Args {
		n, _ := x.Type.Shape[axis].Int()
		for i := range n {
			parts = append(parts, a.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(i), Len: ir.Fixed(1), Step: 1}, x))
		}
	}
	return a.add(ir.OpConcat, *a.v.Attr, parts...)
}

// rewrite returns the replacement of v.
func (u *unroller) rewrite(v *ir.Value) (*ir.Value, error) {
	a := &adder{f: u.s.Func, v: v}
	if u.joinsSeveral(v) {
		return a.single(), a.err
	}
	if set := u.chosen[v]; set != nil {
		if u.unroll(a, set.axis); set.whole[v] {
			return u.join(a, set.axis), a.err
		}
		return v, a.err
	}
	if len(v.Args) == 0 || u.channels[v.Args[0]] == nil {
		return v, nil
	}
	switch channels := u.channels[v.Args[0]]; v.Op {
	case ir.OpPermute:
		u.channels[v] = channels
	case ir.OpReduceChunks:
		channels = slices.Clone(channels)
		ir.LaneTree(len(channels), func(to, from int) { channels[to] = a.add(v.Attr.By, ir.Attr{}, channels[to], channels[from]) })
		return channels[0], a.err
	}
	return v, nil
}

// unroll computes the channels of a.v.
func (u *unroller) unroll(a *adder, axis int) {
	n, _ := a.v.Type.Shape[axis].Int()
	for i := range n {
		args := make([]*ir.Value, len(a.v.Args))
		for k, x := range a.v.Args {
			args[k] = u.channel(a, x, axis, i)
		}
		x := a.add(a.v.Op, *a.v.Attr, args...)
		if shape := without(a.v.Type.Shape, axis); a.err == nil && !x.Type.Shape.Equal(shape) {
			x = a.add(ir.OpExpand, ir.Attr{Shape: shape}, x)
		}
		u.channels[a.v] = append(u.channels[a.v], x)
	}
}

// without returns a shape without an axis.
func without(s ir.Shape, axis int) ir.Shape { return slices.Delete(slices.Clone(s), axis, axis+1) }

// channel returns the elements of operand x of a.v at index i of an axis of a.v.
func (u *unroller) channel(a *adder, x *ir.Value, axis, i int) *ir.Value {
	if channels := u.channels[x]; channels != nil {
		return channels[i]
	}
	x = unexpanded(x)
	axis -= len(a.v.Type.Shape) - len(x.Type.Shape)
	if axis < 0 { // the operand lacks the axis
		return x
	}
	if x.Type.Shape[axis].Is(1) {
		i = 0
	}
	key := channel{x, axis, i}
	if u.read[key] == nil {
		u.read[key] = a.index(x, axis, i)
	}
	return u.read[key]
}

// index returns x at index i of an axis. If a reshape added the axis, index returns the operand of the reshape.
func (a *adder) index(x *ir.Value, axis, i int) *ir.Value {
	if x.Op == ir.OpUnsqueeze || x.Op == ir.OpReshape {
		if y := x.Args[0]; y.Type.Shape.Equal(without(x.Type.Shape, axis)) {
			return y
		}
	}
	return a.add(ir.OpIndex, ir.Attr{Axis: axis, Begin: ir.Fixed(i)}, x)
}

// join returns the concatenation of the channels of a.v.
func (u *unroller) join(a *adder, axis int) *ir.Value {
	var parts []*ir.Value
	for _, x := range u.channels[a.v] {
		parts = append(parts, a.add(ir.OpUnsqueeze, ir.Attr{Axes: []int{axis}}, x))
	}
	y := a.add(ir.OpConcat, ir.Attr{Axis: axis}, parts...)
	u.channels[y] = u.channels[a.v]
	return y
}
