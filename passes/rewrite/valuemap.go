package rewrite

import "github.com/stridefuse/stridefuse/ir"

// ValueMap is a map from the values of a graph. A value that was not set has a zero entry. The map is a slice indexed
// by current IDs, because a Go map would take more time than most passes.
type ValueMap[T any] struct {
	f    *ir.Func
	List []T
}

// NewValueMap returns a map for the values of a graph, with room for some more.
func NewValueMap[T any](f *ir.Func) ValueMap[T] { return ValueMap[T]{f, make([]T, mapSize(f))} }

// MapIn is NewValueMap in the memory of a slab.
func MapIn[T any](m *Slab[T], f *ir.Func) ValueMap[T] { return ValueMap[T]{f, m.Take(mapSize(f))} }

func mapSize(f *ir.Func) int {
	n := len(f.Params) + len(f.Body)
	return n + n/8
}

// ReadersOf returns the readers of each value, one entry per read, and the set of results.
func ReadersOf(f *ir.Func) (readers map[*ir.Value][]*ir.Value, results map[*ir.Value]bool) {
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

// At returns a pointer to the entry of v. It is valid until the next call of At.
func (t *ValueMap[T]) At(v *ir.Value) *T {
	i := t.f.Index(v)
	if i >= len(t.List) {
		t.grow(i + 1)
	}
	return &t.List[i]
}

// grow makes room for at least n entries.
func (t *ValueMap[T]) grow(n int) {
	more := max(n, len(t.f.Params)+len(t.f.Body), 2*len(t.List)) - len(t.List)
	t.List = append(t.List, make([]T, more)...)
}
