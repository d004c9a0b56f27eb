package formula

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// Scaled is (x - mean)*rstd*gamma + beta, where each of the four has one number per column.
func Scaled(n int) graph.Node {
	x := graph.Input("x", graph.Float32, n, n)
	in := rows(n, "mean", "rstd", "gamma", "beta")
	return x.Sub(in[0]).Mul(in[1]).Mul(in[2]).Add(in[3])
}

// Outer is a[i]*b[j] + c[i,j].
func Outer(n int) graph.Node {
	in := rows(n, "a", "b")
	return in[0].ExpandDims(1).Mul(in[1]).Add(graph.Input("c", graph.Float32, n, n))
}

// Transposed is x.T*2 + z.
func Transposed(n int) graph.Node {
	x, z := graph.Input("x", graph.Float32, n, n), graph.Input("z", graph.Float32, n, n)
	return x.T().Mul(2).Add(z)
}

// Strided is x[::2,1:]*x[1::2,:-1].
func Strided(n int) graph.Node {
	x := graph.Input("x", graph.Float32, n, n)
	return x.Slice("::2, 1:").Mul(x.Slice("1::2, :-1"))
}

// Dense is a layer of a neural network: gelu(x@w + bias).
func Dense(n int) graph.Node {
	x, w := graph.Input("x", graph.Float32, n, n), graph.Input("w", graph.Float32, n, n)
	return x.MatMul(w).Add(rows(n, "bias")[0]).GELUTanh()
}

// Image makes a picture linear, scales its channels and blurs it: a sum of nine slices, so that it has no border.
func Image(height, width int) graph.Node {
	picture := graph.Input("picture", graph.Uint8, height, width, 3)
	in := rows(3, "scale", "offset")
	x := picture.Cast(graph.Float32).Mul(1.0 / 255).Pow(2.2).Mul(in[0]).Add(in[1])
	var sum graph.Node
	for k := range 9 {
		i, j := k/3, k%3
		shifted := x.Slice(fmt.Sprintf("%d:%d, %d:%d", i, height-2+i, j, width-2+j))
		if k == 0 {
			sum = shifted
			continue
		}
		sum = sum.Add(shifted)
	}
	return sum.Mul(255.0/9).Add(0.5).Clip(0, 255).Cast(graph.Uint8)
}

// Distances is the squared distance of each of n points to each of n others.
func Distances(n, dims int) graph.Node {
	x, y := graph.Input("x", graph.Float32, n, dims), graph.Input("y", graph.Float32, n, dims)
	return x.Slice(":, None").Sub(y).Square().Sum(-1)
}

// Mandelbrot counts how many of the first 20 steps of z = z*z + c, from 0 on, keep abs(z) below 2.
func Mandelbrot(n int) graph.Node {
	re, im := graph.Input("re", graph.Float32, n, n), graph.Input("im", graph.Float32, n, n)
	zero := graph.Fill(graph.Float32, 0, n, n)
	zr, zi, count := zero, zero, zero
	for range 20 {
		zr, zi = zr.Square().Sub(zi.Square()).Add(re), zr.Mul(2).Mul(zi).Add(im)
		count = count.Add(zr.Square().Add(zi.Square()).Lt(4).Cast(graph.Float32))
	}
	return count
}

// rows returns inputs of one size.
func rows(n int, names ...string) []graph.Node {
	in := make([]graph.Node, len(names))
	for i, name := range names {
		in[i] = graph.Input(name, graph.Float32, n)
	}
	return in
}
