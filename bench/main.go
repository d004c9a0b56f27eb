// Bench measures the workloads that the peers' programs also measure, and prints a JSON line for each; see README.md
// beside it.
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
	note  string
	run   func() error
	check func() error // runs the call and checks the result; nil if there is nothing to check
	rate  float64      // bytes, elements or operations of a call
	unit  string       // "GB/s", "elem/ns" or "GFLOP/s", "" for no rate
}

var workloads = concat(elementwise(), unseen(), grids(), elementTypes(4*360*640), overhead(), functions(), compileLatency(), gradients())

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
	only := flags.String("only", "^W", "measure the workloads whose \"name size\" this `regexp` matches; all of them: .")
	notes := flags.String("note", "^(generated kernel(, bound)?|fresh)$", "of the ways to run a workload, those whose note this `regexp` matches; all of them: .")
	short := flags.Bool("short", false, "time one call of each: a check of the results, and no measurement")
	list := flags.Bool("list", false, "print the workloads and measure nothing")
	counts := flags.String("count", "", "count instructions instead of measuring times: the `file` that peers/plugin.c writes")
	tunes := flags.Bool("tune", false, "measure caches, calls and goroutines, and propose constants for package ir/tuning")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: -only takes the workloads", flags.Arg(0))
	}
	if *threads < 1 {
		return fmt.Errorf("-threads %d: at least 1", *threads)
	}
	if *tunes {
		return tune(stdout)
	}
	match, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	matchNote, err := regexp.Compile(*notes)
	if err != nil {
		return fmt.Errorf("-note: %w", err)
	}
	timed := measure
	if *short {
		timed = once
	}
	if *counts != "" {
		c, err := openCounter(*counts)
		if err != nil {
			return err
		}
		defer c.file.Close()
		timed = c.measure
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
		calls, err := w.prepare(*threads)
		if err != nil {
			return fmt.Errorf("%s: %w", title, err)
		}
		for _, c := range calls {
			if !matchNote.MatchString(c.note) {
				continue
			}
			r := Result{Peer: "stridefuse", Workload: w.name, Size: w.size, Threads: *threads, Note: c.note}
			if *counts != "" {
				r.Instructions, c.unit = new(float64), ""
			}
			if err := c.measure(r, timed, stdout); err != nil {
				return fmt.Errorf("%s, %s: %w", title, c.note, err)
			}
		}
	}
	if !found {
		return fmt.Errorf("-only %q matches no workload: -list -only . shows them", *only)
	}
	return nil
}

// measure checks a call's result, times it, and prints the line.
func (c call) measure(r Result, timed func(func() error) (best, median float64, err error), stdout io.Writer) (err error) {
	if c.check != nil {
		if err := c.check(); err != nil {
			return err
		}
	}
	if r.Best, r.Median, err = timed(c.run); err != nil {
		return err
	}
	if r.Instructions != nil {
		*r.Instructions, r.Best, r.Median = r.Best, 0, 0
	}
	if c.unit != "" {
		r.Rate, r.Unit = c.rate/r.Best, c.unit
	}
	return r.print(stdout)
}
