package graph

import (
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// inspection is a second compilation of a program that records, for what each level of the compiler made, the value of
// the graph that it came from.
//
// Passes give new values the position of the value that they replace. So inspection replaces the positions of the
// graph's values by their numbers, as file "v" and line number + 1, and reads them back from values, steps, decisions,
// and the ends of lines of text.
type inspection struct {
	p        *Program
	bound    *program.Binding
	built    *ir.Func    // the graph as the user built it
	values   []*ir.Value // values of built with sizes bound: params, then the body
	sites    []ir.Pos    // positions of the values in the user's source
	stages   []stage
	once     *plan.Plan // the part computed once from constants, or nil
	plan     *plan.Plan
	nests    *nest.Program
	steps    [][]int            // the steps that compute each value
	ofStep   [][]int            // the values that each step computes
	computes map[[2]int]bool    // pairs of a value and a step that computes it
	decided  map[int][]Decision // decisions about each value that have a reason
	about    []memoryOf         // why each value is in memory
	times    []passTime
	changed  []string // the names of stages when they were added
	readers  [][]int  // the values that read each value, for its picture
}

// passTime is the least time that a pass took.
type passTime struct {
	pass  string
	least time.Duration
}

// timed is how often passes run to be timed.
const timed = 3

// time measures the passes.
func (x *inspection) time() error {
	for range timed {
		f, err := x.built.Bind(x.bound.Passed)
		if err != nil {
			return err
		}
		begin, k := time.Now(), 0
		_, err = x.p.compiled.Lower(f, x.bound, func(name string, _ func() string) {
			took := time.Since(begin)
			switch {
			case name == "graph":
			case k == len(x.times):
				x.times, k = append(x.times, passTime{name, took}), k+1
			default:
				x.times[k].least, k = min(x.times[k].least, took), k+1
			}
			begin = time.Now()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stage is the text of a level.
type stage struct{ name, text string }

const originFile = "v"

// originOf returns the number of the value that a position stands for, or -1.
func originOf(pos ir.Pos) int {
	if pos.File != originFile {
		return -1
	}
	return pos.Line - 1
}

// inspect compiles the program again, for the sizes and layouts of the last run or for example sizes.
func (p *Program) inspect() (*inspection, error) {
	x := &inspection{p: p, bound: p.latest(), built: p.compiled.Func.Clone(), decided: map[int][]Decision{}}
	for i, v := range slices.Concat(x.built.Params, x.built.Body) {
		x.sites = append(x.sites, v.Pos)
		v.Pos = ir.Pos{File: originFile, Line: i + 1}
	}
	x.stages = []stage{{"graph", x.built.String()}}
	if x.bound == nil {
		x.values = slices.Concat(x.built.Params, x.built.Body)
		x.steps = make([][]int, len(x.values))
		return x, nil
	}
	own, err := x.built.Bind(x.bound.Sizes)
	if err != nil {
		return nil, err
	}
	x.values = slices.Concat(own.Params, own.Body)
	f, err := x.built.Bind(x.bound.Passed)
	if err != nil {
		return nil, err
	}
	if err := x.lower(f); err != nil {
		return nil, err
	}
	return x, nil
}

// lower takes the graph through all levels, as bind does.
func (x *inspection) lower(f *ir.Func) error {
	p := x.p
	whole, err := p.compiled.Lower(f, x.bound, func(name string, text func() string) {
		if name != "graph" {
			x.add(name, withoutLedger(text()))
		}
	})
	if err != nil {
		return err
	}
	var split *plan.Plan
	if x.once, split, x.plan, err = p.compiled.Split(whole, x.bound); err != nil {
		return err
	}
	if x.once != nil {
		x.add("once", x.once.String())
	}
	x.add("split", split.String())
	x.add("steps", x.plan.String())
	if x.nests, err = p.compiled.ScheduleReasons(x.bound, x.plan); err != nil {
		return err
	}
	nests := *x.nests
	nests.Ledger = nil // the ledger is shown with the steps
	x.add("schedule", nests.String())
	x.origins()
	return nil
}

// withoutLedger removes the ledger from the text of a plan that passes still change. The page shows only the final
// ledger.
func withoutLedger(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  # ") }), "")
}

// add appends a stage if it changed something.
func (x *inspection) add(name, text string) {
	if last := &x.stages[len(x.stages)-1]; last.text == text {
		if name == "steps" { // the name of the level rather than of its last pass
			last.name = name
		}
		return
	}
	x.stages = append(x.stages, stage{name, text})
	x.changed = append(x.changed, name)
}

// origins records the steps of each value, and the decisions about it.
func (x *inspection) origins() {
	x.steps, x.ofStep = make([][]int, len(x.values)), make([][]int, len(x.plan.Steps))
	x.about, x.computes = make([]memoryOf, len(x.values)), map[[2]int]bool{}
	computes := func(pos ir.Pos, step int) {
		if v := originOf(pos); v >= 0 && step >= 0 && !x.computes[[2]int{v, step}] {
			x.computes[[2]int{v, step}] = true
			x.steps[v], x.ofStep[step] = append(x.steps[v], step), append(x.ofStep[step], v)
		}
	}
	type about struct {
		v int
		d Decision
	}
	met := map[about]bool{}
	for _, d := range x.plan.Ledger {
		computes(d.Pos, d.Step)
		if v := originOf(d.Pos); v >= 0 && d.Reason != "" && !met[about{v, d}] {
			met[about{v, d}] = true
			x.decided[v] = append(x.decided[v], d)
			x.about[v].add(d)
		}
	}
	for i := range x.plan.Steps {
		computes(x.plan.Steps[i].Pos, i)
	}
	for i, list := range x.ofStep {
		if slices.ContainsFunc(x.plan.Steps[i].Out, func(o plan.Output) bool { return x.plan.Buffers[o.Buffer].Kind == plan.ResultBuffer }) {
			for _, v := range list {
				x.about[v].result = true
			}
		}
	}
}

// lines returns the text of each value of the graph as it was built, without its position.
func (x *inspection) lines() []string {
	body := strings.Split(x.built.String(), "\n")[1:]
	lines := make([]string, len(x.values))
	for i, v := range x.built.Params {
		lines[i] = "%" + ir.NameText(v.Name()) + " : " + v.Type.String()
	}
	for i := range x.built.Body {
		line, _, _ := strings.Cut(body[i], "// "+originFile+":")
		lines[len(x.built.Params)+i] = strings.Join(strings.Fields(line), " ")
	}
	return lines
}
