package graph

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/internal/page"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// PageOption adds to the page of WriteHTML.
type PageOption func(*page.Page)

// WithAssembly shows the assembly of kernels. A program contains no assembly text, so of returns the text for a
// signature, or "" if there is none.
func WithAssembly(of func(signature string) string) PageOption {
	return func(p *page.Page) { p.Assembly = of }
}

// WriteHTML writes a page that shows the program at every level, side by side: a picture of the graph, the text after
// each pass that changed something, the steps, the schedule and the kernels. A click on a value marks what it became at
// all levels, and shows the line of the user's source if that file can be read and ends in .go. The page lists the
// bytes that each step moves, why values are stored between steps, and with WithProfile the times of the runs so far.
// It is one file without external resources, so a browser can open it from disk.
//
// With symbolic sizes the page is for those of the last run, or for example sizes before any run; if no example sizes
// fit, it shows only the graph.
func (p *Program) WriteHTML(w io.Writer, options ...PageOption) error {
	switch {
	case p.empty():
		return misuse("writehtml", noProgram)
	case w == nil:
		return misuse("writehtml", "the writer is nil")
	case slices.ContainsFunc(options, func(o PageOption) bool { return o == nil }):
		return misuse("writehtml", "an option is nil")
	}
	x, err := p.inspect()
	if err == nil && x.plan != nil {
		err = x.time()
	}
	if err != nil {
		return err
	}
	out := x.page()
	for _, o := range options {
		o(out)
	}
	return out.Write(w)
}

// page fills the page.
func (x *inspection) page() *page.Page {
	out := &page.Page{Name: x.p.name, Graph: x.valuePicture(), Values: x.pageValues()}
	for i, s := range x.stages {
		open := i == 0 || s.name == "steps" || s.name == "schedule"
		out.Columns = append(out.Columns, page.Column{Name: s.name, Text: s.text, Open: open})
	}
	for _, in := range x.p.inputs {
		out.About = append(out.About, in.String())
	}
	if x.plan == nil {
		out.About = append(out.About, noExample)
		return out
	}
	if len(x.p.compiled.Sizes) > 0 {
		out.About = append(out.About, x.p.compiled.SizesText(x.bound.Sizes))
	}
	out.Flow = x.stepPicture()
	out.Steps, out.Kernels = x.pageSteps(), x.pageKernels()
	if e := x.p.explanation(); e != nil {
		out.Folds = e.folds()
		out.Notes = e.notes()
	}
	out.Passes = x.pagePasses()
	out.Moved, out.Least = traffic(x.plan)
	x.measured(out)
	return out
}

// notes returns the lines of Explain with hints and in-place outputs, and the memory of temporaries.
func (e *explanation) notes() (list []string) {
	var b bytes.Buffer
	e.hints(&b)
	e.p.explainInPlace(&b, e.bound)
	for l := range strings.Lines(b.String()) {
		about, text, _ := strings.Cut(strings.TrimSpace(l), " ")
		list = append(list, about+": "+strings.TrimSpace(text))
	}
	if e.nests.Arena > 0 {
		list = append(list, "temporaries take "+byteText(e.nests.Arena))
	}
	return list
}

// pagePasses lists the passes with the least times of some compilations.
func (x *inspection) pagePasses() (list []page.Pass) {
	total := time.Duration(0)
	for _, t := range x.times {
		total += t.least
	}
	for _, t := range x.times {
		list = append(list, page.Pass{Name: t.pass, Time: rounded(t.least).String(), Share: float64(t.least) / float64(max(total, 1)), Changed: slices.Contains(x.changed, t.pass)})
	}
	return list
}

// pageValues describes the values of the graph.
func (x *inspection) pageValues() []page.Value {
	list, lines, sources := make([]page.Value, len(x.values)), x.lines(), sourceLines{}
	for i := range list {
		v := page.Value{Text: lines[i], Site: x.sites[i].String(), Source: sources.line(x.sites[i]), Steps: x.steps[i]}
		for _, d := range x.decided[i] {
			v.Notes = append(v.Notes, d.Kind.String()+": "+d.Reason)
		}
		list[i] = v
	}
	return list
}

// pageSteps describes the steps. The first step that moves an input or output counts its bytes as needed.
func (x *inspection) pageSteps() []page.Step {
	var steps []page.Step
	met := make([]bool, len(x.plan.Buffers))
	for i := range x.plan.Steps {
		s := &x.plan.Steps[i]
		row := page.Step{What: x.p.stepText(x.plan, i), Site: x.bound.Plan.Steps[i].Pos.String(), Origin: x.ofStep[i], Share: -1}
		x.plan.Moves(i, func(buffer, n int, _ bool) {
			kind := x.plan.Buffers[buffer].Kind
			if !met[buffer] && (kind == plan.ParamBuffer || kind == plan.ResultBuffer) {
				row.Needed += n
			} else {
				row.Extra += n
			}
		})
		for a := range s.Accesses() {
			met[a.Buffer] = x.plan.Buffers[a.Buffer].Kind != plan.ResultBuffer // several steps may store parts of one result
		}
		steps = append(steps, row)
	}
	for i := range x.nests.Tasks {
		t := &x.nests.Tasks[i]
		for k := range t.Choices {
			x.choice(&steps[t.First+k], t, &t.Choices[k])
		}
	}
	return steps
}

// choice adds to a step how it is computed.
func (x *inspection) choice(row *page.Step, t *nest.Task, c *nest.Choice) {
	row.How = choiceText(c)
	if t.Last > t.First {
		row.How += fmt.Sprintf(", blocks of %s through steps %d to %d", plural(t.Block, "row"), t.First, t.Last)
	}
}

// pageKernels lists the kernels that the schedule calls, in order.
func (x *inspection) pageKernels() []page.Kernel {
	var list []page.Kernel
	at, told := map[string]int{}, map[[2]int]bool{} // the second has pairs of kernel and step
	for i := range x.nests.Tasks {
		t := &x.nests.Tasks[i]
		for s := t.First; s <= t.Last; s++ {
			for c := range nest.Calls(t.Of(s)) {
				sig := c.Kernel.Signature()
				k, met := at[sig]
				if !met {
					k = len(list)
					at[sig], list = k, append(list, page.Kernel{Signature: sig})
				}
				if !told[[2]int{k, s}] {
					told[[2]int{k, s}] = true
					list[k].Steps = append(list[k].Steps, s)
				}
			}
		}
	}
	return list
}

// measured adds the times of the runs so far.
func (x *inspection) measured(out *page.Page) {
	q := x.p.Profile()
	if q == nil {
		return
	}
	out.Profile = q.summary()
	for _, s := range q.Steps {
		each := s.Steps
		if each == nil {
			each = []StepProfile{s}
		}
		for _, s := range each {
			row := &out.Steps[s.First]
			row.Time, row.Share = rounded(s.Time).String(), float64(s.Time)/float64(max(q.sum(), 1))
			row.Rate = s.rate(q)
		}
	}
}

// sourceLines reads lines of the user's source, each file once.
type sourceLines map[string][][]byte

// line returns the line at a position, or "" if it can't be read, for example in a binary built with -trimpath or moved
// to another machine.
func (s sourceLines) line(pos ir.Pos) string {
	if !strings.HasSuffix(pos.File, ".go") { // a dump may name any file
		return ""
	}
	lines, met := s[pos.File]
	if !met {
		const most = 4 << 20
		if info, err := os.Stat(pos.File); err == nil && info.Mode().IsRegular() && info.Size() <= most {
			text, _ := os.ReadFile(pos.File)
			lines = bytes.Split(text, []byte("\n"))
		}
		s[pos.File] = lines
	}
	if pos.Line < 1 || pos.Line > len(lines) {
		return ""
	}
	return strings.TrimSpace(string(lines[pos.Line-1]))
}
