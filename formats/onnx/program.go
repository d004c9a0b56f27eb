package onnx

import (
	"context"
	"errors"
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
	stages          []*stage
	inputs, outputs []string // names in the model, in the program's order
	results         []int    // number of the tensor of each output
	tensors         int      // number of tensors of all stages
}

// Option changes how a model is compiled.
type Option func(*settings)

type settings struct {
	fixed   map[string]*graph.Tensor
	sizes   map[string]int
	options []graph.Item
	scales  bool
}

// Fix gives an input its value at load. The program then lacks that input. Inputs that determine shapes (of Reshape,
// Slice and others) must be known at load.
func Fix(input string, t *graph.Tensor) Option {
	return func(s *settings) { s.fixed[input] = t }
}

// WithSize replaces a symbolic size of the model by a number.
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
	b := &builder{model: m, opset: m.opset, values: map[string]value{}, errs: newMistakes(), stages: newStages(), scales: s.scales}
	p := &Program{outputs: m.body.outputs}
	for _, in := range m.body.inputs {
		for _, d := range in.dims {
			if name, ok := d.(string); ok {
				b.stages.sizes[identifier(name)] = 1
			}
		}
		if t, ok := s.fixed[in.name]; ok {
			b.values[in.name] = constantOf(t)
			continue
		}
		x := b.stages.input(in.name, in.dtype, 0, in.extents(s.sizes)...)
		if err := x.Err(); err != nil {
			b.errs.add(fmt.Errorf("input %q: %w", in.name, err))
		}
		b.values[in.name] = compute(x)
		p.inputs = append(p.inputs, in.name)
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
	if len(m.body.outputs) == 0 {
		b.errs.add(errors.New("the model has no outputs: it has one or more"))
	}
	b.run(m.body)
	outs := b.results(m.body)
	if err := b.errs.err(); err != nil {
		return nil, err
	}
	names := identifiers{}
	for i, v := range outs {
		if !v.isTensor() {
			return nil, fmt.Errorf("output %q is a sequence or an optional value: outputs must be tensors", p.outputs[i])
		}
		p.results = append(p.results, b.stages.output(names.of(p.outputs[i]), v.asNode(), v.stage))
	}
	p.stages, p.tensors = b.stages.list, b.stages.tensors
	return p, b.stages.compile(s.options)
}

// extents returns the axes as arguments of graph.Input.
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

// identifier returns a name with _ in place of characters that names of a graph can't have.
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

// identifiers has the names in use, each with the number at the end of the last name derived from it, 1 for none.
type identifiers map[string]int

// of returns a unique identifier for a name.
func (taken identifiers) of(name string) string {
	name = identifier(name)
	for base := name; taken[name] > 0; {
		taken[base]++
		name = fmt.Sprintf("%s_%d", base, taken[base])
	}
	taken[name] = 1
	return name
}

// Inputs returns the names of the inputs, in the order in which Graph's program takes them.
func (p *Program) Inputs() []string { return slices.Clone(p.inputs) }

// Outputs returns the names of the outputs.
func (p *Program) Outputs() []string { return slices.Clone(p.outputs) }

// Graph returns the compiled program, for runs without maps or into given memory, and to inspect it. Its names are
// those of the model with _ in place of characters that graph names can't have. If the model has several programs it is
// the last one; see Graphs.
func (p *Program) Graph() *graph.Program {
	all := p.Graphs()
	return all[len(all)-1]
}

// Graphs returns the programs that run in sequence. There is one, unless the model has operators whose results have a
// size that depends on the data.
func (p *Program) Graphs() []*graph.Program {
	var all []*graph.Program
	for _, s := range p.stages {
		if s.program != nil {
			all = append(all, s.program)
		}
	}
	return all
}

// Run computes the outputs from the inputs, both by name.
func (p *Program) Run(ctx context.Context, feeds graph.Feeds) (map[string]*graph.Tensor, error) {
	tensors := make([]*graph.Tensor, p.tensors) // the first tensors are the inputs
	for i, name := range p.inputs {
		t, ok := feeds[name]
		if !ok {
			return nil, fmt.Errorf("onnx: input %q is missing: the model takes %q", name, p.inputs)
		}
		tensors[i] = t
	}
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if !slices.Contains(p.inputs, name) {
			return nil, fmt.Errorf("onnx: the model has no input %q: it takes %q", name, p.inputs)
		}
	}
	for _, s := range p.stages {
		if err := s.run(ctx, tensors); err != nil {
			return nil, err
		}
	}
	named := make(map[string]*graph.Tensor, len(p.outputs))
	for i, name := range p.outputs {
		named[name] = tensors[p.results[i]]
	}
	return named, nil
}
