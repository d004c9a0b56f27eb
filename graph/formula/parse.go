package formula

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// The parser uses recursive descent with levels of precedence. The input is a text and the Nodes of its names, the
// output the Node of the formula or the first mistake with its offset. It makes Nodes as it reads; there is no syntax
// tree. Its depth is bounded, so that no text overflows the stack.

// Parse returns the graph of a formula. inputs has a Node for each name in it; the Nodes may have symbolic extents. A
// mistake in the formula is an *Error, whose message shows its position. The compiled result takes the inputs that the
// formula uses, in order of their creation; graph.WithInputs declares another order.
func Parse(formula string, inputs map[string]graph.Node) (graph.Node, error) {
	return parse(&parser{text: formula, inputs: inputs})
}

// ParseFile is Parse, but the Nodes get positions in the formula: the file name and, as line number, the byte offset
// plus 1. An error of a run then names the function in the formula.
func ParseFile(file, formula string, inputs map[string]graph.Node) (graph.Node, error) {
	return parse(&parser{text: formula, inputs: inputs, file: file, caller: ir.CallerPos()})
}

func parse(p *parser) (graph.Node, error) {
	p.next()
	v := p.whole()
	if p.err == nil {
		v = p.single(v)
	}
	if p.err != nil {
		p.err.Pos = ir.CallerPos()
		return graph.Node{}, p.err
	}
	return v.node, nil
}

// maxDepth is the deepest nesting of expressions. Python's own limit for parentheses is 200.
const maxDepth = 200

// parser reads a formula from left to right and makes Nodes as it goes. After the first mistake it moves to the end of
// the text.
type parser struct {
	text   string
	inputs map[string]graph.Node
	file   string    // file name of positions, "" for the caller's position
	caller graph.Pos // position of the caller, if file is given
	tok    token     // the next token
	after  int       // the offset after tok
	depth  int
	err    *Error
}

// fail records the first mistake and returns a harmless value.
func (p *parser) fail(at int, format string, args ...any) value {
	if p.err == nil {
		p.err = &Error{Text: p.text, Offset: at, Msg: fmt.Sprintf(format, args...)}
		p.tok = token{at: len(p.text)}
	}
	return value{at: at}
}

// next advances to the next token.
func (p *parser) next() {
	if p.err != nil {
		return
	}
	var msg string
	if p.tok, p.after, msg = scan(p.text, p.after); msg != "" {
		p.fail(p.tok.at, "%s", msg)
	}
}

// accept consumes an operator if it is next.
func (p *parser) accept(op string) bool {
	if p.tok.kind != operator || p.tok.text != op {
		return false
	}
	p.next()
	return true
}

// expect consumes an operator, which must be next.
func (p *parser) expect(op string) {
	if !p.accept(op) {
		p.fail(p.tok.at, "%s is missing%s", op, p.found())
	}
}

// found describes the current token, for errors.
func (p *parser) found() string {
	if p.tok.kind == end {
		return ": the formula ends here"
	}
	return fmt.Sprintf(" before %s", p.tok.text)
}

// whole reads the whole formula.
func (p *parser) whole() value {
	v, _ := p.tuple()
	if p.err != nil || p.tok.kind == end {
		return v
	}
	switch word := p.tok.text; {
	case word == "=":
		p.fail(p.tok.at, "a formula assigns nothing: to compare write ==")
	case keywords[word] != "":
		p.fail(p.tok.at, "%s", keywords[word])
	default:
		p.fail(p.tok.at, "an operator is missing before %s", word)
	}
	return v
}

// keywords maps Python keywords that a formula can't have to advice what to write.
var keywords = map[string]string{
	"and":    "and takes no arrays: write & and parentheses, (a > 0) & (b > 0)",
	"or":     "or takes no arrays: write | and parentheses, (a > 0) | (b > 0)",
	"not":    "not takes no array: write ~",
	"if":     "a condition is where(c, a, b)",
	"else":   "a condition is where(c, a, b)",
	"in":     "in is no operator of formulas",
	"is":     "is is no operator of formulas: write ==",
	"for":    "a formula has no loops: it computes whole arrays",
	"lambda": "a formula has no functions of its own",
}

// single returns a value as an array.
func (p *parser) single(v value) value {
	switch v.kind {
	case array:
		return v
	case sequence:
		if v.brackets {
			return p.listed(v)
		}
	case numeric:
		return arrayValue(graph.Scalar(v.num.class, v.num.operand(v.num.class)), v.at)
	}
	return p.fail(v.at, "this is %s: a formula gives one array", v.kind)
}

// tuple reads expressions separated by commas. A single expression is not a tuple.
func (p *parser) tuple() (v value, several bool) {
	first := p.expression(lowest)
	if p.tok.text != "," || p.tok.kind != operator {
		return first, false
	}
	v = value{kind: sequence, list: []value{first}, at: first.at}
	for p.accept(",") && p.tok.kind != end && !p.closes() {
		v.list = append(v.list, p.expression(lowest))
	}
	return v, true
}

// closes reports whether a bracket closes here.
func (p *parser) closes() bool {
	return p.tok.kind == operator && (p.tok.text == ")" || p.tok.text == "]")
}

// The levels of binary operators; higher levels bind tighter.
const (
	lowest   = 1 // level of comparisons
	additive = 6
)

// binaries has the level and the function of each binary operator except **.
var binaries = map[string]struct {
	level    int
	function string
}{
	"==": {lowest, "equal"}, "!=": {lowest, "not_equal"},
	"<": {lowest, "less"}, "<=": {lowest, "less_equal"},
	">": {lowest, "greater"}, ">=": {lowest, "greater_equal"},
	"|": {2, "bitwise_or"}, "^": {3, "bitwise_xor"}, "&": {4, "bitwise_and"},
	"<<": {5, "left_shift"}, ">>": {5, "right_shift"},
	"+": {additive, "add"}, "-": {additive, "subtract"},
	"*": {7, "multiply"}, "/": {7, "divide"}, "//": {7, "floor_divide"}, "%": {7, "mod"}, "@": {7, "matmul"},
}

// unaries has for each unary operator the function on arrays and on numbers.
var unaries = map[string]struct {
	function string
	number   func(number) (number, error)
}{
	"-": {"negative", negated}, "+": {"positive", positive}, "~": {"invert", inverted},
}

// enter descends one level of nesting and reports whether it is allowed.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.at, "more than %d expressions are nested here", maxDepth)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// expression reads operands and binary operators of the given level or higher.
func (p *parser) expression(level int) value {
	x := p.unary()
	for p.tok.kind == operator {
		op, ok := binaries[p.tok.text]
		if !ok || op.level < level {
			break
		}
		at := p.tok.at
		p.next()
		x = p.binary(op.function, at, x, p.expression(op.level+1))
		if next := binaries[p.tok.text]; op.level == lowest && next.level == lowest && p.tok.kind == operator {
			p.fail(p.tok.at, "comparisons of arrays have no chains: write (a < b) & (b < c)")
		}
	}
	return x
}

// unary reads an operand with its unary operators. ** binds tighter than a unary operator before it.
func (p *parser) unary() value {
	if !p.enter() {
		return value{}
	}
	defer p.leave()
	op, ok := unaries[p.tok.text]
	if p.tok.kind != operator || !ok {
		x := p.postfix()
		if at := p.tok.at; p.accept("**") {
			return p.binary("power", at, x, p.unary())
		}
		return x
	}
	at := p.tok.at
	p.next()
	x := p.unary()
	if x.kind != numeric || p.err != nil {
		return p.call(op.function, at, []value{x}, nil)
	}
	n, err := op.number(x.num)
	if err != nil {
		return p.fail(at, "%v", err)
	}
	return numberValue(n, at)
}

// binary applies the binary operator at offset at.
func (p *parser) binary(function string, at int, x, y value) value {
	if p.err != nil || x.kind != numeric || y.kind != numeric {
		v := p.call(function, at, []value{x, y}, nil)
		v.at = x.at
		return v
	}
	n, err := fold(function, x.num, y.num)
	if err != nil {
		return p.fail(at, "%v", err)
	}
	return numberValue(n, x.at)
}
