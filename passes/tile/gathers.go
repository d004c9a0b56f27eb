package tile

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Gathers in the body of a reduction: one step gathers rows and reduces them, so that rows are combined where they lie
// in the table. Examples are sums of embeddings, sums with a weight for each row, and ragged sums such as the product
// of a sparse matrix and a vector. The steps stay separate if the reduction has more than one chunk, computes anything
// else, reads rows of few columns, or skips the row of some index. An index outside the table is an error whether or
// not its row is read.

// gathersInBodies fuses each gather with the step that reduces the gathered rows.
func (f *former) gathersInBodies() {
	if !slices.ContainsFunc(f.p.Steps, func(s plan.Step) bool { return s.Gathers() }) {
		return
	}
	uses := f.p.Uses()
	var list []regrouped
	var gone []int // buffers that the fused steps no longer store
	taken := make([]bool, len(f.p.Steps))
	for i := range f.p.Steps {
		if !f.p.Steps[i].Gathers() {
			continue
		}
		one, buffers := f.withGather(i, uses)
		if one.members == nil || taken[one.members[1]] { // the step multiplies two gathers; the first is fused
			continue
		}
		taken[one.members[1]] = true
		list, gone = append(list, one), append(gone, buffers...)
	}
	if len(list) > 0 {
		f.made.InBody = gone
		f.regroup(list)
		f.drop(gone)
	}
}

// withGather fuses gather i with the steps that consume it. It returns the fused step and the buffers no longer needed,
// or zero values.
func (f *former) withGather(i int, uses *plan.Uses) (r regrouped, buffers []int) {
	steps := f.p.Steps
	to := steps[i].Out[0].Buffer
	j := uses.OnlyReader(to)
	switch {
	case j < 0:
	case steps[j].Reduces():
		if one, ok := f.gatherReduction(&steps[i], &steps[j]); ok {
			return regrouped{members: []int{i, j}, first: []int{0, 0}, steps: []plan.Step{one}}, []int{to}
		}
	case multipliesTwo(&steps[j]):
		products := steps[j].Out[0].Buffer
		k := uses.OnlyReader(products)
		if k < 0 || steps[k].In[0].Buffer != products {
			break
		}
		if one, ok := f.raggedProducts(&steps[i], &steps[j], &steps[k]); ok {
			return regrouped{members: []int{i, j, k}, first: []int{0, 0, 0}, steps: []plan.Step{one}}, []int{to, products}
		}
	}
	return regrouped{}, nil
}

// gatherReduction returns the step that replaces the gather g and the reduction r, which is the only reader of g. It
// fails if no op on lines does the work of both.
func (f *former) gatherReduction(g, r *plan.Step) (one plan.Step, ok bool) {
	line, axis, d := g.Along(), r.Along(), g.Body.In[0].DType
	weighted := onlyMultiplies(r.Body)
	if g.Out[0].Combine != ir.OpGather || len(r.Out) != 1 || !weighted && (len(r.In) != 1 || len(r.Body.Body) > 0) || r.Axes[axis].Extent > ir.ReduceChunk {
		return one, false
	}
	op, read := gatheredBy(r.Out[0].Combine, weighted), 0
	if r.In[0].Buffer != g.Out[0].Buffer {
		read = 1
	}
	from, offset, ok := placesIn(g, &r.In[read], r.Extents())
	if !ok || !op.Info().Domain.Has(d) || !readsEachIndex(g, r.Extents(), from) {
		return one, false
	}
	table, index, out := readThrough(g.In[0], from, offset, line), readThrough(g.In[1], from, offset, -1), r.Out[0]
	rest := []plan.Access{index}
	if weighted {
		rest = append(rest, r.In[1-read])
	}
	if table.Strides[axis] != 0 || rest[len(rest)-1].Panel != nil || !f.longRows(r, axis, table, rest) {
		return one, false
	}
	table.Line, table.Strides[axis] = g.LineOf(g.In[0]), g.In[0].Strides[line]
	for i := range rest {
		rest[i].Line = r.Axes[axis].Extent
	}
	out.Combine = op
	one = plan.Step{Axes: slices.Clone(r.Axes), In: append([]plan.Access{table}, rest...), Out: []plan.Output{out}, Pos: g.Pos} // index errors name the gather's line
	one.Axes[axis] = plan.Axis{Extent: 1, Role: plan.Line}
	one.Body = lineBody(d, one.In, 1)
	return one, true
}

// lineBody returns the body of a step on lines. The operands have the type d, except those listed in indices, which are
// Int64.
func lineBody(d ir.DType, in []plan.Access, indices ...int) *kernel.Kernel {
	var operands []kernel.Operand
	for i := range in {
		o := kernel.Operand{DType: d, Splat: allZero(in[i].Strides)}
		if slices.Contains(indices, i) {
			o.DType = ir.Int64
		}
		operands = append(operands, o)
	}
	b := kernel.NewBuilder(operands...)
	b.Store(0)
	return b.Kernel()
}

// readThrough translates the access a of a step to the axes of the step's reader. from and offset come from placesIn.
// Axis but of the step is left out.
func readThrough(a plan.Access, from [][]int, offset []int, but int) plan.Access {
	strides := make([]int, len(from))
	for k, n := range a.Strides {
		if k == but {
			continue
		}
		a.Offset += offset[k] * n
		for j := range strides {
			strides[j] += from[j][k] * n
		}
	}
	a.Strides = strides
	return a
}

// gatheredBy returns the op on lines that gathers elements and combines them by the op by. If weighted is true, each
// element is first multiplied by a weight. gatheredBy returns OpInvalid if there is no such op.
func gatheredBy(by ir.Op, weighted bool) ir.Op {
	for _, op := range kernel.GatherReduce.Ops() {
		if op.Info().By == by && op.Info().Weighted == weighted {
			return op
		}
	}
	return ir.OpInvalid
}

// placesIn returns how the indices of step g follow from the indices of a reader of its output, whose axes have the
// given extents: index k of g is offset[k], plus from[j][k] for each index of axis j of the reader. It fails if some
// read leaves the axes of g.
func placesIn(g *plan.Step, read *plan.Access, extents []int) (from [][]int, offset []int, ok bool) {
	to := &g.Out[0].Access
	if to.Panel != nil || read.Panel != nil {
		return nil, nil, false
	}
	split := func(distance int) ([]int, bool) { // into steps along the axes, longest strides first
		in := make([]int, len(g.Axes))
		for distance != 0 {
			k := -1
			for i, n := range to.Strides {
				if size := max(distance, -distance); n > 0 && n <= size && (k < 0 || n > to.Strides[k]) {
					k = i
				}
			}
			if k < 0 || in[k] != 0 {
				return nil, false
			}
			in[k], distance = distance/to.Strides[k], distance%to.Strides[k]
		}
		return in, true
	}
	if offset, ok = split(read.Offset - to.Offset); !ok {
		return nil, nil, false
	}
	least, most := slices.Clone(offset), slices.Clone(offset)
	for j, n := range read.Strides {
		in, ok := split(n)
		if !ok {
			return nil, nil, false
		}
		for k, m := range in {
			end := m * (extents[j] - 1)
			least[k], most[k] = least[k]+min(0, end), most[k]+max(0, end)
		}
		from = append(from, in)
	}
	for k, a := range g.Axes {
		if least[k] < 0 || most[k] >= a.Extent {
			return nil, nil, false
		}
	}
	return from, offset, true
}

// readsEachIndex reports whether a reader of the gather g uses every one of g's indices. extents and from describe the
// reader: see placesIn.
func readsEachIndex(g *plan.Step, extents []int, from [][]int) bool {
	taken := make([]bool, len(extents)) // by axis of the reader: whether it moves along an axis of indices
	for k, a := range g.Axes {
		if g.In[1].Strides[k] == 0 {
			continue
		}
		var along []int
		for j, n := range extents {
			if from[j][k] == 0 || n == 1 {
				continue
			}
			if taken[j] { // the reader takes a diagonal
				return false
			}
			taken[j], along = true, append(along, j)
		}
		slices.SortStableFunc(along, func(i, j int) int { return cmp.Compare(max(from[i][k], -from[i][k]), max(from[j][k], -from[j][k])) })
		reach := 1 // number of indices that are read without a gap
		for _, j := range along {
			n := max(from[j][k], -from[j][k])
			if n > reach {
				return false
			}
			reach += n * (extents[j] - 1)
		}
		if reach < a.Extent {
			return false
		}
	}
	return true
}

// leastColumns is the least number of columns of rows that are reduced as they are gathered. leastSummed is the least
// number for sums of floats.
const leastColumns, leastSummed = 16, 2

// longRows reports whether the reduction r combines rows of the table that have enough columns, and each row has one
// element of each access in rest. With Eager, one column is enough.
func (f *former) longRows(r *plan.Step, axis int, table plan.Access, rest []plan.Access) bool {
	least := leastColumns
	switch {
	case f.Eager:
		least = 1
	case r.Out[0].Combine == ir.OpAdd && ir.Floats.Has(r.Body.In[0].DType):
		least = leastSummed
	}
	for k, a := range r.Axes {
		if k != axis && a.Extent >= least && table.Strides[k] == 1 && r.Out[0].Strides[k] == 1 {
			return !slices.ContainsFunc(rest, func(a plan.Access) bool { return a.Strides[k] != 0 })
		}
	}
	return false
}

// multipliesTwo reports whether a step stores the products of two inputs and does nothing else.
func multipliesTwo(s *plan.Step) bool {
	return s.Elementwise() && len(s.In) == 2 && len(s.Out) == 1 && s.Out[0].Stored() && onlyMultiplies(s.Body)
}

// onlyMultiplies reports whether a body multiplies its two operands.
func onlyMultiplies(b *kernel.Kernel) bool {
	return len(b.In) == 2 && len(b.Body) == 1 && b.Body[0].Op == ir.OpMul && b.Body[0].Args[0] != b.Body[0].Args[1] && b.Out[0] == kernel.Ref(2)
}

// raggedProducts returns the step that replaces a gather g of rows, the step e that multiplies them by weights, and the
// ragged sums r of the products. It fails if the rows have several columns and not one index and one weight each.
func (f *former) raggedProducts(g, e, r *plan.Step) (one plan.Step, ok bool) {
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
