//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

// How soon a program stops. The input is programs of every kind, with cheap and expensive kernels. The output is, for
// each, the median and the greatest time from the end of its context to the end of the run, and of a stop of all
// goroutines while it runs.

// latencyProgram is a program that runs until it is cancelled.
type latencyProgram struct {
	name     string
	portable bool
	output   graph.Node
	fresh    bool // each run allocates its output
}

// latencyPrograms returns the measured programs. Tensors have sides of at most 4096 elements, or are one line of 10
// million.
func latencyPrograms() []latencyProgram {
	const side = 4096
	x := graph.Input("x", graph.Float32, side, side)
	y := graph.Input("x", graph.Float32, 1024, 1024)
	one := graph.Input("x", graph.Float32, 1)
	line := graph.Input("x", graph.Float32, 10_000_000)
	greatest, _ := line.TopK(0, 100)
	powers := func(x graph.Node) graph.Node {
		for k := range 12 {
			x = x.Pow(0.75 + float64(k)/100)
		}
		return x
	}
	programs := []latencyProgram{
		{name: "one addition of each element", output: x.Add(1)},
		{name: "12 powers of each element", output: powers(x)},
		{name: "sum of each row", output: x.Sum(1)},
		{name: "sum of 12 powers of each row", output: powers(x).Sum(1)},
		{name: "sum down the columns", output: x.Sum(0)},
		{name: "sum of 12 powers down the columns", output: powers(x).Sum(0)},
		{name: "softmax of each row", output: x.Softmax(1)},
		{name: "running sum down the columns", output: x.CumSum(0)},
		{name: "product of matrices", output: y.MatMul(y)},
		{name: "sort of one line", output: line.Sort(0)},
		{name: "the 100 greatest of one line", output: greatest},
		{name: "running sum of one line", output: line.CumSum(0)},
	}
	for _, p := range programs {
		p.portable = true
		programs = append(programs, p)
	}
	return append(programs,
		latencyProgram{name: "a result of 2 GiB, in new memory", output: one.Expand(1 << 29), fresh: true},
		latencyProgram{name: "sum of a table of 2 GiB", output: graph.Iota(graph.Int64, 1<<28).Sum()},
	)
}

// measureLatency writes the table of all programs.
func measureLatency(w io.Writer, rounds int) error {
	fmt.Fprintf(w, "| program | engine | cancel, median | greatest | stop, median | greatest |\n|---|---|---|---|---|---|\n")
	for _, p := range latencyPrograms() {
		l, err := p.measure(rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		engine := "avx2"
		if p.portable {
			engine = "portable"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", p.name, engine,
			milliseconds(median(l.cancel)), milliseconds(slices.Max(l.cancel)), milliseconds(median(l.stop)), milliseconds(slices.Max(l.stop)))
	}
	return nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1e3) }

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}

// latencies are the times of one program.
type latencies struct{ cancel, stop []time.Duration }

// measure runs a program repeatedly. Each run is stopped once, and cancelled later at a random time within the length
// of two runs.
func (p *latencyProgram) measure(rounds int) (l latencies, err error) {
	items := []graph.Item{p.output}
	if p.portable {
		items = append(items, graph.WithDebug(graph.Portable))
	}
	program, err := graph.Compile(items...)
	if err != nil {
		return l, err
	}
	ins := make([]*graph.Tensor, 0, 1)
	for _, in := range program.Inputs() {
		shape, _ := in.Shape.Ints()
		ins = append(ins, graph.Uniform(in.DType, 1, 0.5, 1.5, shape...))
	}
	begin := time.Now()
	out, err := program.Run(context.Background(), ins...)
	if err != nil {
		return l, err
	}
	whole := min(2*time.Since(begin), time.Second/2)
	if p.fresh {
		out = nil
	}
	for range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() {
			for {
				var err error
				if p.fresh {
					_, err = program.Run(ctx, ins...)
				} else {
					err = program.RunInto(ctx, []*graph.Tensor{out}, ins...)
				}
				if err != nil {
					ended <- err
					return
				}
			}
		}()
		time.Sleep(time.Duration(rand.Int64N(int64(whole) + 1)))
		begin := time.Now()
		var stats goruntime.MemStats
		goruntime.ReadMemStats(&stats) // stops all goroutines
		l.stop = append(l.stop, time.Since(begin))
		time.Sleep(time.Duration(rand.Int64N(int64(whole) + 1)))
		begin = time.Now()
		cancel()
		err := <-ended
		l.cancel = append(l.cancel, time.Since(begin))
		if !errors.Is(err, context.Canceled) {
			return l, err
		}
	}
	return l, nil
}
