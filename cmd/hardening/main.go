//go:build unix

// Hardening attacks the library, and measures how soon it stops. Its report is docs/hardening.md:
//
//	go run ./cmd/hardening -cases 1000000 -rounds 41 -o docs/hardening.md
//
// Failures are printed with their texts, and the exit code is 1. The tests of this package make a short attack.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	cases := flag.Int("cases", 100_000, "changed texts of each kind")
	seed := flag.Uint64("seed", 1, "of the changes")
	rounds := flag.Int("rounds", 0, "measurements of each latency; 0 measures none")
	out := flag.String("o", "", "the file of the report; without it, standard output")
	flag.Parse()
	var report bytes.Buffer
	failed, err := write(&report, *seed, *cases, *rounds)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, report.Bytes(), 0o666)
	} else if err == nil {
		_, err = os.Stdout.Write(report.Bytes())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || failed {
		os.Exit(1)
	}
}

// write writes the report and prints the failures.
func write(w io.Writer, seed uint64, cases, rounds int) (failed bool, err error) {
	attacks, err := attackTexts(seed, cases)
	if err != nil {
		return false, err
	}
	engines, err := attackEngines(seed, cases/100)
	if err != nil {
		return false, err
	}
	kernels, _, err := attackKernels(seed, cases)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(w, head, seed, cases)
	for _, t := range append(attacks, kernels, engines) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", t.name, t.cases, t.parsed, t.verified, t.ran, len(t.failures))
		for _, f := range t.failures {
			fmt.Fprintln(os.Stderr, f)
			failed = true
		}
	}
	if rounds > 0 {
		fmt.Fprintf(w, latencyHead, rounds)
		err = measureLatency(w, rounds)
	}
	return failed, err
}

const head = `# Hardening

What is trusted is in [SECURITY.md](../SECURITY.md). This page is written by ` + "`go run ./cmd/hardening`" + `, here with the seed
%d and %d changed texts of each kind. CI runs a short form of it.

## Attacks

A case takes the text of a graph, a plan or a schedule that the compiler made, and changes up to four places: a number becomes a
neighbour, another number of the text or an end of the ints; a list loses, repeats or exchanges items; a kernel becomes another one. If
the text still parses it is verified. If it verifies it runs on inputs of zeros, rising numbers or any bits. Outputs, temporaries, local
memory and tables lie between two pages without access, flush with one of them. These are failures:

- a panic
- an access to such a page
- an error of a run that was verified
- a schedule that does not verify although its plan does
- a run that goes on for a second after its context has ended

Micro-kernels are called with any sizes that the verifier accepts, on memory exactly as long as it computes. The last row runs unchanged
programs on both engines with one to eight workers; a failure is a bit that differs.

| attack | cases | parsed | verified | ran | failures |
|---|---|---|---|---|---|
`

const latencyHead = `
## How soon a run stops

Each program runs repeatedly on inputs of 4096x4096 float32 (products: 1024x1024; lines: 10,000,000). *Cancel* is the time from the end
of its context to the return of the run. *Stop* is the time of a stop of all goroutines during the run, as the garbage collector needs.
Each row has %d measurements on a busy virtual machine with two processors: the greatest ones include times at which the machine ran
something else.

`
