package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// cse keeps one value of those that compute the same: here, accesses of one
// layout and values that several views computed.
//
// Requires: stage viewed.
// Ensures: no two values with the same op, attributes and operands.
func cse(s *State) error {
	n := newNumbering(s.Func)
	return rewrite(s.Func, func(v *ir.Value) (*ir.Value, error) { return n.first(v), nil })
}

func checkCSE(s *State) error {
	n := newNumbering(s.Func)
	for _, v := range s.Func.Body {
		if w := n.first(v); w != v {
			return fmt.Errorf("%%%d and %%%d compute the same", w.ID, v.ID)
		}
	}
	return nil
}

// numbering finds values that compute the same. Constants are compared by their
// bits, so 0 and -0 stay apart, and the operands of commutative ops in either
// order.
type numbering struct{ seen map[valueKey]*ir.Value }

func newNumbering(f *ir.Func) *numbering {
	return &numbering{make(map[valueKey]*ir.Value, len(f.Body))}
}

// first returns the first value met that computes what v does.
func (n *numbering) first(v *ir.Value) *ir.Value {
	if v.Op == ir.OpParam {
		return v
	}
	k := valueKey{op: v.Op, dtype: v.Type.DType, bits: v.Attr.Bits}
	for i, a := range v.Args {
		k.args[i] = number(a)
	}
	if v.Op.Info().Commutative && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	if !v.Op.IsElementwise() && !isConst(v) {
		k.view = viewText(v)
	}
	if w, ok := n.seen[k]; ok {
		return w
	}
	n.seen[k] = v
	return v
}

// number is above 0 for values, whose IDs differ once a graph is numbered, and
// below for params.
func number(v *ir.Value) int32 {
	if v.Op == ir.OpParam {
		return -1 - int32(v.ID)
	}
	return 1 + int32(v.ID)
}

// valueKey is equal for values that compute the same.
type valueKey struct {
	op    ir.Op
	dtype ir.DType
	args  [3]int32
	bits  uint64
	view  string
}

// viewText returns what a view or a fold does, as text.
func viewText(v *ir.Value) string {
	a := v.Attr
	if a.At != nil {
		return a.At.String() + v.Type.Shape.String()
	}
	return fmt.Sprint(v.Type.Shape, a.Axes, a.Axis, a.Begin, a.Step, a.By, a.Exclusive)
}
