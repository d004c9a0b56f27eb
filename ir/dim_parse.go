package ir

import (
	"errors"
	"fmt"
	"strconv"
)

// parsePoly reads an expression to its end. If sizes are given, names stand for their numbers.
func parsePoly(text string, sizes map[string]int) (poly, error) {
	p := dimParser{text: text, sizes: sizes}
	v := p.expr()
	if p.blanks(); p.pos != len(p.text) {
		p.fail("unexpected %q", p.text[p.pos:])
	}
	return v, p.err
}

// dimParser reads and evaluates an expression.
type dimParser struct {
	text  string
	pos   int
	sizes map[string]int
	err   error
}

// blanks skips spaces, which are only allowed between tokens.
func (p *dimParser) blanks() {
	for p.pos < len(p.text) && p.text[p.pos] == ' ' {
		p.pos++
	}
}

func (p *dimParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.pos = len(p.text)
}

func (p *dimParser) eat(c byte) bool {
	p.blanks()
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

// term reads products and quotients from left to right, as Go does.
func (p *dimParser) term() poly {
	v := p.factor()
	for p.err == nil {
		switch {
		case p.eat('*'):
			v = v.mul(p.factor())
		case p.eat('/'):
			v = v.div(p.divisor())
		default:
			return v
		}
	}
	return v
}

func (p *dimParser) factor() poly {
	if p.eat('(') {
		v := p.expr()
		if !p.eat(')') {
			p.fail("want ) after (")
		}
		return v
	}
	word, rest := p.word()
	n, err := strconv.Atoi(word)
	switch {
	case err == nil:
		return poly{"": n}
	case errors.Is(err, strconv.ErrRange):
		p.fail("the number %s passes int", word)
		return poly{}
	case word != "" && IsDigit(word[0]):
		p.fail("%q is neither a number nor a name: a product is 2*n", word)
		return poly{}
	case !IsName(word):
		p.fail("want a number or a name at %q", rest)
		return poly{}
	case p.sizes == nil:
		return poly{word: 1}
	}
	n, ok := p.sizes[word]
	if !ok {
		p.fail("the size %q is not bound", word)
	}
	return poly{"": n}
}

func (p *dimParser) divisor() int {
	word, _ := p.word()
	k, err := strconv.Atoi(word)
	if err != nil || k <= 0 {
		p.fail("want a positive number after /")
		return 1
	}
	return k
}

// word returns the leading letters and digits, and the rest of the text.
func (p *dimParser) word() (word, rest string) {
	p.blanks()
	from := p.pos
	for p.pos < len(p.text) && IsWordByte(p.text[p.pos]) {
		p.pos++
	}
	return p.text[from:p.pos], p.text[from:]
}
