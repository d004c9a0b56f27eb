package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
)

// The commands run and eval. Outputs are printed, or written to files.

// run runs a program of any level.
func (t *tool) run(ctx context.Context) error {
	if err := t.checkOut(); err != nil {
		return err
	}
	p, err := t.load()
	if err != nil {
		return err
	}
	ins, err := t.given(p.Inputs(), false)
	if err != nil {
		return err
	}
	outs, err := p.RunAll(ctx, ins...)
	if err != nil {
		return err
	}
	return t.deliver(outs)
}

// eval computes a formula on arrays.
func (t *tool) eval(ctx context.Context) error {
	if err := t.checkOut(); err != nil {
		return err
	}
	nodes := map[string]graph.Node{}
	feed := map[string]*graph.Tensor{}
	for _, in := range t.in {
		if err := checkReal(in.file); err != nil {
			return err
		}
		x, err := readArray(in.file)
		if err != nil {
			return err
		}
		feed[in.name] = x
		nodes[in.name] = graph.Input(in.name, x.DType(), x.Shape())
	}
	y, err := formula.ParseFile(formulaFile, t.arg, nodes)
	if err != nil {
		return err
	}
	items := []graph.Item{graph.Output("y", y)}
	for _, o := range t.options() {
		items = append(items, o)
	}
	p, err := graph.Compile(items...)
	if err != nil {
		return err
	}
	if t.graph {
		fmt.Fprint(t.stdout, p)
		return nil
	}
	var ins []*graph.Tensor
	for _, in := range p.Inputs() {
		ins = append(ins, feed[in.Name])
	}
	out, err := p.Run(ctx, ins...)
	if err != nil {
		return err
	}
	return t.deliver([]*graph.Tensor{out})
}

// formulaFile is the file name in the positions of formulas.
const formulaFile = "formula"

// placed replaces the position of an error by that in the formula, with a caret, and drops a position in this command's
// own source.
func (t *tool) placed(err error) error {
	var inFormula *formula.Error
	if errors.As(err, &inFormula) {
		inFormula.Pos = graph.Pos{}
		return err
	}
	var e *graph.Error
	if !errors.As(err, &e) {
		return err
	}
	_, own, _, _ := goruntime.Caller(0)
	switch {
	case e.Pos.File == formulaFile:
		return &formula.Error{Text: t.arg, Offset: e.Pos.Line - 1, Msg: strings.TrimPrefix((&graph.Error{Op: e.Op, Msg: e.Msg}).Error(), "run: ")}
	case filepath.Dir(e.Pos.File) == filepath.Dir(own):
		return &graph.Error{Op: e.Op, Msg: e.Msg}
	}
	return err
}

// deliver writes outputs to the named files, and prints the others.
func (t *tool) deliver(outs []*graph.Tensor) error {
	if len(t.out) > len(outs) {
		return fmt.Errorf("%s for %s: -out %s is one too many", counted(len(t.out), "file"), counted(len(outs), "output"), t.out[len(outs)])
	}
	for i, out := range outs {
		if i < len(t.out) {
			if err := writeArray(t.out[i], out); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(t.stdout, out)
	}
	return nil
}

const (
	progressEvery = 200 * time.Millisecond
	quiet         = time.Second // a shorter run shows no progress
)

// progress returns an observer that shows on the terminal the progress of a run longer than a second.
func (t *tool) progress() func(context.Context, graph.Progress) {
	var mu sync.Mutex
	shown := false
	return func(_ context.Context, p graph.Progress) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case p.Fraction == 1 && shown:
			fmt.Fprintf(t.stderr, "\r%s\r", strings.Repeat(" ", 60))
			shown = false
		case p.Elapsed > quiet && p.Fraction < 1:
			fmt.Fprintf(t.stderr, "\r%3.0f%%  step %d of %d  %s ", 100*p.Fraction, min(p.Done+1, p.Steps), p.Steps, p.Elapsed.Round(time.Second/10))
			shown = true
		}
	}
}
