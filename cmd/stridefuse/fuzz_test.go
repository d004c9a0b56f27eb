package main

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/passes"
)

// mostFuzzed is the most elements of the inputs of a fuzzed text.
const mostFuzzed = 1 << 16

// texts returns the texts of the examples at each level.
func texts(t require.TestingT) []string {
	out := []string{half}
	for name, e := range examples() {
		p, err := graph.Compile(e.outs, graph.WithName(name))
		require.NoError(t, err)
		_, err = p.RunAll(context.Background(), e.ins...)
		require.NoError(t, err)
		for _, stage := range []string{"graph", "fuse", "loops", "tiles", "plan", "schedule"} {
			var text bytes.Buffer
			require.NoError(t, p.Dump(&text, stage))
			out = append(out, text.String())
		}
	}
	slices.Sort(out)
	return out
}

// runText runs a text as the command run does, with made-up inputs, and reports whether it ran to its end.
func runText(ctx context.Context, text string) bool {
	t := &tool{stdin: strings.NewReader(text), stdout: io.Discard, stderr: io.Discard, pipeline: passes.Default}
	t.arg, t.workers, t.sizes = "-", 2, map[string]int{"n": 50}
	p, err := t.load()
	if err != nil {
		return false
	}
	for _, in := range p.Inputs() {
		if n, known := in.Shape.NumElems().Int(); !known || n > mostFuzzed {
			return false
		}
	}
	ins, err := t.given(p.Inputs(), true)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = p.RunAll(ctx, ins...)
	return err == nil
}

// FuzzRun takes text of all kinds through run: it computes something, or is an error.
func FuzzRun(f *testing.F) {
	for _, text := range texts(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { runText(t.Context(), text) })
}

// TestChangedNumbers runs texts of all levels with exchanged numbers: most are rejected, and none does harm. (Package
// cmd/hardening runs more, beside memory without access.)
func TestChangedNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	number := regexp.MustCompile(`-?\d+`)
	ran := 0
	for _, text := range texts(t) {
		places := number.FindAllStringIndex(text, -1)
		for range 8 {
			at, other := places[random.IntN(len(places))], places[random.IntN(len(places))]
			by := []string{text[other[0]:other[1]], "0", "1", "-1", "2", "7", "1000000007", "9223372036854775807"}[random.IntN(8)]
			if runText(t.Context(), text[:at[0]]+by+text[at[1]:]) {
				ran++
			}
		}
	}
	require.Positive(t, ran)
}
