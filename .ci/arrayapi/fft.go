package main

import (
	"context"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft"
)

func transform(f func(ctx context.Context, t *graph.Tensor, o fft.Options) (*graph.Tensor, error), from, to bool) func(ctx context.Context, c *call) ([]array, bool) {
	return func(ctx context.Context, c *call) ([]array, bool) {
		x := c.array("x")
		if from && !isComplex(x) {
			p, err := graph.Compile(c.x("x").cast(x.T.DType(), true).node())
			check(err)
			x.T, err = p.Run(ctx, x.T)
			check(err)
		}
		o := fft.Options{Norm: map[string]fft.Norm{"backward": fft.Backward, "ortho": fft.Ortho, "forward": fft.Forward}[c.text("norm")]}
		for _, name := range []string{"axis", "axes"} {
			if c.given(name) {
				o.Axes = c.fromFront(name, len(x.Shape))
			}
		}
		for _, name := range []string{"n", "s"} {
			if c.given(name) {
				o.N = c.ints(name)
			}
		}
		if o.N != nil && o.Axes == nil {
			for i := range o.N {
				o.Axes = append(o.Axes, len(x.Shape)-len(o.N)+i)
			}
		}
		t, err := f(ctx, x.T, o)
		check(err)
		return single(t, to)
	}
}

// fromFront returns axes without negative ones, which would count from the axis of the parts.
func (c *call) fromFront(name string, rank int) []int {
	axes := c.ints(name)
	for i, k := range axes {
		if k < 0 {
			axes[i] += rank
		}
	}
	return axes
}

func frequencies(f func(dt graph.DType, n int, d float64) (*graph.Tensor, error)) func(ctx context.Context, c *call) ([]array, bool) {
	return func(_ context.Context, c *call) ([]array, bool) {
		dt, _ := c.dtype("dtype", "float64")
		t, err := f(dt, c.int("n"), c.float("d"))
		check(err)
		return single(t, false)
	}
}

func shifted(f func(t *graph.Tensor, axes ...int) (*graph.Tensor, error)) func(ctx context.Context, c *call) ([]array, bool) {
	return func(_ context.Context, c *call) ([]array, bool) {
		a := c.array("x")
		var axes []int
		for k := range a.Shape {
			axes = append(axes, k)
		}
		if c.given("axes") {
			axes = c.fromFront("axes", len(a.Shape))
		}
		t, err := f(a.T, axes...)
		check(err)
		return single(t, isComplex(a))
	}
}
