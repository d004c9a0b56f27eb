package ir

import (
	"fmt"
	"strconv"
)

// dimParser reads and evaluates an expression; names in sizes are numbers.
type dimParser struct {
	text  string
	pos   int
	sizes map[string]int
	err   error
}

func (p *dimParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.pos = len(p.text)
}

func (p *dimParser) eat(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *dimParser) expr() poly {
	sign := 1
	if p.eat('-') {
		sign = -1
	}
	v := poly{}.add(p.term(), sign)
	for p.err == nil {
		switch {
		case p.eat('+'):
			v = v.add(p.term(), 1)
		case p.eat('-'):
			v = v.add(p.term(), -1)
		default:
			return v
		}
	}
	return v
}

func (p *dimParser) term() poly {
	v := p.factor()
	for p.err == nil && p.eat('*') {
		v = v.mul(p.factor())
	}
	return v
}

func (p *dimParser) factor() poly {
	if p.eat('(') {
		return p.quotient()
	}
	from := p.pos
	for p.pos < len(p.text) && IsName("a"+p.text[p.pos:p.pos+1]) {
		p.pos++
	}
	word := p.text[from:p.pos]
	if n, err := strconv.Atoi(word); err == nil {
		return poly{"": n}
	}
	if !IsName(word) {
		p.fail("want a number or a name at %q", p.text[from:])
		return poly{}
	}
	if p.sizes == nil {
		return poly{word: 1}
	}
	n, ok := p.sizes[word]
	if !ok {
		p.fail("the size %q is not bound", word)
	}
	return poly{"": n}
}

func (p *dimParser) quotient() poly {
	num := p.expr()
	from := p.pos + 2
	if !p.eat(')') || !p.eat('/') {
		p.fail("want ) and / after (")
		return poly{}
	}
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	k, err := strconv.Atoi(p.text[from:p.pos])
	if err != nil || k <= 0 {
		p.fail("want a positive number after /")
		return poly{}
	}
	return num.div(k)
}
