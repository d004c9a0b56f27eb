package passes

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Bisect finds the rewrite that breaks a program. The caller passes a function that evaluates a state and compares
// its results with those of the graph.

// Culprit is the result of Bisect.
type Culprit struct {
	// Pass is the name of the first pass after which results differ. It is "graph" if the graph itself gives other
	// results, and "" if the plan agrees.
	Pass    string
	Rewrite int    // number of the faulty rewrite within the pass, from 1; 0 if the pass as a whole is at fault
	Op      ir.Op  // operation that is rewritten
	Pos     ir.Pos // its line in the user's source
	Before  string // text of the state before the rewrite
	After   string // text of the state after it
	Tried   int    // number of states compared
}

// Bisect finds the first pass of a list, such as Default, after which a graph computes other results, and in that
// pass the first rewrite. It runs the passes on copies of f, whose sizes must be bound. It calls agrees with a state:
// agrees evaluates State.Plan, or State.Func if there is no plan, and reports whether the results are right. Both
// searches are binary, so about log2 of the number of passes and rewrites are tried. Bisect stops if agrees returns
// an error.
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

// bisection is the state of one search.
type bisection struct {
	list    []Pass
	f       *ir.Func
	options Options
	agrees  func(*State) (bool, error)
	tried   int
}

// first returns the least n from lo to hi for which agrees is false, or hi+1.
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

// state runs the first n passes. The last of them stops after the given number of rewrites.
func (b *bisection) state(n, rewrites int) (*State, error) {
	s := newState(b.f.Clone(), b.options)
	defer blame(s)
	for i, p := range b.list[:n] {
		s.Func.Label()
		if i == n-1 {
			s.Fuel = &rewrite.Fuel{Left: rewrites}
		}
		if err := run(s, p, b.options.Machine); err != nil {
			return nil, fmt.Errorf("pass %s: %w", p.Name, err)
		}
	}
	return s, nil
}

// try reports whether the state after n passes agrees. A plan without memory is placed first. A plan that does not
// verify does not agree.
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
	if err != nil || k == 0 { // the fault is not in a rewrite
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
