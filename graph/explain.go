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

// Explain describes what the program does when it runs: its steps with their kernels and engines; what was fused, and
// why something was not; what is copied, and why; and the bytes that are moved, beside the least possible (inputs read
// once, outputs written once). With symbolic sizes it describes the last run, or example sizes before any run, if some
// fit the graph.
func (p *Program) Explain() string {
	if p.empty() {
		return noProgram + "\n"
	}
	var b bytes.Buffer
	bound := p.latest()
	fmt.Fprintf(&b, "program %s\n", p.name)
	for _, in := range p.inputs {
		line(&b, "in", in.String(), in.Pos)
	}
	for i, t := range p.compiled.Captured {
		param := p.compiled.Func.Params[len(p.inputs)+i]
		line(&b, "const", fmt.Sprintf("%s %s", param.Name(), tensorText(t)), param.Pos)
	}
	for _, out := range p.outputs {
		line(&b, "out", out.String(), out.Pos)
	}
	for _, z := range p.zeros {
		line(&b, "zero", z.text, z.pos)
	}
	if bound == nil {
		line(&b, "sizes", noExample, ir.Pos{})
		return b.String()
	}
	if len(p.compiled.Sizes) > 0 {
		about := "of the last run: "
		if bound == p.compiled.Shown {
			about = "for example: "
		}
		about += p.compiled.SizesText(bound.Sizes)
		if !maps.Equal(bound.Sizes, bound.Passed) {
			about += "; the passes saw " + p.compiled.SizesText(bound.Passed)
		}
		line(&b, "sizes", about, ir.Pos{})
	}
	nests, err := p.compiled.ScheduleOf(bound, bound.Plan) // the tasks that run
	if err != nil {
		panic("BUG: graph: what was scheduled once can be again: " + err.Error())
	}
	for i := range nests.Tasks {
		if !nests.Continues(i) {
			p.explainTask(&b, bound.Plan, &nests.Tasks[i])
		}
	}
	p.explainAssembled(&b, bound, nests)
	explainLedger(&b, bound.Plan.Ledger)
	if bound.Once != nil {
		explainOnce(&b, bound)
	}
	p.explainInPlace(&b, bound)
	explainBytes(&b, bound.Plan, nests.Arena)
	p.Profile().explain(&b)
	return b.String()
}

// explainOnce writes the row of what is computed of constants. The option WithProfile adds the time that this took.
func explainOnce(b *bytes.Buffer, bound *program.Binding) {
	text := fmt.Sprintf("%s of constants, for all runs: %s kept", plural(len(bound.Once.Steps), "step"), byteText(bytesOf(bound.Once, plan.ResultBuffer)))
	if took, known := bound.OnceTook(); known && bound.Times != nil {
		text += fmt.Sprintf(", computed in %v by the first run", rounded(took))
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

// explainTask describes what each step of a task computes, and how.
func (p *Program) explainTask(b *bytes.Buffer, pl *plan.Plan, t *nest.Task) {
	for i := t.First; i <= t.Last; i++ {
		step := &pl.Steps[i]
		text := p.stepText(pl, i)
		if t.Last > t.First {
			text += fmt.Sprintf(", blocks of %s through steps %d to %d", plural(t.Block, "row"), t.First, t.Last)
		}
		if i-t.First >= len(t.Choices) { // a step without elements
			line(b, "step "+strconv.Itoa(i), text, step.Pos)
			continue
		}
		c := &t.Choices[i-t.First]
		line(b, "step "+strconv.Itoa(i), text+": "+choiceText(c), step.Pos)
		line(b, "", c.Kernel, ir.Pos{})
		explainCost(b, c)
	}
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

// explainCost writes the cost of the chosen strategy, the cheapest other one, and why the rest cannot compute the step.
func explainCost(b *bytes.Buffer, c *nest.Choice) {
	text := fmt.Sprintf("cost %.3g", c.Cost)
	best := -1
	for i, r := range c.Rejected {
		if r.Why == "" && (best < 0 || r.Cost < c.Rejected[best].Cost) {
			best = i
		}
	}
	if best >= 0 {
		text += fmt.Sprintf("; %s costs at least %.3g", c.Rejected[best].Strategy, c.Rejected[best].Cost)
	}
	line(b, "", text, ir.Pos{})
	for _, r := range c.Rejected {
		if r.Why != "" {
			line(b, "", "not "+r.Strategy+": "+r.Why, ir.Pos{})
		}
	}
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

func tensorText(t *Tensor) string {
	return specText(ir.Type{DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...)}, nil)
}
