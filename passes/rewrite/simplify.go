package rewrite

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Simplify gives each computation one form: it folds constants, applies rules that keep every bit, and merges equal
// values. It never reassociates, never contracts a mul and an add to an fma, and never rewrites x+0 (wrong for -0),
// x*0 (wrong for NaN), x-x or x/x.
//
// Requires: nothing.
// Ensures: no view is the identity; no composed op is equal to a single lane op (y < x for x > y); no gather equals a
// few slices; no operands of a concatenation are one slice; no elementwise op has only constant operands, directly or through views; no op reads a constant through
// a view without need; no rule applies; no two values have the same op, attributes and operands.
func Simplify(s *State) error {
	n := s.Numbering()
	err := s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		for range mostRules { // one rule may make another applicable
			normalize(v)
			w, err := simpler(s.Func, v)
			if err != nil || w == nil {
				return n.First(v), err
			}
			for i, a := range w.Args {
				w.Args[i] = n.First(a) // a rule may have added the operand
			}
			v = w
		}
		return nil, fmt.Errorf("%s: rules undo each other", v.Op)
	})
	s.Distinct = err == nil && s.Fuel == nil // without Fuel, every value has been numbered
	return err
}

// mostRules limits the number of rules applied to one value in sequence. Each rule removes an op or a negation, so
// few can follow one another.
const mostRules = 16

// CheckSimple returns an error unless the graph is as Simplify ensures.
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

// simpler returns a simpler form of v, or nil. It adds new values to f.
func simpler(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	switch {
	case v.Op == ir.OpGather:
		return slicesOfGather(f, v)
	case v.Op == ir.OpConcat:
		return joinSlices(f, v)
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

// fold evaluates an op on constants. It uses the op's expansion, so the result has the same bits as from a kernel.
func fold(f *ir.Func, v *ir.Value) uint64 {
	operands := make([]kernel.Operand, len(v.Args))
	elems := make([]uint64, len(v.Args))
	for i, a := range v.Args {
		operands[i], elems[i] = kernel.Operand{DType: a.Type.DType}, constant(a).Attr.Bits
	}
	k, err := kernel.SingleOp(v.Op, v.Attr.DType, operands...)
	if err != nil {
		panic(err) // the graph has been verified
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

// constant returns the constant below the views of v, or nil.
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

// normalize replaces a synonym of a lane op by that op (see synonyms). It also removes views between v and constants
// if another operand has the shape of v. It reports whether v has changed.
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

// synonym says that a composed op, on the types of, is the lane op Op.
type synonym struct {
	composed ir.Op
	of       ir.DTypes
	Op       ir.Op
	Args     []int // operands of Op, by their number in the composed op
}

// synonyms includes OpUnlikely, which is a hint: a graph computes both alternatives of a select in any case.
var synonyms = []synonym{
	{ir.OpGt, ir.AllTypes, ir.OpLt, []int{1, 0}},
	{ir.OpGe, ir.AllTypes, ir.OpLe, []int{1, 0}},
	{ir.OpSquare, ir.AllTypes, ir.OpMul, []int{0, 0}},
	{ir.OpIsNaN, ir.AllTypes, ir.OpNe, []int{0, 0}},
	{ir.OpMod, ir.Unsigned, ir.OpRem, []int{0, 1}},
	{ir.OpFloorDiv, ir.Unsigned, ir.OpDiv, []int{0, 1}},
	{ir.OpUnlikely, ir.AllTypes, ir.OpSelect, []int{0, 1, 2}},
}

// SynonymOf returns the synonym that applies to v, or nil.
func SynonymOf(v *ir.Value) *synonym {
	for i := range synonyms {
		if s := &synonyms[i]; s.composed == v.Op && s.of.Has(v.Args[len(v.Args)-1].Type.DType.Compute()) {
			return s
		}
	}
	return nil
}
