package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// depthFirst returns the values of a component in depth-first order. Each value directly follows its operands, and the
// operand that needs the most values at a time comes first (R. Sethi and J. D. Ullman, The generation of optimal code
// for arithmetic expressions, 1970). depthFirst keeps its own stack, because chains can be too deep for recursion.
func (c *partitioner) depthFirst(values []*ir.Value) []*ir.Value {
	c.locate(values)
	labels := make([]sethiUllman, len(values))
	root := make([]bool, len(values))
	for i, v := range values {
		root[i] = true
		for _, a := range v.Args {
			if c.has(a) {
				at := int(c.position[a.ID])
				root[at] = false
				labels[i].add(at, labels)
			}
		}
		labels[i].count(labels)
	}
	out := make([]*ir.Value, 0, len(values))
	var stack []int
	for i := range values {
		if root[i] {
			stack = append(stack, i)
		}
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			if next, ok := labels[at].next(); ok {
				stack = append(stack, next)
				continue
			}
			stack = stack[:len(stack)-1]
			if v := values[at]; c.has(v) {
				c.inside[v.ID] = 0 // v is in out now
				out = append(out, v)
			}
		}
	}
	return out
}

// sethiUllman holds the label of a value: the number of values that must be held at a time to compute it.
type sethiUllman struct {
	args [3]int // positions of the operands in the component, greatest label first
	n    int    // number of args
	need int    // the label
}

// add inserts an operand and keeps the greatest label first. An operand that is already there is not added twice.
func (w *sethiUllman) add(at int, all []sethiUllman) {
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

// count computes the label. While operand k is computed, the results of the k operands before it are held.
func (w *sethiUllman) count(all []sethiUllman) {
	w.need = 1
	for k, at := range w.args[:w.n] {
		w.need = max(w.need, k+all[at].need)
	}
}

// next removes the first operand and returns it.
func (w *sethiUllman) next() (at int, ok bool) {
	if w.n == 0 {
		return 0, false
	}
	at = w.args[0]
	w.args[0], w.args[1] = w.args[1], w.args[2]
	w.n--
	return at, true
}
