package ir

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Dim is the extent of an axis: a number, or a polynomial in named sizes that
// Bind turns into a number. Equal extents are == : a symbolic Dim is kept as
// its canonical text, so it is also what is printed and what is parsed.
type Dim struct {
	n    int
	expr string // canonical text of a symbolic extent, else ""
}

// Fixed returns the extent n.
func Fixed(n int) Dim { return Dim{n: n} }

// Sym returns the extent that the name stands for.
func Sym(name string) Dim { return Dim{expr: name} }

// IsName reports whether name can stand for a size: a letter or _ and then
// letters, digits or _.
func IsName(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// Int returns the number and true, or false for a symbolic extent.
func (d Dim) Int() (int, bool) { return d.n, d.expr == "" }

// Is reports whether d is the number n.
func (d Dim) Is(n int) bool { return d == Fixed(n) }

func (d Dim) String() string {
	if d.expr != "" {
		return d.expr
	}
	return strconv.Itoa(d.n)
}

// Add returns d + e.
func (d Dim) Add(e Dim) Dim { return d.poly().add(e.poly(), 1).dim() }

// Sub returns d - e.
func (d Dim) Sub(e Dim) Dim { return d.poly().add(e.poly(), -1).dim() }

// Mul returns d * e.
func (d Dim) Mul(e Dim) Dim { return d.poly().mul(e.poly()).dim() }

// Div returns d / k rounded down, for k > 0.
func (d Dim) Div(k int) Dim {
	if k <= 0 {
		return tooLarge
	}
	if n, ok := d.Int(); ok {
		return Fixed(floorDiv(n, k))
	}
	return d.poly().div(k).dim()
}

// Names returns the named sizes that d depends on, sorted.
func (d Dim) Names() []string {
	names := strings.FieldsFunc(d.expr, func(r rune) bool { return !IsName("a" + string(r)) })
	names = slices.DeleteFunc(names, func(s string) bool { return !IsName(s) })
	slices.Sort(names)
	return slices.Compact(names)
}

// Bind returns d's number where the names have the given sizes. It fails on a
// name without a size, on a negative extent and on a number past int.
func (d Dim) Bind(sizes map[string]int) (int, error) {
	if d.expr == "" {
		return d.n, nil
	}
	p := dimParser{text: d.expr, sizes: sizes}
	v := p.expr()
	if p.err == nil && p.pos != len(p.text) {
		p.fail("unexpected %q", p.text[p.pos:])
	}
	if p.err != nil {
		return 0, fmt.Errorf("extent %s: %w", d, p.err)
	}
	n, ok := v[""]
	if len(v) == 0 {
		n, ok = 0, true
	}
	if !ok || len(v) > 1 {
		return 0, fmt.Errorf("extent %s does not fit an int", d)
	}
	return n, nil
}

// ParseDim reads the text of an extent: a sum of products of numbers, names
// and (sum)/number, in any order; the result is canonical.
func ParseDim(text string) (Dim, error) {
	if len(text) > maxDimText {
		return Dim{}, fmt.Errorf("extent of %d characters: at most %d", len(text), maxDimText)
	}
	p := dimParser{text: strings.ReplaceAll(text, " ", "")}
	v := p.expr()
	if p.err == nil && p.pos != len(p.text) {
		p.fail("unexpected %q", p.text[p.pos:])
	}
	if p.err != nil {
		return Dim{}, fmt.Errorf("extent %q: %w", text, p.err)
	}
	if d := v.dim(); d != tooLarge {
		return d, nil
	}
	return Dim{}, fmt.Errorf("extent %q does not fit an int", text)
}

// poly is a polynomial: the coefficient of each monomial, which is written as
// its sorted factors joined by "*"; "" is the constant term.
type poly map[string]int

// An extent beyond these limits counts as past int: products of sums grow
// without end otherwise, and text can ask for them.
const (
	maxDimTerms = 32
	maxDimText  = 1024
)

// overflow is the polynomial whose coefficients passed int; it spreads.
var (
	overflow = poly{"overflow!": 1}
	tooLarge = Sym("overflow!") // its extent
)

func (p poly) overflowed() bool { _, bad := p["overflow!"]; return bad }

func (d Dim) poly() poly {
	if d.expr == "" {
		return poly{"": d.n}
	}
	if d == tooLarge {
		return overflow
	}
	p := dimParser{text: d.expr}
	return p.expr()
}

func (p poly) dim() Dim {
	keys := slices.Sorted(maps.Keys(p))
	var b strings.Builder
	for _, k := range append(slices.DeleteFunc(keys, func(k string) bool { return k == "" }), "") {
		c := p[k]
		switch {
		case c == 0:
			continue
		case c > 0 && b.Len() > 0:
			b.WriteByte('+')
		}
		switch {
		case k == "":
			b.WriteString(strconv.Itoa(c))
		case c == 1:
			b.WriteString(k)
		case c == -1:
			b.WriteString("-" + k)
		default:
			b.WriteString(strconv.Itoa(c) + "*" + k)
		}
	}
	if n, err := strconv.Atoi(b.String()); err == nil {
		return Fixed(n)
	}
	switch {
	case b.Len() == 0:
		return Fixed(0)
	case b.Len() > maxDimText:
		return tooLarge
	}
	return Sym(b.String())
}

func (p poly) add(q poly, sign int) poly {
	if p.overflowed() || q.overflowed() {
		return overflow
	}
	out := maps.Clone(p)
	for k, c := range q {
		c, ok := mulInt(c, sign)
		s, ok2 := addInt(out[k], c)
		if !ok || !ok2 {
			return overflow
		}
		out[k] = s
	}
	maps.DeleteFunc(out, func(_ string, c int) bool { return c == 0 })
	if len(out) > maxDimTerms {
		return overflow
	}
	return out
}

func (p poly) mul(q poly) poly {
	if p.overflowed() || q.overflowed() {
		return overflow
	}
	out := poly{}
	for a, x := range p {
		for b, y := range q {
			c, ok := mulInt(x, y)
			if !ok {
				return overflow
			}
			out = out.add(poly{monomial(a, b): c}, 1)
		}
	}
	return out
}

func (p poly) exactDiv(k int) (poly, bool) {
	out := poly{}
	for m, c := range p {
		if c%k != 0 {
			return nil, false
		}
		out[m] = c / k
	}
	return out, true
}

// div divides by k > 0, rounding down; what does not divide becomes a factor.
func (p poly) div(k int) poly {
	if p.overflowed() {
		return overflow
	}
	if n, ok := p[""]; len(p) == 0 || ok && len(p) == 1 {
		return poly{"": floorDiv(n, k)}
	}
	if q, ok := p.exactDiv(k); ok {
		return q
	}
	num := p.dim()
	if num == tooLarge {
		return overflow
	}
	return poly{"(" + num.expr + ")/" + strconv.Itoa(k): 1}
}

func monomial(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	f := append(factors(a), factors(b)...)
	slices.Sort(f)
	return strings.Join(f, "*")
}

// factors splits a monomial at the * outside parentheses.
func factors(m string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range m {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '*' && depth == 0:
			out = append(out, m[from:i])
			from = i + 1
		}
	}
	return append(out, m[from:])
}

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

func floorDiv(n, k int) int {
	q := n / k
	if n%k != 0 && n < 0 {
		q--
	}
	return q
}

func addInt(a, b int) (int, bool) {
	c := a + b
	return c, (c > a) == (b > 0) || b == 0
}

func mulInt(a, b int) (int, bool) {
	if a == math.MinInt || b == math.MinInt {
		return a * b, a == 0 || b == 0 || a == 1 || b == 1
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo <= math.MaxInt
}
