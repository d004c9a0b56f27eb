package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/page"
	"github.com/stridefuse/stridefuse/ir"
)

// The command html: the page of a program.

// pageRuns is the number of runs that a page's times average.
const pageRuns = 10

// html writes the page of a program with the assembly of its kernels and the times of some runs. Inputs without a file are made up, which
// takes numbers for all sizes; the page says so. Runs that made-up inputs fail, such as indices outside an axis, leave a page without times.
func (t *tool) html(ctx context.Context) error {
	t.profiled = true
	p, err := t.compiled("a page shows what became of a graph")
	if err != nil {
		return err
	}
	var note string
	if len(t.in) > 0 || len(t.sizes) > 0 || !symbolic(p.Inputs()) {
		if note, err = t.runForPage(ctx, p); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	told := func(p *page.Page) {
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	if err := p.WriteHTML(&text, graph.WithAssembly(t.assembly), told); err != nil {
		return err
	}
	switch len(t.out) {
	case 0:
		_, err = t.stdout.Write(text.Bytes())
	case 1:
		err = os.WriteFile(t.out[0], text.Bytes(), 0o666)
	default:
		err = fmt.Errorf("%d files for one page", len(t.out))
	}
	return err
}

// symbolic reports whether some extent of the inputs has no number.
func symbolic(inputs []graph.Port) bool {
	return slices.ContainsFunc(inputs, func(p graph.Port) bool {
		return slices.ContainsFunc(p.Shape, func(d ir.Dim) bool {
			_, known := d.Int()
			return !known
		})
	})
}

// runForPage runs a program for its page, and returns what the page says of the inputs that were made up, or "" if all were given.
func (t *tool) runForPage(ctx context.Context, p *graph.Program) (note string, err error) {
	ins, err := t.given(p.Inputs(), true)
	if err != nil {
		return "", err
	}
	var made []string
	for _, in := range p.Inputs() {
		if !slices.ContainsFunc(t.in, func(given named) bool { return given.name == in.Name }) && t.captured[in.Name].tensor == nil {
			made = append(made, in.Name)
		}
	}
	random := "random numbers for " + strings.Join(made, ", ")
	if len(made) > 0 {
		note = "times: of " + random + "; give files by -in"
	}
	for range pageRuns {
		if _, err := p.RunAll(ctx, ins...); err != nil {
			if len(made) == 0 || ctx.Err() != nil {
				return "", err
			}
			return fmt.Sprintf("times: none, because a run fails with %s (%v); give files by -in", random, err), nil
		}
	}
	return note, nil
}

// assembly returns the annotated assembly of a kernel for the engine that runs it, or "" if the kernel has no assembly.
func (t *tool) assembly(signature string) string {
	code, err := parseSignature(signature)
	if err != nil {
		return ""
	}
	target := avo.AVX2
	if engine, _ := t.executor().Engine(signature); engine == avo.AVX512.Name() {
		target = avo.AVX512
	}
	text, err := annotated(code, target, coreRate)
	if err != nil {
		return ""
	}
	return text
}
