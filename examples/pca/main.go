// Pca finds the principal components of the iris data by power iteration: the directions along which the four
// measurements of 150 flowers vary most. It prints them, and draws the flowers along the first two.
//
//	go run .
//	go run . -explain -out pca.svg
//
// It is a separate module because it draws with gonum.org/v1/plot, which programs that use Stridefuse don't need.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "pca:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("pca", flag.ContinueOnError)
	out := flags.String("out", "pca.png", "the picture's `file`: .png, .svg or .pdf")
	explain := flags.Bool("explain", false, "print what the compiler made")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	f, err := read(iris, "iris.csv")
	if err != nil {
		return err
	}
	c, err := compile()
	if err != nil {
		return err
	}
	a, err := c.analyse(f.values)
	if err != nil {
		return err
	}
	a.print(stdout, f)
	if *explain {
		for _, p := range []*graph.Program{c.covariance, c.power, c.projection} {
			fmt.Fprintf(stdout, "\n%s", p.Explain())
		}
	}
	return a.draw(*out, f)
}

func (a *analysis) print(w io.Writer, f *flowers) {
	row := func(head string, columns ...any) {
		fmt.Fprintf(w, "%-45s"+strings.Repeat(" %14s", len(columns))+"\n", append([]any{head}, columns...)...)
	}
	fmt.Fprintf(w, "Iris, %d flowers of %d measurements\n", len(f.species), len(f.measured))
	row("            variance    share      sum  steps", columns("%s", f.measured)...)
	sum := 0.0
	for i, v := range a.variance {
		sum += a.share[i]
		head := fmt.Sprintf("component %d %8.6f %8.6f %8.6f %6d", i+1, v, a.share[i], sum, a.steps[i])
		row(head, columns("%.8f", a.components[i])...)
	}
	row("mean", columns("%.8f", a.mean)...)
	fmt.Fprintf(w, "The components are orthonormal but for %.0e, and eigenvectors but for %.0e.\n", a.skew, a.off)
}

// columns formats each of some values.
func columns[T any](format string, values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = fmt.Sprintf(format, v)
	}
	return out
}
