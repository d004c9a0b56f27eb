package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Lock files, written by graph.Record and STRIDEFUSE_RECORD, have a line for each kernel that a run lacked: a signature
// and, after tabs, fields name=number. If a signature is on several lines, their numbers are added.

// weight is the bytes and time of a kernel's runs.
type weight struct{ bytes, nanos float64 }

// readLocks returns the kernels of the lock files, and their weights by signature.
func (t *tool) readLocks() ([]kernel.Code, map[string]weight, error) {
	var all strings.Builder
	for _, name := range t.from {
		if !filepath.IsAbs(name) {
			name = filepath.Join(t.dir, name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: a program that runs with STRIDEFUSE_RECORD=%s writes it", err, name)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	weights := map[string]weight{}
	for line := range strings.Lines(all.String()) {
		signature, fields, _ := strings.Cut(strings.TrimSpace(line), "\t")
		k, err := kernel.ParseCode(signature)
		if err != nil {
			continue // parseLines reports the mistake
		}
		k, _ = kernel.Canonical(k)
		w := weights[k.Signature()]
		for field := range strings.SplitSeq(fields, "\t") {
			name, number, _ := strings.Cut(field, "=")
			n, _ := strconv.ParseFloat(number, 64)
			switch name {
			case "bytes":
				w.bytes += n
			case "ns":
				w.nanos += n
			}
		}
		weights[k.Signature()] = w
	}
	kernels, err := parseLines(all.String())
	return kernels, weights, err
}

// printMissing lists the kernels of lock files that the generated files lack, by decreasing share of the recorded time.
func printMissing(w io.Writer, missing []string, weights map[string]weight) {
	total := 0.0
	for _, x := range weights {
		total += x.nanos
	}
	slices.SortStableFunc(missing, func(a, b string) int { return cmp.Compare(weights[b].nanos, weights[a].nanos) })
	for _, s := range missing {
		x := weights[s]
		fmt.Fprintf(w, "genkernels: missing, %.0f%% of the recorded time, %.3g bytes: %s\n", 100*x.nanos/max(total, 1), x.bytes, s)
	}
}
