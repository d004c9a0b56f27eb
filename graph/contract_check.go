package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// ellipsis is the prefix of labels of broadcast axes: batch axes, and axes that an ellipsis stands for. Labels in a
// formula contain no dots.
const ellipsis = "..."

// broadcasting returns labels for n broadcast axes, aligned at the last one.
func broadcasting(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%02d", ellipsis, n-1-i)
	}
	return out
}

// factors returns the nodes of operands. Go numbers take the type of the first operand that has one. If an operand is
// wrong, factors returns nil and a poisoned Node.
func factors(operands ...any) (xs []Node, bad Node) {
	typed := slices.IndexFunc(operands, func(v any) bool { return !isNumber(v) })
	if typed < 0 {
		return nil, fail("there is no Node or *Tensor among its %d operands", len(operands))
	}
	args := make([]*node, len(operands))
	for i, v := range operands {
		args[i] = operand(v, typeOf(operands[typed]))
		xs = append(xs, Node{args[i]})
	}
	for i, a := range args {
		switch {
		case a.err != nil && isNumber(operands[i]):
			return nil, fail("%s", a.err.Msg)
		case a.err != nil:
			return nil, Node{&node{op: ir.OpDot, args: args, err: a.err}}
		}
	}
	return xs, Node{}
}

// check finds the size of each label, or returns what is wrong with the terms.
func (c *contraction) check() error {
	c.sizes = map[string]Extent{}
	first := map[string]place{}
	dt := c.terms[0].x.DType()
	for i, t := range c.terms {
		if have := t.x.DType(); have != dt && c.op.Info().Right == ir.Invalid {
			return fmt.Errorf("dtypes %s and %s differ: Cast one of them", dt, have)
		}
		for k, label := range t.labels {
			at := place{i, k, t.x.n.typ.Shape[k]}
			have, met := first[label]
			broadcasts := strings.HasPrefix(label, ellipsis)
			switch {
			case !met, broadcasts && have.size.Is(1):
				first[label], c.sizes[label] = at, at.size
			case have.size != at.size && !(broadcasts && at.size.Is(1)):
				return c.mismatch(label, have, at)
			}
		}
	}
	in, _ := factorType(dt)
	return takesDot(in)
}

// takesDot returns an error unless arrays of the type can be multiplied and summed.
func takesDot(dt DType) error {
	if ir.OpDot.Info().Domain.Has(dt) {
		return nil
	}
	wide := Int64
	if dt.Size() < Int32.Size() {
		wide = Int32
	}
	return fmt.Errorf("does not take %s: Cast the operands to %s, the type of the sums", dt, wide)
}

// place identifies an axis of a term.
type place struct {
	term, axis int
	size       Extent
}

func (p place) String() string {
	nth := []string{"first", "second", "third"}
	if p.term < len(nth) {
		return fmt.Sprintf("axis %d of the %s", p.axis, nth[p.term])
	}
	return fmt.Sprintf("axis %d of the %dth", p.axis, p.term+1)
}

// mismatch returns the error for two axes with one label and different extents.
func (c *contraction) mismatch(label string, a, b place) error {
	switch {
	case strings.HasPrefix(label, ellipsis):
		return fmt.Errorf("%s do not broadcast: %s is %s and %s is %s", c.call, a, a.size, b, b.size)
	case label[0] == '.':
		return fmt.Errorf("%s: %s is %s and %s is %s: they must be equal", c.call, a, a.size, b, b.size)
	}
	return fmt.Errorf("%s: label %s is %s as %s and %s as %s: they must be equal", c.call, label, a.size, a, b.size, b)
}

// names returns the axis names of the result, or nil if the axes have no names. An axis inherits the name of its source axes if
// they agree; diagonals have no name.
func (c *contraction) names() ([]string, error) {
	of := map[string]string{}
	from := map[string]place{}
	for i, t := range c.terms {
		for k, name := range t.x.AxisNames() {
			label, at := t.labels[k], place{term: i, axis: k}
			have := of[label]
			switch {
			case name == "" || name == have:
			case have == "":
				of[label], from[label] = name, at
			case from[label].term == i:
				of[label] = "" // a diagonal
			default:
				return nil, fmt.Errorf("%s is %q and %s is %q: Permute or rename one of them", from[label], have, at, name)
			}
		}
	}
	out := make([]string, len(c.out))
	for k, label := range c.out {
		name := of[label]
		if i := slices.Index(out, name); i >= 0 && name != "" {
			out[i], name = "", ""
		}
		out[k] = name
	}
	return someNames(out), nil
}

// shapesText returns the two shapes of a contraction, as errors show them.
func shapesText(xs []Node) string {
	text := make([]string, len(xs))
	for i, x := range xs {
		text[i] = x.n.typ.Shape.String()
	}
	if len(text) == 1 {
		return "shape " + text[0]
	}
	last := len(text) - 1
	return "shapes " + strings.Join(text[:last], ", ") + " and " + text[last]
}
