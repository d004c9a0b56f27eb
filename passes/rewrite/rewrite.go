package rewrite

import "github.com/stridefuse/stridefuse/ir"

// Rewrite rebuilds the body of the graph, value by value in topological order. It calls edit with each value, whose
// operands are already rewritten. edit may Add values to the graph and returns the replacement: either the value
// itself, which is kept, or another value of the new body. Rewrite drops values that no result needs. Params stay,
// because they are the interface.
//
// Every edit must preserve what the graph computes. Bisect relies on this: it edits only the first values and keeps
// the others.
//
// IDs equal positions in the body before and after Rewrite, but not during it.
func (s *State) Rewrite(edit func(v *ir.Value) (*ir.Value, error)) error {
	f := s.Func
	f.Number()
	old := f.Body
	var replaced []*ir.Value // by old ID: the replacement; nil while no value has been replaced
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
			if w != v {
				w.Rename(v)
			}
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

// roomFor empties a spare list, or returns a new one if it cannot hold n values.
func (s *State) roomFor(spare []*ir.Value, n int) []*ir.Value {
	if cap(spare) < n {
		spare = s.Whole.Values.Take(n + min(n/2+8, 64))
	}
	return spare[:0]
}

// current returns the replacement of a value.
func current(v *ir.Value, replaced []*ir.Value) *ir.Value {
	if v.Op == ir.OpParam {
		return v
	}
	return replaced[v.ID]
}
