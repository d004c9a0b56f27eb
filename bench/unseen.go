package main

import (
	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// unseen returns formulas that no built-in kernel was made for: with a generated kernel for each, and as tilings.
func unseen() (ws []workload) {
	for i, f := range formula.Unseen {
		one := flat{"unseen-" + f.Name, func() graph.Node { return formula.UnseenGraph(i) }, []limits{{0.1, 1}}, "elem/ns", known{}}
		if f.DType == graph.Uint8 || f.DType == graph.Int32 {
			one.inputs = []limits{{0, 255}}
		}
		for _, z := range sizes[:2] {
			ws = append(ws, workload{one.name, z.name, func(threads int) ([]call, error) {
				j, err := one.jobs(threads, z.n, nil, graph.WithDebug(graph.TilingOnly))
				if err != nil {
					return nil, err
				}
				return []call{j[0].into("generated kernel"), j[1].into("tiling")}, nil
			}})
		}
	}
	return ws
}
