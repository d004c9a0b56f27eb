package schedule

import (
	"errors"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// choose returns the draft that costs least, and of the strategies that were not chosen what they cost at least, or why they
// can't compute the step. Strategies are drafted in the order of their offers, until the draft in hand costs no more than any
// other does at least: nearly always the first.
func choose(t *target, s *plan.Step) (*Draft, error) {
	if elems(s) == 0 {
		return newDraft(t, s), nil
	}
	offers := offersOf(t, s)
	rejected := make([]nest.Rejected, len(offers))
	for i, o := range offers {
		rejected[i] = nest.Rejected{Strategy: o.name, Cost: o.least, Why: o.why}
	}
	var best *Draft
	chosen := -1
	for {
		i := cheapest(offers)
		if i < 0 || best != nil && best.Choice.Cost <= offers[i].least {
			break
		}
		d, why := offers[i].draft()
		offers[i].draft = nil
		if d == nil {
			rejected[i] = nest.Rejected{Strategy: offers[i].name, Why: why}
			continue
		}
		rejected[i].Cost = d.Choice.Cost
		if best == nil || d.Choice.Cost < best.Choice.Cost {
			best, chosen = d, i
		}
	}
	if best == nil {
		return nil, noStrategy(rejected)
	}
	best.Choice.Strategy = offers[chosen].name
	best.Choice.Rejected = slices.DeleteFunc(slices.Delete(rejected, chosen, chosen+1), func(r nest.Rejected) bool { return r.Why == otherStep })
	return best, nil
}

// cheapest returns which offer costs least of those that are not drafted yet, or -1.
func cheapest(offers []offer) int {
	least := -1
	for i := range offers {
		if offers[i].draft != nil && (least < 0 || offers[i].least < offers[least].least) {
			least = i
		}
	}
	return least
}

// noStrategy is the error if no strategy can compute a step: the reason of each.
func noStrategy(rejected []nest.Rejected) error {
	reasons := make([]string, len(rejected))
	for i, r := range rejected {
		reasons[i] = r.Strategy + ": " + r.Why
	}
	return errors.New("no strategy computes it: " + strings.Join(reasons, "; "))
}
