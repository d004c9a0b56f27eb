package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Node is a value of a graph that is computed when a compiled program runs: an n-d array of known element type and
// shape, whose extents may be symbolic.
//
// A Node is small and immutable. Any number of goroutines may build on it, and any number of programs may share it. A
// mistake makes the result of an op a poisoned Node: it and all Nodes built on it carry the first error, which Compile
// and Err return.
type Node struct{ n *node }

// node is what a Node refers to. It never changes after it is made.
type node struct {
	op    ir.Op
	call  ir.Call
	attr  *ir.Attr // nil if poisoned
	args  []*node
	typ   ir.Type
	names []string // axis names, "" for an axis without one; nil if no axis has one
	pos   ir.Pos
	err   *Error

	input  string  // the name of an Input
	order  uint64  // increases with each node; copies have the order of their original, poisoned nodes 0
	tensor *Tensor // the tensor of Const and Variable
	frozen bool    // a Const: the tensor never changes
	hint   string  // of indices: see CheckIndex

	root *node  // the same value before its axes were named or it got a rule, or nil
	rule *rule  // the rule for its derivative, or nil if that of its op applies
	zero string // of a gradient that is zero everywhere, why; Explain says so
}

// DType returns the type of the elements, or 0 for a poisoned Node.
func (x Node) DType() DType { return x.get().typ.DType }

// Shape returns the extents of the axes, some of which may be symbolic.
func (x Node) Shape() Shape { return slices.Clone(x.get().typ.Shape) }

// Rank returns the number of axes, 0 for a scalar.
func (x Node) Rank() int { return len(x.get().typ.Shape) }

// Err returns the first mistake made on the way to x, an *Error, or nil.
func (x Node) Err() error {
	if err := x.get().err; err != nil {
		return err
	}
	return nil
}

// String returns the op that computes x and the type of x: "add: float32[n,3]". For a poisoned Node it returns the
// error.
func (x Node) String() string {
	n := x.get()
	switch {
	case n.err != nil:
		return n.err.Error()
	case n.input != "":
		return n.input + ": " + n.text()
	case n.tensor != nil:
		return "const: " + n.text()
	}
	return n.op.Method() + ": " + n.text()
}

// text returns the type as errors show it: float32[row=n,col=3].
func (n *node) text() string { return specText(n.typ, n.names) }

func specText(t ir.Type, names []string) string {
	text := t.DType.String() + "["
	for k, d := range t.Shape {
		if k > 0 {
			text += ","
		}
		if names != nil && names[k] != "" {
			text += names[k] + "="
		}
		text += d.String()
	}
	return text + "]"
}

// get returns the node that x refers to; for the zero Node it returns a poisoned one.
func (x Node) get() *node {
	if x.n == nil {
		return poisonAs(ir.CallerPos(), "", errZero)
	}
	return x.n
}

var errZero = errors.New("the Node is zero: make one with Input, Const or Scalar")

// poison returns a node with an error at the user's line, named after the function or method that the user called.
func poison(err error, args ...*node) *node {
	pos, call := ir.Caller()
	return poisonAs(pos, call.String(), err, args...)
}

func poisonAs(pos ir.Pos, op string, err error, args ...*node) *node {
	return &node{args: args, pos: pos, err: &Error{Pos: pos, Op: op, Msg: err.Error()}}
}

// apply makes the node of an operation, whose type comes from ir.Infer. If an operand is poisoned the result is too; it
// keeps all operands, so that Compile finds the mistakes in each of them.
func apply(op ir.Op, attr ir.Attr, args ...*node) Node {
	var few [3]ir.Type
	types := few[:0]
	for _, a := range args {
		if a.err != nil {
			return Node{&node{op: op, args: args, err: a.err}}
		}
		types = append(types, a.typ)
	}
	t, err := ir.Infer(op, attr, types)
	if err != nil {
		if same := agreed(op, attr, args); same != nil {
			return apply(op, attr, same...)
		}
		return Node{poison(err, args...)}
	}
	n := &node{op: op, attr: attr.Of(op), args: args, typ: t, order: nodes.Add(1)}
	n.pos, n.call = ir.Caller()
	if n.names, err = resultNames(n); err != nil {
		return Node{poison(err, args...)}
	}
	return Node{n}
}

// view makes the node of a view of x with the attributes attr. With keep the view changes nothing, and the result is x
// itself.
func (x Node) view(op ir.Op, attr func(n *node) (a ir.Attr, keep bool, err error)) Node {
	n := x.get()
	if n.err != nil {
		return apply(op, ir.Attr{}, n)
	}
	a, keep, err := attr(n)
	switch {
	case err != nil:
		return Node{poison(err, n)}
	case keep:
		return x
	}
	return apply(op, a, n)
}

// fail returns a Node poisoned by a mistake in the arguments of the user's call.
func fail(format string, args ...any) Node { return Node{poison(fmt.Errorf(format, args...))} }

// value returns the same node for all nodes that differ only in axis names.
func (n *node) value() *node {
	if n.root != nil {
		return n.root
	}
	return n
}

// Materialize returns x and makes the program compute it once and store it. Without it, each of several views of x may
// compute x again. The compiler already stores such values if computing them again costs more, for example the row sums
// of a separable filter; use Materialize where its estimate is wrong. Elementwise readers of x may still be in the loop
// that computes it.
func (x Node) Materialize() Node { return x.elementwise(ir.OpCopy) }
