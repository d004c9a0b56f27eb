// Bench measures the workloads that the peers' programs measure too, and
// prints a JSON line for each; see README.md beside it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// workload is a row of the table: what is measured, at one size.
type workload struct {
	name, size string
	// prepare compiles the program and makes its data. It returns the calls to
	// measure.
	prepare func(threads int) ([]call, error)
}

// call is one way of running a workload.
type call struct {
	note string
	run  func() error
	rate float64 // bytes or elements a call handles, 0 for none
	unit string  // "GB/s" or "elem/ns"
}

var workloads = concat(elementwise(), reductions(), functions(), overhead(), compileLatency())

func concat(groups ...[]workload) []workload {
	var all []workload
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	threads := flags.Int("threads", 1, "how many workers run a program")
	only := flags.String("only", "", "measure the workloads whose \"name size\" this `regexp` matches")
	list := flags.Bool("list", false, "print the workloads and measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: -only takes the workloads", flags.Arg(0))
	}
	if *threads < 1 {
		return fmt.Errorf("-threads %d: at least 1", *threads)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	found := false
	for _, w := range workloads {
		title := w.name + " " + w.size
		if !match.MatchString(title) {
			continue
		}
		found = true
		if *list {
			fmt.Fprintln(stdout, title)
			continue
		}
		if err := w.measure(*threads, stdout); err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
	}
	if !found {
		return fmt.Errorf("-only %q matches no workload: -list shows them", *only)
	}
	return nil
}

func (w workload) measure(threads int, stdout io.Writer) error {
	calls, err := w.prepare(threads)
	if err != nil {
		return err
	}
	for _, c := range calls {
		best, median, err := measure(c.run)
		if err != nil {
			return err
		}
		r := Result{Peer: "stridefuse", Workload: w.name, Size: w.size, Threads: threads, Best: best, Median: median, Note: c.note}
		if c.unit != "" {
			r.Rate, r.Unit = c.rate/best, c.unit
		}
		if err := r.print(stdout); err != nil {
			return err
		}
	}
	return nil
}
