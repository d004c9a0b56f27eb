package onnx

import (
	"math"
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

func TestDet(t *testing.T) {
	det := func(x, want *graph.Tensor) opCase {
		return opCase{op: "Det", opset: 22, in: tensors(x), want: want}
	}
	batched := func(o opCase) opCase { o.batch = true; return o }
	six := graph.Of([]float32{
		6, -8, -6, -5, -6, 6, 7, 2, -9, -8, -3, -1, 2, 0, -4, -6, 4, 4, -9, -7, -1, -2, 7, 0, -2, -1, 3, 2, -6, 5, 5, 9, 5, -4, -3, 3,
		3, 4, 7, -4, 8, -9, -8, 9, 8, -4, -7, -4, -9, 7, 3, 2, -5, -1, -6, 5, 0, -9, -5, 4, 0, -2, -5, -8, 2, 3, 0, 8, 8, -6, 2, 2,
	}, 2, 1, 6, 6)
	exchanged := graph.New(graph.Float64, mostRows, mostRows) // the rows of the unit matrix from the last on
	for i := range mostRows {
		_ = graph.Set(exchanged, 1.0, i, mostRows-1-i)
	}
	checkOps(t,
		det(graph.Of([]float64{1.5, -2, 0.25, 4}, 2, 2), graph.ScalarOf(6.5)),
		det(graph.Of([]float64{-3}, 1, 1), graph.ScalarOf(-3.0)),
		det(graph.New(graph.Float64, 2, 0, 0), graph.Of([]float64{1, 1})),
		batched(det(graph.New(graph.Float64, 0, 2, 2), graph.New(graph.Float64, 0))),
		// Of two matrices the second is singular.
		batched(det(graph.Of([]float32{0, 2, 1, 3, 0, -1, 1, 4, 2, 2, 1, 3, 4, 2, 6, 1, 1, 1}, 2, 3, 3), graph.Of([]float32{-2, 0}))),
		det(graph.Of([]float32{0, 0, 0, 2, 0, 3, 1, 0, 5, 0, 1, 1, 1, 2, 0, 4}, 4, 4), graph.ScalarOf(float32(-26))),
		batched(det(six, graph.Of([]float32{-324510, 42232}, 2, 1))),
		det(graph.Zeros(graph.Float32, 3, 3), graph.ScalarOf(float32(0))),
		det(graph.Of([]float64{math.NaN(), 1, 1, 1}, 2, 2), graph.ScalarOf(math.NaN())),
		batched(det(graph.Of([]float64{1.5, -2, 0.25, 4}, 2, 2), graph.ScalarOf(6.5))),
		det(exchanged, graph.ScalarOf(1.0)),
		det(graph.Of([]graph.Half{graph.HalfOf(2), graph.HalfOf(1), graph.HalfOf(-4), graph.HalfOf(0.5)}, 2, 2), graph.ScalarOf(graph.HalfOf(5))),
	)
	checkOpMistakes(t,
		opMistake{det(graph.New(graph.Float32, 2, 3), nil), "input 0 has the shape [2,3], whose axis 1 must have the extent 2"},
		opMistake{det(graph.New(graph.Float32, 3), nil), "input 0 has the shape [3]"},
		opMistake{det(graph.New(graph.Float32, 65, 65), nil), "matrices of 65 rows: it takes up to 64"},
		opMistake{batched(det(graph.New(graph.Float32, 2, 3), nil)), "input 0 has the shape [2,3], whose axis 1"},
	)
}

func TestGlobalLpPool(t *testing.T) {
	x := graph.Of([]float32{1, -2, 3, 0, 4, -5, 0, 0, 0, 1, 1, 1}, 1, 2, 2, 3)
	pool := func(opset int, a attrs, want ...float32) opCase {
		return opCase{op: "GlobalLpPool", opset: opset, attrs: a, in: tensors(x), batch: true, want: graph.Of(want, 1, 2, 1, 1)}
	}
	flat := pool(2, nil, 0, 0)
	flat.in = tensors(graph.New(graph.Float32, 2, 3))
	checkOps(t,
		pool(1, attrs{"p": 2.5}, 6.55826689, 1.55184557),
		pool(1, nil, 7.41619849, 1.73205081),
		pool(2, nil, 7.41619849, 1.73205081),
		pool(22, attrs{"p": 1}, 15, 3),
		pool(22, attrs{"p": 3}, 6.082202, 1.44224957),
	)
	checkOpMistakes(t,
		opMistake{pool(22, attrs{"p": 0}, 0, 0), "p of 0: it must be positive"},
		opMistake{pool(22, attrs{"p": 2.5}, 0, 0), `attribute "p" is of type float64: it must be int`},
		opMistake{flat, "input 0 has the shape [n,3]"},
	)
}
