package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// results gives each result memory of its own, which the caller owns.
//
// Requires: stage viewed; after cse, which would merge two copies of one value.
// Ensures: every result is a computed value, and no two are the same.
func results(s *State) error {
	seen := map[*ir.Value]bool{}
	for i, r := range s.Func.Results {
		why := ""
		switch {
		case seen[r]:
			why = "the value is another result too, and each has its own memory"
		case !r.Op.IsComputed():
			why = "a result has its own memory, and nothing computes this one"
		}
		if why != "" {
			c, err := s.Func.Add(ir.OpCopy, ir.Attr{Note: why}, r.Pos, r)
			if err != nil {
				return err
			}
			s.Func.Results[i] = c
		}
		seen[r] = true
	}
	sweep(s.Func)
	return nil
}

func checkResults(s *State) error {
	seen := map[*ir.Value]bool{}
	for _, r := range s.Func.Results {
		if !r.Op.IsComputed() || seen[r] {
			return fmt.Errorf("result %%%d has no memory of its own", r.ID)
		}
		seen[r] = true
	}
	return nil
}
