package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
	"github.com/stridefuse/stridefuse/ir"
)

// The command explore: a page with a program's text on the left, and what it computes and becomes on the right. The page
// asks questions, which answer answers: over HTTP (explore_server.go), or in the browser (explore_js.go).

// question is a program and the sizes to run it with.
type question struct {
	Formula string         // in NumPy's notation; or
	Graph   string         // the text of a graph; or
	Model   []byte         // a file in the ONNX format
	Inputs  string         // of a formula: lines such as "x: float32[n,3]"
	Sizes   map[string]int // missing ones are firstSize
	Tiling  bool           // whether no kernel of a whole loop is taken
}

// reply is what the page shows.
type reply struct {
	Page   string         // the page of the program
	Output string         // what a run with made-up inputs computes
	Took   string         // the median time of a run
	Sizes  map[string]int // all symbolic sizes, with their numbers
	Error  string
}

const (
	firstSize     = 8                // a size until the user chooses one
	answerTimeout = 20 * time.Second // an answer that takes longer is an error
	firstTimeout  = 2 * time.Minute  // of the first one, before which tables are made: in a browser that takes long
	timedFor      = time.Second / 4  // how long runs are repeated
	leastShown    = 3                // the first of them is not timed
	mostRuns      = 100
)

// answer compiles and runs the program of a question.
func (t *tool) answer(ctx context.Context, q question) reply {
	timeout := answerTimeout
	if !t.answered.Swap(true) {
		timeout = firstTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sub := &tool{stdout: t.stdout, stderr: t.stderr, pipeline: t.pipeline, profiled: true, flags: flags{arg: "text", tiling: q.Tiling, workers: t.workers}}
	if q.Formula != "" {
		sub.arg = q.Formula // placed shows the mistake in it
	}
	result := make(chan reply, 1)
	err := run(ctx, func() error {
		var r reply
		defer func() { result <- r }()
		e, err := sub.explored(q)
		if err == nil {
			r.Sizes, err = chosenSizes(e.inputs, q.Sizes)
		}
		if err == nil {
			err = e.show(ctx, &r, sub)
		}
		return err
	})
	if err == nil {
		return <-result
	}
	r := reply{Error: sub.placed(err).Error()}
	select {
	case partial := <-result:
		r.Sizes = partial.Sizes
	default: // it is not done
	}
	return r
}

// explored is a program that can be run and shown.
type explored struct {
	inputs []graph.Port
	run    func(context.Context, []*graph.Tensor) ([]*graph.Tensor, error)
	shown  *graph.Program
}

// explored compiles the program of a question.
func (t *tool) explored(q question) (*explored, error) {
	switch {
	case q.Model != nil:
		return t.exploredModel(q.Model)
	case q.Graph != "":
		s, err := t.sourceOf(q.Graph)
		if err != nil {
			return nil, err
		}
		p, err := t.compiledOf(s, "a page shows what became of a graph")
		if err != nil {
			return nil, err
		}
		return programOf(p), nil
	}
	inputs, err := inputsOf(q.Inputs)
	if err != nil {
		return nil, err
	}
	y, err := formula.ParseFile(formulaFile, q.Formula, inputs)
	if err != nil {
		return nil, err
	}
	items := []graph.Item{graph.Output("y", y)}
	for _, o := range t.options() {
		items = append(items, o)
	}
	p, err := graph.Compile(items...)
	if err != nil {
		return nil, err
	}
	return programOf(p), nil
}

func programOf(p *graph.Program) *explored {
	return &explored{p.Inputs(), func(ctx context.Context, ins []*graph.Tensor) ([]*graph.Tensor, error) { return p.RunAll(ctx, ins...) }, p}
}

// exploredModel compiles a model. A model in several programs is shown by its first one.
func (t *tool) exploredModel(file []byte) (*explored, error) {
	p, err := onnx.Parse(file, onnx.With(t.options()...))
	if err != nil {
		return nil, err
	}
	inputs := p.Graph().Inputs()
	return &explored{inputs, func(ctx context.Context, ins []*graph.Tensor) ([]*graph.Tensor, error) {
		feeds := graph.Feeds{}
		for i, in := range inputs {
			feeds[in.Name] = ins[i]
		}
		outs, err := p.Run(ctx, feeds)
		if err != nil {
			return nil, err
		}
		var list []*graph.Tensor
		for _, name := range p.Outputs() {
			list = append(list, outs[name])
		}
		return list, nil
	}, p.Graph()}, nil
}

// inputsOf parses the inputs of a formula: a line for each, such as "x: float32[n,3]".
func inputsOf(text string) (map[string]graph.Node, error) {
	inputs := map[string]graph.Node{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, kind, _ := strings.Cut(line, ":")
		dtype, shape, bracket := strings.Cut(strings.TrimSpace(kind), "[")
		name = strings.TrimSpace(name)
		dt, ok := typeNamed(strings.TrimSpace(dtype))
		shape, closed := strings.CutSuffix(strings.TrimSpace(shape), "]")
		if !ok || name == "" || bracket && !closed {
			return nil, fmt.Errorf("the input %q: write a name, a type and a shape, as in x: float32[n,3]", line)
		}
		if _, twice := inputs[name]; twice {
			return nil, fmt.Errorf("the input %s is given twice", name)
		}
		var extents []any
		for d := range strings.SplitSeq(shape, ",") {
			if d = strings.TrimSpace(d); d != "" {
				extents = append(extents, graph.Dim(d))
			}
		}
		x := graph.Input(name, dt, extents...)
		if err := x.Err(); err != nil {
			return nil, err
		}
		inputs[name] = x
	}
	return inputs, nil
}

// typeNamed returns the element type with a name in Go, such as float32, or in dumps, such as f32.
func typeNamed(name string) (graph.DType, bool) {
	for d := ir.Bool; d.Check() == nil; d++ {
		if d.String() == name || d.Text() == name {
			return d, true
		}
	}
	return ir.Invalid, false
}

// chosenSizes returns the symbolic sizes of inputs, with the given numbers.
func chosenSizes(inputs []graph.Port, given map[string]int) (map[string]int, error) {
	sizes := map[string]int{}
	for _, in := range inputs {
		for _, d := range in.Shape {
			for _, name := range d.Names() {
				n, ok := given[name]
				if !ok {
					n = firstSize
				}
				if n < 0 {
					return nil, fmt.Errorf("the size %s is %d: give 0 or more", name, n)
				}
				sizes[name] = n
			}
		}
	}
	return sizes, nil
}

// show runs a program on made-up inputs until the time is known, and writes its page.
func (e *explored) show(ctx context.Context, r *reply, t *tool) error {
	ins := make([]*graph.Tensor, len(e.inputs))
	for i, in := range e.inputs {
		var err error
		if in.Shape, err = in.Shape.Bind(r.Sizes); err != nil {
			return err
		}
		if ins[i], err = makeUp(in, uint64(i)+1); err != nil {
			return err
		}
	}
	var times []time.Duration
	for begin := time.Now(); len(times) < leastShown || len(times) < mostRuns && time.Since(begin) < timedFor; {
		start := time.Now()
		outs, err := e.run(ctx, ins)
		if err != nil {
			return err
		}
		times = append(times, time.Since(start))
		if len(times) == 1 {
			for _, out := range outs {
				r.Output += fmt.Sprintln(out)
			}
		}
	}
	times = times[1:]
	slices.Sort(times)
	r.Took = times[len(times)/2].String()
	var page bytes.Buffer
	if err := e.shown.WriteHTML(&page, graph.WithAssembly(t.assembly)); err != nil {
		return err
	}
	r.Page = page.String()
	return nil
}

// answerText answers a question in JSON.
func (t *tool) answerText(ctx context.Context, text []byte) []byte {
	var q question
	r := reply{}
	if err := json.Unmarshal(text, &q); err != nil {
		r.Error = err.Error()
	} else {
		r = t.answer(ctx, q)
	}
	out, err := json.Marshal(r)
	if err != nil {
		panic("BUG: stridefuse: " + err.Error())
	}
	return out
}

//go:embed explorer/index.html
var explorerPage []byte

//go:embed explorer/explorer.js
var explorerScript []byte

// explorerFiles are the files of the explorer that do not depend on where it runs.
func explorerFiles() map[string][]byte {
	return map[string][]byte{"index.html": explorerPage, "explorer.js": explorerScript}
}
