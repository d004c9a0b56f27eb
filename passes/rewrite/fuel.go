package rewrite

import "github.com/stridefuse/stridefuse/ir"

// Fuel limits how many values are rewritten.
type Fuel struct {
	Left, Used int
	Op         ir.Op  // of the last one
	Pos        ir.Pos // its line in the user's source
}

// Take uses fuel for a value and reports whether there is some left.
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
