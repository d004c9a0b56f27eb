package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// deepFirst orders a component depth first from what no value of it reads, of a
// value's operands the one first that needs most values to wait (Sethi and
// Ullman). It does not recurse: a chain may be deeper than a stack.
func (c *cutter) deepFirst(values []*ir.Value) []*ir.Value {
	c.locate(values)
	waits := make([]waits, len(values))
	root := make([]bool, len(values))
	for i, v := range values {
		root[i] = true
		for _, a := range v.Args {
			if c.has(a) {
				at := c.place[a.ID]
				root[at] = false
				waits[i].add(at, waits)
			}
		}
		waits[i].count(waits)
	}
	out := make([]*ir.Value, 0, len(values))
	var stack []int
	for i := range values {
		if root[i] {
			stack = append(stack, i)
		}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			if next, ok := waits[at].next(); ok {
				stack = append(stack, next)
				continue
			}
			stack = stack[:len(stack)-1]
			if v := values[at]; c.has(v) {
				c.inside[v.ID] = 0 // is in the order
				out = append(out, v)
			}
		}
	}
	return out
}

// waits says for what a value waits.
type waits struct {
	args [3]int // places of its operands in the component, the hungriest first
	n    int    // of them
	need int    // how many values wait at a time until it is computed
}

// add puts an operand among the others.
func (w *waits) add(at int, all []waits) {
	if slices.Contains(w.args[:w.n], at) {
		return
	}
	k := w.n
	for ; k > 0 && all[w.args[k-1]].need < all[at].need; k-- {
		w.args[k] = w.args[k-1]
	}
	w.args[k] = at
	w.n++
}

func (w *waits) count(all []waits) {
	w.need = 1
	for k, at := range w.args[:w.n] {
		w.need = max(w.need, k+all[at].need)
	}
}

// next takes the first operand.
func (w *waits) next() (at int, ok bool) {
	if w.n == 0 {
		return 0, false
	}
	at = w.args[0]
	w.args[0], w.args[1] = w.args[1], w.args[2]
	w.n--
	return at, true
}
