package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

// The command bench: timed runs of a program, one after another, on given or made-up inputs.

const (
	benchTime = time.Second
	warmUp    = 3 // untimed runs, which touch pages and wake workers
	leastRuns = 5
)

// bench times a program, and prints the median and the spread of its runs.
func (t *tool) bench(ctx context.Context) error {
	p, err := t.load()
	if err != nil {
		return err
	}
	ins, err := t.given(p.Inputs(), true)
	if err != nil {
		return err
	}
	times, outs, err := t.time(ctx, p, ins)
	if err != nil {
		return err
	}
	slices.Sort(times)
	median := times[len(times)/2]
	moved := 0
	for _, x := range slices.Concat(ins, outs) {
		moved += x.Bytes()
	}
	fmt.Fprintf(t.stdout, "median %s of %d runs, from %s to %s\n", median, len(times), times[0], times[len(times)-1])
	fmt.Fprintf(t.stdout, "inputs and outputs %d bytes, %.3g GB/s\n", moved, float64(moved)/float64(max(1, median)))
	return nil
}

// time returns the times of runs, and the outputs of the last run.
func (t *tool) time(ctx context.Context, p program, ins []*graph.Tensor) (times []time.Duration, outs []*graph.Tensor, err error) {
	run := func() (time.Duration, error) {
		begin := time.Now()
		outs, err = p.RunAll(ctx, ins...)
		return time.Since(begin), err
	}
	for range warmUp {
		if _, err := run(); err != nil {
			return nil, nil, err
		}
	}
	begin, last := time.Now(), time.Now()
	enough := func() bool {
		if t.runs > 0 {
			return len(times) >= t.runs
		}
		return len(times) >= leastRuns && time.Since(begin) > benchTime
	}
	for !enough() {
		d, err := run()
		if err != nil {
			return nil, nil, err
		}
		times = append(times, d)
		if time.Since(last) > quiet && t.runs > 0 {
			fmt.Fprintf(t.stderr, "\r%d of %d runs ", len(times), t.runs)
			last = time.Now()
		}
	}
	return times, outs, nil
}
