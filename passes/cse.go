package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// cse keeps one value of those that compute the same.
//
// Requires: canonical argument order.
// Ensures: no two values with the same op, attributes and operands; constants
// are compared by their bits, so 0 and -0 stay apart.
func cse(s *State) error {
	seen := make(map[valueKey]*ir.Value, len(s.Func.Body))
	return rewrite(s.Func, func(v *ir.Value) (*ir.Value, error) {
		k := keyOf(v)
		if w, ok := seen[k]; ok {
			return w, nil
		}
		seen[k] = v
		return v, nil
	})
}

// valueKey is equal for values that compute the same.
type valueKey struct {
	op    ir.Op
	dtype ir.DType
	args  [3]*ir.Value
	bits  uint64
	view  string // the attributes of a view
}

func keyOf(v *ir.Value) valueKey {
	k := valueKey{op: v.Op, dtype: v.Type.DType, bits: v.Attr.Bits}
	copy(k.args[:], v.Args)
	if v.Op.IsView() {
		a := v.Attr
		at := ""
		if a.At != nil {
			at = a.At.String()
		}
		k.view = fmt.Sprint(v.Type.Shape, a.Axes, a.Axis, a.Begin, a.Step, at)
	}
	return k
}
