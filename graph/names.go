package graph

import (
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Names of inputs and outputs. Input names an input and Output an output. WithInputs declares the inputs of a program
// and their order. RunNamed runs a program by names.

// namedOutput is an output with its own name.
type namedOutput struct {
	name string
	x    Node
}

// Output gives x a name as an output, of letters, digits, _ and dots. Compile takes it in place of a Node, whose default
// name is out0, out1 and so on by position.
func Output(name string, x Node) Item { return namedOutput{name, x} }

func (o namedOutput) addTo(s *settings) {
	s.outputs = append(s.outputs, o.x)
	for len(s.names) < len(s.outputs)-1 {
		s.names = append(s.names, "")
	}
	s.names = append(s.names, o.name)
}

// outputNames returns the names of the outputs, or an error if two are equal.
func (s *settings) outputNames() ([]string, error) {
	names, first := make([]string, len(s.outputs)), make(map[string]int, len(s.outputs))
	for i := range names {
		names[i] = "out" + strconv.Itoa(i)
		if i < len(s.names) && s.names[i] != "" {
			names[i] = s.names[i]
		}
		if !ir.IsPortName(names[i]) {
			return nil, misuse("compile", "output %d: %q is not a name: use letters, digits, _ and dots", i, names[i])
		}
		if k, taken := first[names[i]]; taken {
			return nil, misuse("compile", "outputs %d and %d are both named %q: rename one of them", k, i, names[i])
		}
		first[names[i]] = i
	}
	return names, nil
}

// WithInputs declares the inputs of a program, in the order in which runs receive them. Without it the inputs are those
// that the outputs need, in order of creation. With it an undeclared input that the outputs need is an error of
// Compile. A declared input that they do not need is still given to each run, and checked.
func WithInputs(inputs ...Node) Option {
	return func(s *settings) { s.inputs, s.declared = append(s.inputs, inputs...), true }
}

// declare puts the inputs in the declared order.
func (l *lowering) declare(declared []Node) error {
	var inputs []*node
	for i, x := range declared {
		n := x.get().value()
		switch {
		case n.err != nil:
			return n.err
		case n.input == "":
			return misuse("compile", "declared input %d is %s: WithInputs takes Nodes of Input", i, x)
		case slices.Contains(inputs, n):
			return misuse("compile", "input %s is declared twice", n.input)
		}
		inputs = append(inputs, n)
	}
	for _, n := range l.inputs {
		if !slices.Contains(inputs, n) {
			return &Error{Pos: n.pos, Op: "input " + n.input, Msg: "an output needs it, and it is not among the inputs declared: add it to WithInputs"}
		}
	}
	l.inputs = inputs
	return nil
}

// Feeds are the inputs of a run by name.
type Feeds map[string]*Tensor

// Feed returns the inputs in the order in which Run, RunInto and Bind take them. A missing input or an unknown name is
// an error.
func (p *Program) Feed(feeds Feeds) ([]*Tensor, error) {
	if p.empty() {
		return nil, misuse("run", noProgram)
	}
	ins := make([]*Tensor, len(p.inputs))
	var missing []string
	for i, in := range p.inputs {
		t, ok := feeds[in.Name]
		if !ok {
			missing = append(missing, in.Name)
		}
		ins[i] = t
	}
	var unknown []string
	if len(feeds) > len(ins)-len(missing) {
		for name := range feeds {
			if !slices.ContainsFunc(p.inputs, func(in Port) bool { return in.Name == name }) {
				unknown = append(unknown, name)
			}
		}
		sort.Strings(unknown)
	}
	others := strings.Join(unknown, ", ")
	switch absent := strings.Join(missing, ", "); {
	case absent != "" && others != "":
		return nil, p.misuse("run", "no tensor is given for %s, and the program has no input %s: it takes %s", absent, others, list(p.inputs))
	case absent != "":
		return nil, p.misuse("run", "no tensor is given for %s: the program takes %s", absent, list(p.inputs))
	case others != "":
		return nil, p.misuse("run", "the program has no input %s: it takes %s", others, list(p.inputs))
	}
	return ins, nil
}

// RunNamed computes all outputs, by name, from inputs by name, as RunAll does.
func (p *Program) RunNamed(ctx context.Context, feeds Feeds) (map[string]*Tensor, error) {
	ins, err := p.Feed(feeds)
	if err != nil {
		return nil, err
	}
	outs, err := p.RunAll(ctx, ins...)
	if err != nil {
		return nil, err
	}
	named := make(map[string]*Tensor, len(outs))
	for i, t := range outs {
		named[p.outputs[i].Name] = t
	}
	return named, nil
}
