package graph

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// ChunkElems makes small programs divide work as large ones do: see irtest.Machine.
func ChunkElems(n int) Option { return func(s *settings) { s.tuning = irtest.Machine(n) } }

// Plan returns the plan of the last run, or of the example sizes.
func (p *Program) Plan() *plan.Plan { return p.latest().Plan }

// Sizes returns the sizes of that plan, and the sizes that the passes saw.
func (p *Program) Sizes() (sizes, passed map[string]int) {
	b := p.latest()
	return b.Sizes, b.Passed
}

// Tasks returns the schedule of that plan.
func (p *Program) Tasks() []nest.Task {
	nests, err := p.compiled.Schedule(p.latest().Plan)
	if err != nil {
		panic(err)
	}
	return nests.Tasks
}

// WindowQuantile makes the op's node.
func WindowQuantile(axis int, x, places Node) Node {
	return apply(ir.OpWindowQuantile, ir.Attr{Axis: axis}, x.get(), places.get())
}

// Nth makes the op's node.
func Nth(axis int, x, places Node) Node {
	return apply(ir.OpNth, ir.Attr{Axis: axis}, x.get(), places.get())
}

// StoredFor names the op for which steps store their result.
var StoredFor = storedFor

// Define returns the graph of some outputs as built, and the tensors of the params that are not inputs.
func Define(outputs ...Node) (*ir.Func, []*Tensor, error) {
	var l lowering
	l.walk(outputs)
	l.check(&settings{})
	if err := l.err(); err != nil {
		return nil, nil, err
	}
	return l.function("defined", outputs), l.captured, nil
}

// Halves returns the op of that name on Nodes; MatMulInteger and ConvInteger are composed of such ops.
func Halves(op ir.Op, a *ir.Attr, xs ...Node) Node {
	args := make([]*node, len(xs))
	for i, x := range xs {
		args[i] = x.get()
	}
	return apply(op, *a, args...)
}

// RestartDumps restarts the numbering of dump files, as in another process.
func RestartDumps() { dumped.Store(0) }

// Kept returns the number of living values computed from constants.
func (p *Program) Kept() int { return p.compiled.Kept() }

// Stage is the text of a level, with origins in place of positions.
type Stage struct{ Name, Text string }

// Inspection returns the stages of a program, and the positions of its origins.
func (p *Program) Inspection() ([]Stage, []ir.Pos, error) {
	x, err := p.inspect()
	if err != nil {
		return nil, nil, err
	}
	var stages []Stage
	for _, s := range x.stages {
		stages = append(stages, Stage{s.name, s.text})
	}
	return stages, x.sites, nil
}

// SourceLine returns the text that a page shows for a line of a file.
func SourceLine(file string, line int) string {
	return sourceLines{}.line(ir.Pos{File: file, Line: line})
}

// Edge is the use of a value by another one in the picture of values.
type Edge struct {
	From, To   int
	Label, Why string
}

// Picture returns the values of a program with the steps that compute each, and the edges of
// their picture.
func (p *Program) Picture() (values []*ir.Value, steps [][]int, edges []Edge, err error) {
	x, err := p.inspect()
	if err != nil {
		return nil, nil, nil, err
	}
	for _, e := range x.valuePicture().Edges {
		edges = append(edges, Edge{e.From, e.To, e.Label, e.Why})
	}
	return x.values, x.steps, edges, nil
}

// Threefry returns the random bits of a place.
func Threefry(key, at [2]Node) (high, low Node) { b := threefry(key, at); return b[0], b[1] }

// DerivativeOf returns the form of an op's derivative, "partial", "pull", "zero" or "none", and whether it has only that form.
func DerivativeOf(op ir.Op) (form string, only bool) {
	if int(op) >= len(derivatives) {
		return "", false
	}
	d, forms := derivatives[op], 0
	for name, is := range map[string]bool{"partial": d.partial != nil, "pull": d.pull != nil, "zero": d.zero != "", "none": d.none != ""} {
		if is {
			form = name
			forms++
		}
	}
	return form, forms == 1
}
