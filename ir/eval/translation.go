package eval

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// CheckTranslation returns an error unless nests verify and compute each element of a plan's results by the same
// expression as the plan's steps: the same ops on the same elements in the same order, with the fixed trees of
// reductions, the chunks of products and the carries of scans.
//
// It compares the results for some inputs twice: in normal arithmetic, and in ir.Uninterpreted for inputs that are all
// different. There the result of a rounding op is an arbitrary function of its operands, so any change of order shows.
// Integers, comparisons and moves are compared by value.
func CheckTranslation(p *plan.Plan, n *nest.Program, inputs []Array) error {
	if err := n.Verify(); err != nil {
		return err
	}
	for i, in := range []struct {
		ir.Arithmetic
		inputs []Array
	}{
		{ir.Defined, inputs},
		{ir.Uninterpreted(1, 0), different(inputs)},
		{ir.Uninterpreted(2, 16), different(inputs)},
	} {
		want, err := PlanIn(in.Arithmetic, p, in.inputs)
		if err != nil {
			return err
		}
		got, err := Nests(n, in.inputs, nest.In(in.Arithmetic), nest.Shuffled(uint64(i)))
		if err != nil {
			return err
		}
		if err := compare(want, got); err != nil {
			return err
		}
	}
	return nil
}

// different returns inputs of the same types and shapes, with equal integers and all other elements different.
func different(inputs []Array) []Array {
	out := make([]Array, len(inputs))
	for i, a := range inputs {
		if ir.Fractions.Has(a.DType) {
			a.Data = make([]uint64, len(a.Data))
			for k := range a.Data {
				a.Data[k] = ir.Arbitrary(a.DType, ir.Mix(ir.Mix(0, uint64(i)), uint64(k)))
			}
		}
		out[i] = a
	}
	return out
}

// compare returns an error unless the results of nests have the same bits as those of a plan; all NaNs are equal.
func compare(want, got []Array) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d results, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.DType != w.DType || len(g.Data) != len(w.Data) {
			return fmt.Errorf("result %d has %d %s, want %d %s", i, len(g.Data), g.DType, len(w.Data), w.DType)
		}
		for k, element := range w.Data {
			if g.Data[k] != element && !(ir.IsNaN(w.DType, g.Data[k]) && ir.IsNaN(w.DType, element)) {
				return fmt.Errorf("element %d of result %d is not computed by the expression of its step", k, i)
			}
		}
	}
	return nil
}
