package graph

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/internal/page"
	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Explain describes what the program does when it runs. Hints come first: what would make it faster, most gain first.
// Then come its steps with their share of the estimated cost, their kernels and engines; what was fused, and why
// something was not; what is copied, and why; and the bytes that are moved, beside the least possible (inputs read
// once, outputs written once). Repeated runs of steps, such as the layers of a model, and equal decisions are told
// once, with their number. With symbolic sizes it describes the last run, or example sizes before any run, if some fit
// the graph. ExplainStep has all that is known of one step.
func (p *Program) Explain() string {
	if p.empty() {
		return noProgram + "\n"
	}
	var b bytes.Buffer
	e := p.explanation()
	fmt.Fprintf(&b, "program %s\n", p.name)
	if e != nil {
		e.hints(&b)
	}
	explainPorts(&b, "in", p.inputs)
	captured := make([]Port, len(p.compiled.Captured))
	for i, t := range p.compiled.Captured {
		param := p.compiled.Func.Params[len(p.inputs)+i]
		captured[i] = Port{Name: param.Name(), DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...), Pos: param.Pos}
	}
	explainPorts(&b, "const", captured)
	explainPorts(&b, "out", p.outputs)
	for _, z := range p.zeros {
		line(&b, "zero", z.text, z.pos)
	}
	if e == nil {
		line(&b, "sizes", noExample, ir.Pos{})
		return b.String()
	}
	e.sizes(&b)
	e.steps(&b)
	p.explainAssembled(&b, e.bound, e.nests)
	e.ledger(&b)
	e.once(&b)
	p.explainInPlace(&b, e.bound)
	explainBytes(&b, e.pl, e.nests.Arena)
	p.Profile().explain(&b)
	return b.String()
}

// explanation is what Explain knows of a binding: the plan and the schedule of its runs.
type explanation struct {
	p     *Program
	bound *program.Binding
	pl    *plan.Plan
	nests *nest.Program
	uses  *plan.Uses
	tasks []*nest.Task // by step: the first task that computes it
	costs []float64    // by step: its part of a run, together 1: estimated, or measured; see measured
}

// explanation describes the latest binding. It returns nil if the program has no binding.
func (p *Program) explanation() *explanation {
	bound := p.latest()
	if bound == nil {
		return nil
	}
	nests, err := p.compiled.ScheduleOf(bound, bound.Plan) // the tasks that run
	if err != nil {
		panic("BUG: graph: what was scheduled once can be again: " + err.Error())
	}
	e := &explanation{p: p, bound: bound, pl: bound.Plan, nests: nests, uses: bound.Plan.Uses()}
	e.tasks, e.costs = make([]*nest.Task, len(e.pl.Steps)), make([]float64, len(e.pl.Steps))
	for i := range nests.Tasks {
		if t := &nests.Tasks[i]; !nests.Continues(i) {
			for step := t.First; step <= t.Last; step++ {
				e.tasks[step] = t
			}
		}
	}
	sum := 0.0
	for i, t := range e.tasks {
		if t == nil || i-t.First >= len(t.Choices) { // a step without elements
			continue
		}
		if e.costs[i] = t.Choices[i-t.First].Cost; e.measured() {
			e.costs[i] = float64(bound.Times.Median(i, i))
		}
		sum += e.costs[i]
	}
	for i := range e.costs {
		e.costs[i] /= max(sum, 1)
	}
	return e
}

// measured reports whether the binding's runs were profiled, so that the parts of a run are measured.
func (e *explanation) measured() bool { return e.bound.Times != nil && e.bound.Times.Runs() > 0 }

// shareText returns a part of a run in percent.
func shareText(part float64) string {
	switch {
	case part >= 0.095:
		return fmt.Sprintf("%.0f%%", 100*part)
	case part >= 0.0005:
		return fmt.Sprintf("%.1f%%", 100*part)
	}
	return "<0.1%"
}

// mostPorts is the most inputs, constants or outputs that Explain tells one by one.
const mostPorts = 8

// explainPorts writes inputs, constants or outputs: one a row, or if they are many one row for each type.
func explainPorts(b *bytes.Buffer, about string, ports []Port) {
	if len(ports) <= mostPorts {
		for _, in := range ports {
			line(b, about, in.String(), in.Pos)
		}
		return
	}
	var types []string
	named := map[string][]string{}
	for _, in := range ports {
		text := in.typeText()
		if named[text] == nil {
			types = append(types, text)
		}
		named[text] = append(named[text], in.Name)
	}
	for _, text := range types {
		of := named[text]
		if len(of) == 1 {
			line(b, about, of[0]+" "+text, ir.Pos{})
			continue
		}
		line(b, about, fmt.Sprintf("%d of %s: %s", len(of), text, fewOf(of)), ir.Pos{})
	}
}

// fewOf lists the first names of a list, and says how many more there are.
func fewOf(names []string) string {
	const most = 4
	if len(names) <= most+1 {
		return listed(names)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// listed joins names: "a, b and c".
func listed(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}

// sizes writes the row of the symbolic sizes.
func (e *explanation) sizes(b *bytes.Buffer) {
	if len(e.p.compiled.Sizes) == 0 {
		return
	}
	about := "of the last run: "
	if e.bound == e.p.compiled.Shown {
		about = "for example: "
	}
	about += e.p.compiled.SizesText(e.bound.Sizes)
	if !maps.Equal(e.bound.Sizes, e.bound.Passed) {
		about += "; the passes saw " + e.p.compiled.SizesText(e.bound.Passed)
	}
	line(b, "sizes", about, ir.Pos{})
}

// once writes the row of what is computed of constants. The option WithProfile adds the time that this took.
func (e *explanation) once(b *bytes.Buffer) {
	once := e.bound.Once
	if once == nil {
		return
	}
	text := fmt.Sprintf("%s of constants, for all runs: %s kept", plural(len(once.Steps), "step"), byteText(bytesOf(once, plan.ResultBuffer)))
	if took, known := e.bound.OnceTook(); known && e.bound.Times != nil {
		text += fmt.Sprintf(", computed in %v by the first run", rounded(took))
	}
	var of []string
	for i := range once.Buffers {
		if buf := &once.Buffers[i]; buf.Kind == plan.ParamBuffer {
			of = append(of, buf.Name)
		}
	}
	if len(of) > 0 {
		text += "; of " + fewOf(of)
	}
	line(b, "once", text, ir.Pos{})
}

// noExample is the text for a program that has not run yet and whose graph fits no example sizes.
const noExample = "no example sizes were found that the graph fits: run the program, then this tells of the run"

// line writes a row: a heading, the text, and the source position.
func line(b *bytes.Buffer, about, text string, pos ir.Pos) {
	if pos != (ir.Pos{}) {
		text = fmt.Sprintf("%-60s // %s", text, pos)
	}
	fmt.Fprintf(b, "  %-7s %s\n", about, text)
}

// stepText says what a step computes, over which indices, and into which part of an array.
func (p *Program) stepText(pl *plan.Plan, i int) string {
	step := &pl.Steps[i]
	if step.Contracts() {
		return product(step) + p.partsText(pl, i)
	}
	return strings.Join(work(step), " and ") + " over " + ir.ShapeOf(step.Extents()...).String() + p.partsText(pl, i)
}

// choiceText names the strategy and the kernels of a step.
func choiceText(c *nest.Choice) string {
	text := c.Strategy + ", one " + c.Engine + " kernel"
	if c.Kernels != 1 {
		text = fmt.Sprintf("%s of %d %s kernels", c.Strategy, c.Kernels, c.Engine)
	}
	if n := len(c.Packed); n > 0 {
		text += fmt.Sprintf(", %s packed", plural(n, "operand"))
	}
	if n := len(c.NonTemporal); n > 0 {
		text += fmt.Sprintf(", %s past the caches", plural(n, "output"))
	}
	return text
}

// work names what a step computes: its ops, its reductions or scans, and ops on lines.
func work(step *plan.Step) []string {
	var parts []string
	if ops := len(step.Body.Body); ops > 0 {
		parts = append(parts, plural(ops, "op"))
	}
	for _, o := range step.Out {
		switch {
		case o.Stored():
		case step.OnLines():
			parts = append(parts, "a "+o.Combine.String()+" of lines")
		case step.Scans():
			parts = append(parts, "a scan by "+o.Combine.String())
		default:
			parts = append(parts, "a reduction by "+o.Combine.String())
		}
	}
	return parts
}

// product describes the operands of a product.
func product(s *plan.Step) string {
	at, extents := s.Product(), s.Extents()
	pairs, _ := layout.NumElems(extents[at.Pairs:at.Rows]) // the plan is verified, so all operands exist
	rows, _ := layout.NumElems(extents[at.Rows:at.Cols])
	cols, _ := layout.NumElems(extents[at.Cols:])
	text := fmt.Sprintf("a product [%d,%d] x [%d,%d]", rows, pairs, pairs, cols)
	if at.Pairs > 0 {
		text += " for each of " + ir.ShapeOf(extents[:at.Pairs]...).String()
	}
	return text
}

// opCounts lists ops in order of first occurrence: "sub, mul x2".
func opCounts(ops []ir.Op) string {
	count := map[ir.Op]int{}
	var order []string
	for _, op := range ops {
		if count[op]++; count[op] == 1 {
			order = append(order, op.String())
		}
	}
	for i, name := range order {
		op, _ := ir.OpByName(name)
		if n := count[op]; n > 1 {
			order[i] += " x" + strconv.Itoa(n)
		}
	}
	return strings.Join(order, ", ")
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// byteText prints a number of bytes to three digits.
func byteText(n int) string { return page.Bytes(n) }
