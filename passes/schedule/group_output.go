package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Scratch in the place of an output. Where one call of a row group reads a block from scratch and stores
// as much of an output in the same places, the block is kept in the output from the beginning. The steps before
// then wait for the output's memory while they compute, and the first-level cache holds one block less.

// alias is the part of an output that a scratch buffer is: it begins at element offset, and strides are
// from one iteration of each loop outside to the next.
type alias struct {
	buffer, offset int
	strides        []int
}

// findAliases finds the scratch buffers of the group that are kept in an output, one in each. sizes
// are the rows of its blocks. Where results are in place, their memory has just been read, and may have to be read again.
func (w *groupWriter) findAliases(sizes []int) error {
	steps := w.steps()
	for i := range steps {
		s := &steps[i]
		for k := range s.In {
			if w.s.t.InPlace || !w.sameOrder(i, k) || w.touchedBesides(i, k) {
				continue
			}
			if ok, err := w.oneKernel(i, sizes); err != nil {
				return err
			} else if ok {
				lead := len(w.g.Outer) - 1
				strides := append(slices.Clone(s.Out[0].Strides[:lead]), s.Out[0].Strides[w.g.Along[i]])
				w.aliases[s.In[k].Buffer] = alias{s.Out[0].Buffer, s.Out[0].Offset - s.In[k].Offset, strides}
				break
			}
		}
	}
	return nil
}

// steps returns the steps of the group.
func (w *groupWriter) steps() []plan.Step { return w.s.plan.Steps[w.g.First : w.g.Last+1] }

// touchedBesides reports whether another step of the group touches the output of step i, a later one
// its input k, or that step itself reads the input twice.
func (w *groupWriter) touchedBesides(i, k int) bool {
	steps := w.steps()
	block, out := steps[i].In[k].Buffer, steps[i].Out[0].Buffer
	for j := range steps {
		outs, blocks := 0, 0
		for a := range steps[j].Accesses() {
			if a.Buffer == out {
				outs++
			}
			if a.Buffer == block {
				blocks++
			}
		}
		if j != i && outs > 0 || j > i && blocks > 0 || j == i && blocks > 1 {
			return true
		}
	}
	return false
}

// sameOrder reports whether an elementwise step reads all of a block, which is in scratch, and stores as much of its output
// in the same order.
func (w *groupWriter) sameOrder(i, k int) bool {
	s := &w.steps()[i]
	if !s.Elementwise() || len(s.Out) != 1 {
		return false
	}
	in, out := &s.In[k], &s.Out[0]
	from, to := &w.s.t.buffers[in.Buffer], &w.s.t.buffers[out.Buffer]
	if from.Kind != plan.ScratchBuffer || to.Kind != plan.ResultBuffer && to.Kind != plan.TempBuffer || from.DType != to.DType {
		return false
	}
	elems := 1
	for axis := len(w.g.Outer) - 1; axis < len(s.Axes); axis++ {
		n := s.Axes[axis].Extent
		if axis == w.g.Along[i] {
			n = w.g.Block
		}
		if elems *= n; n > 1 && in.Strides[axis] != out.Strides[axis] {
			return false
		}
	}
	_, reads := s.Body.Canonical() // a body may not need an operand
	return elems == from.Size() && slices.Contains(reads, k)
}

// oneKernel reports whether a step computes blocks of all sizes by one elementwise kernel, without copies in
// local memory.
func (w *groupWriter) oneKernel(i int, sizes []int) (bool, error) {
	for _, size := range sizes {
		d, _, _, err := w.draft(w.g.First+i, 0, size)
		if err != nil || d.Choice.Kernels != 1 || d.Scratch > 0 || len(d.Choice.NonTemporal) > 0 {
			return false, err
		}
		for k := range d.Parts {
			if !elementwiseCalls(d.Parts[k].Items) {
				return false, nil
			}
		}
	}
	return true, nil
}

// elementwiseCalls reports whether all calls are of elementwise kernels.
func elementwiseCalls(items []nest.Item) bool {
	return !slices.ContainsFunc(items, func(it nest.Item) bool {
		if it.Nest != nil {
			return !elementwiseCalls(it.Nest.Items)
		}
		_, ok := it.Call.Kernel.(*kernel.Kernel)
		return !ok
	})
}
