package onnx

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Program is a compiled model. It is immutable: any number of goroutines may run it at
// once.
type Program struct {
	program         *graph.Program
	inputs, outputs []string // the model's names, in the program's order
}

// Option changes how a model is compiled.
type Option func(*settings)

type settings struct {
	fixed   map[string]*graph.Tensor
	sizes   map[string]int
	options []graph.Item
}

// Fix gives an input its value at load. The program then has no such input. Inputs that
// decide about shapes (of Reshape, Slice and others) must be known at load.
func Fix(input string, t *graph.Tensor) Option {
	return func(s *settings) { s.fixed[input] = t }
}

// WithSize makes a symbolic size of the model a number.
func WithSize(name string, n int) Option {
	return func(s *settings) { s.sizes[name] = n }
}

// With passes options to graph.Compile.
func With(options ...graph.Option) Option {
	return func(s *settings) {
		for _, o := range options {
			s.options = append(s.options, o)
		}
	}
}

func newSettings(options []Option) settings {
	s := settings{fixed: map[string]*graph.Tensor{}, sizes: map[string]int{}}
	for _, o := range options {
		o(&s)
	}
	return s
}

// compile makes the program of a model.
func compile(m *model, s settings) (*Program, error) {
	b := &builder{model: m, opset: m.opset, values: map[string]value{}, errs: newMistakes()}
	p := &Program{outputs: m.body.outputs}
	var inputs []graph.Node
	names := identifiers{}
	for _, in := range m.body.inputs {
		if t, ok := s.fixed[in.name]; ok {
			b.values[in.name] = constantOf(t)
			continue
		}
		x := graph.Input(names.of(in.name), in.dtype, in.extents(s.sizes)...)
		if err := x.Err(); err != nil {
			b.errs.add(fmt.Errorf("input %q: %w", in.name, err))
		}
		b.values[in.name] = compute(x)
		inputs, p.inputs = append(inputs, x), append(p.inputs, in.name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.fixed)) {
		if !slices.ContainsFunc(m.body.inputs, func(in port) bool { return in.name == name }) {
			b.errs.add(fmt.Errorf("fix: the model has no input %q", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.sizes)) {
		if !slices.ContainsFunc(m.body.inputs, func(in port) bool { return slices.Contains(in.dims, any(name)) }) {
			b.errs.add(fmt.Errorf("size: the model's inputs have no size %q", name))
		}
	}
	b.run(m.body)
	outs := b.results(m.body)
	if err := b.errs.err(); err != nil {
		return nil, err
	}
	items := append(slices.Clone(s.options), graph.WithInputs(inputs...))
	names = identifiers{}
	for i, v := range outs {
		items = append(items, graph.Output(names.of(p.outputs[i]), v.asNode()))
	}
	var err error
	p.program, err = graph.Compile(items...)
	return p, err
}

// extents returns what graph.Input takes for the axes.
func (p port) extents(sizes map[string]int) []any {
	out := make([]any, len(p.dims))
	for k, d := range p.dims {
		name, symbolic := d.(string)
		n, known := sizes[name]
		switch {
		case !symbolic:
			out[k] = d
		case known:
			out[k] = n
		case name == "":
			out[k] = graph.Dim(identifier(fmt.Sprintf("%s_%d", p.name, k)))
		default:
			out[k] = graph.Dim(identifier(name))
		}
	}
	return out
}

// identifier returns a name with what a graph's names can't have replaced by _.
func identifier(name string) string {
	name = strings.Map(func(c rune) rune {
		if ir.IsName("_" + string(c)) {
			return c
		}
		return '_'
	}, name)
	if !ir.IsName(name) {
		name = "_" + name
	}
	return name
}

// identifiers are names that are given already.
type identifiers map[string]bool

// of returns an identifier for a name, that no other name has.
func (taken identifiers) of(name string) string {
	name = identifier(name)
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// Inputs returns the names of the inputs, in the order in which Graph's program takes them.
func (p *Program) Inputs() []string { return slices.Clone(p.inputs) }

// Outputs returns the names of the outputs.
func (p *Program) Outputs() []string { return slices.Clone(p.outputs) }

// Graph returns the program that runs: for runs without maps and into given memory, and to
// see how it was compiled. Its names are those of the model with _ in place of what names
// of a graph can't have.
func (p *Program) Graph() *graph.Program { return p.program }

// Run computes the outputs from the inputs, both by name.
func (p *Program) Run(ctx context.Context, feeds graph.Feeds) (map[string]*graph.Tensor, error) {
	ins := make([]*graph.Tensor, len(p.inputs))
	for i, name := range p.inputs {
		t, ok := feeds[name]
		if !ok {
			return nil, fmt.Errorf("onnx: input %q is missing: the model takes %q", name, p.inputs)
		}
		ins[i] = t
	}
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if !slices.Contains(p.inputs, name) {
			return nil, fmt.Errorf("onnx: the model has no input %q: it takes %q", name, p.inputs)
		}
	}
	outs, err := p.program.RunAll(ctx, ins...)
	if err != nil {
		return nil, err
	}
	named := make(map[string]*graph.Tensor, len(outs))
	for i, name := range p.outputs {
		named[name] = outs[i]
	}
	return named, nil
}
