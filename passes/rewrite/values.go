package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// This file has kinds of values.

// IsConst reports whether v is a constant.
func IsConst(v *ir.Value) bool { return v.Op == ir.OpConst }

// IsScan reports whether v is a scan, such as a cumulative sum.
func IsScan(v *ir.Value) bool { return v.Op.Info().Kind == ir.Scan }

// Alone reports whether v is computed in a loop of its own: v is neither elementwise nor a reduction, which can end a
// loop of elementwise values.
func Alone(v *ir.Value) bool {
	return v.Op.IsComputed() && !v.Op.IsElementwise() && v.Op.Info().Kind != ir.Reduce
}

// Multiplies reports whether a graph has products.
func Multiplies(f *ir.Func) bool {
	return slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op.IsProduct() })
}

// frozenBelow reports whether v never changes, seen through views and casts: a frozen param, or a constant, such as one that
// fills a weight matrix.
func (s *State) frozenBelow(v *ir.Value) bool {
	for v.Op.IsView() || v.Op == ir.OpAccess || v.Op == ir.OpCast {
		v = v.Args[0]
	}
	return s.Frozen[v] || IsConst(v)
}

// IsFrozen reports whether a param never changes.
func (s *State) IsFrozen(param int) bool { return len(s.Frozen) > 0 && s.Frozen[s.Func.Params[param]] }
