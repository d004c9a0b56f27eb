package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Node is a value of a graph that is computed when a compiled program runs: an
// n-d array of known element type and shape, whose extents may be symbolic.
//
// A Node is small and immutable; any number of goroutines may build on it, and
// any number of programs may share it. A mistake makes the result of an op a
// poisoned Node: it and all that is built on it carry the first error, which
// Compile and Err return.
type Node struct{ n *node }

// node is what a Node stands for. It never changes once it is made.
type node struct {
	op    ir.Op
	call  ir.Call
	attr  *ir.Attr // nil if poisoned
	args  []*node
	typ   ir.Type
	names []string // of the axes, "" for one without; nil for none at all
	pos   ir.Pos
	err   *Error

	input  string  // of Input: its name
	order  uint64  // counts up; copies have that of their original, mistakes 0
	tensor *Tensor // of Const and Variable
	frozen bool    // of Const: it never changes

	root *node // the same value before its axes were named, or nil
}

// DType returns the type of the elements. It is 0 for a poisoned Node.
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

// String returns the op that x is the result of, and x's type:
// "add: float32[n,3]". Of a poisoned Node it returns the error.
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

// text returns the type as messages show it: float32[row=n,col=3].
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

// get returns what x stands for; for the zero Node, a poisoned one.
func (x Node) get() *node {
	if x.n == nil {
		return poisonAs(ir.CallerPos(), "", errZero)
	}
	return x.n
}

var errZero = errors.New("the Node is zero: make one with Input, Const or Scalar")

// poison returns a node that carries an error at the user's line, by the name of the
// function or method that the user called.
func poison(err error, args ...*node) *node {
	pos, call := ir.Caller()
	return poisonAs(pos, call.String(), err, args...)
}

func poisonAs(pos ir.Pos, op string, err error, args ...*node) *node {
	return &node{args: args, pos: pos, err: &Error{Pos: pos, Op: op, Msg: err.Error()}}
}

// apply makes the node of an operation, whose type ir.Infer gives. The result
// of a poisoned operand is poisoned; the others are kept, so that Compile finds
// the mistakes in all of them.
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

// view makes the node of a view of x. attr says how; keep says that the view
// changes nothing, and x itself is the result.
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

// fail is a mistake in the arguments of what the user called.
func fail(format string, args ...any) Node { return Node{poison(fmt.Errorf(format, args...))} }

// value returns the one node of all that differ in the names of axes only.
func (n *node) value() *node {
	if n.root != nil {
		return n.root
	}
	return n
}
