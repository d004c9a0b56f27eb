// A big-endian machine can't map the little-endian file of the example.
//go:build !s390x

package npy_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// A program runs on a file without reading it into memory first.
func ExampleOpen() {
	f, err := npy.Open("testdata/float32.npy")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	p, err := graph.Compile(x.Sum(0))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Run(context.Background(), f.Tensor))
	// Output:
	// float32[3]
	// [3. 5. 7.] <nil>
}
