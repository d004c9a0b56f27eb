package arrow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/stridefuse/stridefuse/graph"
)

// BenchmarkDescribe computes the aggregates of columns of a million rows.
func BenchmarkDescribe(b *testing.B) {
	for name, share := range map[string]float64{"no nulls": 0, "1% nulls": 0.01, "50% nulls": 0.5} {
		table := tableOf("x", random(1_000_000, share))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8_000_000)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Describe(ctx, table); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRolling computes the means of 1,000 rows, without nulls, at each of a million rows.
func BenchmarkRolling(b *testing.B) {
	n := graph.Dim("n")
	x, valid := graph.Input("x", graph.Float64, n), graph.Input("valid_x", graph.Bool, n)
	p, err := graph.Compile(graph.Where(valid, x, math.NaN()).Rolling(0, 1000).MinPeriods(1).Mean())
	if err != nil {
		b.Fatal(err)
	}
	for name, share := range map[string]float64{"no nulls": 0, "1% nulls": 0.01, "50% nulls": 0.5} {
		a := random(1_000_000, share)
		batch := array.NewRecordBatch(tableOf("x", a).Schema(), []arrow.Array{a}, int64(a.Len()))
		out := []*graph.Tensor{graph.Zeros(graph.Float64, a.Len()-999)}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(8_000_000)
			for b.Loop() {
				feeds, err := Feeds(p, batch)
				if err != nil {
					b.Fatal(err)
				}
				if err := p.RunInto(ctx, out, feeds["x"], feeds["valid_x"]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFeeds binds a batch of a million rows: its time depends on nulls, not on values.
func BenchmarkFeeds(b *testing.B) {
	a := random(1_000_000, 0)
	p, err := graph.Compile(graph.Input("x", graph.Float64, graph.Dim("n")).Sum())
	if err != nil {
		b.Fatal(err)
	}
	batch := array.NewRecordBatch(tableOf("x", a).Schema(), []arrow.Array{a}, int64(a.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Feeds(p, batch); err != nil {
			b.Fatal(err)
		}
	}
}

func random(n int, nulls float64) arrow.Array {
	r := rand.New(rand.NewPCG(1, 2))
	values, valid := make([]float64, n), make([]bool, n)
	for i := range values {
		values[i], valid[i] = r.NormFloat64(), r.Float64() >= nulls
	}
	return floats(values, valid)
}
