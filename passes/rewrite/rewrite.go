package rewrite

import "github.com/stridefuse/stridefuse/ir"

// Rewrite writes the body of the graph anew, value by value in topological order. edit gets
// each value with operands that are rewritten already, may Add values to the graph, and
// returns what replaces the value from there on: the value itself, which is
// then kept, or one that the new body has. Values that no result needs any more
// are dropped. Params stay: they are the interface.
//
// Any number of the first values may be edited, and the others kept, as Bisect does: what
// the graph computes stays the same after each edit.
//
// IDs are the positions in the body before and after, and differ in between.
func (s *State) Rewrite(edit func(v *ir.Value) (*ir.Value, error)) error {
	f := s.Func
	f.Number()
	old := f.Body
	var replaced []*ir.Value // by the old ID: what replaces the value; nil while no value is replaced
	spare := s.spare
	for i, v := range old {
		if replaced == nil {
			f.Body = old[:i:i]
		}
		if replaced != nil {
			for j, a := range v.Args {
				if w := current(a, replaced); w != a {
					v.Args[j] = w
				}
			}
		}
		w := v
		if s.Fuel.Take(v) {
			var err error
			if w, err = edit(v); err != nil {
				return err
			}
		}
		if replaced == nil && (w != v || len(f.Body) > i) {
			replaced = append(s.roomFor(spare.replaced, len(old)), old[:i]...)
			f.Body = append(s.roomFor(spare.body, len(old)), f.Body...)
			s.spare.replaced, s.spare.body = replaced, old
		}
		if replaced != nil {
			replaced = append(replaced, w)
			if w == v {
				f.Body = append(f.Body, v)
			}
		}
	}
	if replaced == nil {
		f.Body = old
	}
	if replaced != nil {
		for i, r := range f.Results {
			f.Results[i] = current(r, replaced)
		}
	}
	f.Sweep()
	s.Distinct, s.Level = s.Distinct && replaced == nil, nil
	return nil
}

// roomFor returns a spare list without elements, or another one if it has no room for n.
func (s *State) roomFor(spare []*ir.Value, n int) []*ir.Value {
	if cap(spare) < n {
		spare = s.Whole.Values.Take(n + min(n/2+8, 64))
	}
	return spare[:0]
}

// current returns what replaces a value.
func current(v *ir.Value, replaced []*ir.Value) *ir.Value {
	if v.Op == ir.OpParam {
		return v
	}
	return replaced[v.ID]
}
