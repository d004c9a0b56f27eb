package nest

import (
	"fmt"
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Sharing answers which results of a program may use the memory of which params. It knows the tasks that touch each buffer,
// so a question looks at few tasks.
type Sharing struct {
	p       *Program
	touched [][]int          // for each buffer, the tasks that touch it, in order
	params  map[string][]int // by shape, in the order of the last tasks that touch them
}

// Sharing returns the Sharing of a program that Verify accepts and that does not change.
func (p *Program) Sharing() *Sharing {
	s := &Sharing{p: p, touched: make([][]int, len(p.Buffers)), params: map[string][]int{}}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		for k := range t.Parts {
			s.touch(i, t, t.Parts[k].Items)
		}
	}
	for b := range p.Buffers {
		if p.Buffers[b].Kind == plan.ParamBuffer {
			key := fmt.Sprint(p.Buffers[b].Shape)
			s.params[key] = append(s.params[key], b)
		}
	}
	for _, list := range s.params {
		sort.SliceStable(list, func(i, j int) bool { return s.last(list[i]) < s.last(list[j]) })
	}
	return s
}

// touch records the buffers that calls of a task touch.
func (s *Sharing) touch(task int, t *Task, items []Item) {
	for _, it := range items {
		if it.Nest != nil {
			s.touch(task, t, it.Nest.Items)
			continue
		}
		for i, a := range it.Call.Kernel.Args() {
			slot := &t.Slots[it.Call.Args[i].Slot]
			if a.Outer == kernel.None || slot.Kind != Operand {
				continue
			}
			if list := &s.touched[slot.Buffer]; len(*list) == 0 || (*list)[len(*list)-1] != task {
				*list = append(*list, task)
			}
		}
	}
}

// last returns the last task that touches a buffer, or -1.
func (s *Sharing) last(buffer int) int {
	if list := s.touched[buffer]; len(list) > 0 {
		return list[len(list)-1]
	}
	return -1
}

// Params returns up to most params of a result's shape whose last tasks do not rule out that the result uses their memory. They are in
// order; if there are more than most, those read last are returned.
func (s *Sharing) Params(result, most int) []int {
	list := s.params[fmt.Sprint(s.p.Buffers[result].Shape)]
	n := sort.Search(len(list), func(i int) bool { return s.last(list[i]) > s.last(result) })
	list = slices.Clone(list[max(0, n-most):n])
	slices.Sort(list)
	return list
}

// tasks yields the tasks that touch a result or a param, from the first that touches the result.
func (s *Sharing) tasks(result, param int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		a, b := s.touched[result], s.touched[param]
		if len(a) == 0 {
			return
		}
		at, _ := slices.BinarySearch(b, a[0])
		for b = b[at:]; len(a) > 0 || len(b) > 0; {
			next := 0
			if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
				next = a[0]
			} else {
				next = b[0]
			}
			if !yield(next) {
				return
			}
			if len(a) > 0 && a[0] == next {
				a = a[1:]
			}
			if len(b) > 0 && b[0] == next {
				b = b[1:]
			}
		}
	}
}
