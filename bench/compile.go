package main

import (
	"fmt"
	"runtime"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// compileLatency measures Compile for the chain of W2 and for chains of n ops.
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
			allocated, live, err := footprint(y)
			note := fmt.Sprintf("a chain of multiplications and additions: %d B a node are allocated, %d B stay", allocated/n, live/n)
			return []call{{note: note, run: func() error {
				_, err := graph.Compile(y)
				return err
			}}}, err
		}})
	}
	return ws
}

// footprint returns how many bytes a Compile allocates, and how many of them the program keeps.
func footprint(y graph.Node) (allocated, live int, err error) {
	if _, err := graph.Compile(y); err != nil { // creates what all programs share
		return 0, 0, err
	}
	var before, after, kept runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, err := graph.Compile(y)
	runtime.ReadMemStats(&after)
	runtime.GC()
	runtime.ReadMemStats(&kept)
	runtime.KeepAlive(p)
	runtime.KeepAlive(y)
	return int(after.TotalAlloc - before.TotalAlloc), int(kept.HeapAlloc) - int(before.HeapAlloc), err
}
