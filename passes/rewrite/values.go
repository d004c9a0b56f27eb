package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Kinds of values.

func IsConst(v *ir.Value) bool { return v.Op == ir.OpConst }

func IsScan(v *ir.Value) bool { return v.Op.Info().Kind == ir.Scan }

// Alone reports whether v is computed apart from all other values: it is not elementwise,
// nor combined at the end of a loop of elementwise values.
func Alone(v *ir.Value) bool {
	return v.Op.IsComputed() && !v.Op.IsElementwise() && v.Op.Info().Kind != ir.Reduce
}

// Multiplies reports whether a graph has products.
func Multiplies(f *ir.Func) bool {
	return slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op.IsProduct() })
}

// frozenBelow reports whether a value is a view of a frozen param, or of one that is cast.
func (s *State) frozenBelow(v *ir.Value) bool {
	for v.Op.IsView() || v.Op == ir.OpAccess || v.Op == ir.OpCast {
		v = v.Args[0]
	}
	return s.Frozen[v]
}

// IsFrozen reports whether a param never changes.
func (s *State) IsFrozen(param int) bool { return len(s.Frozen) > 0 && s.Frozen[s.Func.Params[param]] }
