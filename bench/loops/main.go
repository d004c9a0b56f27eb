// Loops times the portable engine, which runs generated Go loops, beside the loop that a Go programmer writes for the same
// task. Build it with the tag purego, or for a machine without assembly:
//
//	go run -tags purego ./bench/loops
//	GOOS=js GOARCH=wasm go run -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./bench/loops
//
// Each row of the table has the time of the library, the time of the plain loop, and their ratio.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"time"

	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "loops:", err)
		os.Exit(1)
	}
}

// A task is a row of the table.
type task struct {
	name    string
	prepare func() trial
}

// A trial is a graph with its inputs, and a loop that computes the same elements.
type trial struct {
	y      graph.Node
	inputs []*graph.Tensor
	want   *graph.Tensor // what loop writes
	loop   func()
	near   float64 // the greatest error beside loop, relative to the greatest element
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("loops", flag.ContinueOnError)
	only := flags.String("only", ".", "measure the tasks whose name this `regexp` matches")
	batch := flags.Duration("batch", 2*time.Millisecond, "the least `time` of a batch of calls")
	batches := flags.Int("batches", 60, "the `number` of batches, of which the fastest counts")
	engine := flags.Bool("kernels", false, "also print what runs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	fmt.Fprintf(w, "| task | library, µs | plain loop, µs | ratio |\n|---|---|---|---|\n")
	for _, t := range tasks {
		if !match.MatchString(t.name) {
			continue
		}
		r := t.prepare()
		p, err := graph.Compile(r.y, graph.WithWorkers(1))
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		out, err := p.Run(context.Background(), r.inputs...)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if *engine {
			fmt.Fprint(w, p.Explain())
		}
		r.loop()
		if err := r.check(out); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		outs := []*graph.Tensor{out}
		library := func() { err = p.RunInto(context.Background(), outs, r.inputs...) }
		times := measure(*batch, *batches, library, r.loop)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Fprintf(w, "| %s | %.1f | %.1f | %.2f |\n", t.name, times[0], times[1], times[0]/times[1])
	}
	return nil
}

// check compares the library's result with the loop's.
func (r *trial) check(out *graph.Tensor) error {
	got, err := numbers(out)
	if err != nil {
		return err
	}
	want, err := numbers(r.want)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	most := 0.0
	for _, v := range want {
		most = max(most, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= r.near*most) {
			return fmt.Errorf("element %d is %v, want %v", i, v, want[i])
		}
	}
	return nil
}

// numbers returns the elements of a tensor as float64.
func numbers(t *graph.Tensor) ([]float64, error) {
	p, err := graph.Compile(graph.Input("x", t.DType(), graph.Dim("n")).Cast(graph.Float64))
	if err != nil {
		return nil, err
	}
	out, err := p.Run(context.Background(), t.Flatten())
	if err != nil {
		return nil, err
	}
	return graph.Data[float64](out)
}

// measure returns the least time of a call of each function, in microseconds. The batches alternate, and are short, so that
// some of each are measured while the machine does nothing else.
func measure(least time.Duration, batches int, fs ...func()) []float64 {
	calls, best := make([]int, len(fs)), make([]time.Duration, len(fs))
	timed := func(i int) time.Duration {
		begin := time.Now()
		for range calls[i] {
			fs[i]()
		}
		return time.Since(begin)
	}
	for i := range fs {
		for calls[i] = 1; ; calls[i] *= 2 {
			if best[i] = timed(i); best[i] >= least/2 {
				break
			}
		}
	}
	for range batches {
		for i := range fs {
			best[i] = min(best[i], timed(i))
		}
	}
	times := make([]float64, len(fs))
	for i, t := range best {
		times[i] = float64(t.Nanoseconds()) / 1000 / float64(calls[i])
	}
	return times
}
