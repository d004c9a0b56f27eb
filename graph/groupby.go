package graph

import (
	"context"
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Statistics of groups of rows.

// Groups has the statistics of groups of slices of x along its first axis, by pandas' names: each result has a slice for
// each group. NaNs are left out.
type Groups struct {
	x     Node // with its error, if an argument is wrong
	codes Node // the number of each slice's group, from 1; 0 for those left out
	count Extent
}

// GroupBy divides the slices of x along its first axis among count groups, an int or the size of an axis of some input.
// Codes, a vector of integers with one for each slice, have the numbers of their groups, from 0; a negative code leaves
// the slice out. Factorize makes codes of any keys.
//
//	keys, err := graph.Factorize(ctx, city, year) // of two columns
//	n := graph.Dim("n")
//	price, codes := graph.Input("price", graph.Float64, n), graph.Input("codes", graph.Int64, n)
//	mean := price.GroupBy(codes, keys.Len()).Mean() // runs with keys.Codes
//
// If x is a Const, codes may be the tensor keys.Codes itself.
func (x Node) GroupBy(codes, count any) Groups {
	if x.Err() != nil {
		return Groups{x: x}
	}
	c := Node{operand(codes, Int64)}
	dims, err := extentsOf([]any{count})
	switch {
	case c.Err() != nil:
		return Groups{x: c}
	case err != nil:
		return Groups{x: fail("%w", err)}
	case x.Rank() == 0 || c.Rank() != 1:
		return Groups{x: fail("%s and codes %s: codes are a vector of the groups of slices along the first axis", x.get().text(), c.get().text())}
	case !x.Shape()[:1].Equal(c.Shape()) && c.get().tensor != nil && len(x.Shape()[0].Names()) > 0:
		return Groups{x: fail("%s and codes %s: the first axis has a symbolic extent, so make the codes an Input of [%s]", x.get().text(), c.get().text(), x.Shape()[0])}
	case !x.Shape()[:1].Equal(c.Shape()):
		return Groups{x: fail("%s and codes %s: give one code for each slice along the first axis", x.get().text(), c.get().text())}
	case !ir.Ints.Has(c.DType()):
		return Groups{x: fail("codes %s: they must be integers", c.get().text())}
	case !ir.Numeric.Has(x.DType()) && x.DType() != Bool:
		return Groups{x: fail("%w", ir.DoesNotTake(ir.Computed, x.DType()))}
	}
	if c.DType() == Uint64 {
		c = c.Minimum(uint64(math.MaxInt64 - 1)) // no group has this number
	}
	c = c.Cast(Int64).Maximum(-1).Add(1).hinted("GroupBy takes more groups, and a negative code is in none")
	return Groups{x, c, dims[0]}
}

// Size returns how many slices groups have, as Int64, with a single axis.
func (g Groups) Size() Node {
	if g.x.Err() != nil {
		return g.x
	}
	return g.kept(g.sum(Scalar(Int64, 1).BroadcastTo(g.codes.Shape()[0])))
}

// Count returns how many elements of groups are not NaN, as Int64.
func (g Groups) Count() Node {
	if g.x.Err() != nil {
		return g.x
	}
	return g.kept(g.sum(g.x.Eq(g.x).Cast(Int64)))
}

// Sum returns the sums of groups, in the type of Node.Sum: 0 of no elements. Floats are added in order in float64, and the
// sum is rounded.
func (g Groups) Sum() Node {
	return g.compute(func(x Node, g Groups) Node { return g.sum(x.without(0)) })
}

// Mean returns the means of groups: NaN of no elements, Float64 of integers.
func (g Groups) Mean() Node { return g.floats(func(x Node, g Groups) Node { return g.mean(x) }) }

// Min returns the least elements of groups: NaN of no elements, or of integers the greatest number of the type.
func (g Groups) Min() Node {
	return g.extreme(math.Inf(1), func(x Node, codes, count any) Node { return x.SegmentMin(codes, count) })
}

// Max returns the greatest elements of groups: NaN of no elements, or of integers the least number of the type.
func (g Groups) Max() Node {
	return g.extreme(math.Inf(-1), func(x Node, codes, count any) Node { return x.SegmentMax(codes, count) })
}

// Var returns the variances of groups, with the divisor of their elements minus ddof, which pandas has as 1: NaN if that is
// 0 or less. Those of integers are Float64.
func (g Groups) Var(ddof int) Node {
	return g.floats(func(x Node, g Groups) Node { return g.variance(x, ddof) })
}

func (g Groups) variance(x Node, ddof int) Node {
	d := Where(x.IsNaN(), 0, x.Sub(g.mean(x).Take(0, g.codes))) // NaN of an infinity
	n := g.numbers(x)
	sum := g.sum(d) // what rounding leaves of 0
	squares := aroundMean(g.sum(d.Square()), sum, n.Maximum(1))
	n = n.Sub(ddof)
	return Where(n.Gt(0), squares.Div(n), math.NaN())
}

// Std returns the square roots of Var.
func (g Groups) Std(ddof int) Node {
	return g.floats(func(x Node, g Groups) Node { return g.variance(x, ddof).norm() })
}

// kept leaves out the result of the slices that are in no group.
func (g Groups) kept(y Node) Node { return y.SliceAxis(0, 1, math.MaxInt, 1) }

// all returns a reduction of the slices in no group, and of all groups.
func (g Groups) all(x Node, reduce func(x Node, codes, count any) Node) Node {
	return reduce(x, g.codes, g.count.Add(ir.Fixed(1)))
}

func (g Groups) sum(x Node) Node { return g.all(x, Node.SegmentSum) }

// numbers is Count in the type of x.
func (g Groups) numbers(x Node) Node { return g.sum(x.Eq(x).Cast(x.DType())) }

func (g Groups) mean(x Node) Node { return g.sum(x.without(0)).Div(g.numbers(x)) }

// without returns floats with NaNs replaced.
func (x Node) without(by any) Node {
	if !ir.Floats.Has(x.DType()) {
		return x
	}
	return Where(x.IsNaN(), by, x)
}

// compute computes floats as Float64, and short integers and bools in the type of totals.
func (g Groups) compute(f func(x Node, g Groups) Node) Node {
	switch dt := g.x.DType(); {
	case g.x.Err() != nil:
		return g.x
	case ir.Reals.Has(dt):
		return g.kept(f(g.x.Cast(Float64), g)).Cast(dt)
	default:
		return g.kept(f(g.x.Cast(dt.Total()), g))
	}
}

// floats is compute with integers as Float64.
func (g Groups) floats(f func(x Node, g Groups) Node) Node {
	if g.x.Err() == nil {
		g.x = g.x.inReals()
	}
	return g.compute(f)
}

// extreme returns the least or greatest elements; none is the element that no other is beyond.
func (g Groups) extreme(none float64, reduce func(x Node, codes, count any) Node) Node {
	if g.x.Err() != nil {
		return g.x
	}
	if !ir.Floats.Has(g.x.DType()) {
		return g.x.boolsAsBytes(func(x Node) Node { return g.kept(g.all(x, reduce)) })
	}
	return Where(g.Count().Gt(0), g.kept(g.all(g.x.without(none), reduce)), math.NaN())
}

// Keys are the groups of rows with equal keys.
type Keys struct {
	Codes  *Tensor   // Int64: the group of each row, numbered in the order of their keys; -1 where a key is NaN
	Values []*Tensor // for each column of keys, the key of each group
	Counts *Tensor   // Int64: the number of rows of each group
}

// Len returns the number of groups.
func (k *Keys) Len() int { return k.Counts.Size() }

// Factorize returns the groups of rows with equal keys, as pandas' factorize and groupby do: the columns are vectors of one
// length and of any types. Groups are in the order of the first column, then of the second and so on. Rows with a NaN in a
// column are in no group.
func Factorize(ctx context.Context, columns ...*Tensor) (*Keys, error) {
	if len(columns) == 0 {
		return nil, misuse("factorize", "no columns: give one or more")
	}
	var codes []int64
	groups := int64(1)
	for i, c := range columns {
		if err := c.Err(); err != nil {
			return nil, err
		}
		if c.Rank() != 1 || c.Size() != columns[0].Size() {
			return nil, misuse("factorize", "column %d has shape %v: columns are vectors of one length, that of column 0 is %v", i, c.Shape(), columns[0].Shape())
		}
		d, err := Unique(ctx, c)
		if err != nil {
			return nil, err
		}
		own, err := Data[int64](d.Places)
		if err != nil {
			return nil, err
		}
		numbers, err := countNumbers(ctx, d.Values)
		if err != nil {
			return nil, err
		}
		if codes == nil {
			codes, groups = own, numbers
			dropFrom(codes, groups)
			continue
		}
		if groups, err = crossed(ctx, codes, groups, own, numbers); err != nil {
			return nil, err
		}
	}
	return grouped(ctx, columns, codes, int(groups))
}

// countNumbers returns how many of the distinct elements, whose NaNs are last, are not NaN.
func countNumbers(ctx context.Context, values *Tensor) (int64, error) {
	x := Const(values)
	p, err := Compile(x.Eq(x).Cast(Int64).Sum())
	if err != nil {
		return 0, err
	}
	n, err := p.Run(ctx)
	if err != nil {
		return 0, err
	}
	return At[int64](n)
}

// dropFrom replaces the codes of NaNs, which are at least end, by -1.
func dropFrom(codes []int64, end int64) {
	for i, c := range codes {
		if c >= end {
			codes[i] = -1
		}
	}
}

// crossed replaces codes by those of the pairs of two columns' codes that occur, and returns their number.
func crossed(ctx context.Context, codes []int64, groups int64, own []int64, numbers int64) (int64, error) {
	if groups > 0 && numbers > math.MaxInt64/groups {
		return 0, misuse("factorize", "%d groups times %d keys pass int64", groups, numbers)
	}
	for i, c := range codes {
		if c >= 0 && own[i] < numbers {
			codes[i] = c*numbers + own[i]
		} else {
			codes[i] = -1
		}
	}
	d, err := Unique(ctx, Of(codes))
	if err != nil {
		return 0, err
	}
	places, err := Data[int64](d.Places)
	if err != nil {
		return 0, err
	}
	left := int64(0) // 1 if the first of the distinct codes is -1
	if d.Values.Size() > 0 {
		if first, err := At[int64](d.Values, 0); err != nil {
			return 0, err
		} else if first < 0 {
			left = 1
		}
	}
	for i, p := range places {
		codes[i] = p - left
	}
	return int64(d.Values.Size()) - left, nil
}

// grouped returns the groups of codes, with the keys of the first row of each.
func grouped(ctx context.Context, columns []*Tensor, codes []int64, groups int) (*Keys, error) {
	first, counts := make([]int64, groups), make([]int64, groups)
	for i := len(codes) - 1; i >= 0; i-- {
		if c := codes[i]; c >= 0 {
			first[c] = int64(i)
			counts[c]++
		}
	}
	k := &Keys{Codes: Of(codes), Counts: Of(counts)}
	for _, c := range columns {
		p, err := Compile(Const(c).Take(0, Of(first)))
		if err != nil {
			return nil, err
		}
		values, err := p.Run(ctx)
		if err != nil {
			return nil, err
		}
		k.Values = append(k.Values, values)
	}
	return k, nil
}
