package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// plan is a job before it runs: the program divided into passes, the block size, and the programs for blocks.
type plan struct {
	fn       *ir.Func
	captured []*graph.Tensor
	inputs   []graph.Port
	outputs  []graph.Port
	division *blocks.Division
	size     string
	total    int     // number of rows
	shapes   [][]int // shapes of the inputs
	scale    []int   // for each input, how many elements of its first axis one row is; 0 for inputs without rows
	rows     int     // rows of a block
	count    int     // number of blocks
	memory   int     // estimated memory, in bytes
	chunks   float64 // share of chunks of arrays in that
	passes   []pass
	whole    map[int]*graph.Tensor // inputs without rows, by number
	options  []graph.Option
}

// pass has the programs for the blocks of a pass. The last block may have another number of rows, so it has its own
// program.
type pass struct{ body, last *blockProgram }

// blockProgram is the program for a block.
type blockProgram struct {
	*blocks.Block
	program *graph.Program
}

// prepare opens the inputs and plans the job.
func (j *Job) prepare() (*plan, error) {
	if j.Program == nil || len(j.Program.Inputs()) == 0 {
		return nil, errors.New("the job has no program with inputs")
	}
	p := &plan{inputs: j.Program.Inputs(), outputs: j.Program.Outputs(), whole: map[int]*graph.Tensor{}, options: j.Options}
	p.fn, p.captured = j.Program.Func()
	sizes, err := p.bind(j)
	if err != nil {
		return nil, err
	}
	if p.total == 0 {
		return nil, errors.New("there are no rows: run the program on tensors")
	}
	if p.division, err = blocks.Divide(p.fn, p.size, sizes); err != nil {
		return nil, err
	}
	if err := p.checkOutputs(j); err != nil {
		return nil, err
	}
	return p, p.choose(j)
}

// bind opens the inputs, and returns the numbers of the named sizes.
func (p *plan) bind(j *Job) (map[string]int, error) {
	var err error
	if p.size, err = j.sizeName(); err != nil {
		return nil, err
	}
	for name := range j.Inputs {
		if !slices.ContainsFunc(p.inputs, func(in graph.Port) bool { return in.Name == name }) {
			return nil, fmt.Errorf("there is no input %q: the program has %v", name, p.inputs)
		}
	}
	sizes := map[string]int{}
	p.shapes = make([][]int, len(p.inputs))
	for i, in := range p.inputs {
		s := j.Inputs[in.Name]
		if s == nil {
			return nil, fmt.Errorf("input %s has no Source", in)
		}
		dt, shape, err := s.Open()
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		if dt != in.DType || len(shape) != len(in.Shape) {
			return nil, fmt.Errorf("input %s: %s has %s %v", in, sourceText(s), dt, shape)
		}
		p.shapes[i] = shape
		for k, d := range in.Shape {
			if name, a, b, ok := d.Linear(); ok && (shape[k]-b)%a == 0 {
				sizes[name] = (shape[k] - b) / a
			}
		}
	}
	p.scale = make([]int, len(p.inputs))
	for i, in := range p.inputs {
		want, err := in.Shape.Bind(sizes)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		if !want.Equal(ir.ShapeOf(p.shapes[i]...)) {
			return nil, fmt.Errorf("input %s: %s has shape %v, where other inputs want %s", in, sourceText(j.Inputs[in.Name]), p.shapes[i], want)
		}
		if len(in.Shape) > 0 && slices.Contains(in.Shape[0].Names(), p.size) {
			p.scale[i] = p.shapes[i][0] / max(1, sizes[p.size])
		}
	}
	p.total = sizes[p.size]
	return sizes, nil
}

// sourceText returns what errors call a source.
func sourceText(s Source) string {
	if named, ok := s.(fmt.Stringer); ok {
		return named.String()
	}
	return "the source"
}

// sizeName returns the name of the number of rows.
func (j *Job) sizeName() (string, error) {
	var names []string
	for _, in := range j.Program.Inputs() {
		if len(in.Shape) > 0 {
			names = append(names, in.Shape[0].Names()...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case j.Size != "" && !slices.Contains(names, j.Size):
		return "", fmt.Errorf("no input has a first axis of the size %q", j.Size)
	case j.Size != "":
		return j.Size, nil
	case len(names) == 0:
		return "", errors.New("no input has a first axis of symbolic extent: declare it as Dim(\"n\")")
	case len(names) > 1:
		return "", fmt.Errorf("the first axes of inputs have the sizes %s: say in Job.Size which is the number of rows", strings.Join(names, ", "))
	}
	return names[0], nil
}

func (p *plan) checkOutputs(j *Job) error {
	for i, out := range p.outputs {
		if _, ok := p.division.Rows(i); ok && j.Outputs[out.Name] == nil {
			return fmt.Errorf("output %s has rows and no Sink", out)
		}
	}
	for name := range j.Outputs {
		if !slices.ContainsFunc(p.outputs, func(out graph.Port) bool { return out.Name == name }) {
			return fmt.Errorf("there is no output %q: the program has %v", name, p.outputs)
		}
	}
	return nil
}

// readWhole reads the inputs without rows.
func (p *plan) readWhole(ctx context.Context, j *Job) error {
	for i, in := range p.inputs {
		if p.scale[i] > 0 {
			continue
		}
		dt, shape, err := j.Inputs[in.Name].Open()
		if err != nil {
			return fmt.Errorf("input %s: %w", in.Name, err)
		}
		n := 1
		if len(shape) > 0 {
			n = shape[0]
		}
		own := graph.New(dt, shape...)
		t, release, err := j.Inputs[in.Name].Read(ctx, 0, n, func() *graph.Tensor { return own })
		if err != nil {
			return fmt.Errorf("input %s: %w", in.Name, err)
		}
		if err := cmp.Or(graph.Copy(own, t), release()); err != nil {
			return fmt.Errorf("input %s: %w", in.Name, err)
		}
		p.whole[i] = own
	}
	for i, t := range p.captured {
		p.whole[len(p.inputs)+i] = t
	}
	return nil
}

// block returns the first row of a block, and the row after its last.
func (p *plan) block(i int) (begin, end int) {
	if i == p.count-1 {
		return i * p.rows, p.total
	}
	return i * p.rows, (i + 1) * p.rows
}

// program returns the program for a block of a pass.
func (p *plan) program(pass, block int) *blockProgram {
	if block == p.count-1 {
		return p.passes[pass].last
	}
	return p.passes[pass].body
}

func (p *plan) String() string {
	begin, _ := p.block(p.count - 1)
	return fmt.Sprintf("%s = %d rows in %d blocks of %d (the last of %d), %d passes, about %d MB",
		p.size, p.total, p.count, p.rows, p.total-begin, len(p.passes), p.memory>>20)
}
