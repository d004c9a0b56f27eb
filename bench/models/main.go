// Models repeatedly runs an ONNX model on arrays in .npy files. It prints the milliseconds from the file to the first
// result, the median of a call, and the milliseconds of loading. With -out it writes the results as an .npz file, and
// those that are strings as text. An input of strings is a file *.txt with one in a line. compare.py, packages.py and
// pipelines.py run it beside other libraries.
//
//	models [-threads 1] [-seconds 2] [-out y.npz] model.onnx input=x.npy ...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	threads := flag.Int("threads", 1, "how many")
	seconds := flag.Float64("seconds", 2, "of calls that are timed")
	out := flag.String("out", "", "an .npz file to write the results to")
	flag.Parse()
	if flag.NArg() < 1 {
		fmt.Fprintln(os.Stderr, "models: want model.onnx input=x.npy ...")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *threads, time.Duration(*seconds*float64(time.Second)), *out); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

func run(model string, inputs []string, threads int, timed time.Duration, out string) error {
	goruntime.GOMAXPROCS(threads)
	feeds, lines := graph.Feeds{}, map[string][]string{}
	for _, input := range inputs {
		name, file, _ := strings.Cut(input, "=")
		if strings.HasSuffix(file, ".txt") {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			lines[name] = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			continue
		}
		x, err := npy.ReadFile(file)
		if err != nil {
			return err
		}
		feeds[name] = x
	}
	ctx, begun := context.Background(), time.Now()
	p, err := onnx.Load(model, onnx.With(graph.WithWorkers(threads)))
	if err != nil {
		return err
	}
	loaded := time.Since(begun)
	for name, strings := range lines {
		feeds[name] = p.Encode(strings, len(strings), 1)
	}
	results, err := p.Run(ctx, feeds)
	if err != nil {
		return err
	}
	first := time.Since(begun)
	if out != "" {
		if err := write(out, results); err != nil {
			return err
		}
		for _, name := range p.Strings() {
			if t := results[name]; t != nil {
				list, err := p.Decode(t)
				if err != nil {
					return err
				}
				if err := os.WriteFile(out+"."+name+".txt", []byte(strings.Join(list, "\n")+"\n"), 0o644); err != nil {
					return err
				}
			}
		}
	}
	var calls []time.Duration
	for all := time.Now(); len(calls) < 5 || time.Since(all) < timed; {
		begun := time.Now()
		if _, err := p.Run(ctx, feeds); err != nil {
			return err
		}
		calls = append(calls, time.Since(begun))
	}
	slices.Sort(calls)
	fmt.Printf("%.3f %.4f %.3f\n", milliseconds(first), milliseconds(calls[len(calls)/2]), milliseconds(loaded))
	return nil
}

// write writes tensors to an .npz file.
func write(file string, tensors map[string]*graph.Tensor) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	a := npy.NewArchiveWriter(f)
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if err := a.Write(name, tensors[name]); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(a.Close(), f.Close())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
