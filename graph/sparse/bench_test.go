package sparse_test

import (
	"fmt"
	"testing"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/sparse"
)

// BenchmarkMatMul multiplies a matrix of 10,000 rows and columns that stores a million elements by
// some vectors: by a program, and by a loop in Go.
func BenchmarkMatMul(b *testing.B) {
	const m, k = 10_000, 1_000_000
	offsets, cols := make([]int64, m+1), make([]int64, k)
	for i := range offsets {
		offsets[i] = int64(i * (k / m))
	}
	for i := range cols {
		cols[i] = int64(i * 7919 % m)
	}
	values := graph.Normal(graph.Float32, 1, 0, 1, k)
	numbers, err := graph.Data[float32](values)
	if err != nil {
		b.Fatal(err)
	}
	for _, wide := range []int{1, 16} {
		x := graph.Normal(graph.Float32, 2, 0, 1, m, wide)
		a := sparse.NewCSR(graph.Variable(graph.Of(offsets)), graph.Variable(graph.Of(cols)), graph.Variable(values), m)
		p, err := graph.Compile(a.MatMul(graph.Variable(x)))
		if err != nil {
			b.Fatal(err)
		}
		y := graph.New(graph.Float32, m, wide)
		b.Run(fmt.Sprintf("%d/program", wide), func(b *testing.B) {
			for b.Loop() {
				if err := p.RunInto(b.Context(), []*graph.Tensor{y}); err != nil {
					b.Fatal(err)
				}
			}
		})
		in, err := graph.Data[float32](x)
		if err != nil {
			b.Fatal(err)
		}
		out := make([]float32, m*wide)
		b.Run(fmt.Sprintf("%d/loop", wide), func(b *testing.B) {
			for b.Loop() {
				clear(out)
				for i := range m {
					for e := offsets[i]; e < offsets[i+1]; e++ {
						v, row := numbers[e], in[int(cols[e])*wide:]
						for c := range wide {
							out[i*wide+c] += v * row[c]
						}
					}
				}
			}
		})
	}
}
