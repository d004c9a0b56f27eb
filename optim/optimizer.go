package optim

import "github.com/stridefuse/stridefuse/graph"

// Optimizer says how a step changes a parameter. SGD, Adam and AdamW are Optimizers; other packages may add theirs.
type Optimizer interface {
	// Gradients returns the gradients of all parameters that Update gets. Most optimizers return them unchanged.
	Gradients(gradients graph.Nodes) graph.Nodes
	// States returns the names of the tensors that the optimizer keeps for each parameter. They have the parameter's
	// shape and the type in which it is computed, and begin as zeros.
	States() []string
	// Update returns the parameter and its states after a step.
	Update(u Update) (parameter graph.Node, states []graph.Node)
}

// Update is the input of an Optimizer for one parameter. The Nodes have the type in which the parameter is computed,
// except Step.
type Update struct {
	Parameter, Gradient graph.Node
	States              []graph.Node
	Step                graph.Node // the number of this step, from 1 on: a Float64 scalar
}

// rate returns the learning rate of the step in the type of the parameter.
func (u Update) rate(s Schedule) graph.Node { return u.scalar(s.at(u.Step)) }

// scalar returns a Float64 number in the type of the parameter.
func (u Update) scalar(x graph.Node) graph.Node { return x.Cast(u.Parameter.DType()) }

// SGD is gradient descent with momentum: v = Momentum*v + g, and the parameter decreases by Rate*v.
type SGD struct {
	Rate     Schedule
	Momentum float64 // 0 keeps no state
}

// Gradients implements Optimizer.
func (SGD) Gradients(gradients graph.Nodes) graph.Nodes { return gradients }

// States implements Optimizer.
func (o SGD) States() []string {
	if o.Momentum == 0 {
		return nil
	}
	return []string{"momentum"}
}

// Update implements Optimizer.
func (o SGD) Update(u Update) (graph.Node, []graph.Node) {
	v := u.Gradient
	if o.Momentum != 0 {
		v = u.States[0].Mul(o.Momentum).Add(v)
	}
	return u.Parameter.Sub(v.Mul(u.rate(o.Rate))), []graph.Node{v}[:len(u.States)]
}

// Adam divides the running mean of the gradients by the square root of the running mean of their squares, both
// corrected for their beginning at 0 (Kingma and Ba, Adam: a method for stochastic optimization, 2015). Zero fields
// have the defaults 0.9, 0.999 and 1e-8.
type Adam struct {
	Rate                  Schedule
	Beta1, Beta2, Epsilon float64
}

// Gradients implements Optimizer.
func (Adam) Gradients(gradients graph.Nodes) graph.Nodes { return gradients }

// States implements Optimizer.
func (Adam) States() []string { return []string{"mean", "square"} }

// Update implements Optimizer.
func (o Adam) Update(u Update) (graph.Node, []graph.Node) {
	change, states := o.change(u)
	return u.Parameter.Sub(change), states
}

// change returns how much a step subtracts from the parameter, and the new states.
func (o Adam) change(u Update) (graph.Node, []graph.Node) {
	for _, d := range []struct {
		field *float64
		value float64
	}{{&o.Beta1, 0.9}, {&o.Beta2, 0.999}, {&o.Epsilon, 1e-8}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	g := u.Gradient
	mean := graph.Lerp(u.States[0], g, 1-o.Beta1)
	square := graph.Lerp(u.States[1], g.Square(), 1-o.Beta2)
	grown := func(beta float64) graph.Node { return u.scalar(u.Step.Scalar(1).Sub(u.Step.Scalar(beta).Pow(u.Step))) }
	root := square.Div(grown(o.Beta2)).Sqrt().Add(o.Epsilon)
	return mean.Mul(u.rate(o.Rate).Div(grown(o.Beta1))).Div(root), []graph.Node{mean, square}
}

// AdamW is Adam with weight decay: a step also subtracts Rate*Decay times the parameter (Loshchilov and Hutter,
// Decoupled weight decay regularization, 2019).
type AdamW struct {
	Rate                  Schedule
	Beta1, Beta2, Epsilon float64 // as in Adam
	Decay                 float64
}

// Gradients implements Optimizer.
func (AdamW) Gradients(gradients graph.Nodes) graph.Nodes { return gradients }

// States implements Optimizer.
func (AdamW) States() []string { return Adam{}.States() }

// Update implements Optimizer.
func (o AdamW) Update(u Update) (graph.Node, []graph.Node) {
	change, states := Adam{o.Rate, o.Beta1, o.Beta2, o.Epsilon}.change(u)
	shrunk := u.Parameter.Mul(u.scalar(o.Rate.at(u.Step).Mul(o.Decay).Neg().Add(1)))
	return shrunk.Sub(change), states
}
