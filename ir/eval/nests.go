package eval

import (
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Nests computes a schedule by its definition, nest.Eval. Inputs and results have the form that Plan takes.
func Nests(p *nest.Program, inputs []Array, options ...nest.Option) (results []Array, err error) {
	locations := make([][]uint64, len(inputs))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Kind != plan.ParamBuffer {
			continue
		}
		data, from, err := located(b, inputs)
		if err != nil {
			return nil, err
		}
		locations[b.Index] = append(make([]uint64, from), data...)
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
