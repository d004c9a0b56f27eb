package passes

import "github.com/stridefuse/stridefuse/ir"

// table holds something for each value of a graph, by the IDs that the values have
// meanwhile; what is not set is zero. It is a slice, as a map of large graphs takes
// more time than most passes have to do.
type table[T any] struct {
	f    *ir.Func
	list []T
}

// at returns what is held for v: a place that is good until the next call of at.
func (t *table[T]) at(v *ir.Value) *T {
	i := t.f.Index(v)
	if i >= len(t.list) {
		more := max(i+1, len(t.f.Params)+len(t.f.Body), 2*len(t.list)) - len(t.list)
		t.list = append(t.list, make([]T, more)...)
	}
	return &t.list[i]
}
