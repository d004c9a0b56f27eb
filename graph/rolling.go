package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Statistics of sliding windows.

// Rolling has the statistics of the sliding windows of an axis, as Window has the windows: an axis of n elements has
// n-size+1.
//
// The axis is cut into blocks of the size of a window. Each window is the end of one block and the beginning of the next, so
// that its statistic is made of a running one from the end of its first block backwards and one from the beginning of
// its second block on (van Herk, A fast algorithm for local minimum and maximum filters, 1992). Nothing is subtracted
// again, so that the error is that of adding size numbers one after another, and an infinity or NaN is in the windows that
// contain it and in no other. The time does not grow with the size of windows, but for windows of up to 64 elements (tuning.ShortWindow), which are
// reduced one by one, and for WeightedSum and WeightedMean.
type Rolling struct {
	x    Node // with its error, if the windows are wrong
	axis int
	size int
	// least is the least number of numbers that a window must have, if skips is set: NaNs are left out.
	least int
	skips bool
}

// Rolling returns the statistics of the windows of size elements of an axis. An axis too short for one window is an error,
// as is a size below 1.
func (x Node) Rolling(axis any, size int) Rolling {
	if w := x.Window(axis, size, 1, 1); w.Err() != nil {
		return Rolling{x: w}
	}
	k, err := x.get().axis(axis)
	if err != nil {
		return Rolling{x: fail("%w", err)}
	}
	return Rolling{x: x, axis: k, size: size}
}

// MinPeriods returns the statistics without NaNs, which are left out of each window. A window of fewer than least numbers
// has the result NaN. Count is not affected. With least 0 only Sum has a number, 0, for a window of NaNs.
// pandas' rolling(size, min_periods=least) begins with shorter windows: those of
// x.PadWith([]int{size-1}, []int{0}, math.NaN()).
func (r Rolling) MinPeriods(least int) Rolling {
	if r.x.Err() != nil {
		return r
	}
	if least < 0 || least > r.size {
		return Rolling{x: fail("%d numbers of windows of %d elements: give from 0 to that many", least, r.size)}
	}
	r.skips, r.least = ir.Floats.Has(r.x.DType()), least
	return r
}

// Count returns how many elements of windows are not NaN, as Int64.
func (r Rolling) Count() Node {
	if r.x.Err() != nil {
		return r.x
	}
	return r.numbers().Cast(Int64)
}

// numbers is Count as Int32.
func (r Rolling) numbers() Node { return r.of(r.x.Eq(r.x).Cast(Int32)).Sum() }

// of returns the same windows of another array, with all elements.
func (r Rolling) of(x Node) Rolling { return Rolling{x: x, axis: r.axis, size: r.size} }

// replaced returns the windows with NaNs replaced.
func (r Rolling) replaced(by any) Rolling { return r.of(Where(r.x.IsNaN(), by, r.x)) }

// enough returns a statistic where windows have enough numbers, at least one more than some, and NaN elsewhere.
func (r Rolling) enough(y, numbers Node, some int) Node {
	return Where(numbers.Ge(max(r.least, some)), y, math.NaN())
}

// Sum returns the sums of windows, in the type of CumSum.
func (r Rolling) Sum() Node {
	switch {
	case r.x.Err() == nil && r.skips:
		return r.enough(r.replaced(0).Sum(), r.numbers(), 0)
	case r.x.Err() == nil && r.size <= tuning.ShortWindow:
		return r.x.Window(r.axis, r.size, 1, 1).Sum(-1)
	}
	return r.joined(Node.CumSum, Node.Add)
}

// Mean returns the means of windows, for floats.
func (r Rolling) Mean() Node {
	return r.statistic(func(r Rolling) Node {
		if r.skips {
			n := r.numbers()
			return r.enough(r.replaced(0).Sum().Div(n.Cast(r.x.DType())), n, 1)
		}
		return r.Sum().Div(r.size)
	})
}

// Min returns the least elements of windows, NaN if one is.
func (r Rolling) Min() Node {
	if r.x.Err() == nil && r.skips {
		return r.enough(r.replaced(math.Inf(1)).Min(), r.numbers(), 1)
	}
	return r.joined(Node.CumMin, func(a Node, b any) Node { return a.Minimum(b) })
}

// Max returns the greatest elements of windows, NaN if one is.
func (r Rolling) Max() Node {
	if r.x.Err() == nil && r.skips {
		return r.enough(r.replaced(math.Inf(-1)).Max(), r.numbers(), 1)
	}
	return r.joined(Node.CumMax, func(a Node, b any) Node { return a.Maximum(b) })
}

// Var returns the variances of windows, for floats, with the divisor size-ddof: infinite, or NaN where all elements are
// equal, if that is 0 or less. The squared distances are from an element that is in all windows of a block, and the two
// parts are put together by the formula of Chan, Golub and LeVeque (1979). So digits are lost where that element is far from
// the others of its window, and not by a large mean, nor by what lies outside the window.
func (r Rolling) Var(ddof int) Node {
	return r.statistic(func(r Rolling) Node {
		windows := func() Node { return r.x.Window(r.axis, r.size, 1, 1) }
		switch {
		case r.skips && r.size <= tuning.ShortWindow:
			return r.enough(windows().NanVar(-1, DDOF(ddof)), r.numbers(), 1)
		case r.size <= tuning.ShortWindow:
			return windows().Var(-1, DDOF(ddof))
		case r.skips:
			squares, n := r.squares()
			degrees := n.Sub(ddof)
			return r.enough(Where(degrees.Gt(0), squares.Div(degrees), math.NaN()), n, 1)
		}
		squares, _ := r.squares()
		return squares.Div(math.Max(0, float64(r.size-ddof)))
	})
}

// squares returns the sums of the squared distances of windows from their means, and the numbers of their elements.
func (r Rolling) squares() (squares, n Node) {
	blocks := r.blocks()
	dt, at := blocks.DType(), Iota(Int32, r.size)
	last, first := blocks.SliceAxis(-1, -1, math.MaxInt, 1), blocks.SliceAxis(-1, 0, 1, 1)
	n2 := at.Cast(dt) // elements of a window in its second block
	n1 := n2.Neg().Add(r.size)
	if r.skips { // the last number of a block is in all ends that have numbers, the first one in all beginnings
		is := blocks.IsNaN().Not()
		number := func(place Node) Node {
			y := blocks.TakeAlong(-1, place.Cast(Int64))
			return Where(y.IsNaN(), 0, y)
		}
		last, first = number(Where(is, at, 0).Max(-1, KeepDims)), number(Where(is, at, r.size-1).Min(-1, KeepDims))
		before := is.Cast(dt).CumSum(-1, Exclusive) // counts are exact, so that a difference is
		n1, n2 = r.rows(is.Cast(dt).Sum(-1, KeepDims).Sub(before), 0, -1), r.rows(before, 1, math.MaxInt)
	}
	distance := func(from Node) Node {
		d := blocks.Sub(from)
		if r.skips {
			d = Where(blocks.IsNaN(), 0, d)
		}
		return d
	}
	toLast, toFirst := distance(last), distance(first)
	ends, endSquares := r.ends(toLast, Node.CumSum), r.ends(toLast.Square(), Node.CumSum)
	starts, startSquares := r.starts(toFirst, Node.CumSum), r.starts(toFirst.Square(), Node.CumSum)
	each, others := n1.Maximum(1), n2.Maximum(1)
	between := r.rows(first, 1, math.MaxInt).Sub(r.rows(last, 0, -1)).Add(starts.Div(others)).Sub(ends.Div(each))
	between = Where(n1.Mul(n2).Eq(0), 0, between)
	n = n1.Add(n2)
	squares = endSquares.Sub(ends.Square().Div(each)).Add(startSquares.Sub(starts.Square().Div(others)))
	squares = squares.Add(between.Square().Mul(n1).Mul(n2).Div(n.Maximum(1))).Maximum(0)
	if r.skips {
		n = r.flat(n, r.size)
	}
	return r.flat(squares, r.size), n
}

// Std returns the square roots of Var.
func (r Rolling) Std(ddof int) Node {
	return r.statistic(func(r Rolling) Node { return r.Var(ddof).norm() })
}

// statistic computes floats in the type that they are computed in.
func (r Rolling) statistic(f func(r Rolling) Node) Node {
	switch {
	case r.x.Err() != nil:
		return r.x
	case !ir.Reals.Has(r.x.DType()):
		return fail("does not take %s: Cast to float32 or float64", r.x.DType())
	}
	return r.x.inComputeType(func(x Node) Node {
		r.x = x
		return f(r)
	})
}

// joined returns a statistic that is made of those of parts.
func (r Rolling) joined(scan runner, join func(a Node, b any) Node) Node {
	if r.x.Err() != nil {
		return r.x
	}
	blocks := r.blocks()
	return r.flat(join(r.ends(blocks, scan), r.starts(blocks, scan)), r.size)
}

// runner is a running statistic: CumSum, CumMin or CumMax.
type runner = func(x Node, axis any, opts ...ReduceOption) Node

// ends returns the statistics of the first part of each window: the end of a block from an element on.
func (r Rolling) ends(blocks Node, scan runner) Node { return r.rows(scan(blocks, -1, Reverse), 0, -1) }

// starts returns the statistics of the second part of each window: the beginning of the next block before the same place.
func (r Rolling) starts(blocks Node, scan runner) Node {
	return r.rows(scan(blocks, -1, Exclusive), 1, math.MaxInt)
}

// rows returns some of the blocks.
func (r Rolling) rows(blocks Node, begin, end int) Node {
	return blocks.SliceAxis(r.axis, begin, end, 1)
}

// blocks returns the axis cut into blocks, as a last axis, with one block more than there are elements for.
func (r Rolling) blocks() Node {
	return r.padded(r.x, 2*r.size-1).Window(r.axis, r.size, r.size, 1)
}

// padded returns x with its last element repeated at the end of the axis. If the extent is symbolic, that element is taken from the last
// window, so that a run with an axis shorter than a window is an error of the windows.
func (r Rolling) padded(x Node, count int) Node {
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	after[r.axis] = count
	if _, known := x.Shape()[r.axis].Int(); known || x.Err() != nil || x.Shape()[r.axis] != r.x.Shape()[r.axis] {
		return x.Pad(before, after, PadEdge)
	}
	last := StopGradient(x).Window(r.axis, r.size, 1, 1).SliceAxis(r.axis, -1, math.MaxInt, 1).Index(-1, -1)
	shape := append(Shape{}, x.Shape()...)
	shape[r.axis] = ir.Fixed(count)
	return Concat(r.axis, x, last.BroadcastTo(shape))
}

// flat returns the windows of blocks along the axis; a block has those of width elements.
func (r Rolling) flat(y Node, width int) Node {
	if y.Err() != nil {
		return y
	}
	y = y.MoveAxis(-1, r.axis+1)
	shape := append(Shape{}, y.Shape()[:r.axis]...)
	shape = append(append(shape, y.Shape()[r.axis].Mul(ir.Fixed(width))), y.Shape()[r.axis+2:]...)
	count := r.x.Shape()[r.axis].Sub(ir.Fixed(r.size - 1))
	return y.Reshape(shape).SliceAxis(r.axis, 0, count, 1)
}
