// Kmeans clusters points in several files, which need not fit into memory, by Lloyd's algorithm. The points are images
// of handwritten digits, of 8 by 8 pixels, repeated -copies times. The first ten images are the digits 0 to 9; they are
// the initial centers.
//
//	go run ./examples/kmeans -copies 5000 -memory 64
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/stridefuse/stridefuse/examples/internal/digits"
	"github.com/stridefuse/stridefuse/examples/internal/rate"
	"github.com/stridefuse/stridefuse/examples/internal/tile"
	"github.com/stridefuse/stridefuse/examples/kmeans/lloyd"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

const (
	clusters = 10
	rounds   = 10
)

func main() {
	copies := flag.Int("copies", 50, "how many times the files are repeated: together they have 115 KB")
	memory := flag.Int("memory", 16, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *copies, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, "kmeans:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, copies, memory int) error {
	folder, err := os.MkdirTemp("", "kmeans")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	names, first, err := write(folder, copies)
	if err != nil {
		return err
	}
	p, err := lloyd.Round(first.DType(), first.Extent(1), clusters)
	if err != nil {
		return err
	}
	centers, err := float(ctx, first.SliceAxis(0, 0, clusters, 1))
	if err != nil {
		return err
	}
	read, begun := 0, time.Now()
	for i := range rounds {
		var last stream.Progress
		job := stream.Job{
			Program: p, Memory: memory, Progress: func(p stream.Progress) { last = p },
			Inputs: map[string]stream.Source{"points": stream.Folder(folder), "centers": stream.Memory(centers)},
		}
		out, err := job.Run(ctx)
		if err != nil {
			return err
		}
		read += last.Read
		centers = out["centers"]
		fmt.Fprintf(w, "round %d: sizes %v, mean squared distance %v\n", i+1, out["sizes"], out["distance"])
	}
	return rate.Print(ctx, w, read, time.Since(begun), names...)
}

// write writes the files, and returns their names and the points of the first one.
func write(folder string, copies int) (names []string, first *graph.Tensor, err error) {
	files, err := digits.Images.ReadDir(".")
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		from, err := digits.Images.Open(f.Name())
		if err != nil {
			return nil, nil, err
		}
		x, err := npy.Read(from)
		if err != nil {
			return nil, nil, err
		}
		if first == nil {
			first = x
		}
		name := filepath.Join(folder, f.Name())
		if err := tile.File(name, x, copies); err != nil {
			return nil, nil, err
		}
		names = append(names, name)
	}
	return names, first, nil
}

// float returns points as float32.
func float(ctx context.Context, x *graph.Tensor) (*graph.Tensor, error) {
	p, err := graph.Compile(graph.Input("x", x.DType(), x.Extent(0), x.Extent(1)).Cast(graph.Float32))
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, x)
}
