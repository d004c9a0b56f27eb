package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/passes/schedule"
)

// The commands explain, passes and kernels, which print a program without running it.

// compiled returns the program of a graph's text, for commands that do not take other texts. why is the reason.
func (t *tool) compiled(why string) (*graph.Program, error) {
	s, err := t.source()
	if err != nil {
		return nil, err
	}
	return t.compiledOf(s, why)
}

func (t *tool) compiledOf(s source, why string) (*graph.Program, error) {
	if s.level != graphLevel {
		return nil, t.unfit(levelNames[s.level], why)
	}
	if _, _, err := t.loadOnce(s); err != nil {
		return nil, err
	}
	t.before = linesBefore(t.dump, s.run)
	f, between, err := t.verifiedGraph(s.run)
	switch {
	case err != nil:
		return nil, err
	case between:
		return nil, t.unfit(betweenPasses, why)
	}
	return graph.CompileFunc(f, append(t.options(), t.constants(f))...)
}

// unfit says why a command does not take the text of a level.
func (t *tool) unfit(level, why string) error {
	return fmt.Errorf("%s is a %s: %s: give the text of the stage graph", t.arg, level, why)
}

const betweenPasses = "graph between passes"

var levelNames = map[level]string{graphLevel: "graph", planLevel: "plan", scheduleLevel: "schedule"}

// explain prints what the compiler made of a program.
func (t *tool) explain(context.Context) error {
	p, err := t.compiled("what was fused was decided before it, and its lines that begin with # say what")
	if err != nil {
		return err
	}
	if t.step >= 0 {
		text := p.ExplainStep(t.step)
		if strings.HasPrefix(text, "there is no step") {
			return fmt.Errorf("%s: %s", t.arg, strings.TrimSpace(text))
		}
		fmt.Fprint(t.stdout, text)
		return nil
	}
	fmt.Fprint(t.stdout, p.Explain())
	return nil
}

// passes prints the stages of a program, or how they differ. The one stage behind a plan is its schedule.
func (t *tool) passes(context.Context) error {
	s, err := t.source()
	if err != nil {
		return err
	}
	var dump bytes.Buffer
	if s.level == planLevel {
		p, err := t.planText(s.run)
		if err != nil {
			return err
		}
		nests, err := t.schedule(p)
		if err != nil {
			return t.inText(err)
		}
		_, err = fmt.Fprintf(t.stdout, "# plan\n%s# schedule\n%s", p, nests)
		return err
	}
	p, err := t.compiledOf(s, "the passes begin with a graph that none has changed")
	if err != nil {
		return err
	}
	if err := p.Dump(&dump, ""); err != nil {
		return err
	}
	if !t.diff {
		_, err := t.stdout.Write(dump.Bytes())
		return err
	}
	texts, names := sections(dump.String())
	for i, name := range names {
		if i == 0 || name == "kernels" {
			continue
		}
		before, after := texts[names[i-1]], texts[name]
		if before == after {
			fmt.Fprintf(t.stdout, "# %s: nothing changed\n", name)
			continue
		}
		fmt.Fprintf(t.stdout, "# %s\n%s", name, lineDiff(before, after))
	}
	return nil
}

// kernels lists the kernels of a program with the engines that have them.
func (t *tool) kernels(context.Context) error {
	source, err := t.source()
	if err != nil {
		return err
	}
	signatures, err := t.signatures(source)
	if err != nil {
		return err
	}
	executor := t.executor()
	missing := 0
	for _, s := range signatures {
		engine, ok := executor.Engine(s)
		if !ok {
			engine = "missing"
			missing++
		}
		fmt.Fprintf(t.stdout, "%-8s  %s\n", engine, s)
	}
	if missing > 0 {
		fmt.Fprintf(t.stderr, "stridefuse: %d of %d kernels are not generated: tilings of built-in kernels compute them\n", missing, len(signatures))
	}
	return nil
}

// signatures returns the kernels of a program's steps, or the kernels that a schedule calls.
func (t *tool) signatures(s source) ([]string, error) {
	switch s.level {
	case graphLevel:
		p, err := t.compiledOf(s, "its kernels are chosen behind the last pass")
		if err != nil {
			return nil, err
		}
		return p.Kernels(), nil
	case planLevel:
		p, err := t.planText(s.run)
		if err != nil {
			return nil, err
		}
		return schedule.Kernels(p, t.executor().Machine(), t.ways()), nil
	}
	p, err := t.nestText(s.run)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(p.String()) {
		if call, ok := strings.CutPrefix(strings.TrimSpace(line), "call "); ok && !slices.Contains(out, call) {
			out = append(out, call)
		}
	}
	return out, nil
}
