package graph

import "github.com/stridefuse/stridefuse/ir"

// Materialize returns x, and has it computed once and stored: views of it read memory,
// where without it each of several views may compute x again. The compiler stores by
// itself what several views read if to compute it again costs more, as the row sums of a
// separable filter; this is for what it judges wrong. What reads x element by element may
// still be in its loop.
func (x Node) Materialize() Node { return x.elementwise(ir.OpCopy) }
