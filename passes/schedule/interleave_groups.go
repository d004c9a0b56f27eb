package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// memberGroup lists its members in the order of memory. If their stage is direct, the kernel of the body takes them as one
// argument. Else a transpose copies all of them to local memory, or from there: each operand on its own would read every cache
// line of the buffer, and outputs would be stored element by element.
type memberGroup struct {
	ops  []int // -1 for a member that the step does not have
	tile view  // of the first member, in local memory; slot -1 as long as there is none
	line int   // elements from one member of the tile to the next
}

// findGroups finds the groups that a kernel takes. Inputs may lack up to half of the members if the missing elements are in
// memory. Outputs are complete, and follow one another in the step.
func (e *elemWriter) findGroups() {
	e.groups = nil
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxFactor || e.groupOf(i) != nil || !e.inLanes(i) {
			continue
		}
		var best []int
		most := 0
		for at := range n {
			ops, count := e.members(i, at, n)
			if count > most && (count == n || 2*count >= n && e.inMemory(i, at, n)) {
				best, most = ops, count
			}
		}
		if best != nil && (i < len(e.step.In) || most == n && best[0] == i && best[n-1] == i+n-1) {
			e.groups = append(e.groups, &memberGroup{ops: best})
		}
	}
}

// members returns the operands of the same stage, in no group yet, that form a group of n with operand i as number at: see membersOf.
func (e *elemWriter) members(i, at, n int) (ops []int, count int) {
	return membersOf(e.step, i, at, n, func(k int) bool { return e.stages[k] == e.stages[i] && e.groupOf(k) == nil })
}

// membersOf returns the operands of a step that form a group of n with operand i as number at: inputs, or outputs, for which is
// holds, and which differ from it in their offsets only; and -1 for each that the step does not have. count is how many it has.
func membersOf(s *plan.Step, i, at, n int, is func(k int) bool) (ops []int, count int) {
	from, to, all := 0, len(s.In), len(s.In)+len(s.Out)
	if i >= to {
		from, to = to, all
	}
	of := accessOf(s, i)
	for number := range n {
		k := from
		for k < to && !(accessOf(s, k).Offset == of.Offset+number-at && sameButOffset(accessOf(s, k), of) && is(k)) {
			k++
		}
		if k == to {
			ops = append(ops, -1)
			continue
		}
		ops, count = append(ops, k), count+1
	}
	return ops, count
}

// sameButOffset reports whether two accesses differ in their offsets at most.
func sameButOffset(a, b *plan.Access) bool {
	return a.Buffer == b.Buffer && slices.Equal(a.Strides, b.Strides)
}

// accessOf returns where an operand of a step is, the inputs first.
func accessOf(s *plan.Step, i int) *plan.Access {
	if in := len(s.In); i >= in {
		return &s.Out[i-in].Access
	}
	return &s.In[i]
}

func (e *elemWriter) access(i int) *plan.Access { return accessOf(e.step, i) }

// inMemory reports whether all members of the group of n in which input i is number at may be read: they are within the buffer,
// and the step does not write it.
func (e *elemWriter) inMemory(i, at, n int) bool {
	if i >= len(e.step.In) {
		return false
	}
	for o := range e.step.Out {
		if e.t.mayAlias(e.access(i).Buffer, e.step.Out[o].Buffer) {
			return false
		}
	}
	before, behind := e.t.room(e.step, i)
	return before >= at && behind >= n-1-at
}

// room returns how many elements the buffer of input i of a step has before and behind all that the step reads, up to
// kernel.MaxFactor. For a block of rows it looks at the step of all rows. Scratch has no room: a block may have fewer rows, and
// may be kept in an output. Neither has a step that was unrolled for a block.
func (t *target) room(s *plan.Step, i int) (before, behind int) {
	b := &t.buffers[s.In[i].Buffer]
	switch {
	case b.Kind == plan.ScratchBuffer, t.whole != nil && s.Body != t.whole.Body:
		return 0, 0
	case t.whole != nil:
		s = t.whole
	}
	low, high := s.In[i].Offset, s.In[i].Offset
	for k, axis := range s.Axes {
		last := (axis.Extent - 1) * s.In[i].Strides[k]
		low, high = low+min(0, last), high+max(0, last)
	}
	first, last := 0, b.Size()-1
	if b.At != nil {
		first, last = b.At.Bounds()
	}
	return min(max(0, low-first), kernel.MaxFactor), min(max(0, last-high), kernel.MaxFactor)
}

// inLanes reports whether a kernel may take an operand as a member: bytes are deinterleaved into lanes of 32 bits, which bodies
// of nothing but bytes lack.
func (e *elemWriter) inLanes(i int) bool {
	if !kernel.InterleavedTypes.Has(e.ops[i].dtype) {
		return false
	}
	body := e.step.Body
	for r := range len(body.In) + len(body.Body) {
		if body.DType(kernel.Ref(r)).Size() >= 4 {
			return true
		}
	}
	return false
}

// groupOf returns the group that an operand is a member of, or nil.
func (e *elemWriter) groupOf(i int) *memberGroup {
	for _, g := range e.groups {
		if slices.Contains(g.ops, i) {
			return g
		}
	}
	return nil
}

// leads reports whether an operand has its own argument in calls of the body's kernel: it is in no group that the kernel takes,
// or it is the first member of the group that the step has. at is which member.
func (e *elemWriter) leads(i int) (at int, ok bool) {
	g := e.groupOf(i)
	if i < 0 || g == nil || e.stages[i] != direct {
		return 0, i >= 0
	}
	at = slices.IndexFunc(g.ops, func(k int) bool { return k >= 0 })
	return at, g.ops[at] == i
}
