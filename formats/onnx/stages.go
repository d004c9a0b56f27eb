package onnx

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Operators whose results have a size that depends on the data (NonZero, Compress, Unique, NonMaxSuppression) run
// between programs: as functions of the outputs of one program, whose results are inputs with symbolic sizes of the
// next one. So they divide a model into stages. A value belongs to the stage after the last such operator that it
// depends on. If a later stage uses it, it is an output of its stage's program and an input of the other.

// stage is a program and the operators that follow it. Tensors have numbers: those of the model's inputs, and those
// that programs and operators make.
type stage struct {
	program *graph.Program // nil if there is nothing to compute
	inputs  []int          // numbers of the tensors that the program takes
	outputs []output
	edges   []edge
}

// output is an output of a stage's program: the tensor with that number.
type output struct {
	name   string
	node   graph.Node
	tensor int
}

// edge is an operator after a stage, with its operands and results.
type edge struct {
	where             string
	operands, results []int
	eval              evaluation
}

// evaluation computes an operator from tensors. Its results share no memory with these.
type evaluation func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error)

// stages are the stages of a model that is being built.
type stages struct {
	list    []*stage
	inputs  []input
	numbers map[graph.Node]int        // numbers of the inputs, and of values that are outputs of their stage
	carried map[graph.Node]graph.Node // values of a stage, and the inputs of later stages that stand for them
	tensors int
	names   identifiers // names of inputs and values
	sizes   identifiers
	options []graph.Item // of all programs
}

// input is a tensor that the programs from a stage on take.
type input struct {
	source
	stage, tensor int
}

func newStages() *stages {
	return &stages{list: []*stage{{}}, numbers: map[graph.Node]int{}, carried: map[graph.Node]graph.Node{}, names: identifiers{}, sizes: identifiers{}}
}

// at returns a stage, and creates it if necessary.
func (s *stages) at(k int) *stage {
	for len(s.list) <= k {
		s.list = append(s.list, &stage{})
	}
	return s.list[k]
}

// input adds an input with a new tensor to the programs from a stage on.
func (s *stages) input(name string, dt graph.DType, stage int, extents ...any) graph.Node {
	s.tensors++
	return s.inputOf(s.tensors-1, name, dt, stage, extents...)
}

func (s *stages) inputOf(tensor int, name string, dt graph.DType, stage int, extents ...any) graph.Node {
	name = s.names.of(name)
	x := graph.Input(name, dt, extents...)
	s.numbers[x] = tensor
	s.inputs = append(s.inputs, input{source{name, x}, stage, tensor})
	return x
}

// output adds an output to a stage, and returns the number of its tensor.
func (s *stages) output(name string, x graph.Node, stage int) int {
	at := s.at(stage)
	at.outputs = append(at.outputs, output{name, x, s.tensors})
	s.tensors++
	return s.tensors - 1
}

// number returns the number of the tensor for a value of a stage.
func (s *stages) number(x graph.Node, stage int) int {
	t, ok := s.numbers[x]
	if !ok {
		t = s.output(s.names.of("value"), x, stage)
		s.numbers[x] = t
	}
	return t
}

// carry returns a value in a form that a stage can use.
func (s *stages) carry(v value, stage int) value {
	if v.kind == constant || v.kind == missing || v.stage >= stage { // items of a sequence are all of its stage, since carry put them there
		return v
	}
	v.items = mapped(v.items, func(v value) value { return s.carry(v, stage) })
	if v.kind == computed && !s.isInput(v.node) {
		x, ok := s.carried[v.node]
		if !ok {
			x = s.inputOf(s.number(v.node, v.stage), "carried", v.node.DType(), v.stage+1, v.node.Shape())
			s.carried[v.node] = x
		}
		v.node = x
	}
	v.stage = stage
	return v
}

func (s *stages) isInput(x graph.Node) bool {
	return slices.ContainsFunc(s.inputs, func(in input) bool { return in.node == x })
}

// compile makes the programs.
func (s *stages) compile() error {
	for k, at := range s.list {
		if len(at.outputs) == 0 {
			continue
		}
		var nodes []graph.Node
		for _, in := range s.inputs {
			if in.stage <= k {
				nodes, at.inputs = append(nodes, in.node), append(at.inputs, in.tensor)
			}
		}
		items := append(slices.Clone(s.options), graph.WithInputs(nodes...))
		for _, out := range at.outputs {
			items = append(items, graph.Output(out.name, out.node))
		}
		var err error
		if at.program, err = graph.Compile(items...); err != nil {
			return err
		}
	}
	return nil
}

// run runs the program, and then the operators after it.
func (s *stage) run(ctx context.Context, tensors []*graph.Tensor) error {
	pick := func(numbers []int) []*graph.Tensor {
		return mapped(numbers, func(t int) *graph.Tensor { return tensors[t] })
	}
	if s.program != nil {
		outs, err := s.program.RunAll(ctx, pick(s.inputs)...)
		if err != nil {
			return err
		}
		for i, out := range s.outputs {
			tensors[out.tensor] = outs[i]
		}
	}
	for _, e := range s.edges {
		outs, err := e.eval(ctx, pick(e.operands))
		if err != nil {
			return fmt.Errorf("onnx: %s: %w", e.where, err)
		}
		for i, t := range e.results {
			tensors[t] = outs[i]
		}
	}
	return nil
}
