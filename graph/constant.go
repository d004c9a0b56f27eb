package graph

import "github.com/stridefuse/stridefuse/ir"

// Tensors that a program captures. Const never changes: what depends on constants alone
// is computed once, and the right matrices of products are packed once, for all runs and
// all sizes. Variable is read at each run.
//
// Compile computes what is no larger than the constants. The rest is part of plans: passes.Split says what, the first run that needs
// it computes it, and it lives as long as a plan that reads it.

// Const returns a tensor that the program holds on to and that never changes: its
// elements must stay as they are from Compile on, because the program keeps values
// that it has computed of them, such as the panels of a matrix. It may be a view of any
// layout. An op takes a *Tensor as its operand directly. Of a failed tensor the Node
// has the tensor's own error. A tensor whose elements change is a Variable.
func Const(t *Tensor) Node { return captured(t, true) }

// Variable returns a tensor that the program holds on to, whose elements are read when
// the program runs: writes between runs are seen. Dtype, shape and layout stay.
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
