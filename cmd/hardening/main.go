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

A case takes the text of a graph, a plan or a schedule of a program that the compiler made, and changes up to four places:
numbers to their neighbours, to other numbers of the text and to the ends of the ints; lists by removing, repeating or exchanging
items; kernels by others. What still parses is verified. What verifies runs on inputs of zeros, rising numbers or any bits,
with outputs, temporaries, local memory and
tables between two pages that may not be touched, flush with one of them. A failure is a panic, a touch of such a page, an error of
a run that was verified, a schedule that does not verify though its plan does, or a run that goes on for a second after its context.
Micro-kernels are called on memory as long as the verifier takes it to be, with any sizes it takes. The last row runs programs as the compiler made them, on both engines with one to eight workers; a failure is a bit that differs.

| attack | cases | parsed | verified | ran | failures |
|---|---|---|---|---|---|
`

const latencyHead = `
## How soon a run stops

Each program runs again and again on inputs of 4096x4096 float32 (products: 1024x1024; lines: 10,000,000). *Cancel* is the time from the end of its
context to the return of the run, *stop* that of a stop of all goroutines, as the garbage collector makes it. The
numbers are of %d measurements on a virtual machine with two processors, which other work shares: the greatest ones
include times at which the machine ran something else.

`
