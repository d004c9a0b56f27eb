// Package rewrite has the passes that turn a graph into another graph that computes the same: each op is written by
// the few forms that later passes know, equal values become one, and work that brings nothing goes. It knows no machine: it
// counts operations and bytes (see weights.go).
//
// The list of all passes, with their order, is in package passes.
package rewrite

import "github.com/stridefuse/stridefuse/ir"

// State is the graph that passes rewrite, and what they say of its values to later passes.
type State struct {
	Func   *ir.Func
	NoFuse bool
	Eager  bool
	Fuel   *Fuel              // of Bisect; nil is without end
	Frozen map[*ir.Value]bool // params that never change
	Tapped map[*ir.Value]bool // the sums that the pass taps has written
	Ledger Ledger

	Distinct bool    // no two values compute the same: simplify has seen to it, and no Rewrite has edited since
	Level    []int32 // of each value, the greatest number of loops before it; nil after a Rewrite

	Pass, Whole Room // memory until a pass ends, and until the plan is made

	slots []*ir.Value                          // of numberings
	spare struct{ replaced, body []*ir.Value } // of Rewrite: lists that the last one left
}
