package elementary

import "github.com/stridefuse/stridefuse/ir"

// Has reports whether an op has an expansion in the default tier, and in the fast
// one.
func Has(op ir.Op) (def, fast bool) {
	e := expansionOf(op)
	return e.normal != nil, e.fast != nil
}
