// Blackscholes prices a book of European options and prints the prices' sensitivities. One fused float64 loop computes
// all six numbers of an option, for chains of any length.
//
//	go run ./examples/blackscholes
//	go run ./examples/blackscholes -in book.csv -rows 20
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stridefuse/stridefuse/examples/blackscholes/greeks"
	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "blackscholes:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("blackscholes", flag.ContinueOnError)
	in := flags.String("in", "", "a CSV `file` with the columns "+columns+" (default: a book made up)")
	rows := flags.Int("rows", 3, "how many options of each chain to print")
	speed := flags.Int("speed", 1<<20, "how many options to time, 0 for none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *rows < 0 || *speed < 0 {
		return fmt.Errorf("arguments %q: -in takes the book; -rows and -speed are at least 0", args)
	}
	book, err := load(*in)
	if err != nil {
		return err
	}
	program, err := greeks.Program()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%-10s %-4s %8s %8s %7s %6s | %9s %8s %8s %8s %9s %9s\n",
		"underlying", "kind", "spot", "strike", "years", "vol", "price", "delta", "gamma", "vega", "theta", "rho")
	var total [6]float64
	for _, c := range book {
		out, err := c.value(program)
		if err != nil {
			return err
		}
		for i := range c.strike {
			if i < *rows {
				fmt.Fprintf(stdout, "%-10s %-4s %8.2f %8.2f %7.4f %6.4f | %9.4f %8.5f %8.5f %8.4f %9.4f %9.4f\n", c.underlying, c.kind,
					c.spot, c.strike[i], c.years[i], c.vol[i], out[0][i], out[1][i], out[2][i], out[3][i], out[4][i], out[5][i])
			}
			for k := range total {
				total[k] += c.quantity[i] * out[k][i]
			}
		}
	}
	fmt.Fprintln(stdout)
	for k, name := range greeks.Names {
		fmt.Fprintf(stdout, "the book's %-6s %14.2f\n", name, total[k])
	}
	if *speed > 0 {
		return throughput(program, *speed, stdout)
	}
	return nil
}

// value returns the six numbers of each option of a chain.
func (c *chain) value(p *graph.Program) (out [6][]float64, err error) {
	kind := 1.0
	if c.kind == "put" {
		kind = -1
	}
	results, err := p.RunAll(context.Background(), scalar(c.spot), scalar(c.rate), scalar(kind),
		graph.Of(c.strike), graph.Of(c.years), graph.Of(c.vol))
	for k, t := range results {
		out[k], _ = graph.Data[float64](t) // a result is row-major
	}
	return out, err
}

func scalar(v float64) *graph.Tensor { return graph.Full(graph.Float64, v) }

// throughput times the program on n random options.
func throughput(p *graph.Program, n int, stdout io.Writer) error {
	draw := func(seed uint64, lo, hi float64) *graph.Tensor { return graph.Uniform(graph.Float64, seed, lo, hi, n) }
	ins := []*graph.Tensor{scalar(100), scalar(0.03), scalar(1), draw(1, 60, 150), draw(2, 0.05, 3), draw(3, 0.1, 0.6)}
	outs, err := p.RunAll(context.Background(), ins...)
	if err != nil {
		return err
	}
	best := time.Duration(1<<63 - 1)
	for range 10 {
		start := time.Now()
		if err := p.RunInto(context.Background(), outs, ins...); err != nil {
			return err
		}
		best = min(best, time.Since(start))
	}
	fmt.Fprintf(stdout, "\n%d options in %v: %.1f million a second\n", n, best.Round(time.Microsecond), float64(n)/best.Seconds()/1e6)
	return nil
}
