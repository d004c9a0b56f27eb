package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// ConvTranspose returns the transposed convolution of x, [n, c, spatial axes], with weights [c, m/Groups, spatial
// axes]: each element of x adds its products with the weights to a window of the result. The windows are Strides apart.
// Before and After elements are cut off at the ends, and Extra elements added at the end.
//
// Result elements whose indices have the same remainders modulo Strides are a convolution of x with the reversed
// weights that reach them. Convolutions over the same windows are computed as one product. If x has one element per
// channel, the result is a product of x and the weights, provided that the spatial extents are numbers; with symbolic
// extents that are 1 in a run the last bits may differ.
func (x Node) ConvTranspose(weights any, o ConvOptions) Node {
	return x.convolution(weights, &o, true, Node.convTranspose)
}

// remainders are neighbouring remainders, modulo the stride, of result indices along one axis. Their elements are sums
// over the same windows.
type remainders struct {
	count         int // number of remainders
	first, step   int // remainder i uses the weights first+i, first+i+step, ...
	taps          int // number of weights that each remainder uses
	dilation      int // dilation of the windows
	before, after int // padding of x
}

// remaindersOf returns the groups of remainders of an axis, how many more windows than elements of x each has, and how
// many surplus elements all groups have together. With separate each remainder is its own group.
func remaindersOf(size, stride, dilation, before, after, extra int, separate bool) (all []remainders, windows, tooMany int) {
	common := gcd(stride, dilation)
	step, reach := stride/common, dilation*(size-1)+1-before-after+extra
	windows = ceilDiv(reach, stride) - 1
	for i := range stride {
		at := i + before // index in the uncut result
		r := at - stride*floorDiv(at, stride)
		p := remainders{count: 1, step: step, dilation: dilation / common}
		for p.first < min(size, step) && (r-dilation*p.first)%stride != 0 {
			p.first++
		}
		if p.taps = ceilDiv(size-p.first, step); p.first == step {
			p.taps = 0
		}
		last := floorDiv(at, stride) + (r-dilation*p.first)/stride // the element of x at which the first window ends
		p.before, p.after = (p.taps-1)*p.dilation-last, windows+last
		if p.taps == 0 {
			p = remainders{count: 1}
		}
		if n := len(all); n > 0 && !separate && all[n-1].continues(p) {
			all[n-1].count++
			continue
		}
		all = append(all, p)
	}
	return all, windows, (windows+1)*stride - reach
}

// continues reports whether one more remainder is a sum over the same windows.
func (r remainders) continues(p remainders) bool {
	p.first, p.count = p.first-r.count, r.count
	return p == r || p.taps == 0 && r.taps == 0
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func floorDiv(a, b int) int {
	n, _ := ir.Fixed(a).Div(b).Int()
	return n
}

func ceilDiv(a, b int) int { return -floorDiv(-a, b) }

// convTranspose implements ConvTranspose. As for Conv, symbolic numbers of channels give the same bits as numbers.
func (x Node) convTranspose(w Node, o *ConvOptions) (Node, error) {
	y, err := x.convTransposeOf(w, o)
	s, k, g := x.n.typ.Shape, w.n.typ.Shape, ir.Fixed(o.Groups)
	depthwise := k[0] == g && k[1].Is(1)
	if err != nil || y.Err() != nil || depthwise || !ir.Reals.Has(x.DType()) || !mayBe(k[0], o.Groups) || !mayBe(k[1], 1) {
		return y, err
	}
	channels := k[0].Div(o.Groups)
	one, err := x.Reshape(s[0], g, channels, s[2:]).Sum(2).convTransposeOf(w.Reshape(g, channels, k[1:]).Sum(1, 2).Unsqueeze(1), o)
	if err != nil || one.Err() != nil {
		return one, err
	}
	out := y.n.typ.Shape
	if o.ChannelsLast {
		last := len(out) - 1
		return Where(single(k[0], k[1], o), one.Unsqueeze(-1), y.Reshape(out[:last], g, k[1])).Reshape(out), nil
	}
	return Where(single(k[0], k[1], o), one.Unsqueeze(2), y.Reshape(out[0], g, k[1], out[2:])).Reshape(out), nil
}

// mayBe reports whether an extent is n in some run.
func mayBe(d ir.Dim, n int) bool {
	_, known := d.Int()
	return !known || d.Is(n)
}

// single returns a scalar bool: whether extent all is the number of groups and extent each is 1.
func single(all, each ir.Dim, o *ConvOptions) Node {
	return Node{operand(all, Int64)}.Eq(o.Groups).And(Node{operand(each, Int64)}.Eq(1))
}

// convTransposeOf is convTranspose for numbers of channels that are used as they are.
func (x Node) convTransposeOf(w Node, o *ConvOptions) (Node, error) {
	k := w.n.typ.Shape
	spatial := len(k) - 2
	t := transposed{x: x, o: o, axes: make([][]remainders, spatial), windows: make([]int, spatial)}
	tooMany := make([]int, spatial)
	t.depthwise = k[1].Is(1) && k[0].Is(o.Groups)
	unmerged, parts := 1, 1 // the number of convolutions before and after merging those over the same windows
	for i := range spatial {
		unmerged = min(unmerged*min(o.Strides[i], mostStride), mostStride)
	}
	for i := range spatial {
		size, _ := k[2+i].Int()
		if o.Strides[i] > mostStride {
			return x, fmt.Errorf("strides %v: the most is %d", o.Strides, mostStride)
		}
		t.axes[i], t.windows[i], tooMany[i] = remaindersOf(size, o.Strides[i], o.Dilations[i], o.Before[i], o.After[i], o.Extra[i], t.depthwise && unmerged <= mostParts)
		if n, known := x.n.typ.Shape[2+i].Int(); known && (n-1+t.windows[i]+1)*o.Strides[i]-tooMany[i] < 1 {
			return x, fmt.Errorf("the result of %[2]s has no elements along axis %[1]d", 2+i, x.n.text())
		}
		if parts *= len(t.axes[i]); parts > mostParts {
			return x, fmt.Errorf("strides %v with dilations %v: they make more than %d convolutions", o.Strides, o.Dilations, mostParts)
		}
	}
	if t.isOne(w) {
		return t.ofOne(w), nil
	}
	if t.pad(); t.x.Err() != nil {
		return t.x, nil
	}
	groups := ir.Fixed(o.Groups)
	t.w = w.Reshape(groups, k[0].Div(o.Groups), k[1:]).SwapAxes(1, 2) // [g, m/g, c/g, spatial axes]
	y := t.join(nil)
	if y.Err() != nil {
		return y, nil
	}
	// y is [n, m, windows, remainders, ...] or [n, windows, remainders, ..., m].
	first := 2
	if o.ChannelsLast {
		first = 1
	}
	merged := slices.Clone(y.n.typ.Shape[:first])
	for i := range spatial {
		merged = append(merged, y.n.typ.Shape[first+2*i].Mul(ir.Fixed(o.Strides[i])))
	}
	y = y.Reshape(append(merged, y.n.typ.Shape[first+2*spatial:]...))
	for i := range spatial {
		y = y.crop(first+i, 0, tooMany[i])
	}
	return y, nil
}
