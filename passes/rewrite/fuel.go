package rewrite

import "github.com/stridefuse/stridefuse/ir"

// Fuel limits the number of rewrites, so that Bisect can stop a pass in the middle.
type Fuel struct {
	Left, Used int
	Op         ir.Op  // of the last value that used fuel
	Pos        ir.Pos // its line in the user's source
}

// Take uses one unit of fuel for a value. It reports false if none is left. A nil Fuel has no limit.
func (f *Fuel) Take(v *ir.Value) bool {
	switch {
	case f == nil:
		return true
	case f.Left == 0:
		return false
	}
	f.Left--
	f.Used++
	f.Op, f.Pos = v.Op, v.Pos
	return true
}
