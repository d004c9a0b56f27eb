package main

import (
	"context"
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// known is the expected result of a workload, computed by a plain loop.
type known struct {
	// want returns element i of the result, in row-major order, from the inputs' elements. If it is nil, nothing is
	// checked.
	want func(in [][]float32, i int) float64
	// Allowed differences, absolute and relative; if both are 0, both are 1e-4.
	abs, rel float64
}

// atMost is the most elements that are checked; of larger results a sample is.
const atMost = 1009

// check compares a result with the expected one.
func (k known) check(ins []*graph.Tensor, out *graph.Tensor) error {
	if k.want == nil {
		return nil
	}
	if k.abs == 0 && k.rel == 0 {
		k.abs, k.rel = 1e-4, 1e-4
	}
	var in [][]float32
	for _, t := range ins {
		v, err := floats(t)
		if err != nil {
			return err
		}
		in = append(in, v)
	}
	got, err := floats(out)
	if err != nil {
		return err
	}
	for i := 0; i < len(got); i += 1 + len(got)/atMost {
		g, w := float64(got[i]), k.want(in, i)
		if !(math.Abs(g-w) <= k.abs+k.rel*math.Abs(w)) {
			return fmt.Errorf("wrong: element %d is %v, and should be %v", i, g, w)
		}
	}
	return nil
}

// floats returns a tensor's elements as float32.
func floats(t *graph.Tensor) ([]float32, error) {
	switch t.DType() {
	case graph.Uint8:
		return widened[uint8](t)
	case graph.Int32:
		return widened[int32](t)
	case graph.Int64:
		return widened[int64](t)
	case graph.Bool, graph.Float16, graph.BFloat16:
		p, err := graph.Compile(graph.Const(t).Cast(graph.Float32))
		if err != nil {
			return nil, err
		}
		if t, err = p.Run(context.Background()); err != nil {
			return nil, err
		}
	}
	return graph.Data[float32](t)
}

func widened[T uint8 | int32 | int64](t *graph.Tensor) ([]float32, error) {
	data, err := graph.Data[T](t)
	out := make([]float32, len(data))
	for i, v := range data {
		out[i] = float32(v)
	}
	return out, err
}

// pointwise is a formula of the inputs' elements at one index.
func pointwise(f func(v []float64) float64) known {
	return known{want: func(in [][]float32, i int) float64 {
		v := make([]float64, len(in))
		for k := range in {
			v[k] = float64(in[k][i])
		}
		return f(v)
	}}
}
