//go:build linux

// Basics measures the functions that users of NumPy, pandas and SciPy look for first, for compare.py, which runs the same in
// Python, compares the results and prints the table of docs/compared.md:
//
//	python3 bench/basics/compare.py
//
// It writes inputs and results as .npy files to the directory of its argument, and prints a JSON line for each function: the
// median processor time in microseconds by Run, whose results are released, and by RunInto, on one worker.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// row is a function of inputs by name.
type row struct {
	name string
	of   func(in map[string]graph.Node) graph.Node
}

// edge is a function of tensors, beside programs.
type edge struct {
	name string
	of   func(in map[string]*graph.Tensor) (*graph.Tensor, error)
}

const n = 1_000_000

// inputs are the arrays of all rows.
func inputs() map[string]*graph.Tensor {
	normal := func(seed uint64, shape ...int) *graph.Tensor {
		return graph.Normal(graph.Float64, seed, 0, 1, shape...)
	}
	x := normal(1, n)
	holes := x.Clone()
	for i := 7; i < n; i += 13 {
		must(graph.Set(holes, math.NaN(), i))
	}
	return map[string]*graph.Tensor{
		"x": x, "holes": holes, "at": graph.Linspace(graph.Float64, -3, 3, 1000), "values": normal(2, 1000), "triples": normal(3, n/3, 3), "others": normal(4, n/3, 3),
		"few": normal(5, 5), "taps": normal(6, 64), "table": normal(7, 10_000, 50), "tens": normal(8, n/10, 10), "narrow": normal(9, n/3, 3),
		"keys": run(graph.Const(graph.Uniform(graph.Float64, 10, 0, 1000, n)).Cast(graph.Int64)), "edges": graph.Linspace(graph.Float64, -4, 4, 101), "line": graph.Linspace(graph.Float64, 0, 1, n/10),
	}
}

var rows = []row{
	{"interp", func(in map[string]graph.Node) graph.Node { return in["x"].Interp(in["at"], in["values"]) }},
	{"diff", func(in map[string]graph.Node) graph.Node { return in["x"].Diff(0, 1) }},
	{"gradient", func(in map[string]graph.Node) graph.Node { return in["x"].Gradient(0, 1) }},
	{"cross", func(in map[string]graph.Node) graph.Node { return in["triples"].Cross(in["others"], 1) }},
	{"kron", func(in map[string]graph.Node) graph.Node { return in["values"].Kron(in["at"]) }},
	{"convolve 5", func(in map[string]graph.Node) graph.Node { return in["x"].Convolve(in["few"], graph.OverlapFull) }},
	{"convolve 64", func(in map[string]graph.Node) graph.Node { return in["x"].Convolve(in["taps"], graph.OverlapFull) }},
	{"polyfit", func(in map[string]graph.Node) graph.Node { return in["line"].PolyFit(in["line"].Mul(7).Sin(), 3) }},
	{"polyval", func(in map[string]graph.Node) graph.Node { return in["x"].PolyVal(in["few"]) }},
	{"nanstd", func(in map[string]graph.Node) graph.Node { return in["holes"].NanStd() }},
	{"nanquantile", func(in map[string]graph.Node) graph.Node { return in["holes"].NanQuantile(0.3) }},
	{"isin", func(in map[string]graph.Node) graph.Node { return in["keys"].IsIn(in["keys"].Slice(":500")) }},
	{"nan_to_num", func(in map[string]graph.Node) graph.Node { return in["holes"].NanToNum(nil, nil, nil) }},
	{"trapezoid", func(in map[string]graph.Node) graph.Node { return in["x"].Trapezoid(0, 0.5) }},
	{"cov", func(in map[string]graph.Node) graph.Node { return in["table"].Cov(nil, graph.DDOF(1)) }},
	{"percentile", func(in map[string]graph.Node) graph.Node { return in["x"].Quantile(0.37) }},
	{"median", func(in map[string]graph.Node) graph.Node { return in["x"].Median() }},
	{"histogram", func(in map[string]graph.Node) graph.Node { return in["x"].Histogram(in["edges"]) }},
	{"searchsorted", func(in map[string]graph.Node) graph.Node { return in["at"].SearchSorted(in["x"], false) }},
	{"roll short", func(in map[string]graph.Node) graph.Node { return in["narrow"].Roll(1, 1) }},
	{"sort rows of 10", func(in map[string]graph.Node) graph.Node { return in["tens"].Sort(1) }},
	{"argmax rows of 10", func(in map[string]graph.Node) graph.Node { return in["tens"].ArgMax(1) }},
	{"sort", func(in map[string]graph.Node) graph.Node { return in["x"].Sort(0) }},
	{"rolling sum 1000", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 1000).Sum() }},
	{"rolling mean 1000", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 1000).Mean() }},
	{"rolling std 1000", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 1000).Std(1) }},
	{"rolling mean 100, NaN", func(in map[string]graph.Node) graph.Node { return in["holes"].Rolling(0, 100).MinPeriods(10).Mean() }},
	{"rolling std 100, NaN", func(in map[string]graph.Node) graph.Node { return in["holes"].Rolling(0, 100).MinPeriods(10).Std(1) }},
	{"rolling max 1000", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 1000).Max() }},
	{"rolling median 5", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 5).Median() }},
	{"rolling median 100", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 100).Median() }},
	{"rolling median 100, NaN", func(in map[string]graph.Node) graph.Node { return in["holes"].Rolling(0, 100).MinPeriods(10).Median() }},
	{"rolling quantile 1000", func(in map[string]graph.Node) graph.Node { return in["x"].Rolling(0, 1000).Quantile(0.9) }},
	{"ewm mean", func(in map[string]graph.Node) graph.Node { return in["holes"].ExpWeighted(0, 0.1).Mean() }},
	{"ewm std", func(in map[string]graph.Node) graph.Node { return in["holes"].ExpWeighted(0, 0.1).Std() }},
	{"groupby sum", func(in map[string]graph.Node) graph.Node { return in["holes"].GroupBy(in["keys"], 1000).Sum() }},
	{"groupby mean", func(in map[string]graph.Node) graph.Node { return in["holes"].GroupBy(in["keys"], 1000).Mean() }},
	{"groupby std", func(in map[string]graph.Node) graph.Node { return in["holes"].GroupBy(in["keys"], 1000).Std(1) }},
	{"groupby max", func(in map[string]graph.Node) graph.Node { return in["holes"].GroupBy(in["keys"], 1000).Max() }},
}

var edges = []edge{
	{"unique of integers", func(in map[string]*graph.Tensor) (*graph.Tensor, error) {
		d, err := graph.Unique(context.Background(), in["keys"])
		if err != nil {
			return nil, err
		}
		return d.Counts, nil
	}},
	{"unique of floats", func(in map[string]*graph.Tensor) (*graph.Tensor, error) {
		d, err := graph.Unique(context.Background(), in["x"])
		if err != nil {
			return nil, err
		}
		return d.Values, nil
	}},
	{"factorize", func(in map[string]*graph.Tensor) (*graph.Tensor, error) {
		k, err := graph.Factorize(context.Background(), in["keys"])
		if err != nil {
			return nil, err
		}
		return k.Codes, nil
	}},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: basics DIRECTORY")
		os.Exit(2)
	}
	dir, ctx := os.Args[1], context.Background()
	save := func(name string, t *graph.Tensor) { must(npy.WriteFile(filepath.Join(dir, name+".npy"), t)) }
	tensors := inputs()
	for name, t := range tensors {
		save("in "+name, t)
	}
	for _, r := range rows {
		nodes := map[string]graph.Node{}
		for name, t := range tensors {
			extents := make([]any, t.Rank())
			for k := range extents {
				extents[k] = t.Extent(k)
			}
			if name == "x" && r.name == "percentile" {
				extents[0] = graph.Dim("n")
			}
			nodes[name] = graph.Input(name, t.DType(), extents...)
		}
		p, err := graph.Compile(r.of(nodes), graph.WithWorkers(1))
		must(err)
		var ins []*graph.Tensor
		for _, port := range p.Inputs() {
			ins = append(ins, tensors[port.Name])
		}
		out, err := p.Run(ctx, ins...)
		must(err)
		save("out "+r.name, out)
		byRun := median(func() {
			y, err := p.Run(ctx, ins...)
			must(err)
			y.Release()
		})
		outs := []*graph.Tensor{out}
		report(r.name, byRun, median(func() { must(p.RunInto(ctx, outs, ins...)) }))
	}
	for _, e := range edges {
		out, err := e.of(tensors)
		must(err)
		save("out "+e.name, out)
		report(e.name, median(func() {
			_, err := e.of(tensors)
			must(err)
		}), 0)
	}
}

// median returns the median processor time of a call, in microseconds, over seven batches of 10 ms or more: beside other
// work the time of day says little.
func median(call func()) float64 {
	call()
	var times []float64
	for len(times) < 7 {
		calls, begin := 0, processor()
		for calls == 0 || processor()-begin < 10*time.Millisecond {
			call()
			calls++
		}
		times = append(times, float64((processor()-begin).Nanoseconds())/1e3/float64(calls))
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// processor returns the processor time of the process.
func processor() time.Duration {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func report(name string, byRun, byRunInto float64) {
	line, err := json.Marshal(map[string]any{"name": name, "run": byRun, "runinto": byRunInto})
	must(err)
	fmt.Println(string(line))
}

func run(x graph.Node) *graph.Tensor {
	p, err := graph.Compile(x)
	must(err)
	out, err := p.Run(context.Background())
	must(err)
	return out
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
