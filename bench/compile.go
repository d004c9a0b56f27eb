package main

import (
	"fmt"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// compileLatency measures Compile: the chain of W2, and chains of n ops.
func compileLatency() []workload {
	ws := []workload{{"compile-chain5", "16", func(int) ([]call, error) {
		y := formula.Chain5()
		return []call{{note: "graph to linked plan", run: func() error {
			_, err := graph.Compile(y)
			return err
		}}}, nil
	}}}
	for _, n := range []int{10, 100, 1000, 10000, 100000} {
		ws = append(ws, workload{"compile", fmt.Sprint(n), func(int) ([]call, error) {
			y := graph.Input("x", graph.Float32, 1000)
			for i := range n / 2 {
				y = y.Mul(2).Add(float64(i))
			}
			return []call{{note: "a chain of multiplications and additions", run: func() error {
				_, err := graph.Compile(y)
				return err
			}}}, nil
		}})
	}
	return ws
}
