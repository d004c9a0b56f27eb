package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Instruction scheduling of a tiling: a call follows those whose values it reads. Of the calls
// that may be next, the one is taken that leaves the fewest values in registers, and of several
// the first in the body. So what reads the steps of a recurrence does not wait until all
// of them are in registers, which would be more than the first-level cache has room for.

// arrange puts the calls of a tile in order, and sets how many registers have values at once.
func (c *tiling) arrange() {
	a := newArrangement(c.perTile, len(c.values))
	ordered := make([]tileInst, 0, len(c.perTile))
	for live := 0; len(ordered) < len(c.perTile); {
		p, more := a.next()
		live += more
		c.live = max(c.live, live)
		ordered = append(ordered, c.perTile[p])
		a.take(p)
	}
	c.perTile = ordered
}

// arrangement is the state of arrange.
type arrangement struct {
	calls   []tileInst
	by      []int // by value: 1 + the call that computes it, 0 for none of them
	readers []int // by value: how many of the calls that are left read it
	waits   []int // by call: how many values that it reads are not computed yet, -1 if it is in order
}

func newArrangement(calls []tileInst, values int) *arrangement {
	a := &arrangement{calls, make([]int, values), make([]int, values), make([]int, len(calls))}
	for p := range calls {
		if r := calls[p].value; r >= 0 {
			a.by[r] = 1 + p
		}
	}
	for p := range calls {
		for _, r := range calls[p].reads() {
			a.readers[r]++
			if a.by[r] > 0 {
				a.waits[p]++
			}
		}
	}
	return a
}

// next returns the call that is next, and how many more registers then have values.
func (a *arrangement) next() (call, more int) {
	call = -1
	for p := range a.calls {
		if a.waits[p] != 0 {
			continue
		}
		if n := a.more(p); call < 0 || n < more {
			call, more = p, n
		}
	}
	return call, more
}

// more returns how many more registers have values after a call.
func (a *arrangement) more(p int) (n int) {
	if i := &a.calls[p]; i.value >= 0 && i.out < 0 {
		n++
	}
	for _, r := range a.calls[p].reads() {
		if a.by[r] > 0 && a.calls[a.by[r]-1].out < 0 && a.readers[r] == 1 {
			n--
		}
	}
	return n
}

// take takes a call.
func (a *arrangement) take(p int) {
	a.waits[p] = -1
	for _, r := range a.calls[p].reads() {
		a.readers[r]--
	}
	if r := a.calls[p].value; r >= 0 {
		for q := range a.calls {
			if slices.Contains(a.calls[q].args, r) {
				a.waits[q]--
			}
		}
	}
}

// reads returns the values that a call reads, each once. Calls have few.
func (i *tileInst) reads() []kernel.Ref {
	once := i.args[:0:0]
	for k, r := range i.args {
		if !slices.Contains(i.args[:k], r) {
			once = append(once, r)
		}
	}
	return once
}
