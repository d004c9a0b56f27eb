package formula

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Subscripts and attributes. A subscript becomes the text of graph.Node.Slice, followed by a Take if one of its items
// is an array of indices.

// subscript is the content of the brackets after an array: the text of its slices, and at most
// one array of indices.
type subscript struct {
	items   []string // items in the notation of graph.Node.Slice
	points  int      // number of integers, which drop their axes
	indices value
	place   int // position of the array of indices among items
}

// subscript reads a subscript of x, whose bracket is at offset at.
func (p *parser) subscript(x value, at int) value {
	s := subscript{place: -1}
	for first := true; first || p.accept(",") && !p.closes(); first = false {
		p.item(&s)
		if p.err != nil {
			return value{}
		}
	}
	p.expect("]")
	switch {
	case p.err != nil:
		return value{}
	case x.kind == sequence:
		return p.element(x, s, at)
	case x.kind != array:
		return p.fail(at, "%s has no subscripts", x.kind)
	case s.place >= 0 && s.points > 0:
		return p.fail(s.indices.at, "an array of indices beside an integer: subscript twice, a[:, i][0]")
	}
	y := x.node.Slice(strings.Join(s.items, ","))
	if v := p.checked(y, at); s.place < 0 || p.err != nil {
		return v
	}
	axis := resultAxis(s.items[:s.place], s.items[s.place+1:], y.Rank())
	return p.checked(y.Take(axis, s.indices.node.FromEnd(y.Shape()[axis])), s.indices.at)
}

// item reads one item: an integer, a range, None, an ellipsis, or an array of indices.
func (p *parser) item(s *subscript) {
	at := p.tok.at
	if p.accept("...") {
		s.items = append(s.items, "...")
		return
	}
	var bounds []string
	for {
		bound := ""
		if !p.tokIs(":") && !p.tokIs(",") && !p.closes() {
			v := p.expression(lowest)
			if len(bounds) == 0 && !p.tokIs(":") {
				p.point(s, v)
				return
			}
			bound = p.bound(v)
		}
		bounds = append(bounds, bound)
		if !p.accept(":") {
			break
		}
	}
	switch {
	case len(bounds) == 1:
		p.fail(at, "a subscript is missing: write : for a whole axis")
	case len(bounds) > 3:
		p.fail(at, "a range has three parts at most, begin:end:step")
	}
	s.items = append(s.items, strings.Join(bounds, ":"))
}

func (p *parser) tokIs(op string) bool { return p.tok.kind == operator && p.tok.text == op }

// bound returns the text of a bound of a range.
func (p *parser) bound(v value) string {
	switch {
	case v.kind == none:
		return ""
	case v.kind == numeric && v.num.class == graph.Int64:
		return strconv.FormatInt(v.num.i, 10)
	}
	p.fail(v.at, "the bound of a range is an integer, not %s", v.what())
	return ""
}

// point adds an item that is not a range.
func (p *parser) point(s *subscript, v value) {
	if v.brackets {
		v = p.listed(v)
	}
	switch {
	case v.kind == none:
		s.items = append(s.items, "None")
	case v.kind == numeric && v.num.class == graph.Int64:
		s.items, s.points = append(s.items, strconv.FormatInt(v.num.i, 10)), s.points+1
	case v.kind == array && v.node.DType() == graph.Bool:
		p.fail(v.at, "a mask as subscript gives as many elements as are true, which no graph knows: write where(mask, a, 0), or sum the mask")
	case v.kind == array && ir.Class(v.node.DType()) == 1 && s.place < 0:
		s.place, s.indices = len(s.items), v
		s.items = append(s.items, ":")
	case v.kind == array && s.place >= 0:
		p.fail(v.at, "a second array of indices: one is allowed")
	default:
		p.fail(v.at, "a subscript is an integer, a range, None, ... or an array of integers, not %s", v.what())
	}
}

// what describes a value in a message.
func (v value) what() string {
	switch v.kind {
	case array:
		return "an array of " + v.node.DType().String()
	case numeric:
		return "a " + v.num.class.String()
	}
	return v.kind.String()
}

// resultAxis returns the axis of the slice to which an item belongs, from the items before and after it and the number
// of axes of the slice. No item may be an integer.
func resultAxis(before, after []string, rank int) int {
	if slices.Contains(before, "...") {
		return rank - 1 - len(after)
	}
	return len(before)
}

// element returns an element of a tuple, such as a.shape.
func (p *parser) element(x value, s subscript, at int) value {
	if len(s.items) != 1 || s.points != 1 {
		return p.fail(at, "a tuple is indexed by one integer")
	}
	i, _ := strconv.Atoi(s.items[0])
	if i < -len(x.list) || i >= len(x.list) {
		return p.fail(at, "index %d of a tuple of %d", i, len(x.list))
	}
	if i < 0 {
		i += len(x.list)
	}
	return x.list[i]
}

// attribute reads a name after a dot: a method call or an attribute.
func (p *parser) attribute(x value) value {
	t := p.tok
	if t.kind != name {
		return p.fail(t.at, "a name is missing behind the point%s", p.found())
	}
	p.next()
	if p.tokIs("(") {
		args, keywords := p.arguments()
		return p.call(t.text, t.at, slices.Insert(args, 0, x), keywords)
	}
	if x.kind != array {
		return p.fail(t.at, "%s has no attributes", x.kind)
	}
	switch t.text {
	case "T":
		return p.checked(x.node.T(), t.at)
	case "ndim":
		return numberValue(intNumber(int64(x.node.Rank())), t.at)
	case "size":
		return p.extent(x.node.Shape().NumElems(), t.at)
	case "shape":
		v := value{kind: sequence, at: t.at}
		for _, d := range x.node.Shape() {
			v.list = append(v.list, p.extent(d, t.at))
		}
		return v
	}
	if functions[t.text] != nil {
		return p.fail(t.at, "%s is a method: write .%s()", t.text, t.text)
	}
	return p.fail(t.at, "there is no attribute %s: there are T, ndim, shape, size, and the functions", t.text)
}

// extent converts a size to a number.
func (p *parser) extent(d graph.Extent, at int) value {
	n, known := d.Int()
	if !known {
		return p.fail(at, "the size %s is known when the program runs: a formula takes those that are known before", d)
	}
	return numberValue(intNumber(int64(n)), at)
}
