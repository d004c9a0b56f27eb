package graph

import (
	"context"
	"math"
)

// Quantization is how integers stand for numbers: q for (q - Zero) * Scale. Scale and Zero are
// scalars, or vectors of one element for each index of Axis, or have more axes and broadcast
// with what is quantized.
type Quantization struct {
	DType DType // an integer of at most 16 bits; Int32 has no bounds that floats are quantized to
	Scale Node  // of a float type, which numbers are computed in
	Zero  Node  // of DType
	Axis  int   // that vectors are along; negative ones count from the end
}

// quantized are the least and the greatest elements of the types that floats are quantized to.
var quantized = map[DType][2]float64{
	Int8: {math.MinInt8, math.MaxInt8}, Uint8: {0, math.MaxUint8}, Int16: {math.MinInt16, math.MaxInt16}, Uint16: {0, math.MaxUint16},
	Int4: {-8, 7}, Uint4: {0, 15}, Int2: {-2, 1}, Uint2: {0, 3},
}

// Linear returns the Quantization of one scale, of Float32, and one zero point. A zero point
// that dt does not hold is an error of the Nodes that use it.
func Linear(dt DType, scale float64, zero int) Quantization {
	return Quantization{DType: dt, Scale: Scalar(Float32, scale), Zero: Scalar(dt, zero)}
}

// along returns the scale and the zero point so that they broadcast with x.
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

// Quantize returns the integers that stand for floats: x / Scale rounded to even, plus Zero,
// and the least or the greatest integer beyond them; 0 for NaN. It divides and adds in the type that
// Scale's is computed in.
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
	y := x.Cast(scale.DType()).Cast(wide).Div(scale.Cast(wide)).Round()
	return y.Add(zero.Cast(wide)).Clip(bounds[0], bounds[1]).Cast(q.DType)
}

// Dequantize returns (x - Zero) * Scale, which has the type of Scale and is rounded once.
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

// Requantize returns the integers of another quantization that stand for the same numbers. So
// is any operation on quantized tensors written: Dequantize, compute, Quantize, which is one
// loop.
func (x Node) Requantize(from, to Quantization) Node { return x.Dequantize(from).Quantize(to) }

// QuantizeDynamic quantizes x by the least and the greatest of its elements and 0, which a run
// finds: the first gets the least integer, the second the greatest.
func (x Node) QuantizeDynamic(dt DType) (Node, Quantization) {
	q := fitted(dt, x.Min(), x.Max())
	return x.Quantize(q), q
}

// fitted returns the quantization of numbers from lo to hi and of 0, which is exact.
func fitted(dt DType, lo, hi Node) Quantization {
	q := Quantization{DType: dt}
	least, greatest := quantized[dt][0], quantized[dt][1]
	have := lo.DType()
	wide := have.Compute()
	lo, hi = lo.Cast(wide).Minimum(0), hi.Cast(wide).Maximum(0)
	scale := hi.Sub(lo).Div(greatest - least).Cast(have)
	q.Scale = Where(scale.Eq(0), 1, scale) // of zeros alone
	q.Zero = lo.Neg().Div(q.Scale.Cast(wide)).Add(least).Round().Clip(least, greatest).Cast(dt)
	return q
}

// Calibration says which elements Calibrate looks at.
type Calibration struct {
	// Percentile, from 50 to 100, leaves out the elements beyond it and as many of the least:
	// they saturate. 0 stands for 100, all elements.
	Percentile float64
	// PerAxis makes a scale and a zero point for each index of Axis.
	PerAxis bool
	Axis    int
}

// Calibrate returns the quantization that holds the elements of a tensor of floats with the
// least scale. Elements that are infinite or NaN are an error.
func Calibrate(ctx context.Context, t *Tensor, dt DType, c Calibration) (Quantization, error) {
	if c.Percentile == 0 {
		c.Percentile = 100
	}
	x := Const(t)
	switch {
	case x.Err() != nil:
		return Quantization{}, x.Err()
	case dt != Int8 && dt != Uint8:
		return Quantization{}, misuse("calibrate", "to %s: take int8 or uint8", dt)
	case !(c.Percentile >= 50 && c.Percentile <= 100):
		return Quantization{}, misuse("calibrate", "percentile %v: from 50 to 100", c.Percentile)
	case c.PerAxis && (c.Axis < -x.Rank() || c.Axis >= x.Rank()):
		return Quantization{}, misuse("calibrate", "axis %d of %s", c.Axis, x.Shape())
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
