package passes

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Bisect finds the rewrite that breaks a program. Input: a graph, and a function that says
// whether a state of it still computes what the graph does. Output: the pass, and of a pass
// that rewrites values the one value after whose rewrite it does not.

// Culprit is what breaks a program.
type Culprit struct {
	// Pass is its name, "graph" if the graph itself does not agree, "" if the plan still
	// does.
	Pass    string
	Rewrite int    // which rewrite of the pass, from 1; 0 for a pass that divides or orders the whole graph
	Op      ir.Op  // what is rewritten
	Pos     ir.Pos // its line in the user's source
	Before  string // the text of the state before it
	After   string // and after it
	Tried   int    // how many states were compared
}

// Bisect runs the passes of a list, such as Default, on copies of a graph whose sizes are
// bound. agrees says whether a state computes what the graph does: it evaluates State.Func,
// or State.Plan where there is one. Bisect finds the first pass after which it does not, and
// in it the first rewrite, each by binary search: about log2 of their numbers are tried. An
// error of agrees ends it.
func Bisect(list []Pass, f *ir.Func, o Options, agrees func(*State) (bool, error)) (*Culprit, error) {
	if o.Machine == nil {
		o.Machine = tuning.Default(1)
	}
	b := &bisection{list: list, f: f, options: o, agrees: agrees}
	bad, err := b.first(0, len(list), func(n int) (bool, error) { return b.try(n, math.MaxInt) })
	if err != nil || bad > len(list) {
		return &Culprit{Tried: b.tried}, err
	}
	c := &Culprit{Pass: "graph"}
	if bad > 0 {
		c.Pass = list[bad-1].Name
		if err := b.rewrites(c, bad); err != nil {
			return nil, err
		}
	}
	c.Tried = b.tried
	return c, nil
}

// bisection is one search.
type bisection struct {
	list    []Pass
	f       *ir.Func
	options Options
	agrees  func(*State) (bool, error)
	tried   int
}

// first returns the least n from lo to hi for which a state does not agree, hi+1 if all do.
func (b *bisection) first(lo, hi int, agrees func(n int) (bool, error)) (int, error) {
	for end := hi + 1; lo < end; {
		mid := lo + (end-lo)/2
		ok, err := agrees(mid)
		switch {
		case err != nil:
			return 0, err
		case ok:
			lo = mid + 1
		default:
			end = mid
		}
	}
	return lo, nil
}

// state runs the first n passes, the last of them for so many rewrites.
func (b *bisection) state(n, rewrites int) (*State, error) {
	s := newState(b.f.Clone(), b.options)
	defer blame(s)
	for i, p := range b.list[:n] {
		if i == n-1 {
			s.Fuel = &rewrite.Fuel{Left: rewrites}
		}
		if err := run(s, p, b.options.Machine); err != nil {
			return nil, fmt.Errorf("pass %s: %w", p.Name, err)
		}
	}
	return s, nil
}

// try compares the state after n passes. A plan that has no memory yet is given some,
// and one that does not verify is wrong.
func (b *bisection) try(n, rewrites int) (bool, error) {
	s, err := b.state(n, rewrites)
	if err != nil {
		return false, err
	}
	b.tried++
	if s.Plan != nil && Place(s.Plan) != nil {
		return false, nil
	}
	return b.agrees(s)
}

// rewrites finds the rewrite of pass n that breaks the program.
func (b *bisection) rewrites(c *Culprit, n int) error {
	all, err := b.state(n, math.MaxInt)
	if err != nil {
		return err
	}
	before, err := b.state(n-1, math.MaxInt)
	if err != nil {
		return err
	}
	c.Before, c.After = before.String(), all.String()
	if all.Fuel.Used == 0 {
		return nil
	}
	k, err := b.first(0, all.Fuel.Used-1, func(k int) (bool, error) { return b.try(n, k) })
	if err != nil || k == 0 { // what the pass does besides breaks it
		return err
	}
	if before, err = b.state(n, k-1); err != nil {
		return err
	}
	after, err := b.state(n, k)
	if err != nil {
		return err
	}
	c.Rewrite, c.Op, c.Pos, c.Before, c.After = k, after.Fuel.Op, after.Fuel.Pos, before.String(), after.String()
	return nil
}
