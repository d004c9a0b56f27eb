package recipes_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/formats/imaging"
	"github.com/stridefuse/stridefuse/graph"
)

// The main colours of a picture by k-means: each pixel goes to the nearest centre, each centre
// to the mean of its pixels, until none moves.
func Example_kmeans() {
	const k = 4
	img := picture("../hillshade.png")
	view, err := imaging.Pixels(img)
	check(err)
	pixels := view.Slice("..., :3").Reshape(-1, 3)
	check(pixels.Err())

	bytes := graph.Input("bytes", graph.Uint8, graph.Dim("n"), 3)
	x := bytes.Cast(graph.Float32)
	centres := graph.Input("centres", graph.Float32, k, 3)
	// |x-c|^2 = |x|^2 - 2xc + |c|^2, of which the first is the same for all centres.
	distances := centres.SumSquares(1).Sub(x.MatMul(centres.T()).Mul(2))
	nearest := distances.ArgMin(1)
	sums := x.SegmentSum(nearest, k)
	counts := nearest.BinCount(k).Cast(graph.Float32)
	moved := graph.Where(counts.Gt(0).Unsqueeze(1), sums.Div(counts.Unsqueeze(1)), centres)
	p, err := graph.Compile(moved, counts, graph.WithInputs(bytes, centres))
	check(err)

	ctx := context.Background()
	at := graph.Of([]float32{0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255}, k, 3)
	for {
		outs, err := p.RunAll(ctx, pixels, at)
		check(err)
		if graph.Equal(outs[0], at) {
			fmt.Println(outs[0], outs[1])
			return
		}
		at = outs[0]
	}
	// Output:
	// float32[4,3]
	// [[ 72.85345   99.0185    78.21563 ]
	//  [ 98.237564 119.32275   97.94718 ]
	//  [133.32599  145.79381  124.43999 ]
	//  [176.54097  178.62479  157.16162 ]] float32[4]
	// [104799.  95350.  69659.  42000.]
}
