//go:build unix

package main

import (
	"context"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/progress"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// attackEngines runs programs on random inputs on each engine, with different numbers of workers, and compares the
// results with those of the first run.
func attackEngines(seed uint64, cases int) (*tally, error) {
	t := &tally{name: "programs on both engines"}
	random := rand.New(rand.NewPCG(seed, 1))
	tell := progress.Of(t.name, cases)
	for i := range cases {
		tell(i)
		t.cases, t.parsed, t.verified = t.cases+1, t.parsed+1, t.verified+1
		ys := attackPrograms()
		y := ys[random.IntN(len(ys))]
		var first []*graph.Tensor
		var ins []*graph.Tensor
		for way := range 4 {
			items := []graph.Item{y, graph.WithWorkers(1 + random.IntN(8))}
			if way%2 == 1 {
				items = append(items, graph.WithDebug(graph.Portable))
			}
			p, err := graph.Compile(items...)
			if err != nil {
				return t, err
			}
			for _, in := range p.Inputs()[len(ins):] {
				shape, _ := in.Shape.Ints()
				x := graph.Full(in.DType, 3, shape...)
				if in.DType != graph.Int32 {
					x = graph.Uniform(in.DType, random.Uint64(), -3, 3, shape...)
				}
				ins = append(ins, x)
			}
			outs, err := p.RunAll(context.Background(), ins...)
			if err != nil {
				return t, err
			}
			for i, out := range outs {
				if first != nil && !graph.Equal(first[i], out) {
					t.fail(p.String(), "output %d differs", i)
				}
			}
			if first == nil {
				first = outs
			}
		}
		t.ran++
	}
	return t, nil
}
