package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Explain says what the program does when it runs: its steps with their kernels
// and engines; what was fused, and why something was not; what is copied, and
// why; and the bytes that are moved, beside the least that any program must
// move: the inputs read once and the outputs written once. With symbolic sizes
// it speaks of the last run, and before any run of sizes that it makes up, if it
// finds some that the graph fits.
func (p *Program) Explain() string {
	if p.empty() {
		return noProgram + "\n"
	}
	var b strings.Builder
	bound := p.latest()
	fmt.Fprintf(&b, "program %s\n", p.name)
	for _, in := range p.inputs {
		line(&b, "in", in.String(), in.Pos)
	}
	for i, t := range p.captured {
		param := p.fn.Params[len(p.inputs)+i]
		line(&b, "const", fmt.Sprintf("%s %s", param.Name, tensorText(t)), param.Pos)
	}
	for _, out := range p.outputs {
		line(&b, "out", out.String(), out.Pos)
	}
	if bound == nil {
		line(&b, "sizes", noExample, ir.Pos{})
		return b.String()
	}
	if len(p.sizes) > 0 {
		about := "of the last run: "
		if bound == p.shown {
			about = "for example: "
		}
		line(&b, "sizes", about+sizesText(p.sizes, bound.sizes), ir.Pos{})
	}
	steps := bound.linked.Steps()
	for i, s := range steps {
		explainStep(&b, i, bound.plan, s)
	}
	explainLedger(&b, bound.plan.Ledger)
	explainBytes(&b, bound.plan, steps)
	return b.String()
}

// noExample is what there is to say of a program that has not run yet when the
// graph fits none of the example sizes.
const noExample = "no example sizes were found that the graph fits: run the program, then this tells of the run"

// line writes a row: what it is about, the text, and where in the source.
func line(b *strings.Builder, about, text string, pos ir.Pos) {
	if pos != (ir.Pos{}) {
		text = fmt.Sprintf("%-60s // %s", text, pos)
	}
	fmt.Fprintf(b, "  %-8s%s\n", about, text)
}

func explainStep(b *strings.Builder, i int, plan *plan.Plan, s runtime.StepInfo) {
	step := &plan.Steps[i]
	text := strings.Join(work(step), " and ") + " over " + ir.ShapeOf(step.Extents...).String()
	if step.Kernel.Dots() {
		text = product(step.Extents)
	}
	if s.Group >= 0 {
		g := &plan.Rows[s.Group]
		text += fmt.Sprintf(", blocks of %s through steps %d to %d", plural(s.Block, "row"), g.First, g.Last)
	}
	switch s.Compiled {
	case "":
	case "kernel":
		text += ": one " + s.Engine + " kernel"
	default:
		text += ": " + s.Engine + ", " + s.Compiled
	}
	if n := len(s.Packed); n > 0 {
		text += fmt.Sprintf(", %s packed", plural(n, "operand"))
	}
	if n := len(s.Streamed); n > 0 {
		text += fmt.Sprintf(", %s streamed", plural(n, "output"))
	}
	line(b, "step "+strconv.Itoa(i), text, s.Pos)
	line(b, "", s.Signature, ir.Pos{})
}

// work says what a step computes: its ops, and what it folds or scans by.
func work(step *plan.FlatStep) []string {
	var parts []string
	k := step.Kernel
	ops, by := len(k.Body), slices.Clone(k.Fold)
	if step.Down && step.Scan == plan.NoScan { // the instructions of accumulators
		for o, v := range k.Out {
			if step.Accumulates(len(k.In) + o) {
				by = append(by, k.Inst(v).Op)
				ops--
			}
		}
	}
	if ops > 0 {
		parts = append(parts, plural(ops, "op"))
	}
	for _, op := range by {
		switch {
		case op == ir.OpInvalid:
		case step.Scan != plan.NoScan:
			parts = append(parts, "a scan by "+op.String())
		default:
			parts = append(parts, "a fold by "+op.String())
		}
	}
	return parts
}

// product says what the step of a product with such extents multiplies.
func product(extents []int) string {
	lead := len(extents) - 3
	pairs, rows, cols := extents[lead], extents[lead+1], extents[lead+2]
	text := fmt.Sprintf("a product [%d,%d] x [%d,%d]", rows, pairs, pairs, cols)
	if lead > 0 {
		text += " for each of " + ir.ShapeOf(extents[:lead]...).String()
	}
	return text
}

// explainLedger sums up the decisions. Those that cost memory traffic are told
// one by one, but for repeats.
func explainLedger(b *strings.Builder, ledger []Decision) {
	var fused []ir.Op
	saved := 0
	var told []Decision
	seen := map[Decision]bool{}
	for _, d := range ledger {
		if d.Kind == plan.Fused {
			fused = append(fused, d.Op)
			saved += d.Bytes
		} else if !seen[d] {
			seen[d] = true
			told = append(told, d)
		}
	}
	if len(fused) > 0 {
		line(b, "fused", fmt.Sprintf("%s: %s not moved", opCounts(fused), byteText(saved)), ir.Pos{})
	}
	for _, d := range told {
		what := d.Op.String() + ", " + byteText(d.Bytes)
		switch d.Kind {
		case plan.Copied:
			what = byteText(d.Bytes)
		case plan.Rewritten:
			what = d.Op.String()
		}
		line(b, costs[d.Kind], what+": "+d.Reason, d.Pos)
	}
}

// costs are short words for the decisions that cost memory traffic.
var costs = map[plan.DecisionKind]string{plan.Materialized: "stored", plan.Copied: "copied", plan.Staged: "staged", plan.Recomputed: "again", plan.Rewritten: "other"}

func explainBytes(b *strings.Builder, pl *plan.Plan, steps []runtime.StepInfo) {
	moved, least := 0, 0
	for _, s := range steps {
		moved += s.Read + s.Written
	}
	for i := range pl.Buffers {
		switch buf := &pl.Buffers[i]; buf.Kind {
		case plan.ParamBuffer, plan.ResultBuffer:
			least += buf.Size() * buf.DType.Size()
		}
	}
	text := fmt.Sprintf("%s; inputs and outputs once each are %s", byteText(moved), byteText(least))
	if arena := pl.Arena; arena > 0 {
		text += "; temporaries take " + byteText(arena)
	}
	line(b, "moves", text, ir.Pos{})
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
func byteText(n int) string {
	size, unit := float64(n), ""
	for _, u := range []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"} {
		if size < 1000 {
			break
		}
		size, unit = size/1024, u
	}
	return strconv.FormatFloat(size, 'g', 3, 64) + " " + unit + "B"
}

func tensorText(t *Tensor) string {
	return specText(ir.Type{DType: t.DType(), Shape: ir.ShapeOf(t.Shape()...)}, nil)
}
