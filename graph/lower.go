package graph

import (
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
)

// lowering turns the nodes below some outputs into a Func.
type lowering struct {
	order    []*node // every node once, operands before users
	inputs   []*node // the inputs, in order of creation
	captured []*Tensor
	frozen   []bool   // whether each captured tensor is a Const
	sizes    []string // axes of inputs whose extent is a plain name
	errs     []error
	told     map[string]bool  // texts of the reported errors
	named    map[string]*node // the inputs
	kept     map[axisOf]bool  // axes kept by reductions, under WithoutBroadcast

	numbers              // the number of each node, in order of the walk
	number   []int32     // numbers of the nodes, in order
	first    []int32     // by number: where the operands of a node begin in operands
	operands []int32     // numbers of operands
	stack    []visit     // the stack of walk
	values   []*ir.Value // the values of function, by number
}

// visit is a node whose operands are being visited.
type visit struct {
	*node
	number int32
	next   int // the next operand to visit
}

// fewNodes is the number of nodes of most graphs, at most.
const fewNodes = 32

// newLowering returns a lowering with room for fewNodes, in one piece of memory.
func newLowering() *lowering {
	const few = fewNodes
	l := &struct {
		lowering
		order         [few]*node
		inputs        [few / 8]*node
		pages         [few/pageNodes + 1]numberPage
		number, first [few]int32
		operands      [2 * few]int32
		stack         [few / 2]visit
		values        [few]*ir.Value
	}{}
	l.lowering = lowering{order: l.order[:0], inputs: l.inputs[:0], numbers: numbers{unused: l.pages[:]}, number: l.number[:0], first: l.first[:0], operands: l.operands[:0], stack: l.stack[:0], values: l.values[:0]}
	return &l.lowering
}

// walk appends the nodes below an output, operands first. It uses its own stack, because a graph may be deeper than
// Go's stack.
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
			v.next++ // set first, because push moves the stack
			l.operands[at] = push(a)
		}
	}
	l.stack = stack
}

// double returns a list with room for one more element. A long list doubles, where append grows it by a quarter, so
// that less is copied and left as garbage.
func double[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, max(len(list), fewNodes))
}

// function returns the Func. Its params are the inputs and then the captured tensors, each once. The nodes have the
// types that ir.Infer gave.
func (l *lowering) function(name string, outputs []Node) *ir.Func {
	f, params := &ir.Func{Name: name}, len(l.inputs)
	for _, n := range l.order {
		if n.tensor != nil {
			params++ // several nodes may capture one tensor
		}
	}
	f.Reserve(params, len(l.order)-params, len(l.operands), len(outputs))
	l.values = slices.Grow(l.values, len(l.order))[:len(l.order)]
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
	p := f.Param(name, n.typ, program.LayoutOf(n.tensor))
	p.Pos = n.pos
	return p
}
