package passes

import (
	"fmt"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// canonicalize gives each computation one form.
//
// Requires: a verified graph.
// Ensures: no view that changes nothing; no composed op that is a single lane
// op (x > y is y < x).
func canonicalize(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, hasForms) {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if v.Op.IsView() && changesNothing(v) {
			return v.Args[0], nil
		}
		if in, ok := synonym(v); ok {
			args := make([]*ir.Value, in.Arity())
			for i := range args {
				args[i] = v.Args[in.Args[i]]
			}
			v.Op, v.Args = in.Op, args
		}
		return v, nil
	})
}

// hasForms reports whether canonicalize may replace the op of a value by another one.
func hasForms(v *ir.Value) bool {
	return v.Op.IsView() || v.Op == ir.OpUnlikely || v.Op.Info().Kind == ir.Composed
}

func checkCanonical(s *State) error {
	for _, v := range s.Func.Body {
		if v.Op.IsView() && changesNothing(v) {
			return fmt.Errorf("%%%d changes nothing", v.ID)
		}
		if in, ok := synonym(v); ok {
			return fmt.Errorf("%%%d is %s", v.ID, in.Op)
		}
	}
	return nil
}

// changesNothing reports whether a view is the identity.
func changesNothing(v *ir.Value) bool {
	x := v.Args[0]
	if !v.Type.Shape.Equal(x.Type.Shape) {
		return false
	}
	own := layout.RowMajor(extents(x)...)
	l, err := v.Layout(own)
	return err == nil && l.Collapse().Equal(own.Collapse())
}

// synonym returns the single lane instruction that a composed op expands to,
// in terms of its operands, if it is one. An op on a type that is computed in another is
// what the op on that one is.
func synonym(v *ir.Value) (kernel.Inst, bool) {
	if v.Op == ir.OpUnlikely { // what a graph selects is computed anyway
		return kernel.Inst{Op: ir.OpSelect, DType: v.Type.DType, Args: [3]kernel.Ref{0, 1, 2}}, true
	}
	if v.Op.Info().Kind != ir.Composed {
		return kernel.Inst{}, false
	}
	d := v.Args[len(v.Args)-1].Type.DType
	if !v.Op.Info().Domain.Has(d.Compute()) {
		return kernel.Inst{}, false
	}
	key := synonymKey{v.Op, d}
	if in, ok := synonyms.Load(key); ok {
		in := in.(kernel.Inst)
		return in, in.Op != ir.OpInvalid
	}
	operands := make([]kernel.Operand, len(v.Args))
	refs := make([]kernel.Ref, len(v.Args))
	for i, a := range v.Args {
		operands[i], refs[i] = kernel.Operand{DType: a.Type.DType.Compute()}, kernel.Ref(i)
	}
	b := kernel.NewBuilder(operands...)
	b.Store(b.Op(v.Op, refs...))
	in := kernel.Inst{}
	if k := elementary.Expand(b.Kernel()); len(k.Body) == 1 {
		in = k.Body[0]
		in.DType = v.Type.DType
	}
	synonyms.Store(key, in)
	return in, in.Op != ir.OpInvalid
}

type synonymKey struct {
	op ir.Op
	dt ir.DType
}

// synonyms remembers the expansions looked at, for all programs: they are facts
// of the op table.
var synonyms sync.Map
