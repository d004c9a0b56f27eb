package plan

import "slices"

// Which steps of a plan touch each buffer.

// Uses is an index of the steps of a plan by the buffers that they write and read.
type Uses struct {
	plan             *Plan
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

// Uses returns the index of the plan as it is. A step is in the list of a buffer once for each output, and once for all of its inputs.
func (p *Plan) Uses() *Uses {
	n := len(p.Buffers)
	u := &Uses{p, stepLists{end: make([]int, n)}, stepLists{end: make([]int, n)}, make([]int, n)}
	seen := marks{make([]int, n), make([]int, n)}
	for i := range p.Steps {
		for _, out := range p.Steps[i].Out {
			u.writers.end[out.Buffer]++
			seen.touch(u, out.Buffer, i)
		}
		for _, in := range p.Steps[i].In {
			if seen.firstRead(in.Buffer, i) {
				u.readers.end[in.Buffer]++
			}
			seen.touch(u, in.Buffer, i)
		}
	}
	for _, l := range []*stepLists{&u.writers, &u.readers} {
		all := 0
		for b, count := range l.end { // where each list begins; filling it moves that to its end
			l.end[b], all = all, all+count
		}
		l.steps = make([]int, all)
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
func (m marks) touch(u *Uses, buffer, i int) {
	if m.touched[buffer] != i+1 {
		m.touched[buffer] = i + 1
		u.touches[buffer]++
	}
}

func (l *stepLists) add(buffer, step int) {
	l.steps[l.end[buffer]] = step
	l.end[buffer]++
}

// Writers returns the steps that write a buffer, in order.
func (u *Uses) Writers(buffer int) []int { return u.writers.of(buffer) }

// Readers returns the steps that read a buffer, in order.
func (u *Uses) Readers(buffer int) []int { return u.readers.of(buffer) }

// Count returns how many steps touch a buffer.
func (u *Uses) Count(buffer int) int { return u.touches[buffer] }

// Shared reports whether a buffer has several writers, or one that writes it through several outputs.
func (u *Uses) Shared(buffer int) bool { return len(u.writers.of(buffer)) > 1 }

// OnlyReader returns the step that reads a temporary, if one step stores it and one reads it; else -1.
func (u *Uses) OnlyReader(buffer int) int {
	writers, readers := u.writers.of(buffer), u.readers.of(buffer)
	if u.plan.Buffers[buffer].Kind != TempBuffer || len(writers) != 1 || len(readers) != 1 {
		return -1
	}
	return readers[0]
}

// Writes reports whether a step writes a buffer.
func (s *Step) Writes(buffer int) bool {
	return slices.ContainsFunc(s.Out, func(o Output) bool { return o.Buffer == buffer })
}

// Fixed reports, for each buffer, whether it never changes: it is a constant, a frozen param, or a temporary that steps outside
// of row groups compute only from such buffers. A step stores either only fixed buffers or none.
func (p *Plan) Fixed(frozen func(param int) bool) []bool {
	fixed := make([]bool, len(p.Buffers))
	for i, b := range p.Buffers {
		fixed[i] = b.Kind == ConstBuffer || b.Kind == IotaBuffer || b.Kind == TempBuffer || b.Kind == ParamBuffer && frozen(b.Index)
	}
	varies := func(s *Step) (changed bool) {
		for _, o := range s.Out {
			changed = changed || fixed[o.Buffer]
			fixed[o.Buffer] = false
		}
		return changed
	}
	for _, g := range p.Rows {
		for i := g.First; i <= g.Last; i++ {
			varies(&p.Steps[i])
		}
	}
	for changed := true; changed; { // a step that stores two buffers may make an earlier buffer vary
		changed = false
		for i := range p.Steps {
			if s := &p.Steps[i]; s.Touches(func(b int) bool { return !fixed[b] }) {
				changed = varies(s) || changed
			}
		}
	}
	return fixed
}
