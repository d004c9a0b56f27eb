package graph

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
)

// DumpEnv names an environment variable. If it names a directory, every program that the process compiles writes its
// dumps and its page there: 0001-name.txt, 0001-name.html and so on. Existing files are kept, so processes may share
// the directory. Nothing else changes.
const DumpEnv = "STRIDEFUSE_DUMP"

// dumped counts the file names tried, over all programs.
var dumped atomic.Uint64

// dumpToDir writes the dumps of DumpEnv. A dump that can't be written is reported on standard error and does not fail
// the program.
func (p *Program) dumpToDir() {
	dir := os.Getenv(DumpEnv)
	if dir == "" {
		return
	}
	var text, html bytes.Buffer
	err := cmp.Or(p.Dump(&text, ""), p.WriteHTML(&html), os.MkdirAll(dir, 0o777))
	if err == nil {
		var path string
		if path, err = writeNew(dir, fileName(p.name), text.Bytes()); err == nil {
			err = os.WriteFile(strings.TrimSuffix(path, ".txt")+".html", html.Bytes(), 0o666)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", DumpEnv, err)
	}
}

// writeNew writes a file under the next free number and returns its path.
func writeNew(dir, name string, text []byte) (path string, err error) {
	for {
		path = filepath.Join(dir, fmt.Sprintf("%04d-%s.txt", dumped.Add(1), name))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return path, err
		}
		_, err = f.Write(text)
		return path, cmp.Or(err, f.Close())
	}
}

// fileName replaces characters that a file name can't have.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// Stages returns the names of the stages that Dump takes: "graph", then each pass, then "split", "plan", "schedule" and
// "kernels". The steps that run once are a plan of their own from "split" on. "plan" is the plan that runs.
func Stages() []string {
	return append(slices.Clone(passes.Stages()), "split", "plan", "schedule", "kernels")
}

// Dump writes the program as text, at one stage of its compilation or, for "", at each stage that changed something.
// The graph is written as it was built. With symbolic sizes the later stages are for the sizes of the last run, or for
// example sizes before any run; if no example sizes fit the graph, a comment says so instead. The plan of a batch is
// the one that ran, perhaps made for a larger batch and resized; the stages before it are shown for the sizes of the
// run. Values computed once from constants stand before the program, with the names of the inputs that they became. The
// tensors that the program captured stand before both, with their elements or, beyond 65,536 elements, a Checksum, and
// before these the inputs with the lines that made them.
func (p *Program) Dump(w io.Writer, stage string) error {
	switch {
	case p.empty():
		return misuse("dump", noProgram)
	case w == nil:
		return misuse("dump", "the writer is nil")
	}
	if stage != "" && !slices.Contains(Stages(), stage) {
		return misuse("dump", "there is no stage %q: the stages are %s", stage, strings.Join(Stages(), ", "))
	}
	var out bytes.Buffer
	last, params := "", p.paramsText()
	section := func(name string, text func() string) {
		switch stage {
		case "":
			t := strings.TrimRight(text(), "\n")
			if t == last {
				fmt.Fprintf(&out, "# %s\n// nothing changed\n", name)
				return
			}
			last = t
			fmt.Fprintf(&out, "# %s\n%s%s\n", name, params, t)
			params = ""
		case name:
			if name != "kernels" {
				out.WriteString(params)
			}
			out.WriteString(text())
		}
	}
	section("graph", func() string {
		if p.compiled.Once == nil {
			return p.String()
		}
		return withOnce(p.compiled.OnceTo, p.compiled.Once.String(), p.String())
	})
	bound := p.latest()
	switch {
	case stage == "graph":
	case bound == nil:
		fmt.Fprintf(&out, "// %s\n", noExample)
	default:
		f, err := p.compiled.Func.Bind(bound.Sizes) // so that each stage can be run with the same inputs, even if the plan was resized
		if err != nil {
			return err
		}
		whole, err := p.compiled.Lower(f, bound, func(name string, text func() string) {
			if name != "graph" {
				section(name, text)
			}
		})
		if err != nil {
			return err
		}
		once, _, rest, err := passes.Split(whole)
		if err != nil {
			return err
		}
		section("split", func() string { return planText(once, rest) })
		section("plan", func() string { return planText(bound.Once, bound.Plan) })
		text, err := p.scheduleText(bound)
		if err != nil {
			return err
		}
		section("schedule", func() string { return text })
		section("kernels", func() string { return strings.Join(p.kernelsOf(bound), "\n") + "\n" })
	}
	_, err := w.Write(out.Bytes())
	return err
}

// planText returns the text of a plan in two parts, of which once runs once; it may be nil.
func planText(once, rest *plan.Plan) string {
	if once == nil {
		return rest.String()
	}
	return withOnce(keptNames(once), once.String(), rest.String())
}

// scheduleText returns the schedule of a binding, with that of the values it computes once.
func (p *Program) scheduleText(b *program.Binding) (string, error) {
	nests, err := p.compiled.ScheduleReasons(b, b.Plan)
	if err != nil {
		return "", err
	}
	nests = nests.Named(p.axisNames)
	if b.Once == nil {
		return nests.String(), nil
	}
	once, err := p.compiled.Schedule(b.Once)
	if err != nil {
		return "", err
	}
	return withOnce(keptNames(b.Once), once.String(), nests.String()), nil
}

// axisNames returns the symbolic sizes of the axes of an input or output.
func (p *Program) axisNames(b *plan.Buffer) (names []string) {
	f := p.compiled.Func
	var of []*ir.Value
	switch b.Kind {
	case plan.ParamBuffer:
		of = f.Params
	case plan.ResultBuffer:
		of = f.Results
	}
	if b.Index >= len(of) || len(of[b.Index].Type.Shape) != len(b.Shape) {
		return nil // such as a value that is computed once
	}
	for _, d := range of[b.Index].Type.Shape {
		if name := d.String(); ir.IsName(name) {
			names = append(names, name)
		} else {
			names = append(names, "")
		}
	}
	return names
}

// withOnce returns the text of the values computed once from constants, whose results are inputs of the given names,
// followed by the text of what each run computes.
func withOnce(names []string, once, run string) string {
	return "// computed once of constants: " + strings.Join(names, ", ") + "\n" + once + "// at each run\n" + run
}

// keptNames returns the names of a plan's results.
func keptNames(p *plan.Plan) []string {
	var names []string
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Kind == plan.ResultBuffer {
			names = append(names, b.Name)
		}
	}
	return names
}
