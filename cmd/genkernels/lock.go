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
// and, after tabs, fields name=number. If a signature is on several lines, their numbers are added. Generating the kernels
// tidies the file: each signature once, sorted, without numbers. So only what was recorded since has numbers.

// weight is the bytes and time of a kernel's runs.
type weight struct{ bytes, nanos float64 }

// readLocks returns the kernels of the lock files, and their weights by signature.
func (t *tool) readLocks() ([]kernel.Code, map[string]weight, error) {
	var all strings.Builder
	for _, name := range t.from {
		name = t.path(name)
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

// path returns the path of a lock file.
func (t *tool) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(t.dir, name)
}

// tidyLocks rewrites each lock file that is not tidy. Comments move to its beginning.
func (t *tool) tidyLocks() error {
	for _, name := range t.from {
		name = t.path(name)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tidy, err := tidied(string(text))
		if err != nil {
			return err
		}
		if tidy != string(text) {
			if err := commit(filepath.Dir(name), []change{{path: name, new: []byte(tidy)}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// tidied returns a lock file's comments and then its signatures, sorted, each once.
func tidied(text string) (string, error) {
	kernels, err := parseLines(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			fmt.Fprintln(&out, line)
		}
	}
	for _, k := range kernels {
		fmt.Fprintln(&out, k.Signature())
	}
	return out.String(), nil
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
		if x.nanos == 0 { // from a tidy line
			fmt.Fprintf(w, "genkernels: missing: %s\n", s)
			continue
		}
		fmt.Fprintf(w, "genkernels: missing, %.0f%% of the recorded time, %.3g bytes: %s\n", 100*x.nanos/max(total, 1), x.bytes, s)
	}
}
