package passes

import "github.com/stridefuse/stridefuse/ir"

// ints is memory for many short lists of numbers.
type ints struct {
	room []int
	size int // what was made last; it doubles, up to a limit
}

// take returns a list of n zeros.
func (m *ints) take(n int) []int {
	if m.room == nil || len(m.room) < n {
		m.size = min(max(2*m.size, 16), 512)
		m.room = make([]int, max(n, m.size))
	}
	list := m.room[:n:n]
	m.room = m.room[n:]
	return list
}

// valueMap is a map from the values of a graph, zero where nothing was set. It is a slice
// indexed by the values' present IDs: a Go map would take more time in large graphs than
// most passes do.
type valueMap[T any] struct {
	f    *ir.Func
	list []T
}

// newValueMap returns a map for the values of a graph, and for some to come.
func newValueMap[T any](f *ir.Func) valueMap[T] { return valueMap[T]{f, make([]T, mapSize(f))} }

// mapIn is newValueMap in memory of a slab.
func mapIn[T any](m *slab[T], f *ir.Func) valueMap[T] { return valueMap[T]{f, m.take(mapSize(f))} }

func mapSize(f *ir.Func) int {
	n := len(f.Params) + len(f.Body)
	return n + n/8
}

// readersOf returns the values that read each value of a graph, once for each time that they read it, and which values are results.
func readersOf(f *ir.Func) (readers map[*ir.Value][]*ir.Value, results map[*ir.Value]bool) {
	readers, results = map[*ir.Value][]*ir.Value{}, map[*ir.Value]bool{}
	for _, v := range f.Body {
		for _, a := range v.Args {
			readers[a] = append(readers[a], v)
		}
	}
	for _, r := range f.Results {
		results[r] = true
	}
	return readers, results
}

// at returns a pointer to the entry of v, which is valid until the next call of at.
func (t *valueMap[T]) at(v *ir.Value) *T {
	i := t.f.Index(v)
	if i >= len(t.list) {
		t.grow(i + 1)
	}
	return &t.list[i]
}

// grow makes room for n entries or more.
func (t *valueMap[T]) grow(n int) {
	more := max(n, len(t.f.Params)+len(t.f.Body), 2*len(t.list)) - len(t.list)
	t.list = append(t.list, make([]T, more)...)
}
