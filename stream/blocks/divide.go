package blocks

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Division is a graph divided into passes over blocks of rows.
type Division struct {
	// Passes is the number of passes over the rows: 0 if no result depends on them.
	Passes int
	Limits Limits

	f       *ir.Func
	size    string
	sizes   map[string]int
	places  map[*ir.Value]place
	totals  map[*ir.Value]rule
	read    map[*ir.Value]bool // whole values that another function reads than the one that computes them
	initial map[*ir.Value]bool // whole values that are the initial values of states
}

// Limits constrain the rows of a block. A single block of all rows is exempt; the last block may be shorter than
// Multiple.
type Limits struct {
	Multiple int // blocks are a multiple of this
	Least    int // the shortest block
	Most     int // the longest block
}

// place says how a value depends on the rows.
type place struct {
	axis  int // the axis that is cut into blocks, -1 for a whole value
	scale int // elements along the axis per row
	after int // number of passes after which the value is known
}

func (p place) whole() bool { return p.axis < 0 }

// Divide divides f. size is the name of the number of rows, and sizes has a number for each name. Inputs with rows have
// them along their first axis, and there must be at least one row. An op that can't be computed by blocks is an
// *ir.Error that names the op and the user's line; wrong numbers are also errors.
func Divide(f *ir.Func, size string, sizes map[string]int) (*Division, error) {
	if sizes[size] < 1 {
		return nil, fmt.Errorf("%d rows: there must be 1 or more", sizes[size])
	}
	if _, err := f.Bind(sizes); err != nil {
		return nil, err
	}
	d := &Division{
		Limits: Limits{Multiple: 1, Least: 1, Most: math.MaxInt},
		f:      f.Clone(), size: size, sizes: maps.Clone(sizes),
		places: map[*ir.Value]place{}, totals: map[*ir.Value]rule{}, read: map[*ir.Value]bool{}, initial: map[*ir.Value]bool{},
	}
	d.f.Sweep()
	d.sortPairs()
	for _, v := range slices.Concat(d.f.Params, d.f.Body) {
		p, err := d.place(v)
		if err != nil {
			return nil, &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
		}
		d.places[v] = p
		if d.Passes = max(d.Passes, p.after); !p.whole() {
			d.Passes = max(d.Passes, p.after+1)
		}
	}
	d.findRead()
	return d, d.checkResults()
}

func (d *Division) checkResults() error {
	for _, r := range d.f.Results {
		if p := d.places[r]; p.axis > 0 {
			return &ir.Error{Pos: r.Pos, Op: r.Called(), Msg: fmt.Sprintf("a result of shape %s has its rows along axis %d: Permute them to the first", r.Type.Shape, p.axis)}
		}
	}
	return nil
}

// Rows returns whether a result of the graph is written block by block, and how many of its elements along the first
// axis one row makes. Any other result is whole.
func (d *Division) Rows(result int) (scale int, ok bool) {
	p := d.places[d.f.Results[result]]
	return p.scale, !p.whole()
}

// Result returns the type of a result of the graph for all rows.
func (d *Division) Result(result int) ir.Type { return d.total(d.f.Results[result]) }

// ID returns the number by which Whole inputs refer to a result of the graph.
func (d *Division) ID(result int) int { return d.f.Index(d.f.Results[result]) }

// place returns how a value depends on the rows, given the places of its operands.
func (d *Division) place(v *ir.Value) (place, error) {
	p := place{axis: -1}
	rows := false // whether an operand has rows
	for _, a := range v.Args {
		p.after = max(p.after, d.places[a].after)
		rows = rows || !d.places[a].whole()
	}
	for i, n := range v.Type.Shape {
		if !slices.Contains(n.Names(), d.size) {
			continue
		}
		if p.axis >= 0 {
			return p, fmt.Errorf("its shape %s has the rows along two axes: no block of rows is enough for a block of it", v.Type.Shape)
		}
		p.axis = i
		var ok bool
		if p.scale, ok = d.scale(n); !ok {
			return p, fmt.Errorf("axis %d of its shape %s is not a multiple of %s: its blocks are not those of the rows", i, v.Type.Shape, d.size)
		}
	}
	switch {
	case p.whole() && rows:
		p.after++
		return p, d.addTotal(v)
	case p.whole():
		return p, nil
	case v.Op.Info().Kind == ir.Scan && v.Attr.Axis == p.axis:
		return p, d.checkScan(v, p)
	default:
		return p, d.checkRows(v, p)
	}
}

// scale returns a for an extent of a times the number of rows.
func (d *Division) scale(n ir.Dim) (a int, ok bool) {
	sizes := maps.Clone(d.sizes)
	at := func(rows int) int {
		sizes[d.size] = rows
		k, err := n.Bind(sizes)
		ok = ok && err == nil
		return k
	}
	ok = true
	a = at(1)
	for _, rows := range []int{0, 2, 1009, d.sizes[d.size]} {
		ok = ok && at(rows) == a*rows
	}
	return a, ok && a > 0
}

// total returns the type of a value for all rows.
func (d *Division) total(v *ir.Value) ir.Type {
	shape, err := v.Type.Shape.Bind(d.sizes)
	if err != nil {
		panic("blocks: " + err.Error()) // cannot fail: Divide has bound the graph
	}
	return ir.Type{DType: v.Type.DType, Shape: shape}
}

// Align also makes Multiple a multiple of n/gcd(n, scale) rows, so that blocks begin at multiples of n elements along
// an axis with scale elements per row. n is positive, scale not negative. It is an error if no int is a multiple of
// all.
func (l *Limits) Align(n, scale int) error {
	n /= gcd(n, scale)
	n /= gcd(n, l.Multiple)
	if l.Multiple > math.MaxInt/n {
		return fmt.Errorf("blocks are a multiple of %d rows, and no number of rows is one of %d times that too", l.Multiple, n)
	}
	l.Multiple *= n
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// atMost limits blocks to n elements along such an axis, minus one row that the last block may gain.
func (d *Division) atMost(n, scale int) { d.Limits.Most = min(d.Limits.Most, max(1, n/scale-1)) }
