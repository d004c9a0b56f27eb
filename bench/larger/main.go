// Larger computes tanh((x - mean)/std), summed over each row, with mean and deviation of the columns, for an array in a
// file that need not fit into memory. It prints the seconds, and the peak memory in megabytes. compare.py runs it
// beside dask and xarray.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

func main() {
	in := flag.String("in", "", "the array: a .npy `file`, or a folder of Zarr")
	out := flag.String("out", "", "a .npy `file` for the result")
	threads := flag.Int("threads", 1, "how many")
	memory := flag.Int("memory", 128, "MB")
	flag.Parse()
	if err := run(*in, *out, *threads, *memory<<20); err != nil {
		fmt.Fprintln(os.Stderr, "larger:", err)
		os.Exit(1)
	}
}

func run(in, out string, threads, memory int) error {
	goruntime.GOMAXPROCS(threads)
	var source stream.Source = stream.File(in)
	if filepath.Ext(in) != ".npy" {
		source = zarr.From(in)
	}
	begun := time.Now()
	dt, shape, err := source.Open()
	if err != nil {
		return err
	}
	x := graph.Input("x", dt, graph.Dim("n"), shape[1])
	p, err := graph.Compile(graph.Output("y", x.Sub(x.Mean(0)).Div(x.Std(0)).Tanh().Sum(1)))
	if err != nil {
		return err
	}
	job := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"x": source}, Outputs: map[string]stream.Sink{"y": stream.NewFile(out)},
		Memory: memory, Options: []graph.Option{graph.WithWorkers(threads)},
	}
	if _, err := job.Run(context.Background()); err != nil {
		return err
	}
	took := time.Since(begun)
	most, err := mostMemory()
	fmt.Printf("%.3f %d\n", took.Seconds(), most>>10)
	return err
}

// mostMemory returns the peak memory of the process in KB. getrusage would include the process before exec.
func mostMemory() (kilobytes int, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes, err
}
