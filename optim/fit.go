package optim

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Parameters are the named tensors that a fit changes.
type Parameters struct {
	names   []string
	nodes   []graph.Node
	tensors []*graph.Tensor
}

// fail returns an error at the line of the user's call.
func fail(format string, args ...any) error {
	return &graph.Error{Pos: ir.CallerPos(), Op: "optim", Msg: fmt.Sprintf(format, args...)}
}

// failed returns a Node with an error at the line of the user's call.
func failed(format string, args ...any) graph.Node {
	return graph.Const(tensor.Failf("optim: "+format, args...))
}

// Add adds a parameter whose value is a tensor, and returns its Node. Steps write to the tensor, which must be row-major
// and share no memory with other parameters. The name is that of a graph.Input, which no other parameter or input has.
func (p *Parameters) Add(name string, t *graph.Tensor) graph.Node {
	if p == nil {
		return failed("the Parameters are nil: declare a variable of the type")
	}
	node := graph.Input(name, t.DType(), t.Shape())
	if t.Err() != nil {
		node = graph.Const(t)
	}
	p.names, p.nodes, p.tensors = append(p.names, name), append(p.nodes, node), append(p.tensors, t)
	return node
}

// Nodes returns the Nodes of the parameters in the order in which they were added.
func (p *Parameters) Nodes() graph.Nodes { return slices.Clone(p.nodes) }

// Tensors returns the tensors of the parameters in the order in which they were added.
func (p *Parameters) Tensors() []*graph.Tensor { return slices.Clone(p.tensors) }

// check returns an error for a parameter that steps cannot write to.
func (p *Parameters) check() error {
	if p == nil {
		return fail("the Parameters are nil: declare a variable of the type")
	}
	for i, t := range p.tensors {
		if t.Err() != nil {
			continue // its Node has the error
		}
		if !t.IsRowMajor() {
			return fail("the tensor of parameter %s, with shape %v and strides %v, is not row-major: add its Clone", p.names[i], t.Shape(), t.Strides())
		}
		for j, other := range p.tensors[:i] {
			if other.Err() == nil && graph.Overlaps(t, other) {
				return fail("the tensors of parameters %s and %s share memory: use one parameter, or a Clone", p.names[j], p.names[i])
			}
		}
	}
	return nil
}

// Fit is a program that computes a loss and changes parameters, with its state. It is for one goroutine at a time.
type Fit struct {
	program *graph.Program
	names   []string        // of held
	held    []*graph.Tensor // the parameters, their states, and the number of steps
	loss    *graph.Tensor
	data    int // number of inputs besides held
}

// Clipped is an optimizer that gets gradients scaled down to a norm: see ClipByNorm.
type Clipped struct {
	Optimizer
	Norm float64
}

// Gradients implements Optimizer.
func (o Clipped) Gradients(gradients graph.Nodes) graph.Nodes {
	if o.Optimizer == nil {
		return slices.Repeat(graph.Nodes{failed("the Optimizer of Clipped is not set")}, len(gradients))
	}
	return o.Optimizer.Gradients(ClipByNorm(gradients, o.Norm))
}

// ClipByNorm returns gradients multiplied by norm/n if n, the norm of all their elements together, is greater than
// norm. n is computed in float64.
func ClipByNorm(gradients graph.Nodes, norm float64) graph.Nodes {
	total := graph.Scalar(graph.Float64, 0)
	for _, g := range gradients {
		total = total.Add(g.Cast(graph.Float64).SumSquares())
	}
	scale := total.Scalar(norm).Div(total.Sqrt().Maximum(norm))
	out := make(graph.Nodes, len(gradients))
	for i, g := range gradients {
		out[i] = g.Mul(scale.Cast(g.DType()))
	}
	return out
}

// New compiles the step of an optimizer that decreases a loss, a scalar of a float type, by changing parameters. The
// items are the other inputs that the loss needs, in the order in which Step takes them, and options of graph.Compile:
// with WithDebug(graph.NonFinite), a step whose loss or gradients have a NaN or an infinity changes nothing and returns
// an error that names the op and its line. A parameter that the loss does not depend on has the gradient 0, and Explain
// says so. Errors are those of graph.Compile, and of parameters that steps cannot write to.
func New(o Optimizer, loss graph.Node, p *Parameters, items ...graph.Item) (*Fit, error) {
	if o == nil {
		return nil, fail("the Optimizer is nil")
	}
	var inputs graph.Nodes
	var options []graph.Item
	for _, item := range items {
		switch item := item.(type) {
		case graph.Node:
			inputs = append(inputs, item)
		case graph.Nodes:
			inputs = append(inputs, item...)
		default:
			options = append(options, item)
		}
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if loss.Err() == nil && loss.Rank() != 0 {
		return nil, fail("the loss is %s: it must be a scalar, such as a Mean", loss)
	}
	gradients := o.Gradients(graph.Grad(loss, p.nodes...))
	if len(gradients) != len(p.nodes) {
		return nil, fail("%T returns %d gradients for %d parameters", o, len(gradients), len(p.nodes))
	}
	if slices.ContainsFunc(gradients, func(g graph.Node) bool { return g.Err() != nil }) {
		_, err := graph.Compile(loss, gradients)
		return nil, err
	}
	fit := &Fit{names: slices.Clone(p.names), held: slices.Clone(p.tensors), loss: graph.New(graph.Float64), data: len(inputs)}
	step := graph.Input("optim_step", graph.Float64)
	declared, updated, states := slices.Concat(inputs, p.nodes), graph.Nodes{}, graph.Nodes{}
	for i, x := range p.nodes {
		wide := x.DType().Compute()
		u := Update{Parameter: x.Cast(wide), Gradient: gradients[i].Cast(wide), Step: step.Add(1)}
		for _, name := range o.States() {
			t := graph.New(wide, p.tensors[i].Shape()...)
			fit.names, fit.held = append(fit.names, p.names[i]+"_"+name), append(fit.held, t)
			u.States = append(u.States, graph.Input(p.names[i]+"_"+name, wide, t.Shape()))
		}
		declared = append(declared, u.States...)
		y, next := o.Update(u)
		if len(next) != len(u.States) {
			return nil, fail("%T returns %d states for %s: it names %d", o, len(next), p.names[i], len(u.States))
		}
		for k, s := range next {
			if want := u.States[k]; s.Err() == nil && (s.DType() != wide || !s.Shape().Equal(want.Shape())) {
				return nil, fail("%T returns %s as the state %s of %s: it must be %s%v", o, s, o.States()[k], p.names[i], wide, want.Shape())
			}
		}
		updated, states = append(updated, y.Cast(x.DType())), append(states, next...)
	}
	fit.names, fit.held = append(fit.names, "optim_step"), append(fit.held, graph.New(graph.Float64))
	items = append(options, loss.Cast(graph.Float64), updated, states, step.Add(1), graph.WithInputs(append(declared, step)...))
	program, err := graph.Compile(items...)
	if err != nil {
		return nil, err
	}
	fit.program = program
	return fit, nil
}

// Step computes the loss for the inputs and changes the parameters and the state in place. It returns the loss before
// the change. After an error, such as that of a cancelled context, parameters and state may be changed in part.
func (f *Fit) Step(ctx context.Context, inputs ...*graph.Tensor) (loss float64, err error) {
	if f == nil || f.program == nil {
		return 0, fail("the Fit was not made by New, or New returned an error")
	}
	if len(inputs) != f.data {
		return 0, fail("%d inputs given, the loss takes %d: %v", len(inputs), f.data, f.program.Inputs()[:f.data])
	}
	outs := slices.Concat([]*graph.Tensor{f.loss}, f.held)
	if err := f.program.RunInto(ctx, outs, slices.Concat(inputs, f.held)...); err != nil {
		return 0, err
	}
	return graph.At[float64](f.loss)
}

// Program returns the program of a step, for Explain and Dump.
func (f *Fit) Program() *graph.Program { return f.program }

// State returns the parameters, the optimizer's state and the number of steps by name: the tensors themselves, which
// steps change.
func (f *Fit) State() map[string]*graph.Tensor {
	out := map[string]*graph.Tensor{}
	for i, name := range f.names {
		out[name] = f.held[i]
	}
	return out
}

// Restore copies the elements of a State, for example one read from a file. It is an error if a tensor is missing or
// has another type or shape; tensors of other names are ignored.
func (f *Fit) Restore(state map[string]*graph.Tensor) error {
	for i, name := range f.names {
		from, to := state[name], f.held[i]
		if from == nil {
			return fail("the state has no %s: it has %v", name, slices.Sorted(maps.Keys(state)))
		}
		if from.DType() != to.DType() || !slices.Equal(from.Shape(), to.Shape()) {
			return fail("%s is %s%v in the state, and %s%v here", name, from.DType(), from.Shape(), to.DType(), to.Shape())
		}
	}
	for i, name := range f.names {
		if err := graph.Copy(f.held[i], state[name]); err != nil {
			return err
		}
	}
	return nil
}
