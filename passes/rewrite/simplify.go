package rewrite

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Simplify gives each computation one form, folds constants, applies rules that keep every bit, and keeps one
// value of those that compute the same. It never rewrites x+0 (wrong for -0),
// x*0 (NaN), x-x, x/x, by reassociation, or a mul and an add to fma.
//
// Requires: nothing.
// Ensures: no view that changes nothing; no composed op that is a single lane op (x > y is y < x); no gather that
// is a few slices; no elementwise op whose operands are all constants, seen through views
// or not; no constant seen through a view that need not be; no rule matches; no
// two values with the same op, attributes and operands.
func Simplify(s *State) error {
	n := s.Numbering()
	err := s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		for range mostRules { // one may make what another one, or it again, applies to
			normalize(v)
			w, err := simpler(s.Func, v)
			if err != nil || w == nil {
				return n.First(v), err
			}
			for i, a := range w.Args {
				w.Args[i] = n.First(a) // a rule may have made it
			}
			v = w
		}
		return nil, fmt.Errorf("%s: rules undo each other", v.Op)
	})
	s.Distinct = err == nil && s.Fuel == nil // all values have been looked at
	return err
}

// mostRules is how many rules apply to a value one after another: each has an op or a negation less.
const mostRules = 16

func CheckSimple(s *State) error {
	for _, v := range s.Func.Body {
		if normalize(v) {
			return fmt.Errorf("%%%d (%s) has another form", v.ID, v.Op)
		}
		scratch := &ir.Func{Fast: s.Func.Fast}
		if w, err := simpler(scratch, v); err != nil || w != nil {
			return fmt.Errorf("%%%d (%s) can be simpler: %v", v.ID, v.Op, err)
		}
	}
	return CheckCSE(s)
}

// simpler returns a value that is v and simpler, or nil. New ones are added to f.
func simpler(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	switch {
	case v.Op == ir.OpGather:
		return slicesOfGather(f, v)
	case v.Op.IsView() && changesNothing(v):
		return v.Args[0], nil
	case !v.Op.IsElementwise():
		return nil, nil
	}
	if allConst(v.Args) {
		c, err := f.Add(ir.OpConst, ir.Attr{DType: v.Type.DType, Bits: fold(f, v)}, v.Pos)
		if err != nil || len(v.Type.Shape) == 0 {
			return c, err
		}
		return f.Add(ir.OpExpand, ir.Attr{Shape: v.Type.Shape}, v.Pos, c)
	}
	for _, rule := range rules {
		w, err := rule(f, v)
		if err != nil {
			return nil, err
		}
		if w != nil && w.Type.Equal(v.Type) {
			return w, nil
		}
	}
	return nil, nil
}

// fold evaluates an op on constants by its expansion, which has the kernels' bits.
func fold(f *ir.Func, v *ir.Value) uint64 {
	operands := make([]kernel.Operand, len(v.Args))
	elems := make([]uint64, len(v.Args))
	for i, a := range v.Args {
		operands[i], elems[i] = kernel.Operand{DType: a.Type.DType}, constant(a).Attr.Bits
	}
	k, err := kernel.SingleOp(v.Op, v.Attr.DType, operands...)
	if err != nil {
		panic(err) // the graph has been checked
	}
	return elementary.Expand(k.InTier(f.Fast)).Eval(elems)[0]
}

func allConst(args []*ir.Value) bool {
	for _, a := range args {
		if constant(a) == nil {
			return false
		}
	}
	return true
}

// constant returns the constant that v is, maybe seen through views, or nil.
func constant(v *ir.Value) *ir.Value {
	for v.Op.IsView() {
		v = v.Args[0]
	}
	if v.Op != ir.OpConst {
		return nil
	}
	return v
}

// changesNothing reports whether a view is the identity.
func changesNothing(v *ir.Value) bool {
	x := v.Args[0]
	if !v.Type.Shape.Equal(x.Type.Shape) {
		return false
	}
	own := layout.RowMajor(Extents(x)...)
	l, err := v.Layout(own)
	return err == nil && l.Collapse().Equal(own.Collapse())
}

// normalize gives an elementwise value its form: an op that is a single lane op is that one, and constants are read
// without the views through which they are seen, as far as another operand has the shape of the value. It reports whether
// the value had another form.
func normalize(v *ir.Value) (changed bool) {
	if s := SynonymOf(v); s != nil {
		args := make([]*ir.Value, len(s.Args))
		for i, k := range s.Args {
			args[i] = v.Args[k]
		}
		v.Op, v.Args, changed = s.Op, args, true
	}
	if !v.Op.IsElementwise() || allConst(v.Args) {
		return changed
	}
	for i, a := range v.Args {
		c := constant(a)
		if c == nil || c == a {
			continue
		}
		shaped := false
		for j, b := range v.Args {
			shaped = shaped || j != i && b.Type.Shape.Equal(v.Type.Shape)
		}
		if shaped {
			v.Args[i], changed = c, true
		}
	}
	return changed
}

// synonym is a composed op that expands to one lane instruction, for elements that are computed in some types.
type synonym struct {
	composed ir.Op
	of       ir.DTypes
	Op       ir.Op
	Args     []int // the operands of op
}

// synonyms has OpUnlikely too: a graph computes what it selects from anyway.
var synonyms = []synonym{
	{ir.OpGt, ir.AllTypes, ir.OpLt, []int{1, 0}},
	{ir.OpGe, ir.AllTypes, ir.OpLe, []int{1, 0}},
	{ir.OpSquare, ir.AllTypes, ir.OpMul, []int{0, 0}},
	{ir.OpIsNaN, ir.AllTypes, ir.OpNe, []int{0, 0}},
	{ir.OpMod, ir.Unsigned, ir.OpRem, []int{0, 1}},
	{ir.OpFloorDiv, ir.Unsigned, ir.OpDiv, []int{0, 1}},
	{ir.OpUnlikely, ir.AllTypes, ir.OpSelect, []int{0, 1, 2}},
}

// SynonymOf returns the synonym that a value is, or nil.
func SynonymOf(v *ir.Value) *synonym {
	for i := range synonyms {
		if s := &synonyms[i]; s.composed == v.Op && s.of.Has(v.Args[len(v.Args)-1].Type.DType.Compute()) {
			return s
		}
	}
	return nil
}
