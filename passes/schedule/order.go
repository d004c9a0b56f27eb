package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Instruction scheduling of a tiling. A call follows the calls whose values it reads. Of the calls that may be next, the one
// that leaves the fewest values in registers is taken, and of several the first in the body. So readers of the steps of a
// recurrence do not wait until all steps fill the first-level cache. But a call that begins a chain of such readers takes a
// register, and waits if it is late in the body. Then another order is better: of several calls, it takes the one with the
// shortest chain of calls before it.

// arrange orders the calls of a tile, and counts the registers that are live at once.
func (c *tiling) arrange() {
	calls := c.perTile
	if c.perTile, c.live = newArrangement(calls, len(c.values)).order(); c.live <= c.fewLive() {
		return
	}
	early := newArrangement(calls, len(c.values))
	early.depth = early.depths()
	if ordered, live := early.order(); live < c.live {
		c.perTile, c.live = ordered, live
	}
}

// fewLive returns the number of registers of TileBytes that fit in TilingBytes. An order that needs no more is kept without a
// second one.
func (c *tiling) fewLive() int { return c.e.t.TilingBytes / c.e.t.TileBytes }

// arrangement is the state of arrange.
type arrangement struct {
	calls   []tileInst
	by      []int // by value: 1 + the call that computes it, 0 for none of them
	readers []int // by value: how many of the remaining calls read it
	waits   []int // by call: how many values that it reads are not computed yet, -1 if it is in order
	depth   []int // by call: among equally good calls the one with the least is next
}

func newArrangement(calls []tileInst, values int) *arrangement {
	a := &arrangement{calls, make([]int, values), make([]int, values), make([]int, len(calls)), make([]int, len(calls))}
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

// depths returns the length of the longest chain of calls before each call.
func (a *arrangement) depths() []int {
	depths := make([]int, len(a.calls))
	for p := range a.calls { // each before those that read its value
		for _, r := range a.calls[p].args {
			if by := a.by[r]; by > 0 {
				depths[p] = max(depths[p], 1+depths[by-1])
			}
		}
	}
	return depths
}

// order returns the calls in order, and the number of registers that are live at once.
func (a *arrangement) order() (ordered []tileInst, most int) {
	ordered = make([]tileInst, 0, len(a.calls))
	for live := 0; len(ordered) < len(a.calls); {
		p, more := a.next()
		live += more
		most = max(most, live)
		ordered = append(ordered, a.calls[p])
		a.take(p)
	}
	return ordered, most
}

// next returns the next call, and how many more registers are live after it.
func (a *arrangement) next() (call, more int) {
	call = -1
	for p := range a.calls {
		if a.waits[p] != 0 {
			continue
		}
		if n := a.more(p); call < 0 || n < more || n == more && a.depth[p] < a.depth[call] {
			call, more = p, n
		}
	}
	return call, more
}

// more returns how many more registers are live after a call.
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
