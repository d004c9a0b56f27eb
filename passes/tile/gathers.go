package tile

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Gathers in the body of a reduction: one step gathers rows and reduces them, such as the sums of
// embeddings, and combines the rows where they are in the table. They may be multiplied by a weight each,
// and the sums may be ragged, such as those of a sparse matrix and a vector. Steps stay apart if the
// reduction has more than one chunk, computes anything else, reads rows of few columns, or leaves out
// the row of an index: an index outside the table is an error, whether its row is read or not.

// gathersInBodies puts gathers into the steps that reduce what they store.
func (f *former) gathersInBodies() {
	if !slices.ContainsFunc(f.p.Steps, func(s plan.Step) bool { return s.Gathers() }) {
		return
	}
	uses := f.p.Uses()
	var list []regrouped
	var gone []int // buffers
	taken := make([]bool, len(f.p.Steps))
	for i := range f.p.Steps {
		if !f.p.Steps[i].Gathers() {
			continue
		}
		one, buffers := f.withGather(i, uses)
		if one.members == nil || taken[one.members[1]] { // two gathers may be multiplied
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

// withGather returns step i, a gather, and those that read it as one step, and the buffers between them;
// or nothing.
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

// gatherReduction returns the step of a gather and the reduction that alone reads what it stores.
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
	one = plan.Step{Axes: slices.Clone(r.Axes), In: append([]plan.Access{table}, rest...), Out: []plan.Output{out}, Pos: g.Pos} // an error of an index is at the gather's line
	one.Axes[axis] = plan.Axis{Extent: 1, Role: plan.Line}
	one.Body = lineBody(d, one.In, 1)
	return one, true
}

// lineBody returns the body of a step on lines of elements of a type, but for operands of indices.
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

// readThrough returns what a step reads as its reader does, along all of its axes but one: see placesIn.
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

// gatheredBy returns the op on lines that gathers elements and combines them, or their products with weights, by an
// op, if there is one.
func gatheredBy(by ir.Op, weighted bool) ir.Op {
	for _, op := range kernel.GatherReduce.Ops() {
		if op.Info().By == by && op.Info().Weighted == weighted {
			return op
		}
	}
	return ir.OpInvalid
}

// placesIn returns how the indices of a step's axes follow from those of a reader over some extents of what it
// stores: index k is offset[k], and from[j][k] for each index of axis j of the reader.
func placesIn(g *plan.Step, read *plan.Access, extents []int) (from [][]int, offset []int, ok bool) {
	to := &g.Out[0].Access
	if to.Panel != nil || read.Panel != nil {
		return nil, nil, false
	}
	split := func(distance int) ([]int, bool) { // into distances along the axes, the longest first
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

// readsEachIndex reports whether a reader over some extents reads what a gather stores of each of its
// indices. It reads within the gather's axes, at from[j][k] along axis k for each index of its own axis j.
func readsEachIndex(g *plan.Step, extents []int, from [][]int) bool {
	taken := make([]bool, len(extents)) // the axes of the reader that go along an axis of indices
	for k, a := range g.Axes {
		if g.In[1].Strides[k] == 0 {
			continue
		}
		var along []int
		for j, n := range extents {
			if from[j][k] == 0 || n == 1 {
				continue
			}
			if taken[j] { // a diagonal
				return false
			}
			taken[j], along = true, append(along, j)
		}
		slices.SortStableFunc(along, func(i, j int) int { return cmp.Compare(max(from[i][k], -from[i][k]), max(from[j][k], -from[j][k])) })
		reach := 1 // how many indices without a gap are read
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

// leastColumns is the least number of columns of rows that are reduced as they are gathered, leastSummed that of floats that are
// summed.
const leastColumns, leastSummed = 16, 2

// longRows reports whether what is combined are rows of the table, of enough columns, and each has one
// element of the rest.
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
