//go:build unix

package arrow

import (
	"math"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/scalar"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// BenchmarkRows has the queries of docs/arrow.md on 10 million rows, by one thread: the least processor time in milliseconds.
// bench/peers/arrow.py has them for the peers. arrow-go's compute has no aggregates and no windows.
func BenchmarkRows(b *testing.B) {
	n := graph.Dim("n")
	x, valid := graph.Input("x", graph.Float64, n), graph.Input("valid_x", graph.Bool, n)
	v := graph.Where(valid, x, math.NaN())
	for _, nulls := range []struct {
		name  string
		share float64
	}{{"none", 0}, {"1%", 0.01}, {"50%", 0.5}} {
		const rows = 10_000_000
		a := random(rows, nulls.share)
		one := array.NewRecordBatch(tableOf("x", a).Schema(), []arrow.Array{a}, rows)
		var fields []arrow.Field
		for _, name := range []string{"a", "b", "c", "d"} {
			fields = append(fields, arrow.Field{Name: name, Type: a.DataType(), Nullable: true})
		}
		table := array.NewTableFromSlice(arrow.NewSchema(fields, nil), [][]arrow.Array{{random(rows, nulls.share)}, {random(rows, nulls.share)}, {random(rows, nulls.share)}, {a}})
		program := func(y graph.Node, shape ...int) func() error {
			p, err := graph.Compile(y, graph.WithWorkers(1))
			require.NoError(b, err)
			out := []*graph.Tensor{graph.Zeros(graph.Float64, shape...)}
			return func() error {
				feeds, err := Feeds(p, one)
				if err != nil {
					return err
				}
				return p.RunInto(ctx, out, feeds["x"], feeds["valid_x"])
			}
		}
		known, err := graph.Compile(x.Sub(0.1).Div(1.5), graph.WithWorkers(1))
		require.NoError(b, err)
		values := &compute.ArrayDatum{Value: a.Data()}
		option := compute.ArithmeticOptions{}
		for _, q := range []struct {
			name string
			run  func() error
		}{
			{"six-aggregates", func() error { _, err := Describe(ctx, table); return err }},
			{"masked-sum", program(graph.Where(valid.And(x.Gt(0.5)), x, 0).Sum())},
			{"standard-scores", program(v.Sub(v.NanMean(0)).Div(v.NanStd(0)), rows)},
			{"rolling-mean", program(v.Rolling(0, 1000).MinPeriods(1).Mean(), rows-999)},
			{"scores-of-known-mean", func() error { // with a result that is released, as arrow-go's
				feeds, err := Feeds(known, one)
				if err != nil {
					return err
				}
				z, err := known.Run(ctx, feeds["x"])
				if err != nil {
					return err
				}
				return z.Release()
			}},
			{"scores-of-known-mean/arrow-go", func() error {
				d, err := compute.Subtract(ctx, option, values, compute.NewDatum(scalar.NewFloat64Scalar(0.1)))
				if err != nil {
					return err
				}
				defer d.Release()
				z, err := compute.Divide(ctx, option, d, compute.NewDatum(scalar.NewFloat64Scalar(1.5)))
				if err == nil {
					z.Release()
				}
				return err
			}},
		} {
			b.Run(nulls.name+"/"+q.name, func(b *testing.B) {
				least := math.Inf(1)
				for range 6 {
					begin := processorTime(b)
					require.NoError(b, q.run())
					least = min(least, processorTime(b)-begin)
				}
				b.ReportMetric(least, "cpu-ms")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// processorTime returns the processor time of the process in milliseconds.
func processorTime(b *testing.B) float64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
