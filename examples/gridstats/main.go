// Gridstats computes the mean, the standard deviation and a histogram of a grid in a file that is many times larger
// than the memory bound. Without -in the grid is the geoid (the mean sea level, continued below the land): its height
// above the reference ellipsoid for each degree, repeated -copies times.
//
//	go run ./examples/gridstats -copies 20000 -memory 64
//	node examples/gridstats/fetch.mjs geoid15.npy && go run ./examples/gridstats -in geoid15.npy
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/stridefuse/stridefuse/examples/gridstats/statistics"
	"github.com/stridefuse/stridefuse/examples/internal/rate"
	"github.com/stridefuse/stridefuse/examples/internal/tile"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/stream"
)

//go:embed geoid.npy
var geoid []byte // made by fetch.mjs, in centimeters

const (
	scale = 0.01 // to meters
	low   = -110
	high  = 90
	bins  = 10
)

func main() {
	in := flag.String("in", "", "a .npy `file` of heights in centimeters (default: the geoid)")
	copies := flag.Int("copies", 1000, "how many times the geoid is repeated: each has 130 KB")
	memory := flag.Int("memory", 16, "MB")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *in, *copies, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, "gridstats:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, in string, copies, memory int) error {
	if in == "" {
		folder, err := os.MkdirTemp("", "gridstats")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		x, err := npy.Read(bytes.NewReader(geoid))
		if err != nil {
			return err
		}
		in = filepath.Join(folder, "heights.npy")
		if err := tile.File(in, x, copies); err != nil {
			return err
		}
	}
	heights := stream.File(in)
	dt, shape, err := heights.Open()
	if err != nil {
		return err
	}
	if len(shape) != 2 {
		return fmt.Errorf("%s: an array of shape %v is no grid", in, shape)
	}
	p, err := statistics.Program(dt, shape[1], scale, low, high, bins)
	if err != nil {
		return err
	}
	var last stream.Progress
	job := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"heights": heights}, Memory: memory,
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
	fmt.Fprintf(w, "mean %v\nstd %v\nhistogram from %d m in bins of %d m %v\n", out["mean"], out["std"], low, (high-low)/bins, out["histogram"])
	return rate.Print(ctx, w, last.Read, took, in)
}
