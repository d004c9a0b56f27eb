package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// results gives each result memory of its own, which the caller owns.
//
// Requires: stage viewed; after cse, which would merge two copies of one value.
// Ensures: every result is a computed value, or all of one under another shape,
// and no two are of the same.
func results(s *State) error {
	seen := map[*ir.Value]bool{}
	for i, r := range s.Func.Results {
		why := ""
		switch c := computed(r); {
		case seen[c]:
			why = "the value is another result too, and each has its own memory"
		case c == nil:
			why = "a result has its own memory, and nothing computes this one"
		}
		if why != "" {
			c, err := s.Func.Add(ir.OpCopy, ir.Attr{Note: why}, r.Pos, r)
			if err != nil {
				return err
			}
			s.Func.Results[i] = c
		}
		seen[computed(s.Func.Results[i])] = true
	}
	s.Func.Sweep()
	return nil
}

// computed returns the computed value whose elements r has, all and in their
// order: r itself, or what it reads; nil if there is none.
func computed(r *ir.Value) *ir.Value {
	if r.Op == ir.OpAccess && r.Args[0].Op.IsComputed() {
		flat, ok := r.Attr.At.Reshape(size(r.Type.Shape))
		if ok && flat.Equal(layout.RowMajor(size(r.Args[0].Type.Shape))) {
			return r.Args[0]
		}
	}
	if r.Op.IsComputed() {
		return r
	}
	return nil
}

func checkResults(s *State) error {
	seen := map[*ir.Value]bool{}
	for _, r := range s.Func.Results {
		c := computed(r)
		if c == nil || seen[c] {
			return fmt.Errorf("result %%%d has no memory of its own", r.ID)
		}
		seen[c] = true
	}
	return nil
}
