package graph

import (
	"context"
	"math"
)

// Quantization describes how integers represent numbers: q represents (q - Zero) * Scale. Scale and Zero are scalars,
// vectors with one element for each index of Axis, or arrays that broadcast with the quantized array.
type Quantization struct {
	DType DType // an integer type of at most 16 bits, or Int32, to which floats can't be quantized
	Scale Node  // a float type; the numbers are computed in it
	Zero  Node  // element type: DType
	Axis  int   // the axis of vectors; negative axes count from the end
}

// quantized has the least and the greatest element of each type that floats are quantized to.
var quantized = map[DType][2]float64{
	Int8: {math.MinInt8, math.MaxInt8}, Uint8: {0, math.MaxUint8}, Int16: {math.MinInt16, math.MaxInt16}, Uint16: {0, math.MaxUint16},
	Int4: {-8, 7}, Uint4: {0, 15}, Int2: {-2, 1}, Uint2: {0, 3},
}

// Linear returns a Quantization with one Float32 scale and one zero point. A zero point out of dt's range is an error
// of the Nodes that use it.
func Linear(dt DType, scale float64, zero int) Quantization {
	return Quantization{DType: dt, Scale: Scalar(Float32, scale), Zero: Scalar(dt, zero)}
}

// along returns scale and zero point as views that broadcast with x.
func (q Quantization) along(x Node) (scale, zero, bad Node) {
	scale, zero = q.Scale, q.Zero
	if x.Err() != nil || scale.Err() != nil || zero.Err() != nil {
		return scale, zero, x
	}
	axis, rank := q.Axis, x.Rank()
	if axis < 0 {
		axis += rank
	}
	for _, s := range []*Node{&scale, &zero} {
		switch {
		case s.Rank() == 0 || s.Rank() > 1 && s.Rank() <= rank:
			continue
		case s.Rank() > rank || axis < 0 || axis >= rank:
			return x, x, fail("scales %s and zero points %s along axis %d of %s: they are scalars, vectors of the extent of an axis, or broadcast with it", scale.Shape(), zero.Shape(), q.Axis, x.Shape())
		}
		for range rank - 1 - axis {
			*s = s.Unsqueeze(-1)
		}
	}
	return scale, zero, x
}

// Quantize returns the integers that represent floats: x / Scale rounded to even, plus Zero, saturated to the range of
// the type; 0 for NaN. It computes in the compute type of Scale. Its gradient is straight-through: that of x / Scale
// where the result is inside the range of the type, and 0 where it saturates.
func (x Node) Quantize(q Quantization) Node {
	bounds, ok := quantized[q.DType]
	if !ok {
		return fail("a quantization of %s: it is of integers of at most 16 bits", q.DType)
	}
	scale, zero, bad := q.along(x)
	if bad.Err() != nil {
		return bad
	}
	wide := scale.DType().Compute()
	v, s := x.Cast(scale.DType()).Cast(wide), scale.Cast(wide)
	y := v.Div(s).Round().Add(zero.Cast(wide))
	return y.Clip(bounds[0], bounds[1]).Cast(q.DType).ruled(func(_, g Node) []Node {
		g = Where(y.Ge(bounds[0]).And(y.Le(bounds[1])), g.as(wide).Div(s), 0)
		return []Node{g, g.Mul(v.Div(s)).Neg()}
	}, v, s)
}

// Dequantize returns (x - Zero) * Scale, rounded once to the type of Scale.
func (x Node) Dequantize(q Quantization) Node {
	if _, ok := quantized[q.DType]; !ok && q.DType != Int32 {
		return fail("a quantization of %s: it is of integers of at most 16 bits, or of int32", q.DType)
	}
	scale, zero, bad := q.along(x)
	switch {
	case bad.Err() != nil:
		return bad
	case x.DType() != q.DType:
		return fail("elements of %s by a quantization of %s", x.DType(), q.DType)
	}
	dt := scale.DType()
	wide := dt.Compute()
	return x.Cast(wide).Sub(zero.Cast(wide)).Mul(scale.Cast(wide)).Cast(dt)
}

// Requantize returns the integers of another quantization that represent the same numbers. Any operation on quantized
// arrays can be written like this: Dequantize, compute, Quantize, which is one loop.
func (x Node) Requantize(from, to Quantization) Node { return x.Dequantize(from).Quantize(to) }

// QuantizeDynamic quantizes x to the range of its elements and 0, which each run finds: the least becomes the least
// integer, the greatest the greatest.
func (x Node) QuantizeDynamic(dt DType) (Node, Quantization) {
	q := fitted(dt, x.Min(), x.Max())
	return x.Quantize(q), q
}

// fitted returns the quantization of the numbers from lo to hi, in which 0 is exact.
func fitted(dt DType, lo, hi Node) Quantization {
	q := Quantization{DType: dt}
	least, greatest := quantized[dt][0], quantized[dt][1]
	have := lo.DType()
	wide := have.Compute()
	lo, hi = lo.Cast(wide).Minimum(0), hi.Cast(wide).Maximum(0)
	scale := hi.Sub(lo).Div(greatest - least).Cast(have)
	q.Scale = Where(scale.Eq(0), 1, scale) // lo and hi are both 0
	q.Zero = lo.Neg().Div(q.Scale.Cast(wide)).Add(least).Round().Clip(least, greatest).Cast(dt)
	return q
}

// Calibration says which elements Calibrate covers.
type Calibration struct {
	// Percentile, from 50 to 100, ignores the elements beyond it, and as many of the least; they saturate. 0 means 100:
	// all elements.
	Percentile float64
	// PerAxis makes a scale and a zero point for each index of Axis.
	PerAxis bool
	Axis    int
}

// Calibrate returns the quantization with the smallest scale that covers the elements of a tensor of floats. An
// infinite or NaN element is an error.
func Calibrate(ctx context.Context, t *Tensor, dt DType, c Calibration) (Quantization, error) {
	if c.Percentile == 0 {
		c.Percentile = 100
	}
	x := Const(t)
	switch {
	case x.Err() != nil:
		return Quantization{}, x.Err()
	case dt != Int8 && dt != Uint8:
		return Quantization{}, misuse("calibrate", "can't calibrate for %s: use int8 or uint8", dt)
	case !(c.Percentile >= 50 && c.Percentile <= 100):
		return Quantization{}, misuse("calibrate", "percentile %v: it must be from 50 to 100", c.Percentile)
	case c.PerAxis && (c.Axis < -x.Rank() || c.Axis >= x.Rank()):
		return Quantization{}, misuse("calibrate", "axis %d is outside shape %s", c.Axis, x.Shape())
	}
	lines := x.Reshape(1, -1)
	if c.PerAxis {
		lines = x.MoveAxis(c.Axis, 0)
		lines = lines.Reshape(lines.Shape()[0], -1)
	}
	lo, hi := lines.Min(1), lines.Max(1)
	if c.Percentile < 100 {
		lo, hi = lines.Quantile(1-c.Percentile/100, 1), lines.Quantile(c.Percentile/100, 1)
	}
	if !c.PerAxis {
		lo, hi = lo.Reshape(), hi.Reshape()
	}
	q := fitted(dt, lo, hi)
	p, err := Compile(q.Scale, q.Zero, lines.IsFinite().All())
	if err != nil {
		return Quantization{}, err
	}
	outs, err := p.RunAll(ctx)
	if err != nil {
		return Quantization{}, err
	}
	if finite, err := At[bool](outs[2]); err != nil || !finite {
		return Quantization{}, misuse("calibrate", "an element is infinite or NaN")
	}
	return Quantization{DType: dt, Scale: Const(outs[0]), Zero: Const(outs[1]), Axis: c.Axis}, nil
}
