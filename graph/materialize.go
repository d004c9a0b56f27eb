package graph

import "github.com/stridefuse/stridefuse/ir"

// Materialize returns x and makes the program compute it once and store it. Without it, each of several views of x may
// compute x again. The compiler already stores such values if computing them again costs more, for example the row sums
// of a separable filter; use Materialize where its estimate is wrong. Elementwise readers of x may still be in the loop
// that computes it.
func (x Node) Materialize() Node { return x.elementwise(ir.OpCopy) }
