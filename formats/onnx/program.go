package onnx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Program is a compiled model. It is immutable: any number of goroutines may run it at
// once.
type Program struct {
	inputs, outputs []string // names in the model, in the program's order
	sizes           []Size
	root            *part

	words   *vocabulary
	strings []string                 // inputs and outputs that are strings
	classes map[string]*graph.Tensor // labels of the columns of outputs that are maps
}

// Option changes how a model is compiled.
type Option func(*settings)

type settings struct {
	fixed   map[string]*graph.Tensor
	sizes   map[string]int
	options []graph.Item
	scales  bool
}

// Fix gives an input its value at load. The program then lacks that input. If it determines shapes (as of Reshape or
// Slice) or decides an If, all of the model is compiled at load, and as one program.
func Fix(input string, t *graph.Tensor) Option {
	return func(s *settings) { s.fixed[input] = t }
}

// WithSize replaces a symbolic size of the model by a number. The size has a name in the file, or it is named by an axis
// with it, as "input x axis 1"; names in errors, such as x_axis_1, are names too.
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

// WithScaledWeights merges a BatchNormalization into the Conv, ConvTranspose, Gemm or MatMul before it, as onnxruntime
// does: the constant weights are multiplied by its scale at load, and one vector is added to the product. The results
// differ by rounding from those of the two operators in sequence, which are computed without this option.
//
// A BatchNormalization is not merged in these cases:
//
//   - the weights or bias of the product, or its own parameters, are not constants of one type, float32 or float64
//   - another node reads the product, or a graph around computes it
//   - it is inside a function of the model
//   - it follows a ConvTranspose of several groups, or a MatMul of more than two axes
//   - a number would not be finite, a weight would become zero or subnormal, or more than a few bits would be lost: the scale must be from 2^-30 to 2^30, and the mean minus the bias at most 64 standard deviations.
func WithScaledWeights() Option {
	return func(s *settings) { s.scales = true }
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
	e := entry{
		model: m, settings: &s, nodes: m.body.nodes, outputs: m.body.outputs, values: map[string]value{}, names: identifiers{}, sizes: identifiers{},
	}
	p := &Program{outputs: m.body.outputs, words: m.words, strings: m.body.strings(), classes: m.classes()}
	for name, t := range m.body.constants {
		e.values[name] = m.constant(t)
	}
	axes, errs := e.sizesOf(m.body.inputs)
	for _, in := range m.body.inputs {
		if t, ok := s.fixed[in.name]; ok {
			e.values[in.name] = value{kind: constant, tensor: t, text: in.text}
			continue
		}
		name, shape := e.names.of(in.name), axes[in.name].shape
		x := graph.Input(name, in.dtype, shape)
		if err := x.Err(); err != nil {
			errs = append(errs, fmt.Errorf("input %q: %w", in.name, err))
		}
		e.values[in.name] = value{kind: computed, node: x, text: in.text}
		e.inputs, p.inputs, p.sizes = append(e.inputs, source{name, x}), append(p.inputs, in.name), append(p.sizes, axes[in.name].sizes...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.fixed)) {
		if !slices.ContainsFunc(m.body.inputs, func(in port) bool { return in.name == name }) {
			errs = append(errs, fmt.Errorf("fix: the model has no input %q: it takes %q", name, p.inputs))
		}
	}
	if len(m.body.outputs) == 0 {
		errs = append(errs, errors.New("the model has no outputs: it has one or more"))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	e.feeds = p.inputs
	var err error
	p.root, err = e.compile()
	return p, err
}

// Inputs returns the names of the inputs, in the order in which Graph's program takes them.
func (p *Program) Inputs() []string { return slices.Clone(p.inputs) }

// Outputs returns the names of the outputs.
func (p *Program) Outputs() []string { return slices.Clone(p.outputs) }

// Sizes returns the axes of inputs whose extents may differ from run to run.
func (p *Program) Sizes() []Size { return slices.Clone(p.sizes) }

// Graph returns the compiled program, for runs without maps or into given memory, and to inspect it. Its names are
// those of the model with _ in place of characters that graph names can't have. If the model has several programs it is
// the last one; see Graphs. Graph is nil before a run has built one.
func (p *Program) Graph() *graph.Program {
	all := p.Graphs()
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// Graphs returns the programs that run in sequence. There is one, unless the model has operators whose results have a
// size that depends on the data, or parts that are compiled by runs. Of the programs that runs compiled it returns those
// of the latest run, and before the first run none.
func (p *Program) Graphs() []*graph.Program { return p.root.programs() }

// Run computes the outputs from the inputs, both by name.
func (p *Program) Run(ctx context.Context, feeds graph.Feeds) (map[string]*graph.Tensor, error) {
	if ctx == nil {
		return nil, errors.New("onnx: the context is nil: give it context.Background()")
	}
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if !slices.Contains(p.inputs, name) {
			return nil, fmt.Errorf("onnx: the model has no input %q: it takes %q", name, p.inputs)
		}
	}
	ins := make([]*graph.Tensor, len(p.inputs))
	for i, name := range p.inputs {
		t, ok := feeds[name]
		if !ok {
			return nil, fmt.Errorf("onnx: input %q is missing: the model takes %q", name, p.inputs)
		}
		ins[i] = t
	}
	if err := p.root.check(ins, p.inputs); err != nil {
		return nil, err
	}
	outs, err := p.root.run(ctx, ins)
	if err != nil {
		return nil, err
	}
	named := make(map[string]*graph.Tensor, len(p.outputs))
	for i, name := range p.outputs {
		named[name] = outs[i]
	}
	return named, nil
}
