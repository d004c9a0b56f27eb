package schedule

import (
	"github.com/stridefuse/stridefuse/ir/nest"
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

// findHomes finds the scratch buffers of the group that are kept in an output.
func (w *groupWriter) findHomes(sizes []int) error {
	steps := w.s.plan.Steps[w.g.First : w.g.Last+1]
	for i := range steps {
		for k := range steps[i].In {
			if !w.fitsOutput(steps, i, k) {
				continue
			}
			if ok, err := w.oneCall(i, sizes); err != nil {
				return err
			} else if !ok {
				continue
			}
			in, out := &steps[i].In[k], &steps[i].Out[0]
			lead, along := len(w.g.Outer)-1, w.g.Along[i]
			h := home{out.Buffer, out.Offset - in.Offset, nil}
			h.strides = append(append(h.strides, out.Strides[:lead]...), out.Strides[along])
			w.homes[in.Buffer] = h
		}
	}
	return nil
}

// fitsOutput reports whether input k of a step of the group, a block in scratch, may be kept in the output: no other
// step touches that, no later one reads the block, and no array that the output may be computed in place
// of is read once the block has been stored.
func (w *groupWriter) fitsOutput(steps []plan.Step, i, k int) bool {
	s := &steps[i]
	if !s.Elementwise() || len(s.Out) != 1 {
		return false
	}
	in, out, lead, along := &s.In[k], &s.Out[0], len(w.g.Outer)-1, w.g.Along[i]
	from, to := &w.s.t.buffers[in.Buffer], &w.s.t.buffers[out.Buffer]
	if from.Kind != plan.ScratchBuffer || to.Kind != plan.ResultBuffer && to.Kind != plan.TempBuffer || from.DType != to.DType {
		return false
	}
	elems := 1
	for axis := lead; axis < len(s.Axes); axis++ {
		n := s.Axes[axis].Extent
		if axis == along {
			n = w.g.Block
		}
		elems *= n
		if n > 1 && in.Strides[axis] != out.Strides[axis] {
			return false
		}
	}
	if elems != from.Size() {
		return false
	}
	stored := false // the block has been
	for j := range steps {
		t := &steps[j]
		if j != i && t.Touches(func(b int) bool { return b == out.Buffer }) || j > i && t.Touches(func(b int) bool { return b == in.Buffer }) {
			return false
		}
		for a := range t.In {
			b := &w.s.t.buffers[t.In[a].Buffer]
			if j == i && a != k && t.In[a].Buffer == in.Buffer {
				return false
			}
			inPlace := b.Kind == plan.ParamBuffer && b.Size() == to.Size() && b.DType.Size() == to.DType.Size()
			if inPlace && stored && j <= i {
				return false
			}
		}
		for o := range t.Out {
			stored = stored || t.Out[o].Buffer == in.Buffer
		}
	}
	return true
}

// oneCall reports whether a step computes blocks of so many rows by calls that each read and store elements of
// the same places, without copies in local memory.
func (w *groupWriter) oneCall(i int, sizes []int) (bool, error) {
	for _, size := range sizes {
		one, _, err := w.oneBlock(&w.s.plan.Steps[w.g.First+i], w.g.First+i, 0, size)
		if err != nil {
			return false, err
		}
		t := w.s.t
		t.inGroup = true
		d, err := w.s.draft(&t, one)
		if err != nil || d.Choice.Kernels != 1 || d.Scratch > 0 || len(d.Choice.Packed)+len(d.Choice.NonTemporal) > 0 {
			return false, err
		}
	}
	return true, nil
}

// slot returns the slot of a buffer that is kept in another.
func (h *home) slot(t *target) nest.Slot { return nest.Buffer(h.buffer, t.buffers[h.buffer].DType) }
