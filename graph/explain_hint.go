package graph

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// Hints: what a user can change to make a program faster. Each follows from the plan and the schedule: their costs, the
// bytes that steps move, and which inputs steps depend on.

// hint is one change.
type hint struct {
	gain float64 // the part of a run, or of the bytes that it moves, that the change spares
	text string
}

// leastGain is the least gain of a hint.
const leastGain = 0.001

// hints writes the hints, most gain first.
func (e *explanation) hints(b *bytes.Buffer) {
	var all []hint
	for _, from := range []func() []hint{e.tilings, e.inGo, e.unchanging, e.narrower, e.newMemory} {
		all = append(all, from()...)
	}
	all = slices.DeleteFunc(all, func(h hint) bool { return h.gain < leastGain })
	slices.SortStableFunc(all, func(x, y hint) int { return cmp.Compare(y.gain, x.gain) })
	for _, h := range all {
		line(b, "hint", h.text, ir.Pos{})
	}
}

// tilings is the hint to generate the kernels that steps lack. Its gain is the difference to the schedule that has them.
func (e *explanation) tilings() []hint {
	with, err := e.p.compiled.Generated(e.bound)
	if err != nil {
		return nil
	}
	var steps []int
	gain := 0.0
	for i := range with.Tasks {
		t := &with.Tasks[i]
		for k := range t.Choices {
			now, then := e.choice(t.First+k), &t.Choices[k]
			if now == nil || now.Kernels < 2 || then.Kernels > 1 {
				continue
			}
			steps = append(steps, t.First+k)
			gain += e.costs[t.First+k] * max(0, 1-then.Cost/now.Cost)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	text := fmt.Sprintf("genkernels: %s several kernels; one generated kernel for each step spares about %s of a run", doText(steps, "call"), shareText(gain))
	if e.p.compiled.Assembles() {
		switch _, due := e.bound.Assembled(); {
		case jit.Off() != nil:
			text += fmt.Sprintf("; the run-time tier is off: %v", jit.Off())
		case due > 0:
			text += fmt.Sprintf("; the run-time tier assembles them by itself once they have taken %v by estimate", rounded(due))
		}
	}
	return []hint{{gain, text}}
}

// doText says what steps do, by a verb without and with the s of one step: "step 3 calls", "steps 3 and 4 call".
func doText(steps []int, verb string) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d %ss", steps[0], verb)
	}
	return fmt.Sprintf("steps %s %s", numbersText(steps), verb)
}

// numbersText lists numbers, with ranges for those that follow one another.
func numbersText(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		switch {
		case k == i:
			parts = append(parts, strconv.Itoa(list[i]))
		case k == i+1:
			parts = append(parts, strconv.Itoa(list[i]), strconv.Itoa(list[k]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[k]))
		}
		i = k + 1
	}
	return fewOf(parts)
}

// inGo are hints about steps that run as Go code although the processor runs the library's assembly.
func (e *explanation) inGo() []hint {
	if !e.p.compiled.Executor().Assembly() {
		return nil
	}
	steps, order := map[string][]int{}, []string(nil)
	for i := range e.pl.Steps {
		c := e.choice(i)
		if c == nil || !program.InGo(c) {
			continue
		}
		if steps[c.Kernel] == nil {
			order = append(order, c.Kernel)
		}
		steps[c.Kernel] = append(steps[c.Kernel], i)
	}
	var all []hint
	for _, k := range order {
		share := 0.0
		for _, i := range steps[k] {
			share += e.costs[i]
		}
		all = append(all, hint{share, fmt.Sprintf("%s as Go code, %s of a run: no assembly of %q is built in, and none can be generated", doText(steps[k], "run"), shareText(share), k)})
	}
	return all
}

// unchanging is the hint to capture inputs that may be the same in all runs: steps that depend on one of them only, and
// whose results are read together with other inputs, would run once. Inputs that the program updates are left out.
func (e *explanation) unchanging() []hint {
	const none, several = -1, -2
	join := func(a, b int) int {
		switch {
		case a == none || a == b:
			return b
		case b == none:
			return a
		}
		return several
	}
	of := make([]int, len(e.pl.Buffers)) // by buffer: the only input that it depends on
	for i := range e.pl.Buffers {
		of[i] = none
		if b := &e.pl.Buffers[i]; b.Kind == plan.ParamBuffer && !e.p.compiled.IsFrozen(b.Index) {
			if of[i] = b.Index; b.Index >= len(e.p.inputs) { // a Variable
				of[i] = several
			}
		}
	}
	steps := make([]int, len(e.pl.Steps))
	mixed := map[int]bool{} // inputs whose results are read together with others
	for i := range e.pl.Steps {
		s := &e.pl.Steps[i]
		steps[i] = none
		for _, a := range s.In {
			steps[i] = join(steps[i], of[a.Buffer])
		}
		for _, a := range s.In {
			mixed[of[a.Buffer]] = mixed[of[a.Buffer]] || steps[i] == several && e.pl.Buffers[a.Buffer].Kind == plan.TempBuffer
		}
		for _, o := range s.Out {
			of[o.Buffer] = join(of[o.Buffer], steps[i])
		}
	}
	var list []int
	var names []string
	share := 0.0
	for i, k := range steps {
		alone := e.tasks[i] == nil || e.tasks[i].Last == e.tasks[i].First // the steps of row groups run in each run
		if k < 0 || !mixed[k] || !alone || e.updated(k) || e.pl.Buffers[e.pl.Steps[i].Out[0].Buffer].Kind == plan.ResultBuffer {
			continue
		}
		list = append(list, i)
		share += e.costs[i]
		if name := e.p.inputs[k].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	on, what := names[0]+" only", names[0]+" if it is"
	if len(names) > 1 {
		on, what = "one input only", fewOf(names)+" if they are"
	}
	return []hint{{share, fmt.Sprintf("Const: %s on %s; capture %s the same in all runs, and %s once, which spares about %s of a run",
		doText(list, "depend"), on, what, doText(list, "run"), shareText(share))}}
}

// updated reports whether a result has the type and shape of input k and is computed from it: a training step or a simulation
// gives the input another value in each run.
func (e *explanation) updated(k int) bool {
	input := slices.IndexFunc(e.pl.Buffers, func(b plan.Buffer) bool { return b.Kind == plan.ParamBuffer && b.Index == k })
	like := &e.pl.Buffers[input]
	next := func(b plan.Buffer) bool {
		return b.Kind == plan.ResultBuffer && b.DType == like.DType && slices.Equal(b.Shape, like.Shape)
	}
	if !slices.ContainsFunc(e.pl.Buffers, next) { // which is soon told, of a model with thousands of weights too
		return false
	}
	from := make([]bool, len(e.pl.Buffers))
	from[input] = true
	for i := range e.pl.Steps {
		s := &e.pl.Steps[i]
		if !slices.ContainsFunc(s.In, func(a plan.Access) bool { return from[a.Buffer] }) {
			continue
		}
		for _, o := range s.Out {
			if from[o.Buffer] = true; next(e.pl.Buffers[o.Buffer]) {
				return true
			}
		}
	}
	return false
}

// narrower are hints to move what widens elements behind what stores them: a cast behind Pad, say. A temporary counts if each
// element is computed from one element of a shorter type, by steps that only compute, and read by steps that could compute it.
func (e *explanation) narrower() []hint {
	moved, _ := traffic(e.pl)
	touched := make([]int, len(e.pl.Buffers))
	for i := range e.pl.Steps {
		e.pl.CountBytes(i, touched)
	}
	var all []hint
	for b := range e.pl.Buffers {
		from := e.widened(b)
		if from == ir.Invalid {
			continue
		}
		writers, readers := e.uses.Writers(b), e.uses.Readers(b)
		wide := e.pl.Buffers[b].DType
		less := int(float64(touched[b]) * float64(from.Size()) / float64(wide.Size()))
		what, pos := storedFor(e.pl.Ledger, writers)
		text := fmt.Sprintf("order: apply %s after %s, not before it: what is stored for %s then moves %s as %s, not %s as %s",
			opCounts(bodyOps(&e.pl.Steps[writers[0]])), what, e.stepNames(readers), byteText(less), from, byteText(touched[b]), wide)
		if pos != (ir.Pos{}) {
			text = fmt.Sprintf("%-60s // %s", text, pos)
		}
		all = append(all, hint{float64(touched[b]-less) / float64(max(moved, 1)), text})
	}
	return all
}

// bodyOps returns the ops of a step's body.
func bodyOps(s *plan.Step) (ops []ir.Op) {
	for _, in := range s.Body.Body {
		ops = append(ops, in.Op)
	}
	return ops
}

// storedFor returns the op for which steps store their common result, and its line. If no decision is about these steps, it is
// the only one that is about no step.
func storedFor(ledger []Decision, writers []int) (what string, pos ir.Pos) {
	var own, others []Decision
	for _, d := range ledger {
		switch {
		case d.Kind != plan.Copied && !(d.Kind == plan.Materialized && d.Op.IsJoin()):
		case slices.Contains(writers, d.Step):
			own = append(own, d)
		case d.Step < 0:
			others = append(others, d)
		}
	}
	switch {
	case len(own) > 0:
		return own[len(own)-1].Op.String(), own[len(own)-1].Pos
	case len(others) == 1:
		return others[0].Op.String(), others[0].Pos
	}
	return "copy", pos
}

// widened returns the shorter type that a temporary could be stored in, or the invalid type.
func (e *explanation) widened(b int) DType {
	buf := &e.pl.Buffers[b]
	writers, readers := e.uses.Writers(b), e.uses.Readers(b)
	if buf.Kind != plan.TempBuffer || len(writers) == 0 || len(readers) == 0 {
		return ir.Invalid
	}
	from := ir.Invalid
	arranges := len(writers) > 1 // several steps that store parts of it arrange elements
	for _, w := range writers {
		s, varying := &e.pl.Steps[w], 0
		if !s.Elementwise() || len(s.Out) != 1 || len(s.Body.Body) == 0 {
			return ir.Invalid
		}
		for _, a := range s.In {
			in := &e.pl.Buffers[a.Buffer]
			if in.Kind == plan.ConstBuffer {
				continue
			}
			if varying++; varying > 1 || in.Kind == plan.IotaBuffer || from != ir.Invalid && in.DType != from {
				return ir.Invalid
			}
			from = in.DType
		}
	}
	if from == ir.Invalid || from.Size() >= buf.DType.Size() || !arranges && !e.copied(writers[0]) {
		return ir.Invalid
	}
	for _, r := range readers {
		if s := &e.pl.Steps[r]; s.OnLines() || s.Contracts() || s.Scans() {
			return ir.Invalid
		}
	}
	return from
}

// copied reports whether a step stores a value because of a copy.
func (e *explanation) copied(step int) bool {
	return slices.ContainsFunc(e.pl.Ledger, func(d Decision) bool { return d.Step == step && d.Kind == plan.Copied })
}

// newMemory is the hint to give runs the memory of results, if the last run had to take new memory for them.
func (e *explanation) newMemory() []hint {
	if !e.bound.Linked.MadeResults() {
		return nil
	}
	bytes, moved := bytesOf(e.pl, plan.ResultBuffer), 0
	if moved, _ = traffic(e.pl); bytes < 1<<20 { // smaller ones are soon found in the caches
		return nil
	}
	return []hint{{float64(bytes) / float64(moved+bytes), fmt.Sprintf("RunInto, or Release of results that are done with: runs take %s of new memory for results, which the system clears first", byteText(bytes))}}
}
