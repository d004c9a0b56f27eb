package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/codegen/avo"
	"github.com/stridefuse/stridefuse/graph"
)

// The command html: the page of a program.

// pageRuns is the number of runs that a page's times average.
const pageRuns = 10

// html writes the page of a program with the assembly of its kernels. If inputs are given, or sizes for made-up inputs,
// the page has the times of some runs.
func (t *tool) html(ctx context.Context) error {
	t.profiled = len(t.in) > 0 || len(t.sizes) > 0
	p, err := t.compiled("a page shows what became of a graph")
	if err != nil {
		return err
	}
	if t.profiled {
		ins, err := t.given(p.Inputs(), true)
		if err != nil {
			return err
		}
		for range pageRuns {
			if _, err := p.RunAll(ctx, ins...); err != nil {
				return err
			}
		}
	}
	var page bytes.Buffer
	if err := p.WriteHTML(&page, graph.WithAssembly(t.assembly)); err != nil {
		return err
	}
	switch len(t.out) {
	case 0:
		_, err = t.stdout.Write(page.Bytes())
	case 1:
		err = os.WriteFile(t.out[0], page.Bytes(), 0o666)
	default:
		err = fmt.Errorf("%d files for one page", len(t.out))
	}
	return err
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
