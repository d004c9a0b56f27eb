package onnx

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// entry is what a part of a model is built from: nodes, and the values that they read.
type entry struct {
	model    *model
	settings *settings
	nodes    []*node
	outputs  []string
	inputs   []source                 // tensors that a run gives
	feeds    []string                 // their names in the model, nil in the rest of one
	values   map[string]value         // by name; computed values are inputs
	known    map[string]*graph.Tensor // answers to questions, by key
	names    identifiers              // names of inputs and values
	sizes    identifiers
}

// source is an input of the programs of a part.
type source struct {
	name string
	node graph.Node
}

// with returns the entry with other extents: axis maps those of axis k of input i, and elem those that values have as
// elements.
func (e entry) with(axis func(i, k int, d graph.Extent) graph.Extent, elem func(graph.Extent) graph.Extent) entry {
	own := map[graph.Node]graph.Node{}
	e.inputs = slices.Clone(e.inputs)
	for i, x := range e.inputs {
		shape := slices.Clone(x.node.Shape())
		for k, d := range shape {
			shape[k] = axis(i, k, d)
		}
		e.inputs[i].node = graph.Input(x.name, x.node.DType(), shape)
		own[x.node] = e.inputs[i].node
	}
	var held func(v value) value
	held = func(v value) value {
		v.items = mapped(v.items, held)
		switch v.kind {
		case computed:
			v.node = own[v.node]
		case symbolic:
			return v.array.with(elem)
		}
		return v
	}
	values := map[string]value{}
	for name, v := range e.values {
		values[name] = held(v)
	}
	e.values = values
	return e
}

// renaming returns the entry with one name for two sizes.
func (e entry) renaming(from, to string) entry {
	f := func(d graph.Extent) graph.Extent { return renamed(d, from, to) }
	return e.with(func(_, _ int, d graph.Extent) graph.Extent { return f(d) }, f)
}

// unlike describes the first two axes of inputs that are one size in the model and have other extents in a run, or returns "".
func (e entry) unlike(ins []*graph.Tensor) string {
	type axis struct{ input, axis int }
	first := map[string]axis{}
	for i := range e.feeds {
		for k, d := range e.inputs[i].node.Shape() {
			name := d.String()
			f, met := first[name]
			switch {
			case !ir.IsName(name):
			case !met:
				first[name] = axis{i, k}
			case ins[f.input].Extent(f.axis) != ins[i].Extent(k):
				return fmt.Sprintf("axis %d of input %q is %d, and axis %d of input %q is %d, which the model takes as one size",
					f.axis, e.feeds[f.input], ins[f.input].Extent(f.axis), k, e.feeds[i], ins[i].Extent(k))
			}
		}
	}
	return ""
}

// sizesFor returns the sizes of inputs.
func (e entry) sizesFor(ins []*graph.Tensor) map[string]int {
	sizes := map[string]int{}
	for i, x := range e.inputs {
		for k, d := range x.node.Shape() {
			if name := d.String(); ir.IsName(name) && sizes[name] == 0 {
				sizes[name] = ins[i].Extent(k)
			}
		}
	}
	return sizes
}

// forShapes returns the entry for inputs of given shapes.
func (e entry) forShapes(ins []*graph.Tensor) entry {
	sizes := e.sizesFor(ins)
	return e.with(
		func(i, k int, _ graph.Extent) graph.Extent { return ir.Fixed(ins[i].Extent(k)) },
		func(d graph.Extent) graph.Extent { return boundTo(d, sizes) })
}

// knowing returns the entry with more answers. The values that questions are about are known for all nodes.
func (e entry) knowing(questions []answerOf, answers []*graph.Tensor) entry {
	known, values := maps.Clone(e.known), maps.Clone(e.values)
	if known == nil {
		known = map[string]*graph.Tensor{}
	}
	for i, q := range questions {
		known[q.key] = answers[i].Clone()
		for _, name := range q.names {
			if _, read := e.values[name]; read {
				values[name] = value{kind: constant, tensor: known[q.key], text: e.values[name].text}
			}
		}
	}
	e.known, e.values = known, values
	return e
}

// isSymbolic reports whether an input has an axis whose extent is no number.
func (e entry) isSymbolic() bool {
	return slices.ContainsFunc(e.inputs, func(x source) bool {
		_, fixed := x.node.Shape().Ints()
		return !fixed
	})
}

// check returns an error for a tensor that is no input of the entry.
func (e entry) check(ins []*graph.Tensor, names []string) error {
	for i, x := range e.inputs {
		t, shape := ins[i], x.node.Shape()
		if err := t.Err(); err != nil {
			return fmt.Errorf("onnx: input %q: %w", names[i], err)
		}
		fits := t.DType() == x.node.DType() && t.Rank() == len(shape)
		for k := range shape {
			n, fixed := shape[k].Int()
			fits = fits && (!fixed || n == t.Extent(k))
		}
		if !fits {
			return fmt.Errorf("onnx: input %q is %s%s: the model takes %s%s", names[i], t.DType(), ir.ShapeOf(t.Shape()...), x.node.DType(), shape)
		}
	}
	return nil
}

// wordPattern matches the names and numbers of an extent.
var wordPattern = regexp.MustCompile(`[A-Za-z0-9_]+`)

// renamed returns an extent with a size renamed.
func renamed(d graph.Extent, from, to string) graph.Extent {
	if !slices.Contains(d.Names(), from) {
		return d
	}
	e, err := ir.ParseDim(wordPattern.ReplaceAllStringFunc(d.String(), func(name string) string {
		if name == from {
			return to
		}
		return name
	}))
	if err != nil {
		return ir.BadDim(err)
	}
	return e
}

// boundTo returns the number of an extent for sizes.
func boundTo(d graph.Extent, sizes map[string]int) graph.Extent {
	n, err := d.Bind(sizes)
	if err != nil {
		return ir.BadDim(err)
	}
	return ir.Fixed(n)
}

// reads adds the names that nodes, and those in their subgraphs, read.
func reads(nodes []*node, names map[string]bool) {
	for _, n := range nodes {
		for _, name := range n.inputs {
			names[name] = true
		}
		for _, a := range n.attrs {
			if g, ok := a.(*subgraph); ok {
				reads(g.nodes, names)
				for _, name := range g.outputs {
					names[name] = true
				}
			}
		}
	}
}
