package main

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/ir"
)

// TestReduceCases checks that the reductions in docs/accuracy.md are within few units in the last place of exact
// results.
func TestReduceCases(t *testing.T) {
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(6000).SetFloat64(v) }
	sum := func(v []float64) *big.Float {
		s := number(0)
		for _, x := range v {
			s.Add(s, number(x))
		}
		return s
	}
	product := func(v []float64) *big.Float {
		p := number(1)
		for _, x := range v {
			p.Mul(p, number(x))
		}
		return p
	}
	variance := func(v []float64) *big.Float {
		n := number(float64(len(v)))
		mean, s := new(big.Float).Quo(sum(v), n), number(0)
		for _, x := range v {
			d := new(big.Float).Sub(number(x), mean)
			s.Add(s, d.Mul(d, d))
		}
		return s.Quo(s, n)
	}
	logSum := func(v []float64) *big.Float { return number(math.Log1p(float64(len(v)-1) * math.Exp(v[1]))) } // of 0 and others alike
	exact := map[string]func(v []float64) *big.Float{
		"cumsum": sum, "prod": product, "cumprod": product, "var": variance,
		"std":        func(v []float64) *big.Float { return new(big.Float).Sqrt(variance(v)) },
		"logsumexp":  logSum,
		"logsoftmax": func(v []float64) *big.Float { return new(big.Float).Neg(logSum(v)) },
		"matmul":     func(v []float64) *big.Float { return product([]float64{v[0], v[2]}) },
	}
	for _, c := range reduceCases() {
		format, data := formats[ir.Float64], c.data
		if !c.double {
			format, data = formats[ir.Float32], make([]float64, len(c.data))
			for i, x := range c.data {
				data[i] = float64(float32(x))
			}
		}
		got, err := c.run(t.Context())
		require.NoError(t, err)
		want := exact[c.name](data)
		require.LessOrEqual(t, oracle.Number(want).ULPs(format, got), 4., "%s of %s: %g, want %g", c.name, c.text, got, want)
	}
}

// TestPointCases: at ends of ranges, results are in the range and exact where they can be.
func TestPointCases(t *testing.T) {
	committed := committedTable(t)
	for _, c := range pointCases {
		if c.at == nil {
			continue // TestTable holds them
		}
		if c.dt == ir.Invalid {
			c.dt = ir.Float64
		}
		f, err := chosen(c.op.String())
		require.NoError(t, err)
		got, err := c.run(t.Context())
		require.NoError(t, err)
		at := [2]float64{c.at[0], c.at[len(c.at)-1]}
		var o oracle.Oracle
		r, ok := committed.find(c.op, c.dt, c.fast)
		require.True(t, ok)
		require.LessOrEqual(t, o.Value(f[0].exact, at[0], at[1]).ULPs(formats[c.dt], got), r.bound(), "%s of %v", c.op, c.at)
		if shape := shapes[c.op]; shape.lo < shape.hi {
			require.GreaterOrEqual(t, got, shape.lo)
			require.LessOrEqual(t, got, shape.hi)
		}
	}
}
