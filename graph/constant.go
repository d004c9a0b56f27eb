package graph

import "github.com/stridefuse/stridefuse/ir"

// Tensors that a program captures. A Const never changes: values that depend only on constants are computed once and
// the right matrices of products packed once, for all runs and sizes. A Variable is read at each run.
//
// Compile computes such values if they are no larger than the constants. The others belong to plans (passes.Split
// chooses them): the first run that needs one computes it, and it lives as long as a plan that reads it.

// Const returns a Node of a tensor that never changes. The program keeps a reference to the tensor and values computed
// from it, such as packed matrices, so its elements must stay as they are from Compile on; use Variable for a tensor
// that changes. The tensor may be a view of any layout. Ops also take a *Tensor as an operand directly. The Node of a
// failed tensor carries the tensor's own error.
func Const(t *Tensor) Node { return captured(t, true) }

// Variable returns a Node of a tensor whose elements are read at each run: writes between runs are seen. Type, shape
// and layout stay.
func Variable(t *Tensor) Node { return captured(t, false) }

func captured(t *Tensor, frozen bool) Node {
	if err := t.Err(); err != nil {
		if own := ownError(t); own != nil {
			return Node{&node{op: ir.OpParam, pos: own.Pos, err: own}}
		}
		return fail("%w", err)
	}
	return source(ir.Attr{Shape: ir.ShapeOf(t.Shape()...), DType: t.DType()}, &node{tensor: t, frozen: frozen})
}
