package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Scratch in the place of an output. Where one call of a row group reads a block from scratch and stores
// as much of an output in the same places, the block is kept in the output from the beginning. The steps before
// then wait for the output's memory while they compute, and the first-level cache holds one block less.

// home is where a scratch buffer is if not in local memory: its first element is element offset of
// another buffer, and strides from one iteration of a loop outside to the next.
type home struct {
	buffer, offset int
	strides        []int
}

// findHomes finds the scratch buffers of the group that are kept in an output, one in each. Blocks have
// so many rows.
func (w *groupWriter) findHomes(sizes []int) error {
	steps := w.steps()
	for i := range steps {
		s := &steps[i]
		for k := range s.In {
			if ok, err := w.fitsOutput(i, k, sizes); err != nil {
				return err
			} else if ok {
				lead := len(w.g.Outer) - 1
				strides := append(slices.Clone(s.Out[0].Strides[:lead]), s.Out[0].Strides[w.g.Along[i]])
				w.homes[s.In[k].Buffer] = home{s.Out[0].Buffer, s.Out[0].Offset - s.In[k].Offset, strides}
				break
			}
		}
	}
	return nil
}

// steps returns the steps of the group.
func (w *groupWriter) steps() []plan.Step { return w.s.plan.Steps[w.g.First : w.g.Last+1] }

// fitsOutput reports whether input k of step i of the group is a block in scratch that may be kept in the output. No
// other step touches that, and no later one the block. Arrays that the output may be computed in place of
// are read before the block is stored, or by the one call that stores it.
func (w *groupWriter) fitsOutput(i, k int, sizes []int) (bool, error) {
	steps := w.steps()
	s := &steps[i]
	if !w.sameOrder(i, k) {
		return false, nil
	}
	block, out, stored := s.In[k].Buffer, s.Out[0].Buffer, -1
	for j := range steps {
		reads, stores := 0, 0
		for a := range steps[j].Accesses() {
			if a.Buffer == out && j != i {
				return false, nil
			}
			if a.Buffer == block {
				reads++
			}
		}
		for o := range steps[j].Out {
			if steps[j].Out[o].Buffer == block {
				stores++
			}
		}
		switch {
		case j > i && reads > 0, j == i && reads > 1, stores > 0 && stored >= 0:
			return false, nil
		case stores > 0:
			stored = j
		}
	}
	if stored < 0 {
		return false, nil
	}
	for j := stored + 1; j <= i; j++ {
		if w.readsTwin(j, out) {
			return false, nil
		}
	}
	if ok, err := w.oneKernel(i, sizes, false); !ok || err != nil || !w.readsTwin(stored, out) {
		return ok, err
	}
	return w.oneKernel(stored, sizes, true)
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
	return elems == from.Size()
}

// readsTwin reports whether a step reads an array that a result may be computed in place of.
func (w *groupWriter) readsTwin(i, result int) bool {
	to := &w.s.t.buffers[result]
	return slices.ContainsFunc(w.steps()[i].In, func(a plan.Access) bool {
		b := &w.s.t.buffers[a.Buffer]
		return b.Kind == plan.ParamBuffer && b.Size() == to.Size() && b.DType.Size() == to.DType.Size()
	})
}

// oneKernel reports whether a step computes blocks of so many rows by one kernel, without copies in local memory, and,
// if one call is asked for, by that.
func (w *groupWriter) oneKernel(i int, sizes []int, oneCall bool) (bool, error) {
	for _, size := range sizes {
		d, _, _, err := w.draft(w.g.First+i, 0, size)
		if err != nil || d.Choice.Kernels != 1 || d.Scratch > 0 || len(d.Choice.Packed)+len(d.Choice.NonTemporal) > 0 {
			return false, err
		}
		if oneCall && (len(d.Parts) != 1 || len(d.Parts[0].Loops) > 0 || len(d.Parts[0].Items) != 1) {
			return false, nil
		}
	}
	return true, nil
}
