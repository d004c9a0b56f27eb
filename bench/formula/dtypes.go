package formula

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// bytes returns inputs of uint8 of one size n.
func bytes(names ...string) []graph.Node {
	in := make([]graph.Node, len(names))
	for i, name := range names {
		in[i] = graph.Input(name, graph.Uint8, graph.Dim("n"))
	}
	return in
}

// Threshold is 255 where a byte is above 100, else 0.
func Threshold() graph.Node {
	return graph.Where(bytes("a")[0].Gt(100), graph.Scalar(graph.Uint8, 255), graph.Scalar(graph.Uint8, 0))
}

// Blend is (179*a + 128*b) / 256 of bytes, at most 255.
func Blend() graph.Node {
	in := bytes("a", "b")
	a, b := in[0].Cast(graph.Uint16), in[1].Cast(graph.Uint16)
	return a.Mul(179).AddSat(b.Mul(128)).Shr(8).Cast(graph.Uint8)
}

// Both reports whether a byte is above 3 and another one below 77.
func Both() graph.Node {
	in := bytes("a", "b")
	return in[0].Gt(3).And(in[1].Lt(77))
}

// Axpy is 2.5*x + y on elements of a type.
func Axpy(dt graph.DType) graph.Node {
	x, y := graph.Input("x", dt, graph.Dim("n")), graph.Input("y", dt, graph.Dim("n"))
	return x.Mul(2.5).Add(y)
}

// Softmax is the softmax of each row, for elements of a type.
func Softmax(dt graph.DType, rows int) graph.Node {
	return graph.Input("x", dt, rows, graph.Dim("n")).Softmax(-1)
}

// ComplexMulAdd is z*w + v for complex numbers of interleaved float32 parts.
func ComplexMulAdd() graph.Node {
	in := func(name string) cmplx.Node { return cmplx.Input(name, graph.Float32, graph.Dim("n")) }
	return in("z").Mul(in("w")).Add(in("v")).Interleaved()
}

// dtypes returns the graphs on element types other than float32.
func dtypes() []graph.Node {
	graphs := []graph.Node{Threshold(), Blend(), Both(), ComplexMulAdd()}
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16} {
		graphs = append(graphs, Axpy(dt), Softmax(dt, 4096))
	}
	return graphs
}
