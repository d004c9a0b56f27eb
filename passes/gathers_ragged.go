package passes

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// multipliesTwo reports whether a step stores the products of two inputs, and does nothing else.
func multipliesTwo(s *plan.Step) bool {
	return s.Elementwise() && len(s.In) == 2 && len(s.Out) == 1 && s.Out[0].Stored() && onlyMultiplies(s.Body)
}

// onlyMultiplies reports whether a body multiplies its two operands.
func onlyMultiplies(b *kernel.Kernel) bool {
	return len(b.In) == 2 && len(b.Body) == 1 && b.Body[0].Op == ir.OpMul && b.Body[0].Args[0] != b.Body[0].Args[1] && b.Out[0] == kernel.Ref(2)
}

// raggedProducts returns the step of a gather of rows, their products with weights, and the ragged sums of
// those. Rows of several columns have one index and one weight each.
func (s *State) raggedProducts(g, e, r *plan.Step) (one plan.Step, ok bool) {
	d, axis := g.Body.In[0].DType, r.Along()
	if g.Out[0].Combine != ir.OpGather || r.Out[0].Combine != ir.OpRaggedAdd || !ir.OpRaggedMulAdd.Info().Domain.Has(d) {
		return one, false
	}
	extents := r.InExtents(r.In[0])
	from, offset, ok := placesIn(e, &r.In[0], extents)
	if !ok {
		return one, false
	}
	gathered, weights := readThrough(e.In[0], from, offset, -1), readThrough(e.In[1], from, offset, -1)
	if gathered.Buffer != g.Out[0].Buffer {
		gathered, weights = weights, gathered
	}
	if from, offset, ok = placesIn(g, &gathered, extents); !ok || weights.Panel != nil || !readsEachIndex(g, extents, from) {
		return one, false
	}
	line := g.Along()
	table, index := readThrough(g.In[0], from, offset, line), readThrough(g.In[1], from, offset, -1)
	if table.Strides[axis] != 0 {
		return one, false
	}
	table.Line, table.Strides[axis] = g.LineOf(g.In[0]), g.In[0].Strides[line]
	index.Line, weights.Line = extents[axis], extents[axis]
	for k, a := range r.Axes {
		side := table.Strides[k] == 1 && index.Strides[k] == 0 && weights.Strides[k] == 0 && r.Out[0].Strides[k] == 1
		if k != axis && a.Extent > 1 && !side {
			return one, false
		}
	}
	out := r.Out[0]
	out.Combine = ir.OpRaggedMulAdd
	one = plan.Step{Axes: r.Axes, In: []plan.Access{table, r.In[1], index, weights}, Out: []plan.Output{out}, Pos: g.Pos}
	one.Body = lineBody(d, one.In, 1, 2)
	return one, true
}
