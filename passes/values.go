package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Kinds of values.

func isConst(v *ir.Value) bool { return v.Op == ir.OpConst }

func isScan(v *ir.Value) bool { return v.Op.Info().Kind == ir.Scan }

// alone reports whether v is computed apart from all other values: it is not elementwise,
// nor combined at the end of a loop of elementwise values.
func alone(v *ir.Value) bool {
	return v.Op.IsComputed() && !v.Op.IsElementwise() && v.Op.Info().Kind != ir.Reduce
}

// multiplies reports whether a graph has products.
func multiplies(f *ir.Func) bool {
	return slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op.IsProduct() })
}

// frozenBelow reports whether a value is a view of a frozen param, or of one that is cast.
func (s *State) frozenBelow(v *ir.Value) bool {
	for v.Op.IsView() || v.Op == ir.OpAccess || v.Op == ir.OpCast {
		v = v.Args[0]
	}
	return s.frozen[v]
}
