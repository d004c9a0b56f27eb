package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
)

// From text to program: a text is parsed, verified, and compiled from its level on.

// source returns the text that the command line names.
func (t *tool) source() (source, error) {
	dump, err := t.readText(t.arg)
	if err != nil {
		return source{}, err
	}
	return t.sourceOf(dump)
}

// sourceOf returns the text of a dump that the flags select.
func (t *tool) sourceOf(dump string) (source, error) {
	if err := t.capture(dump); err != nil {
		return source{}, err
	}
	s, err := section(dump, t.stage)
	if t.dump = dump; err == nil {
		t.before = linesBefore(dump, s.run)
		s.level, err = levelOf(s.run)
	}
	if err == nil {
		err = t.checkSizes(s)
	}
	if err != nil {
		return source{}, t.inText(err)
	}
	return s, nil
}

// checkSizes returns an error for a size of the command line that the program does not have.
func (t *tool) checkSizes(s source) error {
	if len(t.sizes) == 0 {
		return nil
	}
	if s.level != graphLevel {
		return fmt.Errorf("this is a %s, which has its sizes: leave -size out", levelNames[s.level])
	}
	f, err := ir.Parse(s.run)
	if err != nil {
		return nil // the text is parsed again, with the error's place
	}
	has := map[string]bool{}
	for _, v := range slices.Concat(f.Params, f.Body) {
		for _, d := range v.Type.Shape {
			for _, name := range d.Names() {
				has[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.sizes)) {
		switch {
		case has[name]:
		case len(has) == 0:
			return fmt.Errorf("there is no size %s: all sizes of the program are numbers", name)
		default:
			return fmt.Errorf("there is no size %s: the program has %s", name, strings.Join(slices.Sorted(maps.Keys(has)), ", "))
		}
	}
	return nil
}

// load returns the program that the command line names.
func (t *tool) load() (program, error) {
	s, err := t.source()
	if err != nil {
		return nil, err
	}
	c, known, err := t.loadOnce(s)
	if err != nil {
		return nil, err
	}
	if c.run, err = t.loadLevel(s.run, s.level); err != nil {
		return nil, err
	}
	if _, captures := c.run.(*graph.Program); captures && known || len(c.once) == 0 {
		return c.run, nil
	}
	return c, nil
}

// loadOnce returns a chain with the programs that compute values from constants. If the constants are known, so are
// these values, which loadLevel gives to a graph.
func (t *tool) loadOnce(s source) (c *chain, known bool, err error) {
	c, known = &chain{}, true
	for _, o := range s.once {
		l, err := levelOf(o.text)
		if err != nil {
			return nil, false, t.inText(err)
		}
		p, err := t.loadLevel(o.text, l)
		if err != nil {
			return nil, false, err
		}
		done, err := t.computed(p, o.results)
		if err != nil {
			return nil, false, err
		}
		known = known && done
		c.once = append(c.once, p)
		c.results = append(c.results, o.results)
	}
	return c, known, nil
}

// loadLevel returns the program of a text.
func (t *tool) loadLevel(text string, l level) (program, error) {
	t.before = linesBefore(t.dump, text)
	switch l {
	case graphLevel:
		return t.loadGraph(text)
	case planLevel:
		p, err := t.planText(text)
		if err != nil {
			return nil, err
		}
		nests, err := t.schedule(p)
		if err != nil {
			return nil, t.inText(err)
		}
		return t.link(nests)
	case scheduleLevel:
		nests, err := t.nestText(text)
		if err != nil {
			return nil, err
		}
		return t.link(nests)
	}
	panic("BUG: stridefuse: no level " + string(l))
}

// linesBefore returns the number of lines before a part of a text.
func linesBefore(text, part string) int {
	if at := strings.Index(text, part); part != "" && at >= 0 {
		return strings.Count(text[:at], "\n")
	}
	return 0
}

// graphText parses the text of a graph and binds the given sizes.
func (t *tool) graphText(text string) (*ir.Func, error) {
	f, err := ir.Parse(text)
	if err != nil {
		return nil, t.inText(err)
	}
	t.locate(f, text)
	if len(t.sizes) == 0 {
		return f, nil
	}
	if err := t.verified(f, ir.StageGraph, text); err != nil {
		return nil, err
	}
	if f, err = f.Bind(t.sizes); err != nil {
		return nil, t.inText(err)
	}
	return f, nil
}

// verified returns the violations of a graph's invariants, with their places in its text.
func (t *tool) verified(f *ir.Func, stage ir.Stage, text string) error {
	if err := ir.Verify(f, stage); err != nil {
		return t.inText(ir.Locate(err, text, func(s *ir.Scanner) { s.Func() }))
	}
	return nil
}

// locate gives params the lines that made them, if the dump has these, and values without a source line their line in the file.
func (t *tool) locate(f *ir.Func, text string) {
	for _, v := range f.Params {
		v.Pos = t.made[v.Name()]
	}
	k, n := 0, 0
	for line := range strings.Lines(text) {
		n++
		if !strings.HasPrefix(strings.TrimSpace(line), "%") || k == len(f.Body) {
			continue
		}
		if v := f.Body[k]; v.Pos == (ir.Pos{}) {
			v.Pos = ir.Pos{File: t.arg, Line: t.before + n}
		}
		k++
	}
}

// planText parses and verifies the text of a plan. If the plan is from a stage before buffers get memory, it assigns
// memory.
func (t *tool) planText(text string) (*plan.Plan, error) {
	p, err := plan.ParsePlan(text)
	if err == nil {
		err = ir.Locate(passes.Place(p), text, func(s *ir.Scanner) { plan.Read(s) })
	}
	if err != nil {
		return nil, t.inText(err)
	}
	return p, nil
}

// nestText parses and verifies the text of a schedule.
func (t *tool) nestText(text string) (*nest.Program, error) {
	p, err := nest.Parse(text)
	if err == nil {
		err = ir.Locate(p.Verify(), text, func(s *ir.Scanner) { nest.Read(s) })
	}
	if err != nil {
		return nil, t.inText(err)
	}
	return p, nil
}

// loadGraph compiles a graph as users build it. A graph in which passes have introduced buffers is computed by its
// definition.
func (t *tool) loadGraph(text string) (program, error) {
	f, between, err := t.verifiedGraph(text)
	if err != nil {
		return nil, err
	}
	if !between {
		return graph.CompileFunc(f, append(t.options(), t.constants(f))...)
	}
	if err := evaluable(f); err != nil {
		return nil, t.inText(err)
	}
	fmt.Fprintln(t.stderr, "stridefuse: the graph is one between passes: it is computed by its definition, which is slow")
	return &defined{f}, nil
}

// verifiedGraph parses and verifies the text of a graph, and reports whether it is one between passes.
func (t *tool) verifiedGraph(text string) (f *ir.Func, between bool, err error) {
	if f, err = t.graphText(text); err != nil {
		return nil, false, err
	}
	stage := ir.StageGraph
	for _, v := range f.Body {
		switch v.Op {
		case ir.OpAccess:
			stage, between = ir.StageViewed, true
		case ir.OpReduceChunks:
			between = true
		}
	}
	return f, between, t.verified(f, stage, text)
}
