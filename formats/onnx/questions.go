package onnx

import (
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// A build meets operators that need numbers which only a run has: a number for a size, or the elements of a value. Such a
// node is postponed, with all nodes that read its results, and the build records a question. See part for the answers.

// questions are what a build of a part asks and knows.
type questions struct {
	line  graph.Pos                // the user's line that builds
	known map[string]*graph.Tensor // answers, by key
	asked []question
	// shapes is set if a node needs numbers for the sizes of the part's inputs.
	shapes bool
	// same has two sizes of inputs that a node needs to be equal, if there are any.
	same  [2]string
	later []*node // postponed nodes of the part, in order
	// assumed has extents that must not be negative for the build to hold.
	assumed map[graph.Extent]bool
}

// question asks for the elements of a value.
type question struct {
	key string
	of  value
}

// errLater is the error of a node that is postponed.
var errLater = errors.New("it needs numbers that only a run has")

// postpone records that a node waits for an answer, and that its results do.
func (b *builder) postpone(n *node) {
	for _, name := range n.outputs {
		if name != "" {
			b.waiting[name] = true
		}
	}
	if b.outer == nil && b.depth == 0 {
		b.questions.later = append(b.questions.later, n)
	}
}

// waits reports whether a name in this graph or a graph around it is the result of a postponed node.
func (b *builder) waits(name string) bool {
	for ; b != nil; b = b.outer {
		if b.waiting[name] {
			return true
		}
	}
	return false
}

// needShapes postpones the node until the sizes of inputs are numbers.
func (c *call) needShapes() {
	if c.err == nil {
		c.err = errLater
		c.questions.shapes = c.questions.shapes || c.stage == 0 // later stages have sizes of their own
	}
}

// know returns a value that is known at load, or asks for its elements. what tells the values of a node apart.
func (c *call) know(v value, what string) value {
	key := c.path + "/" + c.node.label() + "." + what
	switch t := c.questions.known[key]; {
	case v.kind != computed && v.kind != symbolic || c.err != nil:
		return v
	case t != nil:
		return constantOf(t)
	case v.stage == 0 && (v.kind == symbolic || v.sized):
		c.needShapes()
		return v
	}
	if n, fixed := product(v.shape()).Int(); fixed && n > mostElems {
		c.fail("%s has %d elements: as an operand that determines shapes it may have up to %d", what, n, mostElems)
		return v
	}
	c.questions.asked = append(c.questions.asked, question{key, v})
	c.err = errLater
	return v
}

// label returns a name of the node that no other node of its graph has.
func (n *node) label() string {
	for _, name := range n.outputs {
		if name != "" {
			return name
		}
	}
	return ""
}

// dependsOnSizes reports whether inputs have symbolic sizes, so that a mistake may be one for some sizes only.
func (c *call) dependsOnSizes() bool {
	return slices.ContainsFunc(c.in, value.dependsOnSizes)
}

func (v value) dependsOnSizes() bool {
	switch v.kind {
	case symbolic:
		return true
	case computed:
		_, fixed := v.node.Shape().Ints()
		return !fixed || v.sized
	}
	return slices.ContainsFunc(v.items, value.dependsOnSizes)
}

// retry decides about a node that fails with symbolic sizes. If the mistake is the same one for different numbers, it is
// a mistake of the model. If the node is right once two sizes are equal, they become one, and runs check it. Otherwise the
// node is postponed until the sizes are numbers.
func (c *call) retry(err error) error {
	if c.hasBody() || errors.As(err, new(certainError)) {
		return err
	}
	if c.stage == 0 {
		for pairs := 1; pairs <= mostPairs; pairs++ {
			if c.merge(c.sizeNames(), pairs, func(d graph.Extent) graph.Extent { return d }) {
				return errLater
			}
		}
	}
	texts := map[string]bool{err.Error(): true}
	for _, n := range []int{7, 48} {
		sizes := map[string]int{}
		err := c.trial(func(d graph.Extent) graph.Extent {
			for _, name := range d.Names() {
				sizes[name] = n
			}
			return boundTo(d, sizes)
		})
		if err == nil {
			break
		}
		if texts[err.Error()] = true; n == 48 && len(texts) == 1 {
			return err
		}
	}
	c.err = nil
	c.needShapes()
	return errLater
}

// merge looks for pairs of sizes with which the node is right if they are equal, and records one of them. with renames the
// sizes of the pairs before.
func (c *call) merge(names []string, pairs int, with func(graph.Extent) graph.Extent) bool {
	for i, a := range names {
		for _, b := range names[:i] {
			both := func(d graph.Extent) graph.Extent { return renamed(with(d), a, b) }
			if pairs == 1 && c.trial(both) == nil || pairs > 1 && c.merge(slices.Delete(slices.Clone(names), i, i+1), pairs-1, both) {
				c.questions.same = [2]string{a, b}
				return true
			}
		}
	}
	return false
}

// hasBody reports whether the node has subgraphs.
func (c *call) hasBody() bool {
	for _, v := range c.node.attrs {
		if _, ok := v.(*subgraph); ok {
			return true
		}
	}
	return false
}

// mostNames limits the names of sizes that are tried to be equal, and mostPairs the pairs of them at once.
const (
	mostNames = 6
	mostPairs = 3
)

// sizeNames returns the names that are extents of the inputs, by the order of the inputs.
func (c *call) sizeNames() (names []string) {
	for _, v := range c.in {
		if !v.isTensor() {
			continue
		}
		for _, d := range v.shape() {
			if of := d.Names(); len(of) == 1 && d.String() == of[0] && !slices.Contains(names, of[0]) && len(names) < mostNames {
				names = append(names, of[0])
			}
		}
	}
	return names
}

// trial builds the node once more with other extents, and returns its mistake.
func (c *call) trial(with func(graph.Extent) graph.Extent) error {
	b := &builder{model: c.model, opset: c.opset, stages: newStages(), values: map[string]value{}, waiting: map[string]bool{}, errs: newMistakes(), questions: &questions{line: c.questions.line}}
	d := &call{builder: b, op: c.op, node: c.node, in: slices.Clone(c.in)}
	for i, v := range d.in {
		d.in[i] = v.withExtents(b.stages, with)
	}
	_, err := d.build()
	if err == errLater {
		return nil
	}
	return err
}

// withExtents returns the value with other extents. Nodes become inputs.
func (v value) withExtents(s *stages, with func(graph.Extent) graph.Extent) value {
	v.stage = 0
	v.items = mapped(v.items, func(v value) value { return v.withExtents(s, with) })
	switch v.kind {
	case computed:
		v.node = s.input("x", v.node.DType(), 0, graph.Shape(mapped(v.node.Shape(), with)))
	case symbolic:
		v = v.array.with(with)
	}
	return v
}

// with returns the array with other extents, as a value.
func (a array) with(f func(graph.Extent) graph.Extent) value {
	a.elems = mapped(a.elems, func(q quantity) quantity {
		q, _ = lowest(f(q.num), q.den)
		return q
	})
	if v, ok := a.value(); ok {
		return v
	}
	return compute(a.node())
}

// checkKnown records the operators of nodes, and of those in their subgraphs, that are not supported. Postponed nodes are
// built by runs, but this mistake is one of the model.
func (b *builder) checkKnown(nodes []*node) {
	for _, n := range nodes {
		if b.model.functions[key(n.domain, n.op, n.overload)] == nil {
			if op, why := lookup(n, b.opset); op == nil {
				b.errs.unsupported(n, why)
			}
		}
		for _, a := range n.attrs {
			if g, ok := a.(*subgraph); ok {
				b.checkKnown(g.nodes)
			}
		}
	}
}
