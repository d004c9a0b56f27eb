package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which steps of a plan touch each buffer. Passes that put steps together share this index.

// bufferUses is an index of the steps of a plan by the buffers that they write and read.
type bufferUses struct {
	plan             *plan.Plan
	writers, readers stepLists
	touches          []int // by buffer: how many steps write or read it
}

// stepLists has a list of steps, in their order, for each buffer.
type stepLists struct {
	end   []int // by buffer: where its list ends; the list of the next one begins there
	steps []int
}

// of returns the list of a buffer.
func (l *stepLists) of(buffer int) []int {
	begin := 0
	if buffer > 0 {
		begin = l.end[buffer-1]
	}
	return l.steps[begin:l.end[buffer]]
}

// bufferUses returns the index of the present plan. It is valid until the pass ends or changes the plan.
// A step is in the list of a buffer once for each output, and once for all of its inputs.
func (s *State) bufferUses() bufferUses {
	p, ints := s.Plan, &s.pass.ints
	n := len(p.Buffers)
	u := bufferUses{p, stepLists{end: ints.take(n)}, stepLists{end: ints.take(n)}, ints.take(n)}
	seen := marks{ints.take(n), ints.take(n)}
	for i := range p.Steps {
		for _, out := range p.Steps[i].Out {
			u.writers.end[out.Buffer]++
			seen.touch(&u, out.Buffer, i)
		}
		for _, in := range p.Steps[i].In {
			if seen.firstRead(in.Buffer, i) {
				u.readers.end[in.Buffer]++
			}
			seen.touch(&u, in.Buffer, i)
		}
	}
	for _, l := range []*stepLists{&u.writers, &u.readers} {
		all := 0
		for b, count := range l.end { // where each list begins; filling it moves that to its end
			l.end[b], all = all, all+count
		}
		l.steps = ints.take(all)
	}
	clear(seen.read)
	for i := range p.Steps {
		for _, out := range p.Steps[i].Out {
			u.writers.add(out.Buffer, i)
		}
		for _, in := range p.Steps[i].In {
			if seen.firstRead(in.Buffer, i) {
				u.readers.add(in.Buffer, i)
			}
		}
	}
	return u
}

// marks has, by buffer, 1 plus the last step that read it, and that touched it.
type marks struct{ read, touched []int }

// firstRead reports whether step i has not read the buffer before.
func (m marks) firstRead(buffer, i int) bool {
	first := m.read[buffer] != i+1
	m.read[buffer] = i + 1
	return first
}

// touch counts step i among those that touch the buffer, once.
func (m marks) touch(u *bufferUses, buffer, i int) {
	if m.touched[buffer] != i+1 {
		m.touched[buffer] = i + 1
		u.touches[buffer]++
	}
}

func (l *stepLists) add(buffer, step int) {
	l.steps[l.end[buffer]] = step
	l.end[buffer]++
}

// count returns how many steps touch a buffer.
func (u *bufferUses) count(buffer int) int { return u.touches[buffer] }

// shared reports whether a buffer has several writers, or one that writes it through several outputs.
func (u *bufferUses) shared(buffer int) bool { return len(u.writers.of(buffer)) > 1 }

// onlyReader returns the step that reads a temporary, if one step stores it and one reads it; else -1.
func (u *bufferUses) onlyReader(buffer int) int {
	writers, readers := u.writers.of(buffer), u.readers.of(buffer)
	if u.plan.Buffers[buffer].Kind != plan.TempBuffer || len(writers) != 1 || len(readers) != 1 {
		return -1
	}
	return readers[0]
}

// writes reports whether a step writes a buffer.
func writes(s *plan.Step, buffer int) bool {
	return slices.ContainsFunc(s.Out, func(o plan.Output) bool { return o.Buffer == buffer })
}
