package linalg_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/linalg"
)

// BenchmarkSolve solves 1000 systems of few equations: here, and by a call of gonum's mat for
// each.
func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{2, 3, 4, 8, 16} {
		const count = 1000
		a, right := graph.Normal(graph.Float64, 1, 0, 1, count, n, n), graph.Normal(graph.Float64, 2, 0, 1, count, n, 1)
		b.Run(fmt.Sprintf("n=%d/linalg", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := linalg.Solve(ctx, a, right); err != nil {
					b.Fatal(err)
				}
			}
		})
		numbers, err := graph.Data[float64](a)
		if err != nil {
			b.Fatal(err)
		}
		rights, err := graph.Data[float64](right)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			for b.Loop() {
				for i := range count {
					var x mat.VecDense
					if err := x.SolveVec(mat.NewDense(n, n, numbers[i*n*n:(i+1)*n*n]), mat.NewVecDense(n, rights[i*n:(i+1)*n])); err != nil {
						if _, ill := err.(mat.Condition); !ill {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}
