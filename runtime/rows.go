package runtime

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// group is a linked row group: its steps take one block of rows after the other.
// A step's index space has an axis for the blocks in front of the rows of one.
// The last block along the last outer axis may be shorter, and has steps of its
// own.
type group struct {
	full, last []groupStep
	blocks     int // of rows
	along      int // how many of them along the last outer axis
	window     int // bytes of scratch buffers
}

// groupStep is a step and how many of its own blocks a block of rows has.
type groupStep struct {
	*step
	each int
}

// compute takes n blocks from the first on through the steps.
func (g *group) compute(ln *lane, bases []unsafe.Pointer, first, n int) {
	for k := first; k < first+n; k++ {
		outer, at := k/g.along, k%g.along
		steps, along := g.full, g.along
		if g.last != nil {
			along--
			if at == along {
				steps, at, along = g.last, 0, 1
			}
		}
		for _, s := range steps {
			s.compute(ln, bases, (outer*along+at)*s.each, s.each)
		}
	}
}

// linkGroup makes the task of a row group of the plan.
func (l *Linked) linkGroup(p *plan.Plan, index int) error {
	if err := checkGroup(p, &p.Rows[index]); err != nil {
		return err
	}
	in := l.smaller(p, p.Rows[index])
	axis := len(in.Outer) - 1
	n := in.Outer[axis]
	block := min(in.Block, max(1, n))
	g := &group{along: n/block + min(n%block, 1), window: in.Scratch}
	outer, _ := layout.NumElems(in.Outer[:axis])
	g.blocks = g.along * outer
	for i := in.First; i <= in.Last; i++ {
		err := l.linkGroupStep(g, in, p, i)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	var steps []*step
	for _, s := range slices.Concat(g.full, g.last) {
		steps = append(steps, s.step)
	}
	if len(steps) == 0 {
		return nil
	}
	t := newStepTask(l.exec, g, steps)
	l.tasks = append(l.tasks, t)
	for i := in.First; i <= in.Last; i++ {
		l.infos[i].Chunks, l.infos[i].Group, l.infos[i].Block = t.chunks, index, in.Block
	}
	return nil
}

// smaller returns a group with fewer rows in a block if that gives work to more
// hands, still as many as scans take side by side.
func (l *Linked) smaller(p *plan.Plan, g plan.RowGroup) *plan.RowGroup {
	work := 0.0
	for _, s := range p.Steps[g.First : g.Last+1] {
		elems, _ := layout.NumElems(s.Extents)
		work += kernelWork(s.Kernel, elems)
	}
	if l.exec.ChunkElems <= 0 {
		rows, _ := layout.NumElems(g.Outer)
		few := (rows-1)/l.exec.pieces(work) + 1
		g.Block = min(g.Block, max(1, (few+scanRows-1)/scanRows*scanRows))
	}
	return &g
}

func (l *Linked) linkGroupStep(g *group, group *plan.RowGroup, p *plan.Plan, i int) error {
	in, lead := &p.Steps[i], len(group.Outer)-1
	one := group.OneBlock(in, i)
	if one == nil {
		return fmt.Errorf("extents %v do not have the group's axes", in.Extents)
	}
	read, written, err := l.checkStep(in, one)
	if err != nil {
		return err
	}
	for _, a := range in.Operands {
		b := &l.buffers[a.Buffer]
		switch {
		case b.kind != plan.ScratchBuffer:
		case b.bytes > group.Scratch-b.offset:
			return fmt.Errorf("buffer %d is outside the group's scratch", a.Buffer)
		case slices.ContainsFunc(a.Strides[:lead], func(s int) bool { return s != 0 }):
			return fmt.Errorf("buffer %d moves along the outer axes, but it holds one block", a.Buffer)
		}
	}
	along := group.Along[i-group.First]
	block := max(1, one.Extents[along])
	n := group.Outer[lead]
	outer, _ := layout.NumElems(group.Outer[:lead])
	full, err := l.linkParts(l.blocked(in, lead, along, 0, n/block, block), lead+1)
	if err != nil {
		return err
	}
	g.full = appendSteps(g.full, full, outer*(n/block))
	if n%block > 0 {
		last, err := l.linkParts(l.blocked(in, lead, along, n-n%block, 1, n%block), lead+1)
		if err != nil {
			return err
		}
		g.last = appendSteps(g.last, last, outer)
		full = append(full, last...)
	}
	l.infos = append(l.infos, info(in, full, read, written))
	return nil
}

// appendSteps appends the parts of a step that takes so many blocks of rows.
func appendSteps(steps []groupStep, parts []*step, blocks int) []groupStep {
	for _, s := range parts {
		if s.elems > 0 {
			steps = append(steps, groupStep{s, s.blocks / blocks})
		}
	}
	return steps
}

// blocked returns the step with the last outer axis cut in two: in front of the
// inner axes stand count blocks from index first on, in its own place the indices
// of one.
func (l *Linked) blocked(in *plan.FlatStep, lead, along, first, count, block int) *plan.FlatStep {
	cut := func(at []int, outer, one, inner int) []int {
		cut := append(slices.Clone(at[:lead]), outer)
		if lead == len(at)-1 { // the only inner axis: it is the columns
			cut = append(cut, one)
		}
		cut = append(cut, at[lead:]...)
		cut[len(cut)-len(at)+along] = inner
		return cut
	}
	s := *in
	s.Extents = cut(in.Extents, count, 1, block)
	s.Operands = slices.Clone(in.Operands)
	for i := range s.Operands {
		o := &s.Operands[i]
		stride := o.Strides[along]
		if l.buffers[o.Buffer].kind == plan.ScratchBuffer { // holds one block
			o.Strides = cut(o.Strides, 0, 0, stride)
		} else {
			o.Strides = cut(o.Strides, block*stride, 0, stride)
			o.Offset += first * stride
		}
	}
	return &s
}

func checkGroup(p *plan.Plan, g *plan.RowGroup) error {
	if _, err := layout.NumElems(g.Outer); err != nil {
		return err
	}
	if g.First > g.Last || g.Last >= len(p.Steps) || len(g.Along) != g.Last-g.First+1 || len(g.Outer) == 0 || g.Block < 1 || g.Scratch < 0 {
		return errors.New("a group has steps, an axis of each, and rows in a block")
	}
	return nil
}
