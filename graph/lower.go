package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// lowering turns the nodes below some outputs into a Func.
type lowering struct {
	order    []*node // every node once, operands before users
	inputs   []*node // in order of creation
	captured []*Tensor
	frozen   []bool   // of the captured
	sizes    []string // the axes of inputs that are a name alone
	errs     []error
	told     map[string]bool  // their texts
	named    map[string]*node // the inputs
	kept     map[axisOf]bool  // under WithoutBroadcast

	numbers              // each node has one, as it was met
	number   []int32     // of the nodes in order
	first    []int32     // by number: where in operands those of the node begin
	operands []int32     // numbers
	stack    []visit     // of walk
	values   []*ir.Value // of function, by number
}

// visit is a node whose operands are being visited.
type visit struct {
	*node
	number int32
	next   int // of its operands
}

// lowerings are the *lowering of programs that are compiled, with memory for the next.
var lowerings sync.Pool

func newLowering() *lowering {
	if l, ok := lowerings.Get().(*lowering); ok {
		return l
	}
	return new(lowering)
}

// mostKept is how many nodes a graph has at most that leaves its memory to the next. The memory of a larger one is
// little beside the graph.
const mostKept = 1024

// leave leaves the memory of the lowering to the next.
func (l *lowering) leave() {
	if len(l.first) > mostKept {
		return
	}
	clear(l.order)
	clear(l.inputs)
	clear(l.named)
	clear(l.stack[:cap(l.stack)])
	clear(l.values)
	l.numbers.clear()
	*l = lowering{order: l.order[:0], inputs: l.inputs[:0], named: l.named, numbers: l.numbers, number: l.number[:0], first: l.first[:0], operands: l.operands[:0], stack: l.stack[:0],
		values: l.values[:0]}
	lowerings.Put(l)
}

// walk orders the nodes below an output, each behind its operands. It does not
// recurse: a graph may be deeper than a stack.
func (l *lowering) walk(outputs []Node) {
	stack := l.stack[:0]
	push := func(n *node) int32 {
		n = n.value()
		number, seen := l.give(n, int32(len(l.first)))
		if !seen {
			l.first = append(double(l.first), int32(len(l.operands)))
			for range n.args {
				l.operands = append(double(l.operands), 0)
			}
			stack = append(double(stack), visit{n, number, 0})
		}
		return number
	}
	for _, x := range outputs {
		push(x.get())
		for len(stack) > 0 {
			v := &stack[len(stack)-1]
			if v.next == len(v.args) {
				l.order, l.number = append(double(l.order), v.node), append(double(l.number), v.number)
				stack = stack[:len(stack)-1]
				continue
			}
			at, a := int(l.first[v.number])+v.next, v.args[v.next]
			v.next++ // first: push moves the stack
			l.operands[at] = push(a)
		}
	}
	l.stack = stack
}

// double returns a list with room for one more. A long one grows by its length at a time, where
// append takes a quarter, so that less is copied and left behind.
func double[T any](list []T) []T {
	const few = 32 // nodes, of most graphs
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), few))
}

// report keeps an error, unless it is one that others have too.
func (l *lowering) report(err *Error) {
	if text := err.Error(); !l.told[text] {
		if l.told == nil {
			l.told = map[string]bool{}
		}
		l.told[text] = true
		l.errs = append(l.errs, err)
	}
}

func (l *lowering) reportf(n *node, format string, args ...any) {
	op := cmp.Or(n.call.String(), n.op.Method())
	if n.input != "" {
		op = "input " + n.input
	}
	l.report(&Error{Pos: n.pos, Op: op, Msg: fmt.Sprintf(format, args...)})
}

// err returns the errors reported: one as it is, several joined.
func (l *lowering) err() error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	return errors.Join(l.errs...)
}

// check reports what is wrong with the graph as a whole.
func (l *lowering) check(s *settings) {
	if l.named == nil {
		l.named = map[string]*node{}
	}
	if s.noBroadcast {
		l.kept = map[axisOf]bool{}
	}
	var last *Error
	for _, n := range l.order {
		switch {
		case n.err != nil:
			if n.err != last { // a chain of poisoned nodes has one error
				l.report(n.err)
			}
			last = n.err
		case n.input != "":
			if m := l.named[n.input]; m != nil {
				l.reportf(n, "the input at %s has this name too: rename one, or use one Node for both", m.pos)
			}
			l.named[n.input] = n
			l.inputs = append(l.inputs, n)
		case s.noBroadcast:
			l.noteKept(n)
			if n.op.IsElementwise() {
				l.checkShapes(n)
			}
		}
	}
	sort.Slice(l.inputs, func(i, j int) bool { return l.inputs[i].order < l.inputs[j].order })
	l.checkSizes()
}

// checkShapes reports operands of unequal shapes. Axes that a reduction kept are
// there to repeat.
func (l *lowering) checkShapes(n *node) {
	for _, a := range n.args {
		if a.op != ir.OpConst && a.op != ir.OpExtent && !a.typ.Shape.Equal(n.typ.Shape) && !l.repeatsKept(a, n.typ.Shape) {
			l.reportf(n, "an operand of shape %s would broadcast to %s, and WithoutBroadcast is set: BroadcastTo that shape",
				a.typ.Shape, n.typ.Shape)
			return
		}
	}
}

// repeatsKept reports whether a has a shape but for axes that a reduction kept.
func (l *lowering) repeatsKept(a *node, shape ir.Shape) bool {
	if len(a.typ.Shape) != len(shape) {
		return false
	}
	for k, d := range shape {
		if a.typ.Shape[k] != d && !l.kept[axisOf{a, k}] {
			return false
		}
	}
	return true
}

type axisOf struct {
	*node
	axis int
}

// noteKept notes which axes of a node are those that a reduction kept, by KeepDims.
func (l *lowering) noteKept(n *node) {
	for k := range n.typ.Shape {
		is := false
		switch {
		case n.op == ir.OpUnsqueeze && slices.Contains(n.attr.Axes, k):
			is = n.args[0].op.Info().Kind == ir.Reduce
		case n.op.IsElementwise():
			is = slices.ContainsFunc(n.args, func(a *node) bool {
				return len(a.typ.Shape) == len(n.typ.Shape) && l.kept[axisOf{a, k}]
			})
		}
		if is {
			l.kept[axisOf{n, k}] = true
		}
	}
}

// checkSizes reports names of sizes that no input has.
func (l *lowering) checkSizes() {
	var known map[string]bool
	for _, in := range l.inputs {
		for _, d := range in.typ.Shape {
			if name, _, _, ok := d.Linear(); ok && !known[name] {
				if known == nil {
					known = map[string]bool{}
				}
				known[name] = true
				l.sizes = append(l.sizes, name)
			}
		}
	}
	for _, n := range l.order {
		for _, d := range n.ownExtents() {
			if _, fixed := d.Int(); fixed {
				continue
			}
			for _, name := range d.Names() {
				if known[name] || len(n.args) > 0 && mentions(n.args[0].typ.Shape, name) {
					continue
				}
				l.reportf(n, "no input tells the size %q of %s: one must have an axis Dim(%q)", name, n.whatExtents(), name)
			}
		}
	}
}

// ownExtents returns the extents of an op that can name a size that its operand does
// not.
func (n *node) ownExtents() Shape {
	if n.err != nil {
		return nil
	}
	switch n.op {
	case ir.OpParam, ir.OpReshape, ir.OpExpand, ir.OpIota:
		return n.typ.Shape
	case ir.OpExtent, ir.OpIndex:
		return Shape{n.attr.Begin}
	case ir.OpSlice:
		return Shape{n.attr.Begin, n.attr.Len}
	}
	return nil
}

// whatExtents says what ownExtents are the extents of.
func (n *node) whatExtents() string {
	switch n.op {
	case ir.OpExtent, ir.OpIndex:
		return "the number " + n.attr.Begin.String()
	case ir.OpSlice:
		return "the slice"
	}
	return "shape " + n.typ.Shape.String()
}

func mentions(s Shape, name string) bool {
	return slices.ContainsFunc(s, func(d Extent) bool { return slices.Contains(d.Names(), name) })
}

// function returns the Func. Its params are the inputs, then the captured
// tensors, of which each occurs once. The nodes have the types that ir.Infer gave.
func (l *lowering) function(name string, outputs []Node) *ir.Func {
	f, params := &ir.Func{Name: name}, len(l.inputs)
	for _, n := range l.order {
		if n.tensor != nil {
			params++ // of some nodes it may be one
		}
	}
	f.Reserve(params, len(l.order)-params, len(l.operands), len(outputs))
	l.values = append(l.values[:0], make([]*ir.Value, len(l.order))...)
	values := l.values
	for _, in := range l.inputs {
		p := f.Param(in.input, in.typ, nil)
		p.Pos = in.pos
		number, _ := l.of(in)
		values[number] = p
	}
	var tensors map[*Tensor]*ir.Value
	var changes map[*Tensor]bool
	for _, n := range l.order {
		if n.tensor == nil {
			continue
		}
		if tensors == nil {
			tensors, changes = map[*Tensor]*ir.Value{}, map[*Tensor]bool{}
		}
		if !n.frozen {
			changes[n.tensor] = true
		}
	}
	var args []*ir.Value
	for i, n := range l.order {
		number := l.number[i]
		switch {
		case n.input != "":
		case n.tensor != nil:
			if tensors[n.tensor] == nil {
				tensors[n.tensor] = l.capture(f, n)
				l.frozen = append(l.frozen, !changes[n.tensor])
			}
			values[number] = tensors[n.tensor]
		default:
			args = args[:0]
			for _, a := range l.operands[l.first[number]:][:len(n.args)] {
				args = append(args, values[a])
			}
			v := f.Next(args)
			v.Op, v.Call, v.Type, v.Attr, v.Pos = n.op, n.call, n.typ, n.attr, n.pos
			values[number] = v
		}
	}
	for _, x := range outputs {
		number, _ := l.of(x.n.value())
		f.Results = append(f.Results, values[number])
	}
	return f
}

// capture appends the param of a tensor.
func (l *lowering) capture(f *ir.Func, n *node) *ir.Value {
	name := "const" + strconv.Itoa(len(l.captured))
	for l.named[name] != nil {
		name += "_"
	}
	l.captured = append(l.captured, n.tensor)
	p := f.Param(name, n.typ, layoutOf(n.tensor))
	p.Pos = n.pos
	return p
}

// layoutOf returns where a tensor's elements sit, counted from the one lowest in
// memory; nil for row-major.
func layoutOf(t *Tensor) *layout.Layout {
	if t.IsRowMajor() {
		return nil
	}
	l := layout.Layout{Shape: t.Shape(), Strides: t.Strides()}
	lowest, _ := l.Bounds()
	l.Offset = -lowest
	return &l
}
