package formula

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// Calls of functions: arguments are matched with parameters and converted to what the function takes. The input is
// values with their offsets in the text, the output a Node or the first mistake.

// keyword is a named argument.
type keyword struct {
	name string
	at   int
	value
}

// arguments reads the arguments of a call, from its opening parenthesis on.
func (p *parser) arguments() (args []value, keywords []keyword) {
	p.expect("(")
	for p.err == nil && !p.closes() {
		t, after := p.tok, p.after
		if next, _, _ := scan(p.text, after); t.kind == name && next.kind == operator && next.text == "=" {
			p.next()
			p.next()
			keywords = append(keywords, keyword{t.text, t.at, p.expression(lowest)})
		} else if len(keywords) > 0 {
			p.fail(t.at, "an argument without a name behind one with a name")
		} else {
			args = append(args, p.expression(lowest))
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return args, keywords
}

// function is a row of the table of functions.
type function struct {
	params string // as Python writes them: "a, axis=None, keepdims=False"
	call   func(*call) graph.Node
}

// call is one call of a function. Its methods return arguments by name, and record the first mistake.
type call struct {
	p      *parser
	values map[string]value
}

// call applies the function named at offset at.
func (p *parser) call(name string, at int, args []value, keywords []keyword) value {
	if p.err != nil {
		return value{at: at}
	}
	f := functions[name]
	if dt, ok := typeNames[name]; ok && f == nil { // a type is called as a function: float32(x)
		f = &function{"object", func(c *call) graph.Node { return c.x(fixed(dt), "object") }}
	}
	if f == nil {
		return p.fail(at, "there is no function %s%s", name, nearest(name, Functions()))
	}
	c := &call{p: p, values: map[string]value{}}
	c.match(name, f.params, at, args, keywords)
	if p.err != nil {
		return value{at: at}
	}
	y := f.call(c)
	if p.err != nil {
		return value{at: at}
	}
	return p.checked(y, at)
}

// match assigns a value to each parameter.
func (c *call) match(name, params string, at int, args []value, keywords []keyword) {
	wrong := func(at int, format string, a ...any) {
		c.p.fail(at, "%s: it is %s(%s)", fmt.Sprintf(format, a...), name, params)
	}
	list := strings.Split(params, ", ")
	for i, param := range list {
		param, fallback, optional := strings.Cut(param, "=")
		rest := strings.TrimPrefix(param, "*")
		named := slices.IndexFunc(keywords, func(k keyword) bool { return k.name == rest })
		switch {
		case rest != param && named < 0: // takes all remaining arguments
			c.values[rest] = variadic(args[min(i, len(args)):], at)
			args = args[:min(i, len(args))]
		case i < len(args) && named >= 0:
			wrong(keywords[named].at, "%s is given twice", param)
		case i < len(args):
			c.values[param] = args[i]
		case named >= 0:
			c.values[rest] = keywords[named].value
			keywords = slices.Delete(slices.Clone(keywords), named, named+1)
		case optional:
			c.values[param] = literal(fallback, at)
		default:
			wrong(at, "%s lacks %s", name, param)
		}
	}
	if len(args) > len(list) {
		wrong(args[len(list)].at, "%s is given %d arguments", name, len(args))
	}
	if len(keywords) > 0 {
		wrong(keywords[0].at, "%s has no parameter %s", name, keywords[0].name)
	}
}

// variadic returns the arguments of a parameter that takes any number of them; a single tuple stands for its elements.
func variadic(args []value, at int) value {
	if len(args) == 1 && args[0].kind == sequence {
		return args[0]
	}
	return value{kind: sequence, list: args, at: at}
}

// literal returns the value of a parameter's default.
func literal(word string, at int) value {
	if v, ok := constants[word]; ok {
		v.at = at
		return v
	}
	if dt, ok := typeNames[word]; ok {
		return value{kind: typename, dtype: dt, at: at}
	}
	if rest, ok := strings.CutPrefix(word, "'"); ok {
		return value{kind: text, text: strings.TrimSuffix(rest, "'"), at: at}
	}
	sign := int64(1)
	if rest, negative := strings.CutPrefix(word, "-"); negative {
		word, sign = rest, -1
	}
	n, err := parseNumber(word)
	if err != nil {
		panic(fmt.Sprintf("BUG: formula: the default %s: %v", word, err))
	}
	n.i *= sign
	return numberValue(n, at)
}

// given reports whether an argument is not None.
func (c *call) given(param string) bool { return c.values[param].kind != none }

// operand returns an argument that is an array or a number.
func (c *call) operand(param string) value {
	v, ok := c.values[param]
	if !ok {
		panic("BUG: formula: there is no parameter " + param)
	}
	if v.kind == sequence {
		return c.p.listed(v)
	}
	if v.kind != array && v.kind != numeric {
		c.p.fail(v.at, "%s must be an array or a number, not %s", param, v.kind)
	}
	return v
}

// operands returns the arguments converted to the type that a rule gives for their common type.
func (c *call) operands(r rule, params ...string) []graph.Node {
	values := make([]value, len(params))
	for i, param := range params {
		values[i] = c.operand(param)
	}
	return c.nodes(r, values)
}

// nodes converts values to the type that a rule gives for their common type.
func (c *call) nodes(r rule, values []value) []graph.Node {
	out := make([]graph.Node, len(values))
	if c.p.err != nil {
		return out
	}
	dt := r(values)
	for i, v := range values {
		switch {
		case v.kind == array && v.node.DType() == dt:
			out[i] = v.node
		case v.kind == array:
			out[i] = v.node.Cast(dt)
		default:
			out[i] = graph.Scalar(dt, v.num.operand(dt))
			if err := out[i].Err(); err != nil {
				c.p.fail(v.at, "%s", strings.TrimPrefix(reason(err), "scalar: "))
			}
		}
	}
	return out
}

// x returns the argument of a function with one operand.
func (c *call) x(r rule, param string) graph.Node { return c.operands(r, param)[0] }

// int returns an argument that is an integer.
func (c *call) int(param string) int { return c.p.integer(c.values[param], param) }

func (p *parser) integer(v value, param string) int {
	if v.kind != numeric || v.num.class != graph.Int64 {
		p.fail(v.at, "%s must be an integer, not %s", param, v.what())
		return 0
	}
	return int(v.num.i)
}

// ints returns an argument that is an integer or a tuple of them.
func (c *call) ints(param string) []int {
	v := c.values[param]
	if v.kind != sequence {
		return []int{c.int(param)}
	}
	out := make([]int, len(v.list))
	for i, e := range v.list {
		out[i] = c.p.integer(e, param)
	}
	return out
}

// float returns an argument that is a number.
func (c *call) float(param string) float64 {
	v := c.values[param]
	if v.kind != numeric {
		c.p.fail(v.at, "%s must be a number, not %s", param, v.what())
	}
	return v.num.float()
}

// flag returns an argument that is True or False.
func (c *call) flag(param string) bool {
	v := c.values[param]
	if v.kind != numeric || v.num.class != graph.Bool {
		c.p.fail(v.at, "%s must be True or False, not %s", param, v.what())
	}
	return v.num.i != 0
}

// dtype returns an argument that is an element type or its name.
func (c *call) dtype(param string) graph.DType {
	v := c.values[param]
	if v.kind == typename {
		return v.dtype
	}
	if dt, ok := typeNamed(v.text); ok && v.kind == text {
		return dt
	}
	if v.kind == text {
		c.p.fail(v.at, "%q is no element type: there are float32 or 'f4', int8 or 'i1' and others", v.text)
		return graph.Float64
	}
	c.p.fail(v.at, "%s must be an element type, such as float32, not %s", param, v.what())
	return graph.Float64
}

// arrays returns an argument that is a tuple of arrays, converted to one type.
func (c *call) arrays(param string) []graph.Node {
	v := c.values[param]
	if v.kind != sequence || len(v.list) == 0 {
		c.p.fail(v.at, "%s must be a tuple of arrays, such as (a, b)", param)
		return nil
	}
	list := slices.Clone(v.list)
	for i, e := range list {
		switch e.kind {
		case array, numeric:
		case sequence:
			list[i] = c.p.listed(e)
		default:
			c.p.fail(e.at, "%s must hold arrays, not %s", param, e.kind)
		}
	}
	return c.nodes(same, list)
}
