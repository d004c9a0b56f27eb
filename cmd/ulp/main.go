// Command ulp measures how far the elementary functions are from their exact values, in units of the last place, and
// whether every engine gives the same bits.
//
//	go run ./cmd/ulp -op log,exp -type f64 -n 100000
//	go run ./cmd/ulp -update
//	go run ./cmd/ulp -engine portable
//
// Float32 functions of one argument are tried on all 2^32 inputs unless -n says otherwise. Other functions are tried on
// samples that are the same each time: all special values, the worst arguments of former searches, elements of any
// bits, subnormals, neighbours of the constants in the function's expansions, the strata that functions.go names, and
// then, several times, neighbours of the worst inputs so far (climb.go).
//
// The reference for float64 is double-double arithmetic of package oracle, and 96 bits or more for results within 1e-5
// ULP of the worst. The reference for float32 is float64: the library's own kernels, checked against another
// implementation at every 61st input. The oracle decides between results within 1e-5 ULP of the worst.
//
// -update writes the results into the committed table, and the table into the documentation of package graph. With -n
// it keeps rows that were measured on more inputs, unless the function has changed. -engine computes the table's hashes
// again on one engine (portable, avx2 or avx512), including those over all 2^32 inputs. -sweep compares the assembly
// engines (and with -engine portable the Go loops) over all 2^32 inputs. It writes into the table how often monotone
// functions fall, and into swept.txt which engines were compared.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ulp:", err)
		os.Exit(1)
	}
}

// settings are the values of the flags.
type settings struct {
	ops, types string
	n          int
	workers    int
	update     bool
	compared   string // name of the engine to compare
	engine     abi.Engine
	cases      bool
	sweeps     bool
	complex    bool
	subset     bool  // try only a subset of the inputs of a full measurement, for tests
	table      table // the committed table
}

func run(ctx context.Context, args []string) error {
	var s settings
	flags := flag.NewFlagSet("ulp", flag.ContinueOnError)
	flags.StringVar(&s.ops, "op", "", "functions to measure, with commas; all without it")
	flags.StringVar(&s.types, "type", "f32,f64", "element types to measure")
	flags.IntVar(&s.n, "n", 0, "how many inputs to draw; without it all 2^32 of float32, 2^24 of float64 or pairs of float32, and five times as many beside the worst of those")
	flags.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "how many threads to use")
	flags.BoolVar(&s.update, "update", false, "write the results into the table and the documentation")
	flags.StringVar(&s.compared, "engine", "", "compare the hashes of the table with an engine's: portable, avx2 or avx512")
	flags.BoolVar(&s.sweeps, "sweep", false, "compare engines over all 2^32 inputs of float32 functions, and write where they fall into the table")
	flags.BoolVar(&s.complex, "complex", false, "measure functions of complex numbers, and write the results into their table")
	flags.BoolVar(&s.cases, "cases", false, "print the cases that peers.py compares with other libraries")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if s.table, err = readTable(filepath.Join(root, tableFile)); err != nil && !os.IsNotExist(err) {
		return err
	}
	if s.cases {
		return writeCases(ctx, os.Stdout, s.table)
	}
	if s.complex {
		return measureComplex(ctx, root)
	}
	list, err := chosen(s.ops)
	if err != nil {
		return err
	}
	for s.compared != "" && s.engine.String() != s.compared {
		if s.engine++; s.engine > abi.Best() {
			return fmt.Errorf("this machine has no engine %q", s.compared)
		}
	}
	for _, f := range list {
		for _, dt := range dtypes {
			if !slices.Contains(strings.Split(s.types, ","), dt.Text()) {
				continue
			}
			do := s.show
			switch {
			case s.sweeps:
				do = s.sweep
			case s.compared != "":
				do = s.compare
			case s.update:
				do = s.updateTable
			}
			if err := do(ctx, f, dt); err != nil {
				return err
			}
		}
	}
	return nil
}

func chosen(ops string) ([]*function, error) {
	names := strings.Split(ops, ",")
	var out []*function
	for i := range functions {
		if name := functions[i].name(); ops == "" || slices.Contains(names, name) {
			out = append(out, &functions[i])
			names = slices.DeleteFunc(names, func(s string) bool { return s == name })
		}
	}
	if ops != "" && len(names) > 0 {
		return nil, fmt.Errorf("no function is called %q", names)
	}
	return out, nil
}

// show measures and prints the result.
func (s *settings) show(ctx context.Context, f *function, dt ir.DType) error {
	ms, err := s.measure(ctx, f, dt)
	for _, m := range ms {
		fmt.Println(m.report(f))
	}
	return err
}

// updateTable measures completely and writes the files after each function, so that a run may be stopped and resumed.
func (s *settings) updateTable(ctx context.Context, f *function, dt ir.DType) error {
	rows, err := s.rows(ctx, f, dt)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return writeTable(root, f.op, dt, rows)
}

// moduleRoot returns the folder of go.mod: this one or a parent.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
