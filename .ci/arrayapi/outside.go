package main

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/x/fft"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// tensors are the functions that run outside of programs. A second result of false leaves the call to nodes.
var tensors = map[string]func(ctx context.Context, c *call) ([]array, bool){
	"arange": func(_ context.Context, c *call) ([]array, bool) {
		start, stop, step, dtype := c.float("start"), 0.0, 1.0, "int64"
		for _, name := range []string{"start", "stop", "step"} {
			if f, ok := c.Args[name].(json.Number); ok && strings.ContainsAny(string(f), ".e") {
				dtype = "float64"
			}
		}
		if c.given("stop") {
			stop = c.float("stop")
		} else {
			start, stop = 0, start
		}
		if c.given("step") {
			step = c.float("step")
		}
		dt, _ := c.dtype("dtype", dtype)
		return single(graph.Arange(dt, start, stop, step), false)
	},
	"linspace": func(_ context.Context, c *call) ([]array, bool) {
		ends := [2]complex128{}
		for i, name := range []string{"start", "stop"} {
			a := c.array(name)
			f := func(dt graph.DType, k int) float64 {
				p, err := graph.Compile(graph.Const(a.T.Reshape(-1)).Cast(graph.Float64).Index(0, k))
				check(err)
				t, err := p.Run(context.Background())
				check(err)
				v, err := graph.At[float64](t)
				check(err)
				return v
			}
			ends[i] = complex(f(a.T.DType(), 0), 0)
			if a.T.Rank() == 1 {
				ends[i] = complex(f(a.T.DType(), 0), f(a.T.DType(), 1))
			}
		}
		otherwise := "float64"
		if c.array("start").T.Rank()+c.array("stop").T.Rank() > 0 {
			otherwise = "complex128"
		}
		dt, isComplex := c.dtype("dtype", otherwise)
		n, closed := c.int("num"), c.flag("endpoint")
		a, b := real(ends[0]), real(ends[1])
		switch {
		case isComplex && closed:
			return single(cmplx.Linspace(dt, ends[0], ends[1], n), true)
		case isComplex:
			return single(cmplx.LinspaceOpen(dt, ends[0], ends[1], n), true)
		case closed:
			return single(graph.Linspace(dt, a, b, n), false)
		}
		return single(graph.LinspaceOpen(dt, a, b, n), false)
	},
	"getitem": func(ctx context.Context, c *call) ([]array, bool) {
		_, arrays, mask := c.key()
		if !mask || len(arrays) != 1 {
			return nil, false
		}
		x, m := c.array("x"), c.Arrays[index(c.Args["key"].([]any)[0])]
		shape := []int{m.T.Size()}
		for i, n := range m.Shape {
			if i >= len(x.Shape) || x.Shape[i] != n {
				panic("a mask of another shape than the first axes")
			}
		}
		shape = append(shape, x.T.Shape()[m.T.Rank():]...)
		t, err := graph.Compress(ctx, x.T.Reshape(shape...), m.T.Reshape(-1), 0)
		check(err)
		return single(t, isComplex(x))
	},
	"repeat": func(ctx context.Context, c *call) ([]array, bool) {
		if _, isArray := c.Args["repeats"].(map[string]any); !isArray {
			return nil, false
		}
		p, err := graph.Compile(c.x("repeats").re.Cast(graph.Int64).Reshape(-1))
		check(err)
		t, err := p.Run(ctx, c.array("repeats").T)
		check(err)
		data, err := graph.Data[int64](t)
		check(err)
		times := make([]int, len(data))
		for i, n := range data {
			times[i] = int(n)
		}
		var by any = times
		if len(times) == 1 {
			by = times[0]
		}
		y := c.x("x").view(func(x graph.Node) graph.Node { return c.repeated(x, by) })
		p, err = graph.Compile(y.node())
		check(err)
		t, err = p.Run(ctx, c.array("x").T)
		check(err)
		return single(t, y.complex)
	},
	"nonzero": func(ctx context.Context, c *call) ([]array, bool) {
		x := c.array("x")
		if isComplex(x) {
			p, err := graph.Compile(truth(c.x("x")))
			check(err)
			x.T, err = p.Run(ctx, x.T)
			check(err)
		}
		t, err := graph.NonZero(ctx, x.T)
		check(err)
		c.many = true
		var out []array
		for i := range t.Shape()[0] {
			out = append(out, of(t.Index(0, i), false))
		}
		return out, true
	},
	"unique_all":     unique(func(d *graph.Distinct) []*graph.Tensor { return []*graph.Tensor{d.Values, d.First, d.Places, d.Counts} }),
	"unique_counts":  unique(func(d *graph.Distinct) []*graph.Tensor { return []*graph.Tensor{d.Values, d.Counts} }),
	"unique_inverse": unique(func(d *graph.Distinct) []*graph.Tensor { return []*graph.Tensor{d.Values, d.Places} }),
	"unique_values":  unique(func(d *graph.Distinct) []*graph.Tensor { return []*graph.Tensor{d.Values} }),

	"fft": transform(fft.FFT, true, true), "ifft": transform(fft.IFFT, true, true), "fftn": transform(fft.FFTN, true, true),
	"ifftn": transform(fft.IFFTN, true, true), "rfft": transform(fft.RFFT, false, true), "irfft": transform(fft.IRFFT, true, false),
	"rfftn": transform(fft.RFFTN, false, true), "irfftn": transform(fft.IRFFTN, true, false), "hfft": transform(fft.HFFT, true, false),
	"ihfft": transform(fft.IHFFT, false, true), "fftfreq": frequencies(fft.FFTFreq), "rfftfreq": frequencies(fft.RFFTFreq),
	"fftshift": shifted(fft.FFTShift), "ifftshift": shifted(fft.IFFTShift),

	"cholesky": func(ctx context.Context, c *call) ([]array, bool) {
		x, err := linalg.Cholesky(ctx, c.matrix("x"))
		check(err)
		if c.flag("upper") {
			return c.run(ctx, graph.Const(x).SwapAxes(-2, -1))
		}
		return single(x, false)
	},
	"det": matrix(linalg.Det), "inv": matrix(linalg.Inv), "eigvalsh": matrix(linalg.EigValsh), "svdvals": matrix(linalg.SVDVals),
	"eigvals": func(ctx context.Context, c *call) ([]array, bool) {
		w, err := linalg.EigVals(ctx, c.matrix("x"))
		check(err)
		return single(w, true)
	},
	"eig": func(ctx context.Context, c *call) ([]array, bool) {
		w, v, err := linalg.Eig(ctx, c.matrix("x"))
		check(err)
		c.many = true
		return []array{of(w, true), of(v, true)}, true
	},
	"eigh": matrices(func(ctx context.Context, a *graph.Tensor) ([]*graph.Tensor, error) {
		w, v, err := linalg.Eigh(ctx, a)
		return []*graph.Tensor{w, v}, err
	}),
	"slogdet": matrices(func(ctx context.Context, a *graph.Tensor) ([]*graph.Tensor, error) {
		s, l, err := linalg.SlogDet(ctx, a)
		return []*graph.Tensor{s, l}, err
	}),
	"qr": func(ctx context.Context, c *call) ([]array, bool) {
		f := linalg.QR
		if c.text("mode") == "complete" {
			f = linalg.FullQR
		}
		q, r, err := f(ctx, c.matrix("x"))
		check(err)
		c.many = true
		return []array{of(q, false), of(r, false)}, true
	},
	"svd": func(ctx context.Context, c *call) ([]array, bool) {
		f := linalg.SVD
		if c.flag("full_matrices") {
			f = linalg.FullSVD
		}
		u, s, v, err := f(ctx, c.matrix("x"))
		check(err)
		c.many = true
		return []array{of(u, false), of(s, false), of(v, false)}, true
	},
	"solve": func(ctx context.Context, c *call) ([]array, bool) {
		a, b := c.tensorPair()
		x, err := linalg.Solve(ctx, a, b)
		check(err)
		return single(x, false)
	},
	"matrix_power": func(ctx context.Context, c *call) ([]array, bool) {
		x, err := linalg.MatrixPower(ctx, c.matrix("x"), c.int("n"))
		check(err)
		return single(x, false)
	},
	"matrix_rank": func(ctx context.Context, c *call) ([]array, bool) {
		x, err := linalg.MatrixRank(ctx, c.matrix("x"), c.tolerance())
		check(err)
		return single(x, false)
	},
	"pinv": func(ctx context.Context, c *call) ([]array, bool) {
		x, err := linalg.PInv(ctx, c.matrix("x"), c.tolerance())
		check(err)
		return single(x, false)
	},
	"matrix_norm": func(ctx context.Context, c *call) ([]array, bool) {
		x := c.Arrays[0]
		node := graph.Const(x.T)
		if isComplex(x) {
			node = cmplx.From(node).Abs()
		}
		options := []any{}
		if c.flag("keepdims") {
			options = append(options, graph.KeepDims)
		}
		if c.text("ord") == "fro" {
			return c.run(ctx, node.Norm2(append([]any{-2, -1}, options...)...))
		}
		if c.text("ord") != "nuc" {
			switch p := c.float("ord"); math.Abs(p) {
			case 1, math.Inf(1):
				over := map[bool]int{true: -2, false: -1}[math.Abs(p) == 1]
				sums := node.Abs().Sum(over, graph.KeepDims)
				y := sums.Max([]int{-2, -1}, graph.KeepDims)
				if p < 0 {
					y = sums.Min([]int{-2, -1}, graph.KeepDims)
				}
				if len(options) == 0 {
					y = y.Squeeze(-2, -1)
				}
				return c.run(ctx, y)
			}
		}
		s, err := linalg.SVDVals(ctx, c.matrix("x"))
		check(err)
		y := graph.Const(s).Unsqueeze(-1)
		over := append([]any{[]int{-2, -1}}, options...)
		switch {
		case c.text("ord") == "nuc":
			y = y.Sum(over...)
		case c.float("ord") == 2:
			y = y.Max(over...)
		default:
			y = y.Min(over...)
		}
		return c.run(ctx, y)
	},
}

func (c *call) run(ctx context.Context, y graph.Node) ([]array, bool) {
	p, err := graph.Compile(y)
	check(err)
	t, err := p.Run(ctx)
	check(err)
	return single(t, false)
}

func single(t *graph.Tensor, isComplex bool) ([]array, bool) {
	check(t.Err())
	return []array{of(t, isComplex)}, true
}

func isComplex(a array) bool { return a.DType == "complex64" || a.DType == "complex128" }

// matrix returns a real matrix.
func (c *call) matrix(name string) *graph.Tensor {
	a := c.array(name)
	if isComplex(a) {
		panic("matrices are real")
	}
	return a.T
}

func (c *call) tensorPair() (a, b *graph.Tensor) {
	x, y := c.matrix("x1"), c.matrix("x2")
	dt, err := graph.ResultType(x.DType(), y.DType())
	check(err)
	cast := func(t *graph.Tensor) *graph.Tensor {
		p, err := graph.Compile(graph.Const(t).Cast(dt))
		check(err)
		t, err = p.Run(context.Background())
		check(err)
		return t
	}
	return cast(x), cast(y)
}

func (c *call) tolerance() linalg.Tolerance {
	if !c.given("rtol") {
		return linalg.Default
	}
	return linalg.Tolerance(c.float("rtol"))
}

func matrix(f func(ctx context.Context, a *graph.Tensor) (*graph.Tensor, error)) func(ctx context.Context, c *call) ([]array, bool) {
	return func(ctx context.Context, c *call) ([]array, bool) {
		x, err := f(ctx, c.matrix("x"))
		check(err)
		return single(x, false)
	}
}

func matrices(f func(ctx context.Context, a *graph.Tensor) ([]*graph.Tensor, error)) func(ctx context.Context, c *call) ([]array, bool) {
	return func(ctx context.Context, c *call) ([]array, bool) {
		outs, err := f(ctx, c.matrix("x"))
		check(err)
		c.many = true
		var list []array
		for _, t := range outs {
			list = append(list, of(t, false))
		}
		return list, true
	}
}

func unique(parts func(d *graph.Distinct) []*graph.Tensor) func(ctx context.Context, c *call) ([]array, bool) {
	return func(ctx context.Context, c *call) ([]array, bool) {
		a := c.array("x")
		f := graph.Unique
		if isComplex(a) {
			f = cmplx.Unique
		}
		d, err := f(ctx, a.T)
		check(err)
		outs := parts(d)
		c.many = len(outs) > 1
		list := []array{of(outs[0], isComplex(a))}
		for _, t := range outs[1:] {
			list = append(list, of(t, false))
		}
		return list, true
	}
}
