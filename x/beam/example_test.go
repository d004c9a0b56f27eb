package beam_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/beam"
)

// The columns of an array in a file get mean 0, on the runner Prism. Main of a program calls
// beam.Init of Beam's own package first.
func ExampleRun() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "x.npy"), filepath.Join(folder, "y.npy")
	if err := npy.WriteFile(in, graph.Arange(graph.Float32, 0, 10_000, 1).Reshape(5000, 2)); err != nil {
		panic(err)
	}

	x := graph.Input("x", graph.Float32, graph.Dim("n"), 2)
	p, err := graph.Compile(graph.Output("y", x.Sub(x.Mean(0))))
	if err != nil {
		panic(err)
	}
	spec, err := beam.NewSpec(p,
		map[string]beam.Ref{"x": {Kind: beam.File, Path: in}},
		map[string]beam.Ref{"y": {Kind: beam.File, Path: out}})
	if err != nil {
		panic(err)
	}
	if err := beam.Run(context.Background(), "prism", spec); err != nil {
		panic(err)
	}
	y, err := npy.ReadFile(out)
	fmt.Println(y.SliceAxis(0, 0, 2, 1), err)
	// Output:
	// float32[2,2]
	// [[-4999. -4999.]
	//  [-4997. -4997.]] <nil>
}
