package main

import (
	"context"
	"math"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// reference computes float32 functions in float64. For speed it uses the library's own float64 kernels, and compares
// them with the other implementation of package oracle at some inputs. If the two differ by more than float64's
// rounding, the other implementation is used for the whole chunk.
type reference struct {
	f       *oracle.Func
	program *graph.Program
	values  []float64
	refused int // number of chunks for which the kernels were not used
}

const checkEvery = 61

func newReference(f *function) (*reference, error) {
	p, err := f.compile(ir.Float32, ir.Float64, graph.WithWorkers(1))
	if err != nil {
		return nil, err
	}
	return &reference{f: f.exact, program: p, values: make([]float64, chunkLen)}, nil
}

// compute stores the references in r.values.
func (r *reference) compute(ctx context.Context, xs, ys []float32) error {
	out := r.values[:len(xs)]
	ins := []*graph.Tensor{graph.Of(xs), graph.Of(ys)}
	if err := r.program.RunInto(ctx, []*graph.Tensor{graph.Of(out)}, ins[:r.f.Arity]...); err != nil {
		return err
	}
	for j := 0; j < len(xs); j += checkEvery {
		if !agree(out[j], r.f.Near(float64(xs[j]), float64(ys[j]))) {
			r.refused++
			for i, x := range xs {
				out[i] = r.f.Near(float64(x), float64(ys[i]))
			}
			return nil
		}
	}
	return nil
}

// agree reports whether two float64 differ by less than slack of a float32's last place.
func agree(a, b float64) bool {
	if a == b || a != a && b != b {
		return true
	}
	unit := math.Ldexp(1, max(math.Ilogb(b)-23, -149))
	return math.Abs(a-b) < slack/2*unit
}
