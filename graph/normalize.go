package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Normalizations are composed of reductions and elementwise ops along the given axes. If those are the last axes, and a
// row of them takes up to about 300 KiB, they run block of rows by block of rows in the cache. Then no intermediate
// array is as large as x. Otherwise Softmax stores its exponentials, and axes that are not neighbours need a copy;
// Program.Explain shows it.

// keep returns the axes with KeepDims.
func keep(axis any, more []any) []any { return slices.Concat([]any{axis}, more, []any{KeepDims}) }

// Float16, BFloat16 and Fixed16x16 are normalized in Float32 or Float64, including scale and offset, and rounded once.
// Scale and offset have x's type.
//
// Normalizations take one axis or more, each as a reduction takes it: a slice of all axes normalizes x as a whole.

// Softmax returns exp(x) / sum(exp(x)) along axes, of floats, without overflow. It multiplies by the reciprocal of the
// sum, which rounds once more than dividing but is faster. The result is NaN where all elements are -Inf or one is
// +Inf. An axis without elements is an error, as for Max.
func (x Node) Softmax(axis any, more ...any) Node {
	return x.inComputeType(func(x Node) Node {
		axes := keep(axis, more)
		e := x.Sub(x.Max(axes...)).Exp()
		y := e.Mul(e.Sum(axes...).Reciprocal())
		return y.ruled(func(y, g Node) []Node { return []Node{g.Sub(g.Mul(y).sumAlong(x, axes)).Mul(y)} }, x)
	})
}

// LogSoftmax returns log(softmax(x)) along axes, NaN where Softmax is.
func (x Node) LogSoftmax(axis any, more ...any) Node {
	return x.inComputeType(func(x Node) Node {
		axes := keep(axis, more)
		d := x.Sub(x.Max(axes...))
		y := d.Sub(d.logSumExp(axes...))
		return y.ruled(func(y, g Node) []Node { return []Node{g.Sub(y.Exp().Mul(g.sumAlong(x, axes)))} }, x)
	})
}

// Standardize returns (x - mean) / sqrt(var + eps) along axes: layer normalization over the last axes, instance
// normalization over the axes of an image. It multiplies by Rsqrt instead of dividing. Scale and offset are a Mul and
// an Add after it, and fuse.
func (x Node) Standardize(eps float64, axis any, more ...any) Node {
	return x.inComputeType(func(x Node) Node {
		axes := keep(axis, more)
		d := x.Sub(x.Mean(axes...))
		scale := d.Square().Mean(axes...).Add(eps).Rsqrt()
		return d.Mul(scale).ruled(func(y, g Node) []Node {
			return []Node{g.Sub(g.meanAlong(x, axes)).Sub(g.Mul(y).meanAlong(x, axes).Mul(y)).Mul(scale)}
		}, x)
	})
}

// LayerNorm returns Standardize along the last axis, times scale, plus offset,
// which broadcast to the shape of x: 1 and 0 for none.
func (x Node) LayerNorm(scale, offset any, eps float64) Node {
	return x.withOperands(func(x Node, p []Node) Node {
		return x.Standardize(eps, -1).Mul(p[0]).Add(p[1])
	}, scale, offset).like(x)
}

// RMSNorm returns x / sqrt(mean(x*x) + eps) along the last axis, times scale,
// which broadcasts to the shape of x.
func (x Node) RMSNorm(scale any, eps float64) Node {
	return x.withOperands(func(x Node, p []Node) Node {
		scale := x.Square().Mean(-1, KeepDims).Add(eps).Rsqrt()
		y := x.Mul(scale).ruled(func(y, g Node) []Node {
			return []Node{g.Sub(g.Mul(y).Mean(-1, KeepDims).Mul(y)).Mul(scale)}
		}, x)
		return y.Mul(p[0])
	}, scale).like(x)
}

// like returns y, which must have the shape of x: a scale or an offset must not enlarge it.
func (y Node) like(x Node) Node {
	a, b := x.get(), y.get()
	if a.err == nil && b.err == nil && !slices.Equal(a.typ.Shape, b.typ.Shape) {
		return fail("with its scale or offset shape %s becomes %s: they must broadcast to the operand", a.typ.Shape, b.typ.Shape)
	}
	return y
}

// BatchNorm returns (x - mean) / sqrt(variance + eps) * scale + offset with given statistics. Each is a number, or a
// vector with one element for each index of an axis of x (the channels).
func (x Node) BatchNorm(axis any, mean, variance, scale, offset any, eps float64) Node {
	return x.withOperands(func(x Node, p []Node) Node {
		along := func(i int) Node { return x.parameter(p[i], axis) }
		y := x.Sub(along(0)).Div(along(1).Add(eps).Sqrt())
		return y.Mul(along(2)).Add(along(3))
	}, mean, variance, scale, offset)
}

// parameter returns an operand, a vector with one element for each index of an axis, as a view that broadcasts along
// the other axes of x.
func (x Node) parameter(v Node, axis any) Node {
	n, p := x.get(), v.get()
	if n.err != nil || p.err != nil || len(p.typ.Shape) == 0 {
		return v
	}
	k, err := n.axis(axis)
	if err != nil {
		return fail("%w", err)
	}
	if !slices.Equal(p.typ.Shape, n.typ.Shape[k:k+1]) {
		return fail("a parameter has shape %s: it needs one element for each index of axis %d of %s", p.typ.Shape, k, n.typ.Shape)
	}
	return v.Unsqueeze(upTo(len(n.typ.Shape) - k)[1:])
}

// InstanceNorm returns Standardize of each sample and channel (the first two axes of x), times scale, plus offset.
// Scale and offset are numbers or have one element per channel.
func (x Node) InstanceNorm(scale, offset any, eps float64) Node {
	if x.get().err != nil {
		return x
	}
	if x.Rank() < 3 {
		return fail("rank %d: the axes are samples, channels, and one or more of a picture", x.Rank())
	}
	return x.withOperands(func(x Node, p []Node) Node {
		y := x.Standardize(eps, upTo(x.Rank())[2:])
		return y.Mul(x.parameter(p[0], 1)).Add(x.parameter(p[1], 1))
	}, scale, offset)
}

// GroupNorm returns x with the channels (the second axis) of each sample standardized in groups of neighbours, times
// scale, plus offset. Scale and offset are numbers or have one element per channel. The number of channels is a
// multiple of groups.
func (x Node) GroupNorm(groups int, scale, offset any, eps float64) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if len(n.typ.Shape) < 2 || groups < 1 {
		return fail("%d groups of shape %s: the axes are samples, channels, and those of a picture", groups, n.typ.Shape)
	}
	c := n.typ.Shape[1]
	if e, ok := c.Int(); ok && e%groups != 0 {
		return fail("%d channels are not a multiple of %d groups", e, groups)
	}
	grouped := append(Shape{n.typ.Shape[0], ir.Fixed(groups), c.Div(groups)}, n.typ.Shape[2:]...)
	return x.withOperands(func(x Node, p []Node) Node {
		y := x.Reshape(grouped).Standardize(eps, upTo(len(grouped))[2:]).Reshape(n.typ.Shape)
		return y.Mul(x.parameter(p[0], 1)).Add(x.parameter(p[1], 1))
	}, scale, offset)
}

// L2Normalize returns x / max(norm, eps) along axes, where norm is Norm2. Where the squares overflow the result is 0.
func (x Node) L2Normalize(eps float64, axis any, more ...any) Node {
	return x.inComputeType(func(x Node) Node {
		axes := keep(axis, more)
		return x.Div(x.Norm2(axes...).Maximum(eps))
	})
}
