package stream_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// A file is normalized block by block: its columns get mean 0 and deviation 1.
func ExampleJob_Run() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	in, out := filepath.Join(folder, "x.npy"), filepath.Join(folder, "z.npy")
	if err := npy.WriteFile(in, graph.Normal(graph.Float32, 1, 10, 2, 100_000, 3)); err != nil {
		panic(err)
	}

	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	z := x.Sub(x.Mean(0)).Div(x.Std(0))
	p, err := graph.Compile(graph.Output("z", z), graph.Output("max", z.Max(0)))
	if err != nil {
		panic(err)
	}
	job := stream.Job{
		Program: p,
		Inputs:  map[string]stream.Source{"x": stream.File(in)},
		Outputs: map[string]stream.Sink{"z": stream.NewFile(out)},
		Memory:  2 << 20, // bytes
	}
	whole, err := job.Run(context.Background())
	fmt.Println(whole["max"], err)
	// Output:
	// float32[3]
	// [4.1351776 4.617124  4.2562566] <nil>
}
