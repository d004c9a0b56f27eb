// Package rewrite contains the passes from graph to graph. They keep what the graph computes, write each op in the
// few forms that later passes know, merge equal values, and remove work that no result needs. The passes know no
// machine: they count operations and bytes (weights.go).
//
// Package passes lists all passes in their order.
package rewrite

import "github.com/stridefuse/stridefuse/ir"

// State is the graph that passes rewrite, and facts about its values that they leave to later passes.
type State struct {
	Func   *ir.Func
	NoFuse bool
	Eager  bool
	Fuel   *Fuel              // limit set by Bisect; nil is no limit
	Frozen map[*ir.Value]bool // params that never change
	Tapped map[*ir.Value]bool // sums that Taps has written
	Ledger Ledger

	Distinct bool    // no two values compute the same: set by simplify, cleared by a Rewrite that edits
	Level    []int32 // by value: the greatest number of loops that must run before it; nil after a Rewrite

	Pass, Whole Room // memory that is taken back when a pass ends, and when the plan is complete

	slots []*ir.Value                          // memory for Numbering
	spare struct{ replaced, body []*ir.Value } // lists that Rewrite can reuse
}
