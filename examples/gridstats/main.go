// Gridstats computes the mean, the standard deviation and a histogram of a grid in a file
// that is many times larger than the memory it may take. The grid is a height map that it
// makes first, a band of rows at a time.
//
//	go run ./examples/gridstats -rows 1000000 -memory 64
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
	columns = 1024
	bins    = 16
	highest = 4000 // meters
)

func main() {
	rows := flag.Int("rows", 32<<10, "of the grid: each has 4 KB")
	memory := flag.Int("memory", 32, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *rows, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, rows, memory int) error {
	folder, err := os.MkdirTemp("", "gridstats")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "heights.npy")
	if err := write(ctx, file, rows); err != nil {
		return err
	}
	p, err := statistics()
	if err != nil {
		return err
	}
	var last stream.Progress
	job := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"heights": stream.File(file)}, Memory: memory,
		Progress: func(p stream.Progress) { last = p },
	}
	plan, err := job.Plan()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, plan)
	begun := time.Now()
	out, err := job.Run(ctx)
	if err != nil {
		return err
	}
	took := time.Since(begun)
	fmt.Fprintf(w, "mean %v\nstd %v\nhistogram of bins of %d m %v\n", out["mean"], out["std"], highest/bins, out["histogram"])
	return rate.Print(ctx, w, last.Read, took, file)
}

// statistics is the program, which is the same for a grid in memory. The deviation needs the
// mean first, so that the grid is read twice.
func statistics() (*graph.Program, error) {
	h := graph.Input("heights", graph.Float32, graph.Dim("rows"), columns)
	bin := h.Div(float32(highest)/bins).Cast(graph.Int64).Clip(0, bins-1)
	return graph.Compile(graph.Output("mean", h.Mean()), graph.Output("std", h.Std()), graph.Output("histogram", bin.BinCount(bins)))
}

// heights are hills: sines of the place, between 0 and highest.
func heights() (*graph.Program, error) {
	n := graph.Dim("rows")
	first := graph.Input("first", graph.Float64)
	y := graph.Iota(graph.Int64, n).Cast(graph.Float64).Add(first).Unsqueeze(1)
	x := graph.Iota(graph.Int64, columns).Cast(graph.Float64)
	hills := y.Mul(0.01).Sin().Add(x.Mul(0.02).Cos()).Add(x.Add(y).Mul(0.003).Sin())
	like := graph.Input("like", graph.Bool, n) // says how many rows
	return graph.Compile(hills.Add(3).Mul(highest/6.0).Cast(graph.Float32), like.Not())
}

// write makes the file.
func write(ctx context.Context, name string, rows int) error {
	p, err := heights()
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	out, err := npy.NewWriter(f, graph.Float32, columns)
	for at := 0; at < rows && err == nil; {
		n := min(1024, rows-at)
		var bands []*graph.Tensor
		if bands, err = p.RunAll(ctx, graph.ScalarOf(float64(at)), graph.New(graph.Bool, n)); err == nil {
			err = out.Append(bands[0])
		}
		at += n
	}
	if err == nil {
		err = out.Close()
	}
	return errors.Join(err, f.Close())
}
