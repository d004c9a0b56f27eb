package ir

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Dim is the extent of an axis: a number, or a polynomial in named sizes and quotients rounded down, such as (n+1)/2, which Bind
// turns into a number. A symbolic Dim is stored, printed and parsed as its canonical text. Equal polynomials are ==, and so are
// quotients by one number that are equal for all sizes, such as (n+4)/4 and n/4+1.
//
// A Dim may also be an invalid extent: BadDim.
type Dim struct {
	n    int
	expr string // canonical text of a symbolic extent, or ! and a mistake, else ""
}

// Fixed returns the extent n.
func Fixed(n int) Dim { return Dim{n: n} }

// Sym returns the extent with the given name, or a BadDim if IsName refuses the name.
func Sym(name string) Dim {
	if !IsName(name) {
		return BadDim(fmt.Errorf("%q is no name of a size: use letters, digits and _", name))
	}
	return Dim{expr: name}
}

// BadDim returns an invalid extent. Everything computed from it is the same invalid extent, Bind fails, and Shape.Check reports err's
// text.
func BadDim(err error) Dim { return Dim{expr: "!" + err.Error()} }

// tooLarge is an extent whose numbers exceed int.
var tooLarge = BadDim(errors.New("an extent passes int"))

// Err returns the error of an invalid extent, or nil.
func (d Dim) Err() error {
	if text, bad := strings.CutPrefix(d.expr, "!"); bad {
		return errors.New(text)
	}
	return nil
}

// bad reports whether the extent is invalid.
func (d Dim) bad() bool { return d.expr != "" && d.expr[0] == '!' }

// IsName reports whether name can be the name of a size: a letter or _, then letters, digits or _.
func IsName(name string) bool {
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// IsPortName reports whether name can be that of an input or output of a program: a name in which there may also be dots, as in those of
// tensors in files. Texts have it in quotes if it has one.
func IsPortName(name string) bool {
	return name != "" && name[0] != '.' && IsName(strings.ReplaceAll(name, ".", "_"))
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
func (d Dim) Add(e Dim) Dim {
	return d.with(e, layout.AddInt, func(p, q poly) poly { return p.add(q, 1) })
}

// Sub returns d - e.
func (d Dim) Sub(e Dim) Dim {
	return d.with(e, layout.SubInt, func(p, q poly) poly { return p.add(q, -1) })
}

// Mul returns d * e.
func (d Dim) Mul(e Dim) Dim { return d.with(e, layout.MulInt, poly.mul) }

// Div returns d / k rounded down, for k > 0.
func (d Dim) Div(k int) Dim {
	if k <= 0 {
		return d.with(BadDim(fmt.Errorf("an extent is divided by %d: it must be by 1 or more", k)), nil, nil)
	}
	if n, ok := d.Int(); ok {
		return Fixed(floorDiv(n, k))
	}
	return d.with(Dim{}, nil, func(p, _ poly) poly { return p.div(k) })
}

// with computes an extent from two, or returns the one that is invalid. numbers is f on two numbers, and reports whether the
// result is within int.
func (d Dim) with(e Dim, numbers func(a, b int) (int, bool), f func(p, q poly) poly) Dim {
	if a, ok := d.Int(); ok && numbers != nil {
		if b, ok := e.Int(); ok {
			if n, ok := numbers(a, b); ok {
				return Fixed(n)
			}
			return tooLarge
		}
	}
	switch {
	case d.bad():
		return d
	case e.bad():
		return e
	}
	return f(d.poly(), e.poly()).dim()
}

// Names returns the named sizes that d depends on, sorted.
func (d Dim) Names() []string {
	switch {
	case d.bad():
		return nil
	case IsName(d.expr):
		return []string{d.expr}
	}
	names := strings.FieldsFunc(d.expr, func(r rune) bool { return !IsName("a" + string(r)) })
	names = slices.DeleteFunc(names, func(s string) bool { return !IsName(s) })
	sort.Strings(names)
	return slices.Compact(names)
}

// Bind returns d's number for the given sizes. It fails if a name has no size or the number exceeds int. The number may be
// negative, which Shape.Check refuses as an extent.
func (d Dim) Bind(sizes map[string]int) (int, error) {
	if d.expr == "" {
		return d.n, nil
	}
	if n, bound := sizes[d.expr]; bound && IsName(d.expr) { // most extents are a single name
		return n, nil
	}
	if err := d.Err(); err != nil {
		return 0, err
	}
	if sizes == nil {
		sizes = map[string]int{} // nil makes names stand for themselves
	}
	v, err := parsePoly(d.expr, sizes)
	if err != nil {
		return 0, fmt.Errorf("extent %s: %w", d, err)
	}
	n, ok := v.dim().Int()
	if !ok {
		return 0, fmt.Errorf("extent %s does not fit an int", d)
	}
	return n, nil
}

// ParseDim reads the text of an extent: names and numbers with +, -, *, / by a
// number, which rounds down, and parentheses, in Go's order of evaluation, with
// spaces between them; the result is canonical.
func ParseDim(text string) (Dim, error) {
	if len(text) > maxDimText {
		return Dim{}, fmt.Errorf("extent of %d characters: at most %d", len(text), maxDimText)
	}
	v, err := parsePoly(text, nil)
	if err != nil {
		return Dim{}, fmt.Errorf("extent %q: %w", text, err)
	}
	if d := v.dim(); d != tooLarge {
		return d, nil
	}
	return Dim{}, fmt.Errorf("extent %q does not fit an int", text)
}
