package main

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// The tasks W1 to W18 are those of the benchmark program at a size that fits the caches; the others have a kind of loop each.
var tasks = []task{
	{"W1 a + b, 64K", func() trial {
		a, b, o := floats(0, 64<<10), floats(1, 64<<10), make([]float32, 64<<10)
		return of(vector("a").Add(vector("b")), o, []int{len(o)}, 0, func() {
			for i := range o {
				o[i] = a[i] + b[i]
			}
		}, graph.Of(a), graph.Of(b))
	}},
	{"W2 five operations, 64K", func() trial {
		a, b, c, o := floats(0, 64<<10), floats(1, 64<<10), floats(2, 64<<10), make([]float32, 64<<10)
		x, y, z := vector("a"), vector("b"), vector("c")
		return of(x.Mul(y).Add(z).Mul(x).Sub(y.Div(z.Abs().Add(1))), o, []int{len(o)}, 1e-6, func() {
			for i := range o {
				o[i] = (a[i]*b[i]+c[i])*a[i] - b[i]/(abs(c[i])+1)
			}
		}, graph.Of(a), graph.Of(b), graph.Of(c))
	}},
	function("W3 gelu", graph.Node.GELUTanh, func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(0.79788456080286535588*(x+0.044715*x*x*x)))
	}),
	function("W4 exp", graph.Node.Exp, math.Exp),
	function("W4 log", func(x graph.Node) graph.Node { return x.Abs().Log() }, func(x float64) float64 { return math.Log(math.Abs(x)) }),
	function("W4 sin", graph.Node.Sin, math.Sin),
	function("W4 tanh", graph.Node.Tanh, math.Tanh),
	function("W4 sigmoid", graph.Node.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	function("W4 erf", graph.Node.Erf, math.Erf),
	{"W5 Black-Scholes price, 16K", func() trial {
		n := 16 << 10
		s, k, y, o := floats(0, n), floats(1, n), floats(2, n), make([]float32, n)
		for i := range n {
			s[i], k[i], y[i] = 100+20*s[i], 100+20*k[i], 1+0.5*y[i]
		}
		return of(formula.BlackScholes(), o, []int{n}, 1e-5, func() {
			for i := range o {
				spot, strike, years := float64(s[i]), float64(k[i]), float64(y[i])
				width := 0.3 * math.Sqrt(years)
				d1 := (math.Log(spot/strike) + years*(0.05+0.3*0.3/2)) / width
				normal := func(x float64) float64 { return 0.5 + 0.5*math.Erf(x/math.Sqrt2) }
				o[i] = float32(spot*normal(d1) - strike*math.Exp(-0.05*years)*normal(d1-width))
			}
		}, graph.Of(s), graph.Of(k), graph.Of(y))
	}},
	{"W6 scale columns, 256x256", func() trial {
		n := 256
		x, m, s, g, b, o := floats(0, n*n), floats(1, n), floats(2, n), floats(3, n), floats(4, n), make([]float32, n*n)
		return of(formula.Scaled(n), o, []int{n, n}, 1e-6, func() {
			for i := range n {
				x, o := x[i*n:][:n], o[i*n:][:n]
				for j := range o {
					o[j] = (x[j]-m[j])*s[j]*g[j] + b[j]
				}
			}
		}, graph.Of(x, n, n), graph.Of(m), graph.Of(s), graph.Of(g), graph.Of(b))
	}},
	{"W7 outer product, 256x256", func() trial {
		n := 256
		a, b, c, o := floats(0, n), floats(1, n), floats(2, n*n), make([]float32, n*n)
		return of(formula.Outer(n), o, []int{n, n}, 1e-6, func() {
			for i := range n {
				c, o := c[i*n:][:n], o[i*n:][:n]
				for j := range o {
					o[j] = a[i]*b[j] + c[j]
				}
			}
		}, graph.Of(a), graph.Of(b), graph.Of(c, n, n))
	}},
	{"W8 x.T*2 + z, 256x256", func() trial { return transposed(256) }},
	{"W8 x.T*2 + z, 1024x1024", func() trial { return transposed(1024) }},
	{"W9 strided slices, 256x256", func() trial {
		n := 256
		x, o := floats(0, n*n), make([]float32, n/2*(n-1))
		return of(formula.Strided(n), o, []int{n / 2, n - 1}, 1e-6, func() {
			for i := range n / 2 {
				p, q, o := x[2*i*n+1:][:n-1], x[(2*i+1)*n:][:n-1], o[i*(n-1):][:n-1]
				for j := range o {
					o[j] = p[j] * q[j]
				}
			}
		}, graph.Of(x, n, n))
	}},
	reduction("W10 sum", func(x graph.Node) graph.Node { return x.Sum() }, 1, func(o, x []float32, n int) {
		var sum float32
		for _, v := range x {
			sum += v
		}
		o[0] = sum
	}),
	reduction("W10 sum of each column", func(x graph.Node) graph.Node { return x.Sum(0) }, 256, func(o, x []float32, n int) {
		clear(o)
		for i := range n {
			x := x[i*n:][:n]
			for j := range o {
				o[j] += x[j]
			}
		}
	}),
	reduction("W10 sum of each row", func(x graph.Node) graph.Node { return x.Sum(1) }, 256, func(o, x []float32, n int) {
		for i := range n {
			var sum float32
			for _, v := range x[i*n:][:n] {
				sum += v
			}
			o[i] = sum
		}
	}),
	reduction("W10 greatest of each row", func(x graph.Node) graph.Node { return x.Max(1) }, 256, func(o, x []float32, n int) {
		for i := range n {
			m := x[i*n]
			for _, v := range x[i*n:][:n] {
				m = max(m, v)
			}
			o[i] = m
		}
	}),
	reduction("W10 index of the greatest of each row", func(x graph.Node) graph.Node { return x.ArgMax(1).Cast(graph.Float32) }, 256, func(o, x []float32, n int) {
		for i := range n {
			m, at := x[i*n], 0
			for j, v := range x[i*n:][:n] {
				if v > m {
					m, at = v, j
				}
			}
			o[i] = float32(at)
		}
	}),
	{"W10 sum of squared differences, 64K", func() trial {
		a, b, o := floats(0, 64<<10), floats(1, 64<<10), make([]float32, 1)
		return of(vector("a").Sub(vector("b")).Square().Sum(), o, nil, 1e-3, func() {
			var sum float32
			for i := range a {
				d := a[i] - b[i]
				sum += d * d
			}
			o[0] = sum
		}, graph.Of(a), graph.Of(b))
	}},
	{"W11 softmax, 512x1024", func() trial {
		m, n := 512, 1024
		x, o := floats(0, m*n), make([]float32, m*n)
		return of(graph.Input("x", graph.Float32, m, n).Softmax(1), o, []int{m, n}, 1e-5, func() {
			for i := range m {
				x, o := x[i*n:][:n], o[i*n:][:n]
				most := x[0]
				for _, v := range x {
					most = max(most, v)
				}
				var sum float32
				for j, v := range x {
					o[j] = float32(math.Exp(float64(v - most)))
					sum += o[j]
				}
				for j := range o {
					o[j] /= sum
				}
			}
		}, graph.Of(x, m, n))
	}},
	{"W12 layer normalization, 512x1024", func() trial {
		m, n := 512, 1024
		x, o := floats(0, m*n), make([]float32, m*n)
		return of(graph.Input("x", graph.Float32, m, n).LayerNorm(1, 0, 1e-5), o, []int{m, n}, 1e-4, func() {
			for i := range m {
				x, o := x[i*n:][:n], o[i*n:][:n]
				var sum float32
				for _, v := range x {
					sum += v
				}
				mean := sum / float32(n)
				sum = 0
				for _, v := range x {
					sum += (v - mean) * (v - mean)
				}
				scale := float32(1 / math.Sqrt(float64(sum/float32(n)+1e-5)))
				for j := range o {
					o[j] = (x[j] - mean) * scale
				}
			}
		}, graph.Of(x, m, n))
	}},
	{"W13 running sum, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]float32, 64<<10)
		return of(vector("x").CumSum(0), o, []int{len(o)}, 1e-3, func() {
			var sum float32
			for i, v := range x {
				sum += v
				o[i] = sum
			}
		}, graph.Of(x))
	}},
	{"W13 running sums of rows, 256x256", func() trial {
		n := 256
		x, o := floats(0, n*n), make([]float32, n*n)
		return of(square("x", n).CumSum(1), o, []int{n, n}, 1e-3, func() {
			for i := range n {
				var sum float32
				x, o := x[i*n:][:n], o[i*n:][:n]
				for j := range o {
					sum += x[j]
					o[j] = sum
				}
			}
		}, graph.Of(x, n, n))
	}},
	{"W13 running sums of columns, 256x256", func() trial {
		n := 256
		x, o := floats(0, n*n), make([]float32, n*n)
		return of(square("x", n).CumSum(0), o, []int{n, n}, 1e-3, func() {
			copy(o[:n], x)
			for i := 1; i < n; i++ {
				x, above, o := x[i*n:][:n], o[(i-1)*n:][:n], o[i*n:][:n]
				for j := range o {
					o[j] = above[j] + x[j]
				}
			}
		}, graph.Of(x, n, n))
	}},
	{"W14 product, 64x64", func() trial { return product(64) }},
	{"W14 product, 256x256", func() trial { return product(256) }},
	{"W14 product with bias and gelu, 256x256", func() trial {
		n := 256
		a, b, c, o := floats(0, n*n), floats(1, n*n), floats(2, n), make([]float32, n*n)
		return of(formula.Dense(n), o, []int{n, n}, 1e-5, func() {
			multiply(o, a, b, n, n, n)
			for i := range n {
				o := o[i*n:][:n]
				for j := range o {
					x := float64(o[j] + c[j])
					o[j] = float32(0.5 * x * (1 + math.Tanh(0.79788456080286535588*(x+0.044715*x*x*x))))
				}
			}
		}, graph.Of(a, n, n), graph.Of(b, n, n), graph.Of(c))
	}},
	{"W14 256 products of 16x16", func() trial {
		m, n := 256, 16
		a, b, o := floats(0, m*n*n), floats(1, m*n*n), make([]float32, m*n*n)
		x, y := graph.Input("a", graph.Float32, m, n, n), graph.Input("b", graph.Float32, m, n, n)
		return of(x.MatMul(y), o, []int{m, n, n}, 1e-5, func() {
			for i := range m {
				multiply(o[i*n*n:][:n*n], a[i*n*n:][:n*n], b[i*n*n:][:n*n], n, n, n)
			}
		}, graph.Of(a, m, n, n), graph.Of(b, m, n, n))
	}},
	{"product with a vector, 512x512", func() trial {
		n := 512
		a, b, o := floats(0, n*n), floats(1, n), make([]float32, n)
		return of(square("a", n).MatMul(graph.Input("b", graph.Float32, n)), o, []int{n}, 1e-5, func() {
			for i := range n {
				var sum float32
				for k, v := range a[i*n:][:n] {
					sum += v * b[k]
				}
				o[i] = sum
			}
		}, graph.Of(a, n, n), graph.Of(b))
	}},
	{"product of a row, 1x512 and 512x512", func() trial {
		n := 512
		a, b, o := floats(0, n), floats(1, n*n), make([]float32, n)
		return of(graph.Input("a", graph.Float32, 1, n).MatMul(square("b", n)), o, []int{1, n}, 1e-5, func() {
			multiply(o, a, b, 1, n, n)
		}, graph.Of(a, 1, n), graph.Of(b, n, n))
	}},
	{"float64 product, 128x128", func() trial {
		n := 128
		a, b, o := doubles(0, n*n), doubles(1, n*n), make([]float64, n*n)
		return of(graph.Input("a", graph.Float64, n, n).MatMul(graph.Input("b", graph.Float64, n, n)), o, []int{n, n}, 1e-12, func() {
			multiply(o, a, b, n, n, n)
		}, graph.Of(a, n, n), graph.Of(b, n, n))
	}},
	{"int32 product, 128x128", func() trial {
		n := 128
		a, b, o := integers(0, n*n), integers(1, n*n), make([]int32, n*n)
		return of(graph.Input("a", graph.Int32, n, n).MatMul(graph.Input("b", graph.Int32, n, n)), o, []int{n, n}, 0, func() {
			multiply(o, a, b, n, n, n)
		}, graph.Of(a, n, n), graph.Of(b, n, n))
	}},
	{"W15 image, 270x480", func() trial { return image(270, 480) }},
	{"W16 distances, 256x256x64", func() trial {
		n, d := 256, 64
		x, y, o := floats(0, n*d), floats(1, n*d), make([]float32, n*n)
		return of(formula.Distances(n, d), o, []int{n, n}, 1e-5, func() {
			for i := range n {
				x := x[i*d:][:d]
				for j := range n {
					var sum float32
					y := y[j*d:][:d]
					for k := range x {
						d := x[k] - y[k]
						sum += d * d
					}
					o[i*n+j] = sum
				}
			}
		}, graph.Of(x, n, d), graph.Of(y, n, d))
	}},
	{"W18 fractal, 128x128", func() trial {
		n := 128
		re, im, o := floats(0, n*n), floats(1, n*n), make([]float32, n*n)
		return of(formula.Mandelbrot(n), o, []int{n, n}, 0.2, func() {
			for i := range o {
				var zr, zi, count float32
				for range 20 {
					zr, zi = zr*zr-zi*zi+re[i], zr*2*zi+im[i]
					if zr*zr+zi*zi < 4 {
						count++
					}
				}
				o[i] = count
			}
		}, graph.Of(re, n, n), graph.Of(im, n, n))
	}},
	{"W17 a + b, 16", func() trial {
		a, b, o := floats(0, 16), floats(1, 16), make([]float32, 16)
		return of(vector("a").Add(vector("b")), o, []int{len(o)}, 0, func() {
			for i := range o {
				o[i] = a[i] + b[i]
			}
		}, graph.Of(a), graph.Of(b))
	}},
	{"convolution 3x3, 16 to 16 channels of 32x32", func() trial {
		c, n := 16, 32
		x, w, o := floats(0, c*n*n), floats(1, c*c*9), make([]float32, c*30*30)
		y := graph.Input("x", graph.Float32, 1, c, n, n).Conv(graph.Input("w", graph.Float32, c, c, 3, 3), graph.ConvOptions{})
		return of(y, o, []int{1, c, 30, 30}, 1e-5, func() {
			clear(o)
			for oc := range c {
				for ic := range c {
					for k := range 9 {
						w := w[(oc*c+ic)*9+k]
						for i := range 30 {
							x, o := x[ic*n*n+(i+k/3)*n+k%3:][:30], o[(oc*30+i)*30:][:30]
							for j := range o {
								o[j] += w * x[j]
							}
						}
					}
				}
			}
		}, graph.Of(x, 1, c, n, n), graph.Of(w, c, c, 3, 3))
	}},
	{"greatest of windows 2x2, 16x64x64", func() trial {
		c, n := 16, 64
		x, o := floats(0, c*n*n), make([]float32, c*n*n/4)
		y := graph.Input("x", graph.Float32, 1, c, n, n).MaxPool(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}})
		return of(y, o, []int{1, c, n / 2, n / 2}, 0, func() {
			for i := range c * n / 2 {
				p, q, o := x[2*i*n:][:n], x[(2*i+1)*n:][:n], o[i*n/2:][:n/2]
				for j := range o {
					o[j] = max(p[2*j], p[2*j+1], q[2*j], q[2*j+1])
				}
			}
		}, graph.Of(x, 1, c, n, n))
	}},
	{"transposed copy, 512x512", func() trial {
		n := 512
		x, o := floats(0, n*n), make([]float32, n*n)
		return of(square("x", n).T().Materialize(), o, []int{n, n}, 0, func() {
			for i := range n {
				o := o[i*n:][:n]
				for j := range o {
					o[j] = x[j*n+i]
				}
			}
		}, graph.Of(x, n, n))
	}},
	{"float32 to uint8, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]uint8, 64<<10)
		return of(vector("x").Mul(100).Add(100).Cast(graph.Uint8), o, []int{len(o)}, 0, func() {
			for i := range o {
				v := x[i]*100 + 100
				switch {
				case v >= 255:
					o[i] = 255
				case v > 0:
					o[i] = uint8(v)
				default:
					o[i] = 0
				}
			}
		}, graph.Of(x))
	}},
	{"uint8 to float32, 64K", func() trial {
		x, o := make([]uint8, 64<<10), make([]float32, 64<<10)
		for i := range x {
			x[i] = uint8(i * 37)
		}
		return of(graph.Input("x", graph.Uint8, graph.Dim("n")).Cast(graph.Float32).Mul(1.0/255), o, []int{len(o)}, 1e-6, func() {
			for i := range o {
				o[i] = float32(x[i]) * (1.0 / 255)
			}
		}, graph.Of(x))
	}},
	{"float16 a*b + c, 64K", func() trial {
		n := 64 << 10
		a, b, c, o := halves(0, n), halves(1, n), halves(2, n), make([]graph.Half, n)
		in := func(name string) graph.Node { return graph.Input(name, graph.Float16, graph.Dim("n")) }
		return of(in("a").Mul(in("b")).Add(in("c")), o, []int{n}, 0, func() {
			for i := range o {
				o[i] = graph.HalfOf(graph.HalfOf(a[i].Float32()*b[i].Float32()).Float32() + c[i].Float32())
			}
		}, graph.Of(a), graph.Of(b), graph.Of(c))
	}},
	{"int32 a*b + c, 64K", func() trial {
		n := 64 << 10
		a, b, c, o := integers(0, n), integers(1, n), integers(2, n), make([]int32, n)
		in := func(name string) graph.Node { return graph.Input(name, graph.Int32, graph.Dim("n")) }
		return of(in("a").Mul(in("b")).Add(in("c")), o, []int{n}, 0, func() {
			for i := range o {
				o[i] = a[i]*b[i] + c[i]
			}
		}, graph.Of(a), graph.Of(b), graph.Of(c))
	}},
	{"int32 a / b, 64K", func() trial {
		n := 64 << 10
		a, b, o := integers(0, n), integers(1, n), make([]int32, n)
		in := func(name string) graph.Node { return graph.Input(name, graph.Int32, graph.Dim("n")) }
		return of(in("a").Div(in("b")), o, []int{n}, 0, func() {
			for i := range o {
				o[i] = 0
				if b[i] != 0 {
					o[i] = a[i] / b[i]
				}
			}
		}, graph.Of(a), graph.Of(b))
	}},
	{"float64 a*b + c, 64K", func() trial {
		n := 64 << 10
		a, b, c, o := doubles(0, n), doubles(1, n), doubles(2, n), make([]float64, n)
		in := func(name string) graph.Node { return graph.Input(name, graph.Float64, graph.Dim("n")) }
		return of(in("a").Mul(in("b")).Add(in("c")), o, []int{n}, 1e-15, func() {
			for i := range o {
				o[i] = a[i]*b[i] + c[i]
			}
		}, graph.Of(a), graph.Of(b), graph.Of(c))
	}},
	{"float64 exp, 64K", func() trial {
		x, o := doubles(0, 64<<10), make([]float64, 64<<10)
		return of(graph.Input("x", graph.Float64, graph.Dim("n")).Exp(), o, []int{len(o)}, 1e-14, func() {
			for i := range o {
				o[i] = math.Exp(x[i])
			}
		}, graph.Of(x))
	}},
	{"where x > 0, 64K", func() trial {
		x, y, o := floats(0, 64<<10), floats(1, 64<<10), make([]float32, 64<<10)
		v := vector("x")
		return of(graph.Where(v.Gt(0), v, vector("y")), o, []int{len(o)}, 0, func() {
			for i := range o {
				o[i] = y[i]
				if x[i] > 0 {
					o[i] = x[i]
				}
			}
		}, graph.Of(x), graph.Of(y))
	}},
	{"clip, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]float32, 64<<10)
		return of(vector("x").Clip(-0.5, 0.5), o, []int{len(o)}, 0, func() {
			for i := range o {
				o[i] = min(max(x[i], -0.5), 0.5)
			}
		}, graph.Of(x))
	}},
	{"running greatest, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]float32, 64<<10)
		return of(vector("x").CumMax(0), o, []int{len(o)}, 0, func() {
			m := x[0]
			for i, v := range x {
				m = max(m, v)
				o[i] = m
			}
		}, graph.Of(x))
	}},
	{"sort 64 rows of 1024", func() trial {
		m, n := 64, 1024
		x, o := floats(0, m*n), make([]float32, m*n)
		return of(graph.Input("x", graph.Float32, m, n).Sort(1), o, []int{m, n}, 0, func() {
			copy(o, x)
			for i := range m {
				slices.Sort(o[i*n:][:n])
			}
		}, graph.Of(x, m, n))
	}},
	{"order of 64 rows of 1024", func() trial {
		m, n := 64, 1024
		x, o := floats(0, m*n), make([]int32, m*n)
		return of(graph.Input("x", graph.Float32, m, n).ArgSort(1), o, []int{m, n}, 0, func() {
			for i := range m {
				x, o := x[i*n:][:n], o[i*n:][:n]
				for j := range o {
					o[j] = int32(j)
				}
				slices.SortStableFunc(o, func(a, b int32) int {
					switch {
					case x[a] < x[b]:
						return -1
					case x[a] > x[b]:
						return 1
					}
					return 0
				})
			}
		}, graph.Of(x, m, n))
	}},
	{"gather 4096 rows of 64", func() trial {
		m, n := 4096, 64
		x, at, o := floats(0, m*n), places(m, m), make([]float32, m*n)
		return of(graph.Input("x", graph.Float32, m, n).Take(0, graph.Input("at", graph.Int32, m)), o, []int{m, n}, 0, func() {
			for i, r := range at {
				copy(o[i*n:][:n], x[int(r)*n:][:n])
			}
		}, graph.Of(x, m, n), graph.Of(at))
	}},
	{"gather 64K elements", func() trial {
		n := 64 << 10
		x, at, o := floats(0, n), places(n, n), make([]float32, n)
		return of(graph.Input("x", graph.Float32, n).Take(0, graph.Input("at", graph.Int32, n)), o, []int{n}, 0, func() {
			for i, r := range at {
				o[i] = x[r]
			}
		}, graph.Of(x), graph.Of(at))
	}},
	{"sums of 64K elements by 1000 segments", func() trial {
		n, m := 64<<10, 1000
		x, at, o := floats(0, n), places(n, m), make([]float32, m)
		return of(graph.Input("x", graph.Float32, n).SegmentSum(graph.Input("at", graph.Int32, n), m), o, []int{m}, 1e-4, func() {
			clear(o)
			for i, r := range at {
				o[r] += x[i]
			}
		}, graph.Of(x), graph.Of(at))
	}},
	{"search 16K elements in 1024", func() trial {
		n, m := 16<<10, 1024
		x, y, o := floats(0, m), floats(1, n), make([]int32, n)
		slices.Sort(x)
		return of(graph.Input("x", graph.Float32, m).SearchSorted(graph.Input("y", graph.Float32, n), false), o, []int{n}, 0, func() {
			for i, v := range y {
				o[i] = int32(sort.Search(m, func(j int) bool { return x[j] >= v }))
			}
		}, graph.Of(x), graph.Of(y))
	}},
	{"pictures from interleaved to planes, 256x256x3", func() trial {
		n := 256
		x, o := make([]uint8, n*n*3), make([]uint8, n*n*3)
		for i := range x {
			x[i] = uint8(i * 37)
		}
		return of(graph.Input("x", graph.Uint8, n, n, 3).Permute(2, 0, 1).Materialize(), o, []int{3, n, n}, 0, func() {
			for c := range 3 {
				o := o[c*n*n:][:n*n]
				for i := range o {
					o[i] = x[3*i+c]
				}
			}
		}, graph.Of(x, n, n, 3))
	}},
	{"first order recurrence, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]float32, 64<<10)
		return of(vector("x").Recurrence(0, 0.5), o, []int{len(o)}, 1e-5, func() {
			var y float32
			for i, v := range x {
				y = 0.5*y + v
				o[i] = y
			}
		}, graph.Of(x))
	}},
	{"x >= 0 counted, 64K", func() trial {
		x, o := floats(0, 64<<10), make([]int32, 1)
		return of(vector("x").Ge(0).Cast(graph.Int32).Sum(), o, nil, 0, func() {
			n := int32(0)
			for _, v := range x {
				if v >= 0 {
					n++
				}
			}
			o[0] = n
		}, graph.Of(x))
	}},
}

// function is the task of one function of 64K elements.
func function(name string, f func(graph.Node) graph.Node, g func(float64) float64) task {
	return task{name + ", 64K", func() trial {
		x, o := floats(0, 64<<10), make([]float32, 64<<10)
		for i := range x {
			x[i] *= 4
		}
		return of(f(vector("x")), o, []int{len(o)}, 1e-6, func() {
			for i := range o {
				o[i] = float32(g(float64(x[i])))
			}
		}, graph.Of(x))
	}}
}

// reduction is the task of a reduction of a matrix.
func reduction(name string, f func(graph.Node) graph.Node, m int, loop func(o, x []float32, n int)) task {
	return task{name + ", 256x256", func() trial {
		n := 256
		x, o := floats(0, n*n), make([]float32, m)
		var shape []int
		if m > 1 {
			shape = []int{m}
		}
		return of(f(square("x", n)), o, shape, 1e-3, func() { loop(o, x, n) }, graph.Of(x, n, n))
	}}
}

func transposed(n int) trial {
	x, z, o := floats(0, n*n), floats(1, n*n), make([]float32, n*n)
	return of(formula.Transposed(n), o, []int{n, n}, 1e-6, func() {
		for i := range n {
			z, o := z[i*n:][:n], o[i*n:][:n]
			for j := range o {
				o[j] = x[j*n+i]*2 + z[j]
			}
		}
	}, graph.Of(x, n, n), graph.Of(z, n, n))
}

func product(n int) trial {
	a, b, o := floats(0, n*n), floats(1, n*n), make([]float32, n*n)
	return of(square("a", n).MatMul(square("b", n)), o, []int{n, n}, 1e-5, func() { multiply(o, a, b, n, n, n) }, graph.Of(a, n, n), graph.Of(b, n, n))
}

// multiply adds up multiples of rows of b: of the three plain orders of the loops the fastest.
func multiply[T int32 | float32 | float64](o, a, b []T, m, n, depth int) {
	clear(o)
	for i := range m {
		a, o := a[i*depth:][:depth], o[i*n:][:n]
		for k, v := range a {
			b := b[k*n:][:n]
			for j := range o {
				o[j] += v * b[j]
			}
		}
	}
}

// image is W15: pixels made linear by a power, scaled, and blurred over 3x3 pixels.
func image(h, w int) trial {
	x, scale, offset := make([]uint8, h*w*3), []float32{0.9, 1, 1.1}, []float32{0.01, 0, -0.01}
	for i := range x {
		x[i] = uint8(i * 37)
	}
	linear, o := make([]float32, h*w*3), make([]uint8, (h-2)*(w-2)*3)
	return of(formula.Image(h, w), o, []int{h - 2, w - 2, 3}, 0.01, func() {
		for i, v := range x {
			linear[i] = float32(math.Pow(float64(v)/255, 2.2))*scale[i%3] + offset[i%3]
		}
		for i := range h - 2 {
			o := o[i*(w-2)*3:][:(w-2)*3]
			for j := range o {
				var sum float32
				for k := range 9 {
					sum += linear[(i+k/3)*w*3+j+k%3*3]
				}
				o[j] = uint8(min(max(sum*(255.0/9)+0.5, 0), 255))
			}
		}
	}, graph.Of(x, h, w, 3), graph.Of(scale), graph.Of(offset))
}

func of[T graph.Element](y graph.Node, o []T, shape []int, near float64, loop func(), inputs ...*graph.Tensor) trial {
	want := graph.Of(o, shape...)
	if err := want.Err(); err != nil {
		panic(fmt.Sprintf("BUG: loops: %v", err))
	}
	return trial{y: y, inputs: inputs, want: want, loop: loop, near: near}
}

func vector(name string) graph.Node        { return graph.Input(name, graph.Float32, graph.Dim("n")) }
func square(name string, n int) graph.Node { return graph.Input(name, graph.Float32, n, n) }

// abs clears the sign, as math.Abs does for float64.
func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// doubles returns n numbers between -1 and 1, others for each seed.
func doubles(seed uint64, n int) []float64 {
	x := make([]float64, n)
	s := seed*0x9e3779b97f4a7c15 + 1
	for i := range x {
		s = s*6364136223846793005 + 1442695040888963407
		x[i] = float64(int64(s)) / (1 << 63)
	}
	return x
}

func floats(seed uint64, n int) []float32 {
	x := make([]float32, n)
	for i, v := range doubles(seed, n) {
		x[i] = float32(v)
	}
	return x
}

func halves(seed uint64, n int) []graph.Half {
	x := make([]graph.Half, n)
	for i, v := range doubles(seed, n) {
		x[i] = graph.HalfOf(float32(v))
	}
	return x
}

func integers(seed uint64, n int) []int32 {
	x := make([]int32, n)
	for i, v := range doubles(seed, n) {
		x[i] = int32(v * 1000)
	}
	return x
}

// places returns n indices below m.
func places(n, m int) []int32 {
	x := make([]int32, n)
	for i, v := range doubles(9, n) {
		x[i] = int32((v + 1) / 2 * float64(m))
	}
	return x
}
