package schedule

import (
	"encoding/binary"
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Drafts of a plan's steps, by what strategies look at. The layers of a model repeat their
// steps over other buffers: a draft made for one of them serves the others, with their buffers
// in its slots. What is inside the loops, Parts, is shared then, and never changed.
type drafts map[form]*Draft

// form is all that a draft depends on besides the machine and the library.
type form struct {
	body string // its signature
	rest string // of formOf
}

// draft returns the draft of a step that costs least: see choose.
func (s *scheduler) draft(t *target, step *plan.Step) (*Draft, error) {
	if len(s.plan.Steps) == 1 {
		return choose(t, step)
	}
	var space [256]byte
	rest := t.formOf(space[:0], step)
	body := step.Body.Signature()
	if d := s.known[form{body, string(rest)}]; d != nil {
		return d.over(step), nil
	}
	d, err := choose(t, step)
	if err != nil || len(d.Own) > 0 { // whose numbers depend on the steps before
		return d, err
	}
	if s.known == nil {
		s.known = make(drafts, len(s.plan.Steps))
	}
	s.known[form{body, string(rest)}] = d
	return d.over(step), nil
}

// over returns the draft with the buffers of a step of the same form.
func (d *Draft) over(s *plan.Step) *Draft {
	c := *d
	c.Slots, c.Choice.Rejected = slices.Clone(d.Slots), slices.Clone(d.Choice.Rejected)
	i := 0
	for a := range s.Accesses() {
		c.Slots[i].Buffer = a.Buffer
		i++
	}
	return &c
}

// formOf appends what a step is besides its body: its axes, its accesses, what its buffers
// are, which of its operands have one buffer, and which inputs its outputs may overwrite.
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
		if buffer.Kind == plan.ConstBuffer {
			b = binary.LittleEndian.AppendUint64(b, buffer.Bits)
		}
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
		if out := i - len(s.In); out >= 0 {
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
