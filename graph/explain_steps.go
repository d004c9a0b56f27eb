package graph

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/internal/page"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What Explain says about steps. Runs of steps that repeat, such as the layers of a model, are written once.

// steps writes the rows of all steps.
func (e *explanation) steps(b *bytes.Buffer) {
	next := 0
	for _, f := range append(e.folds(), page.Fold{First: len(e.pl.Steps), Last: -1}) {
		for ; next < f.First; next++ {
			e.step(b, next)
		}
		if f.Last < f.First {
			break
		}
		share := 0.0
		for ; next <= f.Last; next++ {
			share += e.costs[next]
		}
		line(b, shareText(share), stepsText(f.First, f.Last)+" "+f.Text, ir.Pos{})
	}
}

// folds returns the runs of steps that are like steps before them.
func (e *explanation) folds() (folds []page.Fold) {
	ids, of := map[string]int{}, make([]int, len(e.pl.Steps))
	for i := range of {
		key := e.kindOf(i)
		id, met := ids[key]
		if !met {
			id = len(ids)
			ids[key] = id
		}
		of[i] = id
	}
	for i := 0; i < len(of); {
		period, times := repeats(of[i:])
		if end := i + period*times; times > 1 {
			folds = append(folds, page.Fold{First: i + period, Last: end - 1, Text: fmt.Sprintf("%s, %s more", as(i, i+period-1), timesText(times-1))})
		}
		i += period * times
	}
	return folds
}

// as says which steps other steps are like.
func as(first, last int) string {
	if first == last {
		return fmt.Sprintf("is like step %d", first)
	}
	return fmt.Sprintf("are like steps %d to %d", first, last)
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// stepsText names a range of steps.
func stepsText(first, last int) string {
	if first == last {
		return "step " + strconv.Itoa(first)
	}
	return fmt.Sprintf("steps %d to %d", first, last)
}

// leastFolded is the least number of steps that are worth a row that says that they repeat.
const leastFolded = 2

// repeats finds the repeated run of numbers with which a list begins. It returns the run's length and how many times the run
// occurs in a row, for the run that covers the most numbers; of several, for the shortest. Without a repetition it returns 1, 1.
func repeats(list []int) (period, times int) {
	period, times = 1, 1
	most := leastFolded - 1
	for n := 1; 2*n <= len(list); n++ {
		same := 0 // how many numbers are those n before
		for n+same < len(list) && list[same] == list[n+same] {
			same++
		}
		if k := same / n; k*n > most {
			period, times, most = n, 1+k, k*n
		}
		if same < n && len(list)-n <= most { // no longer run has as many repeats
			break
		}
	}
	return period, times
}

// kindOf returns a text that is equal for steps of which Explain says the same, but for numbers of steps, names of inputs
// and positions.
func (e *explanation) kindOf(i int) string {
	t, c := e.tasks[i], e.choice(i)
	text := e.p.stepText(e.pl, i)
	if t != nil {
		text += fmt.Sprint("\n", t.Block, i-t.First, t.Last-i)
	}
	if c != nil {
		text += fmt.Sprint("\n", c.Strategy, c.Engine, c.Kernels, c.Packed, c.NonTemporal, "\n", c.Kernel)
	}
	return text
}

// choice returns how a step is computed, or nil if it has no elements.
func (e *explanation) choice(i int) *nest.Choice {
	if t := e.tasks[i]; t != nil && i-t.First < len(t.Choices) {
		return &t.Choices[i-t.First]
	}
	return nil
}

// step writes the rows of a step: what it computes and how; its share of the run and the signature of its loop; and the
// kernels of a tiling.
func (e *explanation) step(b *bytes.Buffer, i int) {
	text, c := e.p.stepText(e.pl, i), e.choice(i)
	t := e.tasks[i]
	if t != nil && t.Last > t.First {
		text += fmt.Sprintf(", blocks of %s through steps %d to %d", plural(t.Block, "row"), t.First, t.Last)
	}
	if c == nil {
		line(b, "step "+strconv.Itoa(i), text, e.pl.Steps[i].Pos)
		return
	}
	text += ": " + choiceText(c)
	if len(c.Packed) > 0 {
		var names []string
		for _, o := range c.Packed {
			names = append(names, e.operandName(i, o))
		}
		text += " (" + fewOf(names) + ")"
	}
	line(b, "step "+strconv.Itoa(i), text, e.pl.Steps[i].Pos)
	line(b, shareText(e.costs[i]), c.Kernel, ir.Pos{})
	if c.Kernels > 1 {
		e.calls(b, i)
	}
}

// calls writes the kernels of a step that calls several, or the first step that calls the same ones.
func (e *explanation) calls(b *bytes.Buffer, step int) {
	list := e.called(step)
	for i := range step {
		if c := e.choice(i); c != nil && c.Kernels > 1 && slices.Equal(e.called(i), list) {
			line(b, "", fmt.Sprintf("calls the kernels of step %d", i), ir.Pos{})
			return
		}
	}
	line(b, "", "calls "+strings.Join(list, ", "), ir.Pos{})
}

// called returns the signatures of the kernels that a step calls, each once, in the order of the calls.
func (e *explanation) called(step int) (all []string) {
	for i := range e.nests.Tasks {
		of := &e.nests.Tasks[i]
		if step < of.First || step > of.Last {
			continue
		}
		for c := range nest.Calls(of.Of(step)) {
			if k := c.Kernel.Signature(); !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// operandName names operand o of a step, the inputs first.
func (e *explanation) operandName(i, o int) string {
	s := &e.pl.Steps[i]
	if o < len(s.In) {
		return e.bufferName(s.In[o].Buffer, i)
	}
	return e.storedName(s.Out[o-len(s.In)].Buffer)
}

// storedName names a buffer that a step stores to.
func (e *explanation) storedName(buffer int) string {
	if b := &e.pl.Buffers[buffer]; b.Kind == plan.ResultBuffer {
		return e.p.outputs[b.Index].Name
	}
	return "its result"
}

// bufferName names a buffer that a step reads: by its input, constant or output, or by the steps that store it.
func (e *explanation) bufferName(buffer, step int) string {
	switch b := &e.pl.Buffers[buffer]; b.Kind {
	case plan.ParamBuffer:
		return b.Name
	case plan.ResultBuffer:
		return e.p.outputs[b.Index].Name
	case plan.ConstBuffer:
		return ir.ConstText(b.DType, b.Bits)
	case plan.IotaBuffer:
		return "an iota"
	}
	var writers []int
	for _, w := range e.uses.Writers(buffer) {
		if w != step && !slices.Contains(writers, w) {
			writers = append(writers, w)
		}
	}
	switch {
	case len(writers) == 0:
		return "its result"
	case len(writers) == 1:
		return fmt.Sprintf("the result of step %d", writers[0])
	}
	return "the result of steps " + numbersText(writers)
}

// ExplainStep describes one step of Explain in full: its operands; its strategy and the cost of every other one, or the
// first condition that another one needs and the step does not meet, with its numbers; the kernels that it calls; and
// the decisions about its values. It returns a text that says so if there is no such step.
func (p *Program) ExplainStep(i int) string {
	e := (*explanation)(nil)
	if !p.empty() {
		e = p.explanation()
	}
	if e == nil || i < 0 || i >= len(e.pl.Steps) {
		steps := 0
		if e != nil {
			steps = len(e.pl.Steps)
		}
		return fmt.Sprintf("there is no step %d: the program has %d, with numbers from 0\n", i, steps)
	}
	var b bytes.Buffer
	e.step(&b, i)
	s := &e.pl.Steps[i]
	for k, a := range s.In {
		line(&b, "reads", e.bufferName(a.Buffer, i)+" "+e.accessText(a, s.Body.In[k].DType), ir.Pos{})
	}
	for _, o := range s.Out {
		text := e.storedName(o.Buffer)
		if readers := e.uses.Readers(o.Buffer); len(readers) > 0 {
			text += ", read by " + e.stepNames(readers)
		}
		line(&b, "stores", text+" "+e.accessText(o.Access, e.pl.Buffers[o.Buffer].DType), ir.Pos{})
	}
	if c := e.choice(i); c != nil {
		line(&b, "cost", fmt.Sprintf("%.3g additions of float32 by %s", c.Cost, c.Strategy), ir.Pos{})
		for _, r := range e.rejected(i) {
			if r.Why == "" {
				line(&b, "not", fmt.Sprintf("%s: it costs at least %.3g", r.Strategy, r.Cost), ir.Pos{})
			} else {
				line(&b, "not", r.Strategy+": "+r.Why, ir.Pos{})
			}
		}
		for _, k := range e.called(i) {
			line(&b, "calls", k, ir.Pos{})
		}
	}
	e.decisions(&b, func(d *Decision) bool { return d.Step == i })
	return b.String()
}

// accessText describes how a step reads or writes a buffer: its type and shape, and the strides along the step's axes.
func (e *explanation) accessText(a plan.Access, d DType) string {
	return fmt.Sprintf("%s%v, strides %v", d, e.pl.Buffers[a.Buffer].Shape, a.Strides)
}

// rejected returns the strategies that a step does not use, with their reasons in full.
func (e *explanation) rejected(i int) []nest.Rejected {
	nests, err := e.p.compiled.ScheduleReasons(e.bound, e.pl)
	if err != nil {
		panic("BUG: graph: what was scheduled once can be again: " + err.Error())
	}
	for k := range nests.Tasks {
		if t := &nests.Tasks[k]; t.First <= i && i <= t.Last && i-t.First < len(t.Choices) {
			return t.Choices[i-t.First].Rejected
		}
	}
	return nil
}
