package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Matrix groups are row groups whose rows are whole matrices of a batch. A product may then read an intermediate as a
// whole: as its right matrix, or transposed. Example: in the gradient of an attention, two products read the cotangent
// of the scores of a head, one of them transposed. A search begins with a product of a batch.

// matrixGroups forms all matrix groups of the plan.
func (f *former) matrixGroups() {
	t := &tiler{former: f}
	var found []regrouped
	for i := range t.p.Steps {
		s := &t.p.Steps[i]
		if !s.Contracts() || s.Product().Pairs == 0 {
			continue
		}
		if t.uses == nil {
			t.index()
		}
		if t.taken[i] {
			continue
		}
		if g := t.matrixGroup(i); g != nil {
			g.leave()
			found = append(found, g.write())
		}
	}
	if len(found) > 0 {
		f.regroup(found)
	}
}

// matrixGroup returns the matrix group that begins with step i, a product, or nil if no product reads an intermediate
// as a whole, or if there are too few matrices for all workers.
func (t *tiler) matrixGroup(i int) *tile {
	g := &tile{t: t, rows: t.matricesOf(i), whole: true, steps: []int{i}}
	if g.rows < t.Machine.Matmul.BlocksPerWorker*t.Machine.Workers || !t.hasMatrices(i, g.rows) {
		return nil
	}
	for j := g.nextReader(i); j >= 0; j = g.nextReader(j) {
		if next := g.join(g.withRows(j, nil)); next != nil {
			g = next
		}
	}
	if !g.readsWhole() {
		return nil
	}
	for j := max(0, i-t.Machine.LookAhead); j < min(i+t.Machine.LookAhead, len(t.p.Steps)); j++ {
		if !t.taken[j] && t.matricesOf(j) > 0 && g.readsWith(j) {
			if next := g.join([]int{j}); next != nil {
				g = next
			}
		}
	}
	b := g.bytesOfRow()
	if b.row+b.shared > t.Machine.RowBytes {
		return nil
	}
	g.size = max(1, min(g.extent(&g.images[len(g.images)-1]), t.Machine.BlockBytes/b.row))
	g.classes = []class{{blocks: 1}}
	return g
}

// readsWith reports whether a step that is no member reads what a member reads, which it then finds in the cache.
func (t *tile) readsWith(j int) bool {
	return !slices.Contains(t.steps, j) && slices.ContainsFunc(t.t.p.Steps[j].In, func(a plan.Access) bool {
		return slices.ContainsFunc(t.t.uses.Readers(a.Buffer), func(i int) bool { return slices.Contains(t.steps, i) })
	})
}

// matricesOf returns the number of matrices in the batch of a product, or 0 for other steps.
func (t *tiler) matricesOf(i int) int {
	if s := &t.p.Steps[i]; s.Contracts() {
		return plan.Indices(s.Axes[:s.Product().Pairs])
	}
	return 0
}

// hasMatrices reports whether a group with the given number of matrices may have step i as a member.
func (t *tiler) hasMatrices(i, matrices int) bool {
	s := &t.p.Steps[i]
	switch {
	case s.OnLines() || s.Scans():
		return false
	case s.Contracts():
		return t.matricesOf(i) == matrices && !readsWindows(s) && pairsOfBatch(s) >= t.Machine.LeastProduct
	}
	return true
}

// readsWhole reports whether a product reads an intermediate as its right matrix, or as a transposed left one.
func (t *tile) readsWhole() bool {
	return slices.ContainsFunc(t.members, func(m tileMember) bool {
		s := &m.step
		if !s.Contracts() {
			return false
		}
		at, left := s.Product(), &s.In[0]
		return slices.Contains(t.made, s.In[1].Buffer) || slices.Contains(t.made, left.Buffer) && left.Strides[at.Cols-1] < left.Strides[at.Rows-1]
	})
}
