package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// transposed describes a transposed convolution.
type transposed struct {
	x, w    Node
	o       *ConvOptions
	axes    [][]remainders
	windows []int // windows of each remainder beyond the extents of x

	depthwise bool
}

// mostStride limits strides, and mostParts the number of convolutions that make up a transposed one.
const (
	mostStride = 4096
	mostParts  = 256
)

// pad pads x for all remainders at once.
func (t *transposed) pad() {
	before, after := make([]int, 2+len(t.axes)), make([]int, 2+len(t.axes))
	for i, all := range t.axes {
		for _, r := range all {
			before[2+i], after[2+i] = max(before[2+i], r.before), max(after[2+i], r.after)
		}
		for k := range all {
			all[k].before -= before[2+i]
			all[k].after -= after[2+i]
		}
		t.windows[i] -= before[2+i] + after[2+i]
	}
	t.x = t.x.Pad(before, after, PadConstant)
}

// join returns the result elements for the chosen remainders of the first axes and all remainders of the other axes.
func (t *transposed) join(chosen []remainders) Node {
	axis := len(chosen)
	if axis == len(t.axes) {
		return t.part(chosen)
	}
	var parts []Node
	for _, r := range t.axes[axis] {
		if next := append(chosen[:axis:axis], r); r.taps == 0 {
			parts = append(parts, t.zeros(next))
		} else {
			parts = append(parts, t.join(next))
		}
	}
	at := 3 + 2*axis
	if t.o.ChannelsLast {
		at--
	}
	return Concat(at, parts...)
}

// part returns the result elements for one group of remainders per axis, computed as one convolution: [n, m, windows,
// remainders, ...] or [n, windows, remainders, ..., m].
func (t *transposed) part(chosen []remainders) Node {
	spatial := len(chosen)
	conv := ConvOptions{Groups: t.o.Groups, ChannelsLast: t.o.ChannelsLast}
	w, split := t.w, Shape{t.w.n.typ.Shape[0]} // the parts that the channels of the convolution consist of
	var flipped []any
	for i, r := range chosen {
		of := make([]Node, r.count)
		for j := range of {
			of[j] = w.SliceAxis(w.Rank()-spatial+i, r.first+j, r.first+j+r.step*(r.taps-1)+1, r.step)
		}
		w = Stack(1+i, of...)
		split = append(split, ir.Fixed(r.count))
		flipped = append(flipped, 2+i)
		conv.Before, conv.After = append(conv.Before, r.before), append(conv.After, r.after)
		conv.Dilations = append(conv.Dilations, r.dilation)
	}
	if w.Err() != nil {
		return w
	}
	split = append(split, w.n.typ.Shape[1+spatial])
	w = w.Reshape(split.NumElems(), w.n.typ.Shape[2+spatial:]).Flip(flipped...)
	w = w.Materialize() // contiguous channels, as products of windows need them
	x, first := t.x, 1
	if t.o.ChannelsLast {
		x, first = x.MoveAxis(1, -1), 1+spatial
	}
	y := x.Conv(w, conv)
	if !t.depthwise {
		y = y.Materialize() // products of few windows would be slow
	}
	if y.Err() != nil {
		return y
	}
	// The axes of y become the batch, then those from split on, with the windows before or after them.
	shape := y.n.typ.Shape
	windows := 1
	if !t.o.ChannelsLast {
		windows += len(split)
	}
	y = y.Reshape(slices.Concat(shape[:first], split, shape[first+1:]))
	order := []int{0}
	for i := range chosen {
		order = append(order, windows+i, first+1+i)
	}
	channels := []int{first, first + 1 + spatial}
	if t.o.ChannelsLast {
		order = append(order, channels...)
	} else {
		order = slices.Concat(order[:1], channels, order[1:])
	}
	return t.merged(y.Permute(order))
}

// merged returns y with the groups and their channels as one axis.
func (t *transposed) merged(y Node) Node {
	if y.Err() != nil {
		return y
	}
	shape := slices.Clone(y.n.typ.Shape)
	at := 1
	if t.o.ChannelsLast {
		at = len(shape) - 2
	}
	m := shape[at].Mul(shape[at+1])
	return y.Reshape(slices.Concat(shape[:at], Shape{m}, shape[at+2:]))
}

// zeros returns the result elements that no weights reach, for the chosen remainders of the first axes and all
// remainders of the other axes.
func (t *transposed) zeros(chosen []remainders) Node {
	s := t.x.n.typ.Shape
	m := t.w.n.typ.Shape[0].Mul(t.w.n.typ.Shape[1])
	shape := Shape{s[0], m}
	for i := range t.axes {
		count := t.o.Strides[i]
		if i < len(chosen) {
			count = chosen[i].count
		}
		shape = append(shape, s[2+i].Add(ir.Fixed(t.windows[i])), ir.Fixed(count))
	}
	if t.o.ChannelsLast {
		shape = append(slices.Delete(shape, 1, 1+1), m)
	}
	return apply(ir.OpConst, ir.Attr{DType: t.x.DType()}).BroadcastTo(shape)
}

// isOne reports whether x, [n, c, spatial axes], has one element per channel and is transposed without gaps. Then the
// result is x times the weights, as in the first layer of an image generator. Computed as a convolution it would mostly
// add zeros.
func (t *transposed) isOne(w Node) bool {
	for i, d := range t.o.Dilations {
		if !t.x.n.typ.Shape[2+i].Is(1) || d != 1 {
			return false
		}
	}
	return ir.OpDot.Info().Domain.Has(t.x.DType())
}

// ofOne returns the transposed convolution of an x with one element per channel.
func (t *transposed) ofOne(w Node) Node {
	k, groups := w.n.typ.Shape, ir.Fixed(t.o.Groups)
	x := t.x.Reshape(t.x.n.typ.Shape[0], groups, k[0].Div(t.o.Groups))
	y := einsum(ir.OpDot, "ngc,gcm->ngm", x, w.Reshape(groups, k[0].Div(t.o.Groups), k[1:].NumElems()))
	if y.Err() != nil {
		return y
	}
	before, after := []int{0, 0}, []int{0, 0}
	for i := range t.axes {
		before, after = append(before, -t.o.Before[i]), append(after, t.o.Extra[i]-t.o.After[i])
	}
	y = y.Reshape(t.x.n.typ.Shape[0], k[1].Mul(groups), k[2:]).Pad(before, after, PadConstant)
	if t.o.ChannelsLast {
		return y.MoveAxis(1, -1)
	}
	return y
}
