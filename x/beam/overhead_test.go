package beam_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
	"github.com/stridefuse/stridefuse/x/beam"
)

// BenchmarkOverhead computes the deviations from the mean of columns, in two passes, by
// stream.Job and by Prism, and reports the time for an element of the input. The blocks of both
// are the same.
func BenchmarkOverhead(b *testing.B) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 64)
	p, err := graph.Compile(graph.Output("y", x.Sub(x.Mean(0)).Square().Sum(1)))
	require.NoError(b, err)
	for name, rows := range map[string]int{"64_thousand": 1 << 10, "4_million": 1 << 16, "67_million": 1 << 20} {
		folder := b.TempDir()
		in, out := filepath.Join(folder, "x.npy"), filepath.Join(folder, "y.npy")
		require.NoError(b, npy.WriteFile(in, graph.Normal(graph.Float32, 1, 3, 2, rows, 64)))
		perElement := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*64), "ns/element")
		}
		b.Run(name+"/plain", func(b *testing.B) {
			for b.Loop() {
				j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.File(in)}, Outputs: map[string]stream.Sink{"y": stream.NewFile(out)}, Rows: 1 << 15}
				_, err := j.Run(b.Context())
				require.NoError(b, err)
			}
			perElement(b)
		})
		b.Run(name+"/prism", func(b *testing.B) {
			spec, err := beam.NewSpec(p, map[string]beam.Ref{"x": {Kind: beam.File, Path: in}}, map[string]beam.Ref{"y": {Kind: beam.File, Path: out}})
			require.NoError(b, err)
			spec.Rows = 1 << 15
			for b.Loop() {
				require.NoError(b, beam.Run(b.Context(), "prism", spec))
			}
			perElement(b)
		})
	}
}
