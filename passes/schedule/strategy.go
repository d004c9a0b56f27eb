package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Library tells which kernels exist.
type Library interface {
	// Engine returns the name of the best engine that has a kernel. The engine portable is slower than all others.
	Engine(signature string) (engine string, ok bool)
	// Vector returns the bytes of a vector of an engine's kernels.
	Vector(engine string) int
}

// A strategy is one way to compute a step. Its name in Explain, its function, its file and its golden file are one word.
type strategy struct {
	name string
	// offer returns an offer for each option of the strategy, the preferred one first. It is a pure function, never changes its
	// arguments, and takes little time: an offer's draft makes the nest.
	offer func(t *target, s *plan.Step) []offer
}

// strategies is the table of strategies. The first call of strategiesOf fills it, not an init function: programs that compile
// no graph link no strategy.
var strategies struct {
	once   sync.Once
	byRole [plan.Line + 1][]strategy
}

// strategiesOf returns the strategies for steps of a role. The first of several equally cheap offers is preferred.
func strategiesOf(role plan.Role) []strategy {
	strategies.once.Do(func() {
		scans := []strategy{{"row-scan", rowScan}, {"column-scan", columnScan}}
		strategies.byRole = [...][]strategy{
			plan.Parallel:      {{"elementwise", elementwise}, {"table", table}},
			plan.Reduce:        {{"pairwise-reduction", pairwiseReduction}, {"row-reduction", rowReduction}, {"column-reduction", columnReduction}},
			plan.Scan:          scans,
			plan.ScanExclusive: scans,
			plan.Contract: {{"matmul-rows", matmulRows}, {"matmul", matmul}, {"matmul-implicit", matmulImplicit},
				{"matmul-small", matmulSmall}, {"matmul-batch", matmulBatch}},
			plan.Line: {{"gather", gather}, {"gather-reduction", gatherReduction}, {"ragged", ragged}, {"scatter", scatter},
				{"sort", sort}, {"merge-sort", mergeSort}, {"search", search}, {"leaves", leaves}, {"recurrence", recurrence},
				{"window-quantile", windowQuantile}, {"nth", nth}},
		}
	})
	return strategies.byRole[role]
}

// offersOf returns the offers of all strategies for a step, with their full names: that of the strategy, or "strategy/option".
func offersOf(t *target, s *plan.Step) (all []offer) {
	role, _ := s.Kind()
	for _, by := range strategiesOf(role) {
		offers := by.offer(t, s)
		for i := range offers {
			if offers[i].name = by.name; offers[i].option != "" {
				offers[i].name += "/" + offers[i].option
			}
		}
		all = append(all, offers...)
	}
	return all
}

// otherStep is the reason of a strategy for steps of another kind, such as a sort for a gather. Lists of rejected strategies
// omit it.
const otherStep = "it is for other steps"

// offer is the cost of a strategy, or of one of its options, for a step.
type offer struct {
	name   string  // in Explain: offersOf sets it
	option string  // of the strategy, "" for its only or usual one
	why    string  // the strategy cannot compute the step, and there is no draft
	least  float64 // in additions: the draft costs as much or more
	// draft makes the nest. It returns nil and a reason if the library lacks a kernel.
	draft func() (d *Draft, why string)
}

// offering returns the only offer of a strategy.
func offering(least float64, draft func() (d *Draft, why string)) []offer {
	return []offer{{least: least, draft: draft}}
}

// optional returns the offer of an option by its name. If the option cannot compute the step, by returns the reason.
func optional(name string, by func() (offer, string)) offer {
	o, why := by()
	o.option, o.why = name, why
	return o
}

// because returns a reason with its numbers, for an explanation. Otherwise nobody reads it, and it is the format.
func (t *target) because(format string, numbers ...int) string {
	if !t.Reasons {
		return format
	}
	args := make([]any, len(numbers))
	for i, n := range numbers {
		args[i] = n
	}
	return fmt.Sprintf(format, args...)
}

// tilingOnly is why a strategy that calls one kernel for a whole body is not taken: see Options.
const tilingOnly = "kernels of whole bodies are switched off"

// severalTasks is why a strategy can't compute a block of rows of a row group.
const severalTasks = "it takes several tasks"

// refused returns the offer of a strategy, or of an option, that cannot compute a step.
func refused(why string) []offer { return []offer{{why: why}} }

// Draft is what a strategy makes of a step.
type Draft struct {
	Slots   []nest.Slot // first the step's inputs and outputs, in order
	Scratch int         // bytes
	Parts   []nest.Nest
	Then    [][]nest.Nest // the parts of further tasks, each of which begins when all before is complete
	Elems   []int         // of each of several tasks: how many elements it computes, if not as many as the step has
	// Own lists the temporaries and iotas of this step. Their slots have numbers behind those of the target's buffers, and
	// their offsets count from the first of them.
	Own    []plan.Buffer
	Choice nest.Choice

	constants []constantSlot
}

// constantSlot is a table whose elements are the constant that an input of the step is.
type constantSlot struct{ slot, in int }

// newDraft returns a draft with the slots of the step's operands.
func newDraft(t *target, s *plan.Step) *Draft {
	d := &Draft{Slots: make([]nest.Slot, 0, len(s.In)+len(s.Out))}
	for _, a := range s.In {
		d.Slots = append(d.Slots, nest.Buffer(a.Buffer, t.buffers[a.Buffer].DType))
	}
	for _, a := range s.Out {
		d.Slots = append(d.Slots, nest.Buffer(a.Buffer, t.buffers[a.Buffer].DType))
	}
	return d
}

// cacheLine is the bytes of a line of the caches, and the alignment of local memory.
const cacheLine = kernel.CacheLine

// scratch reserves local memory and returns its slot.
func (d *Draft) scratch(dt ir.DType, elems int) int {
	return d.slot(nest.Slot{Kind: nest.Scratch, DType: dt, Offset: d.reserve(elems * dt.Size()), Elems: elems})
}

// slot appends a slot and returns its number.
func (d *Draft) slot(s nest.Slot) int {
	d.Slots = append(d.Slots, s)
	return len(d.Slots) - 1
}

// reserve reserves bytes of local memory and returns the offset of the first. A spare cache line keeps buffers from all
// beginning in the same set of the cache.
func (d *Draft) reserve(bytes int) int {
	at := d.Scratch
	d.Scratch += roundUp(bytes, cacheLine) + cacheLine
	return at
}

// own appends a buffer of this step, and returns its slot.
func (d *Draft) own(t *target, b plan.Buffer) int {
	d.Own = append(d.Own, b)
	return d.slot(nest.Buffer(len(t.buffers)+len(d.Own)-1, b.DType))
}

// table returns the slot of n elements that are all the same.
func (d *Draft) table(dt ir.DType, bits uint64, n int) int {
	return d.slot(nest.Slot{Kind: nest.Table, DType: dt, Elems: n, Bits: bits})
}

// call returns the item of a call.
func call(k kernel.Code, rows, cols nest.Size, args []nest.Arg, fields ...nest.Size) nest.Item {
	return nest.Item{Call: &nest.Call{Kernel: k, Rows: rows, Cols: cols, Args: args, Fields: fields}}
}

// inner returns the item of a nest.
func inner(loops []nest.Loop, items ...nest.Item) nest.Item {
	return nest.Item{Nest: &nest.Nest{Loops: loops, Items: items}}
}

// choose returns the cheapest draft, and the least cost or the reason of each other strategy. It drafts in the order of least
// costs until no other offer can cost less: nearly always the first.
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
	if best == nil && !t.Reasons { // the error is read
		with := *t
		with.Reasons = true
		return choose(&with, s)
	}
	if best == nil {
		return nil, noStrategy(rejected)
	}
	best.Choice.Strategy = offers[chosen].name
	best.Choice.Rejected = slices.DeleteFunc(slices.Delete(rejected, chosen, chosen+1), func(r nest.Rejected) bool { return r.Why == otherStep })
	return best, nil
}

// cheapest returns the cheapest offer that is not drafted yet, or -1.
func cheapest(offers []offer) int {
	least := -1
	for i := range offers {
		if offers[i].draft != nil && (least < 0 || offers[i].least < offers[least].least) {
			least = i
		}
	}
	return least
}

// noStrategy returns the error of a step that no strategy can compute: the reason of each.
func noStrategy(rejected []nest.Rejected) error {
	reasons := make([]string, len(rejected))
	for i, r := range rejected {
		reasons[i] = r.Strategy + ": " + r.Why
	}
	return errors.New("no strategy computes it: " + strings.Join(reasons, "; "))
}
