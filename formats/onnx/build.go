package onnx

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// builder makes a graph of a model. It maps names to values.
type builder struct {
	model  *model
	opset  int
	outer  *builder // the builder of the graph around this subgraph
	depth  int      // nesting depth of functions
	stages *stages
	values map[string]value
	errs   *mistakes

	questions *questions
	waiting   map[string]bool // results of postponed nodes
	path      string          // the node, and its iteration, that this graph is the body of

	// For WithScaledWeights, in graphs that are neither a function's nor inside one:
	scales    bool
	reads     map[string]int      // how often each name is read
	scalables map[string]scalable // products that this builder made, by name
}

// value returns the value of a name in this graph or a graph around it. ok is false if the node that makes it failed.
func (b *builder) value(name string) (v value, ok bool) {
	for ; b != nil; b = b.outer {
		if v, ok := b.values[name]; ok {
			return v, true
		}
	}
	return value{}, false
}

// run builds all nodes of a subgraph. Nodes that fail record their mistake in b.errs; nodes that need them are skipped.
func (b *builder) run(g *subgraph) {
	if b.scales {
		b.reads, b.scalables = g.reads(), map[string]scalable{}
	}
	for name, t := range g.constants {
		b.values[name] = b.model.constant(t)
	}
	for _, n := range g.nodes {
		b.add(n)
	}
}

// inner returns a builder for a subgraph of a node of this graph.
func (b *builder) inner() *builder {
	return &builder{
		model: b.model, opset: b.opset, outer: b, depth: b.depth, stages: b.stages, values: map[string]value{}, errs: b.errs, scales: b.scales,
		questions: b.questions, waiting: map[string]bool{}, path: b.path,
	}
}

// results returns the values of the names that a subgraph returns.
func (b *builder) results(g *subgraph) []value {
	out := make([]value, len(g.outputs))
	for i, name := range g.outputs {
		v, ok := b.value(name)
		if !ok && b.errs.none() && !b.waits(name) {
			b.errs.add(fmt.Errorf("output %q: no node makes it", name))
		}
		out[i] = v
	}
	return out
}

// add builds one node.
func (b *builder) add(n *node) {
	if b.errs.enough(len(n.inputs) + len(n.outputs)) {
		return
	}
	if fn := b.model.functions[key(n.domain, n.op, n.overload)]; fn != nil {
		if !b.call(fn, n) {
			b.errs.failed(n)
		}
		return
	}
	op, why := lookup(n, b.opset)
	if op == nil {
		b.errs.unsupported(n, why)
		return
	}
	c := &call{builder: b, op: op, node: n, in: make([]value, len(n.inputs))}
	for i, name := range n.inputs {
		if name == "" {
			continue
		}
		v, ok := b.value(name)
		if !ok && b.waits(name) {
			b.postpone(n)
			return
		}
		if !ok {
			if !b.errs.fails(name) {
				b.errs.add(fmt.Errorf("%s: input %q: no node before makes it", n.where(), name))
			}
			b.errs.failed(n)
			return
		}
		c.in[i], c.stage = v, max(c.stage, v.stage)
	}
	for i, v := range c.in {
		c.in[i] = b.stages.carry(v, c.stage)
	}
	outs, err := c.build()
	if err != nil && err != errLater && c.dependsOnSizes() {
		err = c.retry(err)
	}
	if err == errLater {
		b.postpone(n)
		return
	}
	if err != nil {
		b.errs.add(fmt.Errorf("%s: %w", n.where(), err))
		b.errs.failed(n)
		return
	}
	b.locate(n, outs)
	for i, name := range n.outputs {
		if name != "" {
			if _, made := b.values[name]; made {
				b.errs.add(fmt.Errorf("%s: output %q: the graph has a value of this name already", n.where(), name))
			}
			if outs[i].kind != constant {
				outs[i].stage = max(outs[i].stage, c.stage)
			}
			b.values[name] = outs[i]
		}
	}
}

// locate replaces the positions of Nodes, the line that loads or runs the model, by the position of their node in the model.
func (b *builder) locate(n *node, outs []value) {
	var built graph.Nodes
	for _, v := range outs {
		if v.kind == computed {
			built = append(built, v.node)
		}
	}
	built = graph.RelocateAll(built, b.questions.line, n.pos(b.model.file))
	for i := range outs {
		if outs[i].kind != computed {
			continue
		}
		if s, ok := b.scalables[n.outputs[0]]; ok && s.product == outs[i].node {
			s.product = built[0]
			b.scalables[n.outputs[0]] = s
		}
		outs[i].node, built = built[0], built[1:]
	}
}

// build returns the values of a node's outputs.
func (c *call) build() ([]value, error) {
	if err := c.op.check(c.node); err != nil {
		return nil, err
	}
	if err := c.checkTypes(); err != nil {
		return nil, err
	}
	if err := c.checkTexts(); err != nil {
		return nil, err
	}
	if err := c.checkShapes(); err != nil {
		return nil, err
	}
	for _, v := range c.in {
		c.spend(len(v.items) / itemsOfNode)
	}
	if c.err != nil {
		return nil, c.err
	}
	outs, ok := c.onSizes()
	if !ok {
		outs = c.op.build(c)
	}
	for i := range outs {
		if c.err == nil && outs[i].kind == computed {
			c.err = outs[i].node.Err()
		}
	}
	for i := range c.node.outputs {
		if c.err == nil && c.wants(i) && (i >= len(outs) || outs[i].kind == missing) {
			c.fail("output %d is not supported", i)
		}
	}
	if c.err == nil && c.folds(outs) {
		c.err = c.fold(outs)
	}
	c.marksTexts(outs)
	if sized := c.isSized(); sized {
		for i := range outs {
			outs[i].sized = true
		}
	}
	return outs, c.err
}

// isSized reports whether the node computes with sizes alone.
func (c *call) isSized() bool {
	return len(c.in) > 0 && !c.hasBody() && !slices.ContainsFunc(c.in, func(v value) bool { return !v.sized && v.kind != symbolic && !v.isKnown() })
}

// checkTypes returns an error for missing inputs, and for types that the operator does not take.
func (c *call) checkTypes() error {
	for i, v := range c.in {
		switch {
		case v.kind == missing && i < c.op.least:
			return fmt.Errorf("input %d is missing", i)
		case v.kind == sequence && c.op.types&anySequence == 0:
			return fmt.Errorf("input %d is a sequence: it takes a tensor", i)
		case v.kind == absent && c.op.types&anyOptional == 0:
			return fmt.Errorf("input %d is an optional value that is not there", i)
		case i > 0 || v.kind == missing || v.kind == sequence || v.kind == absent:
		case c.op.types == anySequence:
			return fmt.Errorf("input 0 is a tensor: it takes a sequence")
		case !c.op.types.Has(v.dtype()):
			return fmt.Errorf("input 0 is of %s: it takes %s", v.dtype(), c.op.types)
		}
	}
	return nil
}

// mostFolded limits the elements of results that are computed at load.
const mostFolded = 1 << 16

// folds reports whether the outputs are computed at load: they depend only on constants and are small.
func (c *call) folds(outs []value) bool {
	for _, v := range c.in {
		if !v.isKnown() {
			return false
		}
	}
	if c.hasBody() { // it may use any value around it
		return false
	}
	for _, v := range outs {
		if v.kind != computed {
			continue
		}
		n, fixed := v.node.Shape().NumElems().Int()
		if !fixed || n > mostFolded {
			return false
		}
	}
	return true
}

// fold computes outputs at load, and counts their elements as nodes.
func (c *call) fold(outs []value) error {
	for _, v := range outs {
		if v.kind == computed {
			n, _ := v.node.Shape().NumElems().Int()
			c.spendElements(n)
		}
	}
	if c.err != nil {
		return c.err
	}
	return fold(outs)
}

// fold computes outputs, which become constants.
func fold(outs []value) error {
	for i, v := range outs {
		if v.kind != computed {
			continue
		}
		p, err := graph.Compile(v.node)
		if err != nil {
			return err
		}
		t, err := p.Run(context.Background())
		if err != nil {
			return err
		}
		outs[i] = value{kind: constant, tensor: t, text: v.text}
	}
	return nil
}
