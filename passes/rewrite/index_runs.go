package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Gathers of runs. Input: a gather whose indices the program computes from iota and constants, as Roll does along an axis whose extent
// it does not know: iota-1 modulo the extent. Output: the slices that it takes, if the indices are few runs inside the axis. Indices are
// evaluated run by run, exactly; an op of which that is not known, or a number that its type may not hold, leaves the gather as it is.

// mostRuns is the greatest number of slices in place of one gather: each slice may take a loop of its own. On an Emerald Rapids a
// stencil of 512x512 float32 that reads two slices for each neighbor takes 0.2 of the time of one with gathers.
const mostRuns = 4

// mostOps is the greatest number of ops between iota and the indices. It bounds the time that the rule takes for a gather.
const mostOps = 8

// slicesOfGather returns the slices that a gather takes, behind one another, if its indices are few runs inside the axis, or nil.
func slicesOfGather(f *ir.Func, v *ir.Value) (*ir.Value, error) {
	x, axis := v.Args[0], v.Attr.Axis
	extent, _ := x.Type.Shape[axis].Int()
	runs := runsOf(alongAxis(v.Args[1], axis))
	parts := make([]*ir.Value, len(runs))
	for i, r := range runs {
		if r.first < 0 || r.first+r.n > extent {
			return nil, nil
		}
		var err error
		if parts[i], err = sliced(f, x, axis, r); err != nil {
			return nil, err
		}
	}
	switch len(parts) {
	case 0:
		return nil, nil
	case 1:
		return parts[0], nil
	}
	return f.Add(ir.OpConcat, ir.Attr{Axis: axis}, v.Pos, parts...)
}

// alongAxis returns the indices along an axis, if they are the same along the others, or nil.
func alongAxis(index *ir.Value, axis int) *ir.Value {
	n := Size(index.Type.Shape[axis : axis+1])
	if index.Op == ir.OpExpand {
		x := index.Args[0]
		if axis -= len(index.Type.Shape) - len(x.Type.Shape); axis < 0 || !x.Type.Shape[axis].Is(n) {
			return nil
		}
		index = x
	}
	if n == 0 || Size(index.Type.Shape) != n {
		return nil
	}
	return index
}

// runsOf returns the elements of v in order if they are few runs by steps of 1, or nil.
func runsOf(v *ir.Value) []indexRun {
	var ops []*ir.Value
	for v != nil && v.Op != ir.OpIota && len(ops) < mostOps {
		ops = append(ops, v)
		v, _ = constOperand(v)
	}
	if v == nil || v.Op != ir.OpIota {
		return nil
	}
	runs := []indexRun{{0, Size(v.Type.Shape), 1}}
	for _, v := range slices.Backward(ops) {
		_, c := constOperand(v)
		runs = applyToRuns(v.Op, runs, c)
		for _, r := range runs {
			if least, greatest := indexRange(v.Type.DType); r.first < least || r.first > greatest || r.n-1 > greatest-r.first {
				return nil
			}
		}
	}
	return runs
}

// constOperand returns the operand that the elements of v are made of in order, and the number that is the other operand; or
// nil.
func constOperand(v *ir.Value) (x *ir.Value, number int) {
	switch {
	case v.Op == ir.OpCast, v.Op == ir.OpReshape, v.Op == ir.OpExpand && Size(v.Type.Shape) == Size(v.Args[0].Type.Shape):
		return v.Args[0], 0
	case len(v.Args) != 2 || !v.Op.IsElementwise():
		return nil, 0
	}
	x, y := v.Args[0], v.Args[1]
	if v.Op.Info().Commutative && constant(x) != nil {
		x, y = y, x
	}
	c := constant(y)
	if c == nil || Size(x.Type.Shape) != Size(v.Type.Shape) || int64(int(c.Attr.Bits)) != int64(c.Attr.Bits) {
		return nil, 0
	}
	return x, int(c.Attr.Bits)
}

// indexRange returns the least and the greatest of a type that indices are computed in: sums of two are within int.
func indexRange(d ir.DType) (least, greatest int) {
	switch d {
	case ir.Int32:
		return max(math.MinInt32, math.MinInt/4), min(math.MaxInt32, math.MaxInt/4)
	case ir.Int64:
		return math.MinInt / 4, math.MaxInt / 4
	}
	return 0, -1
}

// applyToRuns returns the runs that an op makes of others and a number, or nil.
func applyToRuns(op ir.Op, runs []indexRun, c int) (after []indexRun) {
	if c < math.MinInt/4 || c > math.MaxInt/4 {
		return nil
	}
	for _, r := range runs {
		for r.n > 0 {
			next, n := r.first, r.n // what the first n elements become
			switch op {
			case ir.OpCast, ir.OpReshape, ir.OpExpand:
			case ir.OpAdd:
				next += c
			case ir.OpSub:
				next -= c
			case ir.OpMod:
				if c <= 0 {
					return nil
				}
				next = (r.first%c + c) % c
				n = min(n, c-next)
			case ir.OpMax:
				if next < c {
					next, n = c, 1
				}
			case ir.OpMin:
				if next >= c {
					next, n = c, 1
				} else {
					n = min(n, c-next)
				}
			default:
				return nil
			}
			if len(after) == mostRuns {
				return nil
			}
			after = append(after, indexRun{next, n, 1})
			r.first, r.n = r.first+n, r.n-n
		}
	}
	return after
}
