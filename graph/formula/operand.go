package formula

import (
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// Operands: numbers, names, brackets, and the calls, subscripts and attributes after them.

// postfix reads an operand with its calls, subscripts and attributes.
func (p *parser) postfix() value {
	x := p.atom()
	for p.err == nil {
		at := p.tok.at
		switch {
		case p.accept("["):
			x = p.subscript(x, at)
		case p.accept("."):
			x = p.attribute(x)
		default:
			return x
		}
		x.at = min(x.at, at)
	}
	return x
}

// atom reads a number, a name, a call, a string, or an expression in brackets.
func (p *parser) atom() value {
	t := p.tok
	switch {
	case t.kind == numeral:
		p.next()
		n, err := parseNumber(t.text)
		if err != nil {
			return p.fail(t.at, "%v", err)
		}
		return numberValue(n, t.at)
	case t.kind == quoted:
		p.next()
		return value{kind: text, text: t.text, at: t.at}
	case t.kind == name:
		return p.named()
	case p.accept("("), p.accept("["):
		closing := map[string]string{"(": ")", "[": "]"}[t.text]
		v, several := value{kind: sequence}, true
		if !p.closes() {
			v, several = p.tuple()
		}
		if t.text == "[" {
			if !several {
				v = value{kind: sequence, list: []value{v}}
			}
			v.brackets = true
		}
		v.at = t.at
		p.expect(closing)
		return v
	}
	return p.fail(t.at, "an operand is missing%s", p.found())
}

// named reads a name, with or without np. or np.linalg. before it: an input, a function call, a constant or a type.
func (p *parser) named() value {
	t := p.tok
	p.next()
	x, isInput := p.inputs[t.text]
	for _, module := range []string{"np", "numpy", "linalg"} {
		if isInput || t.text != module || !p.tokIs(".") {
			continue
		}
		p.next()
		if p.tok.kind != name {
			break
		}
		t = p.tok
		p.next()
		x, isInput = p.inputs[t.text]
	}
	switch {
	case isInput:
		return p.checked(x, t.at)
	case p.tok.kind == operator && p.tok.text == "(":
		args, keywords := p.arguments()
		return p.call(t.text, t.at, args, keywords)
	}
	if v, ok := constants[t.text]; ok {
		v.at = t.at
		return v
	}
	if dt, ok := typeNames[t.text]; ok {
		return value{kind: typename, dtype: dt, at: t.at}
	}
	switch {
	case keywords[t.text] != "":
		return p.fail(t.at, "%s", keywords[t.text])
	case functions[t.text] != nil:
		return p.fail(t.at, "%s is a function: its arguments stand in parentheses behind it", t.text)
	}
	return p.fail(t.at, "there is no input %s%s", t.text, p.inputsHint(t.text))
}

// inputsHint suggests an input with a similar name, or lists the inputs if they are few.
func (p *parser) inputsHint(word string) string {
	var names []string
	for n := range p.inputs {
		names = append(names, n)
	}
	slices.Sort(names)
	if hint := nearest(word, names); hint != "" {
		return hint
	}
	switch {
	case len(names) == 0:
		return ": the formula has none"
	case len(names) > 8:
		return ""
	}
	return ": there are " + strings.Join(names, ", ")
}

// checked returns a Node as a value, or reports the mistake that it carries.
func (p *parser) checked(x graph.Node, at int) value {
	if err := x.Err(); err != nil {
		return p.fail(at, "%s", reason(err))
	}
	if p.file != "" {
		x = graph.Relocate(x, p.caller, graph.Pos{File: p.file, Line: at + 1})
	}
	return arrayValue(x, at)
}
