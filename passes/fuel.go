package passes

import "github.com/stridefuse/stridefuse/ir"

// fuel limits how many values are rewritten.
type fuel struct {
	left, used int
	op         ir.Op  // of the last one
	pos        ir.Pos // its line in the user's source
}

// take uses fuel for a value and reports whether there is some left.
func (f *fuel) take(v *ir.Value) bool {
	switch {
	case f == nil:
		return true
	case f.left == 0:
		return false
	}
	f.left--
	f.used++
	f.op, f.pos = v.Op, v.Pos
	return true
}
