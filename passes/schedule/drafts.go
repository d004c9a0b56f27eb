package schedule

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Drafts caches the drafts of steps and the tasks of row groups by their forms, for plans on one machine and with one library.
// The layers of a model repeat their steps over other buffers: a draft made for one of them serves the others, with their
// buffers in its slots. They share Parts, which never change: see nest.Task.Loops. The zero value is empty. Any number of
// goroutines may use it.
type Drafts struct {
	mutex sync.RWMutex
	kept  map[string]any        // *Draft or *draftedGroup
	size  int                   // bytes of the forms
	sized map[blocked]sizedTask // nil unless all plans are one, resized
}

// of returns the draft or the task of a form, or nil.
func (k *Drafts) of(form []byte) any {
	k.mutex.RLock()
	defer k.mutex.RUnlock()
	return k.kept[string(form)]
}

// keep keeps the draft or the task of a form. The cache is emptied if it would hold more than most bytes of forms.
func (k *Drafts) keep(form []byte, d any, most int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.size += len(form); k.kept == nil || k.size > most {
		k.kept, k.size = map[string]any{}, len(form)
	}
	k.kept[string(form)] = d
}

// draft returns the cheapest draft of a step: see choose. It is valid until the next call. A draft depends on the machine, the
// library, the values of constants, and its form: the signature of the body and the bytes of formOf.
func (s *scheduler) draft(t *target, step *plan.Step) (*Draft, error) {
	var space [512]byte
	form := t.formOf(append(append(space[:0], step.Body.Signature()...), 0), step)
	drafts := s.t.Drafts
	if t.inGroup {
		drafts = s.t.Own
	}
	if d, ok := drafts.of(form).(*Draft); ok {
		return s.over(d, t, step), nil
	}
	d, err := choose(t, step)
	if err != nil || len(d.Own) > 0 { // whose numbers depend on the steps before
		return d, err
	}
	drafts.keep(form, d, s.t.FormBytes)
	return s.over(d, t, step), nil
}

// over returns a draft with the buffers of a step of the same form, and its constants.
func (s *scheduler) over(d *Draft, t *target, step *plan.Step) *Draft {
	s.one = *d
	c := &s.one
	c.Slots = slices.Clone(d.Slots)
	i := 0
	for a := range step.Accesses() {
		c.Slots[i].Buffer = a.Buffer
		i++
	}
	for _, k := range d.constants {
		c.Slots[k.slot].Bits = t.buffers[step.In[k.in].Buffer].Bits
	}
	return c
}

// formOf appends all of a step but its body: its axes, its accesses, the kinds of its buffers, which of its operands share a
// buffer, and which inputs its outputs may overwrite.
func (t *target) formOf(b []byte, s *plan.Step) []byte {
	flag := func(is bool) {
		if is {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	number := func(n int) { b = binary.AppendVarint(b, int64(n)) }
	flag(t.inGroup)
	number(len(s.Axes))
	for _, a := range s.Axes {
		number(a.Extent)
		b = append(b, byte(a.Role))
	}
	i := 0
	for a := range s.Accesses() {
		buffer := &t.buffers[a.Buffer]
		b = append(b, byte(buffer.Kind), byte(buffer.DType))
		flag(t.read[a.Buffer])
		flag(t.far(a.Buffer))
		number(a.Offset)
		for _, n := range a.Strides {
			number(n)
		}
		number(a.Line)
		if flag(a.Panel != nil); a.Panel != nil {
			number(a.Panel.Axis)
			number(a.Panel.Size)
			number(a.Panel.Stride)
		}
		out := i - len(s.In)
		if out < 0 {
			before, behind := t.room(s, i)
			number(before)
			number(behind)
		} else {
			b = append(b, byte(s.Out[out].Combine))
			for k := range s.In {
				flag(t.mayAlias(s.In[k].Buffer, a.Buffer))
			}
			for k := range out {
				flag(s.Out[k].Buffer == a.Buffer)
			}
		}
		i++
	}
	return b
}

// draftedGroup is the task of a row group, which serves others of the same form, and the buffers of the group, each once.
type draftedGroup struct {
	task    nest.Task
	buffers []int
}

// over returns the task with the buffers of a row group of the same form.
func (d *draftedGroup) over(p *plan.Plan, g *plan.RowGroup, buffers []int) nest.Task {
	t := d.task
	t.First, t.Last, t.Pos = g.First, g.Last, p.Steps[g.First].Pos
	t.Slots = slices.Clone(t.Slots)
	for i := range t.Slots {
		if sl := &t.Slots[i]; sl.Kind == nest.Operand {
			sl.Buffer = buffers[slices.Index(d.buffers, sl.Buffer)]
		}
	}
	return t
}

// formOfGroup returns all that the task of a row group depends on besides the machine and the library, and its buffers, each
// once, in the order of their first use. Both are valid until the next call.
func (s *scheduler) formOfGroup(g *plan.RowGroup) (form []byte, buffers []int) {
	form, buffers = s.formed.form[:0], s.formed.buffers[:0]
	number := func(n int) { form = binary.AppendVarint(form, int64(n)) }
	number(g.Last - g.First)
	number(g.Block)
	number(g.Scratch)
	number(len(g.Outer))
	for _, n := range g.Outer {
		number(n)
	}
	for i := g.First; i <= g.Last; i++ {
		step := &s.plan.Steps[i]
		number(g.Along[i-g.First])
		form = append(append(form, step.Body.Signature()...), 0)
		form = s.t.formOf(form, step)
		for a := range step.Accesses() {
			at := slices.Index(buffers, a.Buffer)
			if number(at); at >= 0 {
				continue
			}
			buffers = append(buffers, a.Buffer)
			if b := &s.t.buffers[a.Buffer]; b.Kind == plan.ConstBuffer {
				form = binary.LittleEndian.AppendUint64(form, b.Bits)
			} else if number(b.Size()); b.Kind == plan.ScratchBuffer {
				number(b.Offset)
			}
		}
	}
	s.formed.form, s.formed.buffers = form, buffers
	return form, buffers
}
