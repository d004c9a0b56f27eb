package passes

import "github.com/stridefuse/stridefuse/ir"

// dce drops values that no result needs. Params stay: they are the interface.
//
// Requires: nothing.
// Ensures: every value of the body is reachable from a result.
func dce(s *State) error {
	f := s.Func
	f.Number()
	need := make([]bool, len(f.Body))
	mark := func(v *ir.Value) {
		if v.Op != ir.OpParam {
			need[v.ID] = true
		}
	}
	for _, r := range f.Results {
		mark(r)
	}
	kept := 0
	for i := len(f.Body) - 1; i >= 0; i-- {
		if need[i] {
			kept++
			for _, a := range f.Body[i].Args {
				mark(a)
			}
		}
	}
	body := make([]*ir.Value, 0, kept)
	for i, v := range f.Body {
		if need[i] {
			body = append(body, v)
		}
	}
	f.Body = body
	f.Number()
	return nil
}
