// Search finds the embeddings of a corpus that are most similar to some queries: products of
// matrices and the greatest of them. The corpus is a file that need not fit into memory.
//
//	go run ./examples/search -corpus 10000000 -memory 128
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/stridefuse/stridefuse/examples/internal/rate"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/npy"
	"github.com/stridefuse/stridefuse/stream"
)

const (
	dimensions = 64
	queries    = 4
	best       = 5
)

func main() {
	corpus := flag.Int("corpus", 100_000, "how many embeddings: each has 256 B")
	memory := flag.Int("memory", 16, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *corpus, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, corpus, memory int) error {
	folder, err := os.MkdirTemp("", "search")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "corpus.npy")
	if err := write(file, corpus); err != nil {
		return err
	}
	p, err := search()
	if err != nil {
		return err
	}
	asked := graph.Normal(graph.Float32, 1, 0, 1, queries, dimensions)
	var last stream.Progress
	job := stream.Job{
		Program: p, Memory: memory, Progress: func(p stream.Progress) { last = p },
		Inputs: map[string]stream.Source{"corpus": stream.File(file), "queries": stream.Memory(asked)},
	}
	begun := time.Now()
	out, err := job.Run(ctx)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	fmt.Fprintf(w, "the most similar of %d embeddings, a column for each query:\n%v\nsimilarities:\n%v\n", corpus, out["places"], out["similarities"])
	return rate.Print(ctx, w, last.Read, took, file)
}

// search is the program: the cosine of the angle between each embedding and each query.
func search() (*graph.Program, error) {
	x := graph.Input("corpus", graph.Float32, graph.Dim("n"), dimensions)
	q := graph.Input("queries", graph.Float32, queries, dimensions).L2Normalize(1e-12, 1)
	cosine := x.MatMul(q.T()).Div(x.Norm2(1, graph.KeepDims))
	values, places := cosine.TopK(0, best)
	return graph.Compile(graph.Output("places", places), graph.Output("similarities", values))
}

// write makes the file, a part at a time.
func write(name string, corpus int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out, err := npy.NewWriter(f, graph.Float32, dimensions)
	for at := 0; at < corpus && err == nil; {
		n := min(50_000, corpus-at)
		err = out.Append(graph.Normal(graph.Float32, uint64(100+at), 0, 1, n, dimensions))
		at += n
	}
	if err == nil {
		err = out.Close()
	}
	return errors.Join(err, f.Close())
}
