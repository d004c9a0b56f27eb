package graph

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/stridefuse/stridefuse/ir"
)

// elementwise makes the node of an op on x and operands that are Nodes, Tensors
// or Go numbers.
func (x Node) elementwise(op ir.Op, operands ...any) Node {
	args := make([]*node, 1, 1+len(operands))
	args[0] = x.get()
	for _, v := range operands {
		args = append(args, operand(v, args[0].typ.DType))
	}
	return apply(op, ir.Attr{}, args...)
}

// extentOperand returns a size as a number node, of the type of the operand beside it.
func extentOperand(d Extent, dt DType) *node {
	if n, fixed := d.Int(); fixed {
		return operand(n, dt)
	}
	switch err := d.Err(); {
	case err != nil:
		return poison(err)
	case dt == ir.Invalid:
		return &node{op: ir.OpConst}
	}
	return apply(ir.OpExtent, ir.Attr{DType: dt, Begin: d}).n
}

// operand returns the node of an operand. A Go number takes the type dt of the operand beside it, which is Invalid if
// that is poisoned.
func operand(v any, dt DType) *node {
	switch v := v.(type) {
	case Node:
		if v.n == nil {
			return poison(errZero)
		}
		return v.n
	case *Tensor:
		return Const(v).n
	case Extent:
		return extentOperand(v, dt)
	}
	if dt == ir.Invalid {
		return &node{op: ir.OpConst}
	}
	bits, err := ir.Encode(dt, v)
	_, option := v.(ReduceOption)
	switch {
	case option:
		return poison(fmt.Errorf("%v is an option of reductions, but this op is elementwise: the reductions are Min, Max, Sum and so on", v))
	case errors.Is(err, ir.ErrNoNumber):
		return poison(fmt.Errorf("an operand is a Node, a *Tensor, a number, a bool or a Dim, not %T%s", v, sliceHint(v)))
	case err != nil:
		return poison(err)
	}
	// A constant of a supported type is always valid, so Infer is not called.
	return &node{op: ir.OpConst, attr: &ir.Attr{DType: dt, Bits: bits}, typ: ir.Type{DType: dt}, pos: ir.CallerPos(), order: nodes.Add(1)}
}

// sliceHint says how to make a tensor of a Go slice or array; it is empty for other values.
func sliceHint(v any) string {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return ""
	}
	kind := func(t reflect.Type) string {
		return map[reflect.Kind]string{reflect.Slice: "slice of ", reflect.Array: "array of "}[t.Kind()]
	}
	nested := kind(t)
	for t = t.Elem(); kind(t) != ""; t = t.Elem() {
		nested += kind(t)
	}
	return map[string]string{"slice of ": ": Of makes a tensor of a slice", "array of ": ": Of makes a tensor of a slice, a[:]",
		"slice of slice of ": ": OfRows makes a tensor of rows"}[nested]
}
