package tile

import (
	"math"
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Place assigns memory to temporaries in one arena, and to scratch buffers in the scratch memory of their row group. A
// buffer holds its memory from the first step that writes it to the last step that reads it. A step may store an output
// in the memory of an operand that it is the last to read, if it reads each element exactly where it writes one. The
// steps of a row group run in turns, so a temporary holds its memory during all of them. Offsets are multiples of 64.
func Place(p *plan.Plan) error {
	last, placed := lastUse(p), make([]bool, len(p.Buffers))
	arena := &freeList{}
	for i, group := 0, 0; i < len(p.Steps); i++ {
		end := i
		if group < len(p.Rows) && p.Rows[group].First == i {
			end = p.Rows[group].Last
			scratch := &freeList{}
			for k := i; k <= end; k++ {
				if err := placeStep(p, scratch, plan.ScratchBuffer, last, placed, k, k); err != nil {
					return err
				}
			}
			p.Rows[group].Scratch = scratch.end
			group++
		}
		if err := placeStep(p, arena, plan.TempBuffer, last, placed, i, end); err != nil {
			return err
		}
		i = end
	}
	p.Arena = arena.end
	return nil
}

// placeStep allocates the unplaced buffers of a kind that steps i to end write, and frees those no later step uses.
func placeStep(p *plan.Plan, free *freeList, kind plan.BufferKind, last []int, placed []bool, i, end int) error {
	var space [16]int
	gone := space[:0] // buffers that are freed, or whose memory an output took over
	steps := p.Steps[i : end+1]
	for k := range steps {
		step := &steps[k]
		ins := step.In
		for _, out := range step.Out {
			b := &p.Buffers[out.Buffer]
			if b.Kind != kind || placed[out.Buffer] {
				continue
			}
			placed[out.Buffer] = true
			if in, ok := inPlace(p, i, last, ins, out.Buffer, gone); ok && i == end {
				gone = append(gone, in)
				b.Offset = p.Buffers[in].Offset
				continue
			}
			var ok bool
			if b.Offset, ok = free.take(roomOf(b)); !ok {
				return &ir.Error{Pos: step.Pos, Msg: "the intermediate values together have more bytes than an int counts"}
			}
		}
	}
	for k := range steps {
		for a := range steps[k].Accesses() {
			b := &p.Buffers[a.Buffer]
			if b.Kind == kind && last[a.Buffer] <= end && !slices.Contains(gone, a.Buffer) {
				gone = append(gone, a.Buffer)
				free.give(b.Offset, roomOf(b))
			}
		}
	}
	return nil
}

// lastUse returns the last step that touches each buffer.
func lastUse(p *plan.Plan) []int {
	last := make([]int, len(p.Buffers))
	for i, step := range p.Steps {
		for a := range step.Accesses() {
			last[a.Buffer] = i
		}
	}
	return last
}

// inPlace returns an input that no step after i touches and whose memory the output out can take over.
func inPlace(p *plan.Plan, i int, last []int, ins []plan.Access, out int, gone []int) (int, bool) {
	o := &p.Buffers[out]
	for _, in := range ins {
		b := &p.Buffers[in.Buffer]
		if b.Kind != o.Kind || last[in.Buffer] != i || slices.Contains(gone, in.Buffer) {
			continue
		}
		if b.DType.Size() == o.DType.Size() && roomOf(b) == roomOf(o) && p.Steps[i].InPlace(in.Buffer, out) {
			return in.Buffer, true
		}
	}
	return 0, false
}

// roomOf returns the size of a buffer in bytes, rounded up to whole cache lines, or math.MaxInt if it is too large.
func roomOf(b *plan.Buffer) int {
	n := b.Size()
	if n > (math.MaxInt-64)/8 {
		return math.MaxInt
	}
	return (n*b.DType.Size() + 63) / 64 * 64
}

// freeList is an arena: its free intervals, sorted by size, and its end.
type freeList struct {
	free []interval
	end  int
}

// interval is a run of bytes in an arena.
type interval struct{ offset, size int }

// take allocates n bytes: from the smallest free interval that is large enough, or else at the end of the arena. It
// fails if the arena would be larger than an int.
func (f *freeList) take(n int) (offset int, ok bool) {
	i := sort.Search(len(f.free), func(i int) bool { return f.free[i].size >= n })
	if i == len(f.free) {
		if n > math.MaxInt-f.end {
			return 0, false
		}
		offset = f.end
		f.end += n
		return offset, true
	}
	at := f.free[i]
	f.free = slices.Delete(f.free, i, i+1)
	if at.size > n {
		f.give(at.offset+n, at.size-n)
	}
	return at.offset, true
}

// give frees n bytes at offset. Neighbouring free intervals are not merged.
func (f *freeList) give(offset, n int) {
	i := sort.Search(len(f.free), func(i int) bool { return f.free[i].size >= n })
	f.free = slices.Insert(f.free, i, interval{offset, n})
}
