package ir

import (
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

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
