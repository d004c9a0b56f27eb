package graph

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"
)

// PadMode says which elements Pad puts around an array.
type PadMode uint8

// The modes, applied to 1 2 3 with a padding of 2 on both sides.
const (
	PadConstant  PadMode = iota // 0 0 1 2 3 0 0
	PadEdge                     // 1 1 1 2 3 3 3
	PadReflect                  // 3 2 1 2 3 2 1
	PadSymmetric                // 2 1 1 2 3 3 2
	PadWrap                     // 2 3 1 2 3 1 2
)

var padModes = [...]string{PadConstant: "PadConstant", PadEdge: "PadEdge", PadReflect: "PadReflect", PadSymmetric: "PadSymmetric", PadWrap: "PadWrap"}

// String returns the mode's name.
func (m PadMode) String() string {
	if int(m) >= len(padModes) {
		return "PadMode(" + strconv.Itoa(int(m)) + ")"
	}
	return padModes[m]
}

// Pad returns x with before[k] and after[k] additional elements along axis k: zeros, or what the mode says. Negative
// numbers remove elements. Each list has a number for each axis. If an extent is known only at run time, PadReflect,
// PadSymmetric and PadWrap can't repeat x more than once: a run in which a side is padded by more than the extent
// (PadReflect: the extent minus 1) fails.
func (x Node) Pad(before, after []int, mode PadMode) Node {
	return x.pad(before, after, mode, apply(ir.OpConst, ir.Attr{DType: x.DType()}))
}

// PadWith is Pad with the given element, a Go number or a scalar Node, instead of 0.
func (x Node) PadWith(before, after []int, element any) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	return x.pad(before, after, PadConstant, Node{operand(element, n.typ.DType)})
}

func (x Node) pad(before, after []int, mode PadMode, element Node) Node {
	n := x.get()
	switch {
	case n.err != nil:
		return x
	case element.get().err != nil:
		return element
	case element.DType() != n.typ.DType || element.Rank() != 0:
		return fail("the element is %s: it must be one %s", element.get().text(), n.typ.DType)
	case mode > PadWrap:
		return fail("there is no %s", mode)
	case len(before) != len(n.typ.Shape) || len(after) != len(n.typ.Shape):
		return fail("%d and %d numbers for the %d axes of %s", len(before), len(after), len(n.typ.Shape), n.text())
	}
	y := x
	for k := range before {
		if before[k] == math.MinInt || after[k] == math.MinInt { // MinInt has no positive counterpart
			return fail("%d and %d elements are removed from axis %d of %s, which has fewer", taken(before[k]), taken(after[k]), k, n.text())
		}
		y = y.crop(k, max(0, -before[k]), max(0, -after[k]))
	}
	if y.Err() != nil {
		return y
	}
	before, after = slices.Clone(before), slices.Clone(after)
	padded := 0 // number of padded axes
	for k := range before {
		before[k], after[k] = max(0, before[k]), max(0, after[k])
		if before[k] == 0 && after[k] == 0 {
			continue
		}
		padded++
		if err := y.n.checkPad(k, before[k], after[k], mode); err != nil {
			return fail("%w", err)
		}
	}
	return y.padAxes(0, before, after, mode, element, mode != PadConstant && padded <= 3)
}

// padAxes returns x padded along an axis and the axes after it. Each segment of an outer axis is padded separately
// along the inner axes, so that no padded array is stored and copied again. Three axes make 27 segments.
func (x Node) padAxes(axis int, before, after []int, mode PadMode, element Node, inParts bool) Node {
	if axis == len(before) || x.get().err != nil {
		return x
	}
	rest := func(x Node) Node { return x.padAxes(axis+1, before, after, mode, element, inParts) }
	if before[axis] == 0 && after[axis] == 0 {
		return rest(x)
	}
	if inParts {
		if parts := x.padAxis(axis, before[axis], after[axis], mode, element); len(parts) <= 3 {
			for i := range parts {
				parts[i] = rest(parts[i])
			}
			return Concat(axis, parts...)
		}
	}
	return Concat(axis, rest(x).padAxis(axis, before[axis], after[axis], mode, element)...)
}

// taken returns the number of elements that a negative padding removes.
func taken(n int) uint {
	if n < 0 {
		return -uint(n)
	}
	return 0
}

// crop returns x without elements at both ends of an axis.
func (x Node) crop(axis, before, after int) Node {
	if before == 0 && after == 0 {
		return x
	}
	return x.view(ir.OpSlice, func(n *node) (ir.Attr, bool, error) {
		left := n.typ.Shape[axis].Sub(ir.Fixed(before)).Sub(ir.Fixed(after))
		if m, fixed := left.Int(); fixed && m < 0 {
			return ir.Attr{}, false, fmt.Errorf("%d and %d elements are removed from axis %d of %s, which has fewer", before, after, axis, n.text())
		}
		return ir.Attr{Axis: axis, Begin: ir.Fixed(before), Len: left, Step: 1, Note: fmt.Sprintf("%d and %d elements along axis %d", -before, -after, axis)}, false, nil
	})
}

// mostRepeats is the most often that padding on one side may repeat an array. Each repeat is one segment of a
// concatenation.
const mostRepeats = 1 << 12

// checkPad returns why an axis of n can't be padded with its own elements, or nil.
func (n *node) checkPad(axis, before, after int, mode PadMode) error {
	extent, known := n.typ.Shape[axis].Int()
	switch {
	case !known || mode == PadConstant:
	case extent == 0:
		return ir.NoElements(axis, n.text(), " to repeat")
	case mode != PadEdge && !(mode == PadReflect && extent == 1) && max(before, after)/extent > mostRepeats:
		return fmt.Errorf("padding of %d and %d repeats the %d elements of axis %d more than %d times", before, after, extent, axis, mostRepeats)
	case before > math.MaxInt-extent || after > math.MaxInt-extent-before:
		return fmt.Errorf("padding of %d and %d along axis %d of %s: the extent overflows int", before, after, axis, n.text())
	}
	return nil
}

// padAxis returns the segments of x padded along one axis.
func (x Node) padAxis(axis, before, after int, mode PadMode, element Node) []Node {
	n := x.get()
	if n.err != nil {
		return []Node{x}
	}
	if mode == PadConstant {
		part := func(extent int) Node {
			shape := append(Shape{}, n.typ.Shape...)
			shape[axis] = ir.Fixed(extent)
			return element.BroadcastTo(shape)
		}
		return nonempty([]Node{part(before), x, part(after)}, before, 1, after)
	}
	if extent, known := n.typ.Shape[axis].Int(); known {
		return x.extend(axis, extent, before, after, mode)
	}
	return x.reach(axis, before, after, mode)
}

// reach is extend for an axis whose extent is symbolic: each side is one slice of x.
func (x Node) reach(axis, before, after int, mode PadMode) []Node {
	last := x.n.typ.Shape[axis].Sub(ir.Fixed(1))
	back := func(k int) Extent { return last.Sub(ir.Fixed(k)) } // index k from the end
	note := fmt.Sprintf("%s of %d and %d elements along axis %d", mode, before, after, axis)
	part := func(begin Extent, count, step int) Node {
		return x.view(ir.OpSlice, func(*node) (ir.Attr, bool, error) {
			return ir.Attr{Axis: axis, Begin: begin, Len: ir.Fixed(count), Step: step, Note: note}, false, nil
		})
	}
	repeat := func(begin Extent, count int) Node {
		shape := append(Shape{}, x.n.typ.Shape...)
		shape[axis] = ir.Fixed(count)
		return part(begin, 1, 1).BroadcastTo(shape)
	}
	var left, right Node
	switch mode {
	case PadEdge:
		left, right = repeat(ir.Fixed(0), before), repeat(last, after)
	case PadReflect:
		left, right = part(ir.Fixed(before), before, -1), part(back(1), after, -1)
	case PadSymmetric:
		left, right = part(ir.Fixed(before-1), before, -1), part(last, after, -1)
	case PadWrap:
		left, right = part(back(before-1), before, 1), part(ir.Fixed(0), after, 1)
	}
	return nonempty([]Node{left, x, right}, before, 1, after)
}

// nonempty returns the arrays without those of extent 0.
func nonempty(arrays []Node, extents ...int) []Node {
	var out []Node
	for i, x := range arrays {
		if extents[i] > 0 {
			out = append(out, x)
		}
	}
	return out
}

// extend adds runs of x's own elements on both sides of an axis. Index i of the result is index i-before of the endless
// sequence that the mode makes of x.
func (x Node) extend(axis, extent, before, after int, mode PadMode) []Node {
	var parts []Node
	for i := -before; i < extent+after; {
		from, run, step := sourceOf(mode, i, extent)
		run = min(run, extent+after-i)
		end := from + step*run
		switch {
		case step == 0:
			shape := append(Shape{}, x.n.typ.Shape...)
			shape[axis] = ir.Fixed(run)
			parts = append(parts, x.SliceAxis(axis, from, from+1, 1).BroadcastTo(shape))
		case end < 0:
			parts = append(parts, x.SliceAxis(axis, from, math.MinInt, step))
		default:
			parts = append(parts, x.SliceAxis(axis, from, end, step))
		}
		i += run
	}
	return parts
}

// sourceOf maps index i of an endless sequence to an index of x. It also returns how many elements of the sequence from
// there on follow each other in x, and with which step.
func sourceOf(mode PadMode, i, extent int) (from, run, step int) {
	switch {
	case mode == PadEdge && i < 0:
		return 0, -i, 0
	case mode == PadEdge && i >= extent:
		return extent - 1, math.MaxInt, 0
	case mode == PadReflect && extent == 1:
		return 0, math.MaxInt, 0
	}
	period := extent // the period of the sequence: forward, or forward and back
	switch mode {
	case PadReflect:
		period = 2*extent - 2
	case PadSymmetric:
		period = 2 * extent
	}
	at := i % period
	if at < 0 {
		at += period
	}
	if at < extent {
		return at, extent - at, 1
	}
	if mode == PadSymmetric {
		return period - 1 - at, period - at, -1
	}
	return period - at, period - at, -1
}
