// Forests scores rows with a forest of decision trees, and prints the microseconds of processor time a row, the least of some rounds,
// and the sum of the scores. A model *.onnx runs with Stridefuse, any other is a file of LightGBM for the library leaves. Each call scores
// other rows of the array, unless -same is given. forests.py runs it beside onnxruntime.
//
//	forests [-batch 100] [-same] [-output probabilities] [-seconds 0.2] model.onnx rows.npy
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/dmitryikh/leaves"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
)

const rounds = 5

func main() {
	batch := flag.Int("batch", 100, "rows of a call")
	same := flag.Bool("same", false, "whether all calls score the same rows")
	output := flag.String("output", "probabilities", "of an ONNX model, to add up")
	seconds := flag.Float64("seconds", 0.2, "of a round")
	flag.Parse()
	if err := run(flag.Arg(0), flag.Arg(1), *output, *batch, *same, time.Duration(*seconds*float64(time.Second))); err != nil {
		fmt.Fprintln(os.Stderr, "forests:", err)
		os.Exit(1)
	}
}

func run(model, file, output string, batch int, same bool, round time.Duration) error {
	array, err := npy.ReadFile(file)
	if err != nil {
		return err
	}
	x, err := graph.Data[float32](array)
	if err != nil {
		return err
	}
	features := array.Shape()[1]
	if batch*features > len(x) {
		return fmt.Errorf("%s has fewer rows than %d", file, batch)
	}
	load := loadLeaves
	if strings.HasSuffix(model, ".onnx") {
		load = func(model string, features int) (scorer, error) { return loadONNX(model, output, features) }
	}
	score, err := load(model, features)
	if err != nil {
		return err
	}
	total, err := score(x)
	if err != nil {
		return err
	}
	calls := len(x) / (batch * features)
	if same {
		calls = 1
	}
	least := time.Duration(1 << 62)
	for range rounds {
		rows, begun := 0, used()
		for rows == 0 || used()-begun < round {
			for k := range calls {
				if _, err := score(x[k*batch*features : (k+1)*batch*features]); err != nil {
					return err
				}
			}
			rows += calls * batch
		}
		least = min(least, (used()-begun)*1000/time.Duration(rows))
	}
	fmt.Printf("%.4f %.6f\n", float64(least)/1e6, total)
	return nil
}

// scorer scores rows, and returns the sum of the scores.
type scorer func(rows []float32) (float64, error)

func loadONNX(model, output string, features int) (scorer, error) {
	p, err := onnx.Load(model, onnx.With(graph.WithWorkers(1)))
	if err != nil {
		return nil, err
	}
	return func(rows []float32) (total float64, err error) {
		out, err := p.Run(context.Background(), graph.Feeds{p.Inputs()[0]: graph.Of(rows, len(rows)/features, features)})
		if err != nil {
			return 0, err
		}
		scores, err := graph.Data[float32](out[output])
		for k := 1; k < len(scores); k += 2 { // the second class
			total += float64(scores[k])
		}
		return total, err
	}, nil
}

func loadLeaves(model string, features int) (scorer, error) {
	forest, err := leaves.LGEnsembleFromFile(model, true)
	if err != nil {
		return nil, err
	}
	var x, y []float64
	return func(rows []float32) (total float64, err error) {
		x, y = x[:0], append(y[:0], make([]float64, len(rows)/features)...)
		for _, e := range rows {
			x = append(x, float64(e))
		}
		if err := forest.PredictDense(x, len(y), features, y, 0, 1); err != nil {
			return 0, err
		}
		for _, p := range y {
			total += p
		}
		return total, nil
	}, nil
}

// used returns the processor time of the process.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
