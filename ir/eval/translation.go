package eval

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// CheckTranslation returns an error unless nests compute each element of a plan's results by
// the expression by which its steps compute it: the same ops on the same elements in the same
// order, with the fixed trees of reductions, the chunks of products and the carries of scans.
// Both are evaluated in ir.Uninterpreted, where nothing is known of ops that round, so that
// the answer holds for any input: inputs matter as indices, and to ops that compare, alone. The inputs are as those of Plan.
func CheckTranslation(p *plan.Plan, n *nest.Program, inputs []Array) error {
	f := ir.Uninterpreted(1)
	want, err := PlanIn(f, p, inputs)
	if err != nil {
		return err
	}
	got, err := Nests(n, inputs, nest.In(f), nest.Shuffled(1))
	if err != nil {
		return err
	}
	for i, array := range want {
		for k, element := range array.Data {
			if got[i].Data[k] != element {
				return fmt.Errorf("element %d of result %d is not computed by the expression of its step", k, i)
			}
		}
	}
	return nil
}

// Nests computes nests by their definition, nest.Eval, of inputs and with results as those of
// Plan.
func Nests(p *nest.Program, inputs []Array, options ...nest.Option) (results []Array, err error) {
	locations := make([][]uint64, len(inputs))
	for _, b := range p.Buffers {
		if b.Kind != plan.ParamBuffer {
			continue
		}
		if b.Index >= len(inputs) || len(inputs[b.Index].Data) != b.Size() {
			return nil, fmt.Errorf("input %d has not the elements of %v", b.Index, b.Shape)
		}
		l := layout.RowMajor(b.Shape...)
		if b.At != nil {
			l = *b.At
		}
		buffer, from, err := spread(inputs[b.Index].Data, l)
		if err != nil {
			return nil, err
		}
		locations[b.Index] = append(make([]uint64, from), buffer...)
	}
	data, err := nest.Eval(p, locations, options...)
	if err != nil {
		return nil, err
	}
	for _, b := range p.Buffers {
		if b.Kind == plan.ResultBuffer {
			results = append(results, Array{DType: b.DType, Shape: b.Shape, Data: data[len(results)]})
		}
	}
	return results, nil
}
