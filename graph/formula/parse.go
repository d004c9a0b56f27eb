package formula

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// The parser: recursive descent with levels of precedence. Input: text and the Nodes of its
// names. Output: the Node of the whole, or the first mistake with its offset. It makes Nodes as
// it reads; there is no syntax tree. Its depth is bounded, so that no text overflows the stack.

// Parse returns the graph of a formula. Names in it are those of inputs; any Node may be one,
// also one with symbolic extents. A mistake in the formula is an *Error: its message shows
// the place. The result takes the inputs that the formula uses, in the order in which they
// were made: graph.WithInputs declares another.
func Parse(formula string, inputs map[string]graph.Node) (graph.Node, error) {
	return parse(&parser{text: formula, inputs: inputs})
}

// ParseFile is Parse, and gives what it makes positions in the formula, in place of the line
// of its caller: of that file, and in place of a line the byte, from 1. An error of a run then
// names the function that it is about.
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

// maxDepth is how deep expressions may be nested. Python's own limit for parentheses is 200.
const maxDepth = 200

// parser reads a formula from left to right and makes Nodes as it goes. After the first
// mistake it is at the end of the text, where nothing is read any more.
type parser struct {
	text   string
	inputs map[string]graph.Node
	file   string    // of positions, "" for the caller's
	caller graph.Pos // where a file is given
	tok    token     // not yet taken
	after  int       // the offset behind it
	depth  int
	err    *Error
}

// fail notes the first mistake and returns a value that does no harm.
func (p *parser) fail(at int, format string, args ...any) value {
	if p.err == nil {
		p.err = &Error{Text: p.text, Offset: at, Msg: fmt.Sprintf(format, args...)}
		p.tok = token{at: len(p.text)}
	}
	return value{at: at}
}

// next goes to the next token.
func (p *parser) next() {
	if p.err != nil {
		return
	}
	var msg string
	if p.tok, p.after, msg = scan(p.text, p.after); msg != "" {
		p.fail(p.tok.at, "%s", msg)
	}
}

// accept takes an operator if it is next.
func (p *parser) accept(op string) bool {
	if p.tok.kind != operator || p.tok.text != op {
		return false
	}
	p.next()
	return true
}

// expect takes an operator, which must be next.
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

// whole reads the formula.
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

// keywords are Python's words that a formula has not, and what to write.
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
	case numeric:
		return arrayValue(graph.Scalar(v.num.class, v.num.operand(v.num.class)), v.at)
	}
	return p.fail(v.at, "this is %s: a formula gives one array", v.kind)
}

// tuple reads expressions separated by commas: one alone is itself.
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

// The levels of binary operators: those of a higher level bind closer.
const (
	lowest   = 1 // comparisons
	additive = 6
)

// binaries are the binary operators but **: their levels, and the functions that they are.
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

// unaries are the unary operators: the functions on arrays, and on numbers.
var unaries = map[string]struct {
	function string
	number   func(number) (number, error)
}{
	"-": {"negative", negated}, "+": {"positive", positive}, "~": {"invert", inverted},
}

// enter counts a level of nesting and reports whether there are few enough.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.tok.at, "more than %d expressions are nested here", maxDepth)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }

// expression reads operands and binary operators of a level or more.
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

// unary reads an operand with its unary operators. ** binds closer than those before it.
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
