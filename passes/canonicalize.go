package passes

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// canonicalize gives each computation one form.
//
// Requires: a verified graph.
// Ensures: no view that changes nothing; no composed op that is a single lane
// op (x > y is y < x); the arguments of commutative ops in order of definition,
// constants last.
func canonicalize(s *State) error {
	return rewrite(s.Func, func(v *ir.Value) (*ir.Value, error) {
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
		if v.Op.Info().Commutative && defined(v.Args[0]) > defined(v.Args[1]) {
			v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		}
		return v, nil
	})
}

// defined orders values: params, then the body, then constants.
func defined(v *ir.Value) int {
	switch v.Op {
	case ir.OpParam:
		return v.ID - 1<<40
	case ir.OpConst:
		return v.ID + 1<<40
	}
	return v.ID
}

// changesNothing reports whether a view is the identity.
func changesNothing(v *ir.Value) bool {
	in := v.Args[0].Type.Shape
	if !v.Type.Shape.Equal(in) {
		return false
	}
	switch v.Op {
	case ir.OpReshape, ir.OpExpand, ir.OpSqueeze, ir.OpUnsqueeze:
		return true
	case ir.OpSlice: // all of the axis, forwards
		return v.Attr.Step == 1
	case ir.OpFlip:
		for _, k := range v.Attr.Axes {
			if !in[k].Is(1) {
				return false
			}
		}
		return true
	case ir.OpPermute:
		last := -1
		for _, k := range v.Attr.Axes { // axes of extent 1 may go anywhere
			if in[k].Is(1) {
				continue
			}
			if k < last {
				return false
			}
			last = k
		}
		return true
	}
	return false
}

// synonym returns the single lane instruction that a composed op expands to,
// in terms of its operands, if it is one.
func synonym(v *ir.Value) (ir.Inst, bool) {
	if v.Op.Info().Kind != ir.Composed {
		return ir.Inst{}, false
	}
	key := synonymKey{v.Op, v.Args[len(v.Args)-1].Type.DType}
	if in, ok := synonyms.Load(key); ok {
		in := in.(ir.Inst)
		return in, in.Op != ir.OpInvalid
	}
	operands := make([]ir.Operand, len(v.Args))
	refs := make([]ir.Ref, len(v.Args))
	for i, a := range v.Args {
		operands[i], refs[i] = ir.Operand{DType: a.Type.DType}, ir.Ref(i)
	}
	b := ir.NewBuilder(operands...)
	b.Store(b.Op(v.Op, refs...))
	in := ir.Inst{}
	if k := b.Kernel().Expand(); len(k.Body) == 1 {
		in = k.Body[0]
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
