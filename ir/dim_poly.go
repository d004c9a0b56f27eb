package ir

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// poly is a polynomial: the coefficient of each monomial. A monomial is written as its sorted factors joined by "*"; "" is the
// constant term.
type poly map[string]int

// An extent beyond these limits counts as exceeding int. Otherwise products of sums, which text can contain, would grow without
// bound.
const (
	maxDimTerms = 32
	maxDimText  = 1024
)

// overflow is the polynomial of coefficients that exceed int. Everything computed from it is overflow, and its extent is tooLarge.
var overflow = poly{"!": 1}

func (p poly) overflowed() bool { _, bad := p["!"]; return bad }

func (d Dim) poly() poly {
	if d.expr == "" {
		return poly{"": d.n}
	}
	p, _ := parsePoly(d.expr, nil) // canonical text is always valid
	return p
}

func (p poly) dim() Dim {
	if p.overflowed() {
		return tooLarge
	}
	keys := slices.Sorted(maps.Keys(p))
	var b strings.Builder
	for _, k := range append(slices.DeleteFunc(keys, func(k string) bool { return k == "" }), "") {
		c := p[k]
		if f := factors(k); len(f) > 1 || c*c > 1 { // as a factor, n/2 is (n/2)
			for i := range f {
				if strings.Contains(f[i], "/") {
					f[i] = "(" + f[i] + ")"
				}
			}
			k = strings.Join(f, "*")
		}
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
	return Dim{expr: b.String()}
}

func (p poly) add(q poly, sign int) poly {
	if p.overflowed() || q.overflowed() {
		return overflow
	}
	out := maps.Clone(p)
	for k, c := range q {
		c, ok := layout.MulInt(c, sign)
		s, ok2 := layout.AddInt(out[k], c)
		if !ok || !ok2 {
			return overflow
		}
		out[k] = s
	}
	return out.bounded()
}

func (p poly) mul(q poly) poly {
	if p.overflowed() || q.overflowed() {
		return overflow
	}
	out := poly{}
	for _, a := range slices.Sorted(maps.Keys(p)) { // in order, as sums on the way may overflow
		for _, b := range slices.Sorted(maps.Keys(q)) {
			k := monomial(a, b)
			c, ok := layout.MulInt(p[a], q[b])
			s, ok2 := layout.AddInt(out[k], c)
			if !ok || !ok2 {
				return overflow
			}
			out[k] = s
		}
	}
	return out.bounded()
}

// bounded returns the polynomial without zeros, or overflow if it has too many terms.
func (p poly) bounded() poly {
	maps.DeleteFunc(p, func(_ string, c int) bool { return c == 0 })
	if len(p) > maxDimTerms {
		return overflow
	}
	return p
}

// div divides by k > 0, rounding down. Multiples of k are taken out of the numerator, and the rest becomes a factor in lowest
// terms.
func (p poly) div(k int) poly {
	if p.overflowed() {
		return overflow
	}
	whole, rest, common := poly{}, poly{}, k
	for m, c := range p {
		if w := floorDiv(c, k); w != 0 {
			whole[m] = w
		}
		if r := c - k*floorDiv(c, k); r != 0 && m != "" {
			rest[m] = r
			common = gcd(r, common)
		}
	}
	if len(rest) == 0 {
		return whole
	}
	for m := range rest {
		rest[m] /= common
	}
	if c := (p[""] - k*floorDiv(p[""], k)) / common; c != 0 {
		rest[""] = c
	}
	num := rest.dim()
	if num.bad() {
		return overflow
	}
	if !IsName(num.expr) {
		num.expr = "(" + num.expr + ")"
	}
	return whole.add(poly{num.expr + "/" + strconv.Itoa(k/common): 1}, 1)
}

// gcd returns the greatest common divisor of a and b > 0.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func monomial(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	f := append(factors(a), factors(b)...)
	sort.Strings(f)
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

// rounds reports whether an extent has a quotient that is rounded down.
func (d Dim) rounds() bool { return strings.Contains(d.expr, "/") }

// MayEqual reports whether two extents are equal, or can be equal for some sizes of any magnitude, as 2*(h/2) and h are for even h.
// Extents without a quotient are always or never equal.
func (d Dim) MayEqual(e Dim) bool {
	if d == e || !d.rounds() && !e.rounds() {
		return d == e
	}
	apart := d.Sub(e)
	sizes := map[string]int{}
	for offset := range manyDivisors / 2 {
		for i, name := range apart.Names() {
			sizes[name] = (manyDivisors+i)*manyDivisors + offset
		}
		if n, err := apart.Bind(sizes); err == nil && n == 0 {
			return true
		}
	}
	return false
}

// manyDivisors is a multiple of the numbers by which networks usually divide sizes.
const manyDivisors = 480

// Linear returns name, a and b if the extent is a*name + b with a single name; otherwise ok is false.
func (d Dim) Linear() (name string, a, b int, ok bool) {
	switch {
	case IsName(d.expr):
		return d.expr, 1, 0, true
	case d.expr == "" || d.bad():
		return "", 0, 0, false
	}
	for m, c := range d.poly() {
		switch {
		case m == "":
			b = c
		case name == "" && IsName(m):
			name, a = m, c
		default:
			return "", 0, 0, false
		}
	}
	return name, a, b, name != ""
}

func floorDiv(n, k int) int {
	q := n / k
	if n%k != 0 && n < 0 {
		q--
	}
	return q
}
