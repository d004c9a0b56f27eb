package embed_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed"
	"github.com/stridefuse/stridefuse/x/embed/internal/tiny"
)

// A model of random numbers, since real ones are large: its vectors mean nothing.
func Example() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	check(tiny.Write(dir, tiny.Parameters(), nil))

	m, err := embed.Open(dir, embed.Options{})
	check(err)
	defer m.Close()
	ctx := context.Background()
	vectors, err := m.Embed(ctx, []string{"unbelievable", "unbelievable!", "日本"})
	check(err)

	n := graph.Dim("n")
	x := graph.Input("x", graph.Float32, n, m.Size()).L2Normalize(1e-12, 1)
	similarity, err := graph.Compile(x.MatMul(x.T()).Mul(100).Round())
	check(err)
	percent, err := similarity.Run(ctx, vectors)
	check(err)
	fmt.Println(vectors.Shape(), m.Tokenize("unbelievable!"))
	fmt.Println(percent)
	// Output:
	// [3 24] [2 11 12 13 45 3]
	// float32[3,3]
	// [[100. 100.  53.]
	//  [100. 100.  54.]
	//  [ 53.  54. 100.]]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
