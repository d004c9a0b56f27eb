package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Values that a product reads through a permute, for the pass orders. A product and a concatenation are stored in any
// case. If nothing but one permute reads such a value, it is stored in the order of the permute, so that its readers
// find whole matrices. Example: the heads of an attention are products of a batch, [batch, heads, rows, 64], and the next
// product reads them as a matrix of [batch, rows, heads, 64]. The last axis stays last, so that lines of the value remain
// contiguous.
//
// A permuted product becomes a copy, which form.Loops lets the product store. A permuted concatenation becomes a
// concatenation of permuted operands, which are copies if nothing else can store them so.

// storeAsRead pushes permutes that products read into the values below them.
func (s *State) storeAsRead() error {
	if s.NoFuse || !Multiplies(s.Func) {
		return nil
	}
	o := &readOrderer{s: s}
	if o.find(); len(o.permutes) == 0 {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !o.permutes[v] {
			return v, nil
		}
		a := adder{f: s.Func, v: v}
		return o.push(&a, v.Args[0], v.Attr.Axes), a.err
	})
}

// readOrderer finds the permutes that are pushed.
type readOrderer struct {
	s        *State
	once     map[*ir.Value]bool // products and concatenations with one reader
	permutes map[*ir.Value]bool
}

// find sets once and permutes.
func (o *readOrderer) find() {
	f := o.s.Func
	readers, results := ReadersOf(f)
	o.once, o.permutes = map[*ir.Value]bool{}, map[*ir.Value]bool{}
	multiplied := MapIn(&o.s.Pass.Flags, f) // values that products read, if only through views
	for _, v := range slices.Backward(f.Body) {
		if (v.Op.IsProduct() || v.Op == ir.OpConcat) && len(readers[v]) == 1 && !results[v] {
			o.once[v] = true
		}
		for _, a := range v.Args {
			if v.Op.IsProduct() || v.Op.IsView() && *multiplied.At(v) {
				*multiplied.At(a) = true
			}
		}
	}
	for _, v := range f.Body {
		if v.Op == ir.OpPermute && *multiplied.At(v) && o.once[v.Args[0]] && movesLines(v) {
			o.permutes[v] = true
		}
	}
}

// movesLines reports whether a permute changes the order in which lines along the last axis are stored, but no line.
func movesLines(v *ir.Value) bool {
	axes := slices.DeleteFunc(slices.Clone(v.Attr.Axes), func(k int) bool { return v.Args[0].Type.Shape[k].Is(1) })
	return len(axes) > 0 && slices.Max(axes) == axes[len(axes)-1] && !slices.IsSorted(axes)
}

// push returns x, which nothing else reads, with its axes permuted in memory.
func (o *readOrderer) push(a *adder, x *ir.Value, axes []int) *ir.Value {
	const why = "a product reads it with its axes in another order"
	if x.Op.IsProduct() {
		return a.add(ir.OpCopy, ir.Attr{Note: why}, a.permuted(x, axes))
	}
	args := make([]*ir.Value, len(x.Args))
	for i, y := range x.Args {
		if o.once[y] && y.Op == ir.OpConcat {
			args[i] = o.push(a, y, axes)
		} else {
			args[i] = a.permuted(y, axes)
		}
	}
	y := a.add(ir.OpConcat, ir.Attr{Axis: slices.Index(axes, x.Attr.Axis)}, args...)
	o.s.Ledger.add(plan.Decision{Kind: plan.Rewritten, Op: x.Op, Pos: x.Pos, Reason: why}, y)
	return y
}
