package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// This rule replaces a gather by slices if its indices are a few runs of consecutive numbers. Example: Roll along an
// axis whose extent is named gathers at iota-1 modulo the extent, which is the runs n-1 and 0..n-2. The indices must
// be computed from iota and constants by known ops. The rule evaluates them exactly, run by run, and gives up if a
// number may not fit its type.

// mostRuns is the greatest number of slices that replace a gather: each slice may need a loop of its own. Measured on
// an Emerald Rapids: a stencil on 512x512 float32 with two slices per neighbour takes 0.2 of the time of one with
// gathers.
const mostRuns = 4

// mostOps is the greatest number of ops between iota and the indices. It bounds the time of the rule.
const mostOps = 8

// slicesOfGather returns a concatenation of slices that equals a gather, or nil. The indices must be few runs inside
// the axis.
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

// alongAxis returns the indices along an axis as one axis, or nil if they also vary along others.
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

// runsOf returns the elements of v, in order, as at most mostRuns runs with step 1. It returns nil if they are not
// that.
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

// constOperand returns the operand x that v is computed from, element by element in order, and the number that is the
// other operand. It returns nil if v has another form.
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

// indexRange returns the range of a type that indices are computed in, cut so that the sum of two indices fits an
// int.
func indexRange(d ir.DType) (least, greatest int) {
	switch d {
	case ir.Int32:
		return max(math.MinInt32, math.MinInt/4), min(math.MaxInt32, math.MaxInt/4)
	case ir.Int64:
		return math.MinInt / 4, math.MaxInt / 4
	}
	return 0, -1
}

// applyToRuns returns the runs that result if op combines each element of runs with c, or nil.
func applyToRuns(op ir.Op, runs []indexRun, c int) (after []indexRun) {
	if c < math.MinInt/4 || c > math.MaxInt/4 {
		return nil
	}
	for _, r := range runs {
		for r.n > 0 {
			next, n := r.first, r.n // the first n elements become the run from next on
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
