// Kmeans divides points that are in several files, more than memory need hold, into clusters
// by Lloyd's algorithm: each round assigns the points to the nearest center, and moves the
// centers to the means of their points.
//
//	go run ./examples/kmeans -points 20000000 -memory 64
package main

import (
	"context"
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
	dimensions = 16
	clusters   = 8
	rounds     = 5
	files      = 4
)

func main() {
	points := flag.Int("points", 200_000, "how many")
	memory := flag.Int("memory", 32, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *points, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, points, memory int) error {
	folder, err := os.MkdirTemp("", "kmeans")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	names, err := write(folder, points)
	if err != nil {
		return err
	}
	p, err := round()
	if err != nil {
		return err
	}
	centers := graph.Normal(graph.Float32, 7, 0, 5, clusters, dimensions)
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

// round is the program of one round.
func round() (*graph.Program, error) {
	x := graph.Input("points", graph.Float32, graph.Dim("n"), dimensions)
	c := graph.Input("centers", graph.Float32, clusters, dimensions)
	// |x-c|^2 = |x|^2 - 2 x.c + |c|^2, of which the first does not decide.
	near := c.Square().Sum(1).Sub(x.MatMul(c.T()).Mul(2))
	nearest := near.ArgMin(1)
	distance := near.Min(1).Add(x.Square().Sum(1)).Mean()
	member := nearest.OneHot(graph.Float32, clusters, 1)
	sizes := nearest.BinCount(clusters)
	sums := member.T().MatMul(x)
	moved := sums.Div(sizes.Cast(graph.Float32).Unsqueeze(1))
	moved = graph.Where(sizes.Gt(0).Unsqueeze(1), moved, c) // a center without points stays
	return graph.Compile(graph.Output("centers", moved), graph.Output("sizes", sizes), graph.Output("distance", distance))
}

// write makes the files: points around centers of their own.
func write(folder string, points int) ([]string, error) {
	var names []string
	around := graph.Normal(graph.Float32, 3, 0, 5, clusters, dimensions)
	noise := graph.Input("noise", graph.Float32, graph.Dim("n"), clusters, dimensions)
	p, err := graph.Compile(noise.Add(graph.Const(around)).Reshape(-1, dimensions))
	if err != nil {
		return nil, err
	}
	for i := range files {
		n := max(1, points/files/clusters)
		x, err := p.Run(context.Background(), graph.Normal(graph.Float32, uint64(10+i), 0, 1, n, clusters, dimensions))
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.Join(folder, fmt.Sprintf("points%02d.npy", i)))
		if err := npy.WriteFile(names[i], x); err != nil {
			return nil, err
		}
	}
	return names, nil
}
