package onnx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// A model is built at load, for symbolic sizes. Runs do what that build can't:
//
//   - If a node needs the elements of a value (the condition of If, an operand of Reshape), the part of the model that needs
//     none of them is compiled. The rest is built by a run, for the elements that the first part computes.
//   - If a node needs numbers for the sizes of the inputs, the part is built by a run, for the shapes of its inputs.
//   - If the programs of a symbolic build do not hold for the sizes of a run, such as a slice that passes the end of its
//     axis, the part is built for the shapes of that run.
//
// Each part keeps the latest parts that were built so.

// part is a compiled entry.
type part struct {
	entry
	byShape bool // there are no programs: the part is built for the shapes of the inputs
	stages  []*stage
	results []int          // number of the tensor of each output, or -1 for an output of the rest
	tensors int            // number of tensors of all stages
	carried []int          // tensors that programs make only for later stages
	assumed []graph.Extent // the programs hold if these are not negative

	// The rest reads tensors with these numbers, and is built for the answers to the questions.
	rest      entry
	read      []int
	questions []answerOf

	shaped, answered cache
}

// answerOf is a question, the number of the tensor that answers it, and the values that it is about.
type answerOf struct {
	key    string
	tensor int
	names  []string
}

// mostMerged limits the names of sizes that are made one.
const mostMerged = 64

// compile builds an entry.
func (e entry) compile() (*part, error) {
	for range mostMerged {
		p, same, err := e.build()
		if same[0] == "" || err != nil {
			return p, err
		}
		e = e.renaming(same[0], same[1])
	}
	return nil, fmt.Errorf("more than %d names for sizes that must be equal", mostMerged)
}

// build builds an entry, or finds two sizes that must be the same one.
func (e entry) build() (p *part, same [2]string, err error) {
	q := &questions{line: ir.CallerPos(), known: e.known}
	s := newStages()
	s.names, s.sizes, s.options = maps.Clone(e.names), maps.Clone(e.sizes), e.settings.options
	for i, x := range e.inputs {
		s.numbers[x.node] = i
		s.inputs = append(s.inputs, input{x, 0, i})
	}
	s.tensors = len(e.inputs)
	b := &builder{
		model: e.model, opset: e.model.opset, values: maps.Clone(e.values), waiting: map[string]bool{}, errs: newMistakes(),
		stages: s, questions: q, scales: e.settings.scales,
	}
	b.run(&subgraph{nodes: e.nodes, outputs: e.outputs})
	b.checkKnown(q.later)
	p = &part{entry: e}
	p.shaped.most = mostFor(e.model)
	p.answered.most = p.shaped.most
	if err := b.errs.err(); err != nil {
		return nil, same, err
	}
	if len(q.later) > 0 {
		if q.same[0] != "" {
			return nil, q.same, nil
		}
		if p.byShape = q.shapes; p.byShape {
			return p, same, nil
		}
	}
	if err := p.finish(b); err != nil {
		return nil, same, err
	}
	if len(q.later) > 0 {
		p.divide(b)
	}
	p.stages, p.tensors, p.assumed = s.list, s.tensors, slices.Collect(maps.Keys(q.assumed))
	p.carried = p.onlyCarried()
	return p, same, s.compile()
}

// finish adds the outputs that the part computes.
func (p *part) finish(b *builder) error {
	for _, name := range p.outputs {
		v, ok := b.values[name]
		switch {
		case !ok && b.waiting[name]:
			p.results = append(p.results, -1)
			continue
		case !ok:
			return fmt.Errorf("output %q: no node makes it", name)
		case !v.isTensor():
			return fmt.Errorf("output %q is a sequence or an optional value: outputs must be tensors", name)
		}
		p.results = append(p.results, b.stages.output(b.stages.names.of(name), v.asNode(), v.stage))
	}
	return nil
}

// divide makes the entry of the rest: the postponed nodes, and what they read.
func (p *part) divide(b *builder) {
	s := b.stages
	rest := entry{model: p.model, settings: p.settings, nodes: b.questions.later, values: map[string]value{}, known: p.known}
	for i, name := range p.outputs {
		if p.results[i] < 0 {
			rest.outputs = append(rest.outputs, name)
		}
	}
	for _, a := range b.questions.asked {
		q := answerOf{key: a.key, tensor: s.number(a.of.asNode(), a.of.stage)}
		for name, v := range b.values {
			if a.of.kind == computed && v.kind == computed && v.node == a.of.node {
				q.names = append(q.names, name)
			}
		}
		p.questions = append(p.questions, q)
	}
	own := map[graph.Node]graph.Node{}
	for _, in := range slices.Clone(s.inputs) { // all of them, because their axes are the sizes
		own[in.node] = in.node
		rest.inputs, p.read = append(rest.inputs, in.source), append(p.read, in.tensor)
	}
	var held func(v value) value
	held = func(v value) value {
		v.items = mapped(v.items, held)
		if v.kind == computed {
			x, ok := own[v.node]
			if !ok {
				name := s.names.of("carried")
				x = graph.Input(name, v.node.DType(), v.node.Shape())
				own[v.node] = x
				rest.inputs, p.read = append(rest.inputs, source{name, x}), append(p.read, s.number(v.node, v.stage))
			}
			v.node = x
		}
		v.stage, v.sized = 0, false
		return v
	}
	names := map[string]bool{}
	reads(rest.nodes, names)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if v, ok := b.values[name]; ok {
			rest.values[name] = held(v)
		}
	}
	rest.names, rest.sizes = s.names, s.sizes
	p.rest = rest
}

// onlyCarried returns the numbers of the tensors that programs make, and that neither the caller nor the rest gets.
func (p *part) onlyCarried() (carried []int) {
	for _, s := range p.stages {
		for _, out := range s.outputs {
			if !slices.Contains(p.results, out.tensor) && !slices.Contains(p.read, out.tensor) &&
				!slices.ContainsFunc(p.questions, func(q answerOf) bool { return q.tensor == out.tensor }) {
				carried = append(carried, out.tensor)
			}
		}
	}
	return carried
}

// run computes the outputs. Then it releases the tensors that stages left to one another, so that later runs use their memory.
func (p *part) run(ctx context.Context, ins []*graph.Tensor) ([]*graph.Tensor, error) {
	if p.byShape || p.shaped.hasShapes(ins) || !p.holds(ins) {
		return p.runShaped(ctx, ins)
	}
	tensors := make([]*graph.Tensor, p.tensors) // the first tensors are the inputs
	copy(tensors, ins)
	for _, s := range p.stages {
		switch err := s.run(ctx, tensors); {
		case err != nil && (ctx.Err() != nil || !p.isSymbolic()):
			return nil, err
		case err != nil: // the symbolic build may not hold for these sizes
			return p.runShaped(ctx, ins)
		}
	}
	var rest []*graph.Tensor
	if len(p.rest.nodes) > 0 {
		q, err := p.restFor(tensors)
		if err != nil {
			return nil, err
		}
		pick := func(number int) *graph.Tensor { return tensors[number] }
		if rest, err = q.run(ctx, mapped(p.read, pick)); err != nil {
			return nil, err
		}
	}
	outs := make([]*graph.Tensor, len(p.results))
	for i, number := range p.results {
		if number >= 0 {
			outs[i] = tensors[number]
		} else {
			outs[i], rest = rest[0], rest[1:]
		}
	}
	for _, number := range p.carried {
		if err := tensors[number].Release(); err != nil {
			return nil, err
		}
	}
	return outs, nil
}

// holds reports whether the programs hold for the shapes of the inputs.
func (p *part) holds(ins []*graph.Tensor) bool {
	if len(p.assumed) == 0 {
		return true
	}
	sizes := p.sizesFor(ins)
	return !slices.ContainsFunc(p.assumed, func(d graph.Extent) bool {
		n, err := d.Bind(sizes)
		return err != nil || n < 0
	})
}

// runShaped computes the outputs with the part for the shapes of the inputs.
func (p *part) runShaped(ctx context.Context, ins []*graph.Tensor) ([]*graph.Tensor, error) {
	q, err := p.shaped.get(shapesKey(ins), func() (*part, error) { return p.forShapes(ins).compile() })
	if err != nil {
		return nil, fmt.Errorf("onnx: for inputs of these shapes: %w", p.explained(err, ins))
	}
	outs, err := q.run(ctx, ins)
	if err != nil && ctx.Err() == nil {
		return nil, p.explained(err, ins)
	}
	return outs, err
}

// explained returns an error behind the inputs of unlike sizes that may be its cause.
func (p *part) explained(err error, ins []*graph.Tensor) error {
	if text := p.unlike(ins); text != "" {
		return fmt.Errorf("%s: %w", text, err)
	}
	return err
}

// restFor returns the rest for the answers among tensors.
func (p *part) restFor(tensors []*graph.Tensor) (*part, error) {
	answers := mapped(p.questions, func(a answerOf) *graph.Tensor { return tensors[a.tensor] })
	key, err := answersKey(answers)
	if err != nil {
		return nil, err
	}
	return p.answered.get(key, func() (*part, error) {
		if len(p.rest.known) > mostQuestions {
			return nil, errors.New("onnx: the run of the model decides too often how it goes on")
		}
		q, err := p.rest.knowing(p.questions, answers).compile()
		if err != nil {
			err = fmt.Errorf("onnx: for the values of this run: %w", err)
		}
		return q, err
	})
}

// mostQuestions limits the answers on which a part depends.
const mostQuestions = 1024

// programs returns the programs of the part, and of those that it built last.
func (p *part) programs() (all []*graph.Program) {
	for _, s := range p.stages {
		if s.program != nil {
			all = append(all, s.program)
		}
	}
	for _, c := range []*cache{&p.answered, &p.shaped} {
		if q := c.latest(); q != nil {
			all = append(all, q.programs()...)
		}
	}
	return all
}
