// Climate looks for what repeats in two long records: carbon dioxide in the air over Mauna Loa, and sunspots. It prints
// the trend, the seasons, the cycle and some correlations, and draws them.
//
//	go run .
//	go run . -explain -out climate.svg
//
// It is a separate module because it draws with gonum.org/v1/plot, which programs that use Stridefuse don't need.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "climate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("climate", flag.ContinueOnError)
	out := flags.String("out", "climate.png", "the picture's `file`: .png, .svg or .pdf")
	explain := flags.Bool("explain", false, "print what the compiler made")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	air, err := read(co2, "co2.csv")
	if err != nil {
		return err
	}
	sun, err := read(sunspots, "sunspots.csv")
	if err != nil {
		return err
	}
	c, err := compile()
	if err != nil {
		return err
	}
	f, err := c.find(air, sun)
	if err != nil {
		return err
	}
	f.print(stdout)
	if *explain {
		for _, p := range c.programs() {
			fmt.Fprintf(stdout, "\n%s", p.Explain())
		}
	}
	return f.draw(*out)
}

// compiled are the programs. Each serves series of every length.
type compiled struct{ trend, mean12, mean13, correlation *graph.Program }

func (c *compiled) programs() []*graph.Program {
	return []*graph.Program{c.trend, c.mean12, c.mean13, c.correlation}
}

func compile() (*compiled, error) {
	t, err1 := trend()
	m12, err2 := runningMean(12)
	m13, err3 := runningMean(13)
	r, err4 := correlation()
	return &compiled{t, m12, m13, r}, errors.Join(err1, err2, err3, err4)
}

// line is the result of the program trend for a series.
type line struct {
	slope, mean  float64
	rest, season []float64
}

func (c *compiled) line(x *graph.Tensor) (*line, error) {
	out, err := c.trend.RunAll(context.Background(), x)
	if err != nil {
		return nil, err
	}
	return &line{number(out[0]), number(out[1]), numbers(out[2]), numbers(out[3])}, nil
}

// smooth is the result of a program of running means for a series.
type smooth struct {
	means    []float64
	greatest float64
	at       int // first month of the greatest mean
	around   []float64
}

func means(p *graph.Program, x *graph.Tensor) (*smooth, error) {
	out, err := p.RunAll(context.Background(), x)
	if err != nil {
		return nil, err
	}
	at, err := graph.At[int64](out[2])
	return &smooth{numbers(out[0]), number(out[1]), int(at), numbers(out[3])}, err
}

func (c *compiled) correlate(a, b *graph.Tensor) (float64, error) {
	out, err := c.correlation.Run(context.Background(), a, b)
	if err != nil {
		return 0, err
	}
	return number(out), nil
}

// lagged correlates the first n months with n months that begin later. Both are views of one series.
func (c *compiled) lagged(x *graph.Tensor, n, lag int) (float64, error) {
	return c.correlate(x.SliceAxis(0, 0, n, 1), x.SliceAxis(0, lag, lag+n, 1))
}

// numbers returns the elements of a row-major result without a copy.
func numbers(t *graph.Tensor) []float64 {
	v, err := graph.Data[float64](t)
	if err != nil {
		panic(err)
	}
	return v
}

func number(t *graph.Tensor) float64 { return numbers(t)[0] }
