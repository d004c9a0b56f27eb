package ir

import (
	"fmt"
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
