package onnx

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestMultiplied samples an axis at each place, and by the remainders of the places.
func TestMultiplied(t *testing.T) {
	samplings := map[string]sampling{"linear": {weight: triangle, reach: 1}, "cubic": {weight: cubic(-0.75), reach: 2, stretch: true}}
	for name, round := range rounds {
		samplings[name] = sampling{round: round}
	}
	for place := range regular {
		for name, s := range samplings {
			s.place = places[place]
			for _, n := range []int{1, 2, 7} {
				for _, times := range []int{2, 3, 4, 7, 11} {
					x := graph.Const(counted(2, n, 3))
					each := s.axis(x, 1, resampling{from: n, to: n * times, scale: float64(times), end: 1})
					p, err := graph.Compile(each, s.multiplied(x, 1, times))
					require.NoError(t, err)
					out, err := p.RunAll(t.Context())
					require.NoError(t, err)
					require.True(t, graph.Equal(out[0], out[1]), fmt.Sprintf("%s %s, %d times %d:\n%v\n%v", name, place, n, times, out[0], out[1]))
				}
			}
		}
	}
}

// TestResizeOfSymbolicAxis multiplies an extent that the run says.
func TestResizeOfSymbolicAxis(t *testing.T) {
	for mode, want := range map[string][]float32{"nearest": {1, 1, 5, 5, 9, 9}, "linear": {1, 2, 4, 6, 8, 9}} {
		checkOps(t, opCase{op: "Resize", opset: 18, attrs: attrs{"mode": mode}, batch: true, in: tensors(graph.Of([]float32{1, 5, 9})),
			fixed: []*graph.Tensor{nil, graph.Of([]float32{2})}, want: graph.Of(want)})
	}
	checkOps(t, opCase{op: "Resize", opset: 18, batch: true, in: tensors(counted(2)), fixed: []*graph.Tensor{nil, graph.Of([]float32{1.5})}, want: graph.Of([]float32{1, 1, 2})})
	checkOpMistakes(t, opMistake{opCase{op: "Resize", opset: 18, batch: true, in: tensors(graph.New(graph.Float32, 0)), fixed: []*graph.Tensor{nil, graph.Of([]float32{1.5})}}, "axis 0 has the extent 0"})
}
