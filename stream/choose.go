package stream

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// blockBytes is the default size of a block's inputs, in bytes. It is not tuned.
const blockBytes = 16 << 20

// maxBlocks limits the blocks of a job, for each of which it keeps some data.
const maxBlocks = 1 << 20

// choose finds the number of rows of a block whose memory is within the job's bound, and compiles the programs.
func (p *plan) choose(j *Job) error {
	bound := j.Memory
	switch {
	case bound < 0 || j.Rows < 0:
		return fmt.Errorf("%d bytes of memory, blocks of %d rows: they must not be negative", j.Memory, j.Rows)
	case bound == 0:
		bound = DefaultMemory
	}
	limits, err := p.limits(j)
	if err != nil {
		return err
	}
	want := j.Rows
	if row := p.rowBytes(); want == 0 && row == 0 {
		want = p.total
	} else if want == 0 {
		want = max(blockBytes/row, (p.total-1)/maxBlocks+1)
	}
	for before := math.MaxInt; ; before = p.rows {
		if err := p.cut(want, limits); err != nil {
			return err
		}
		if err := p.compile(); err != nil {
			return err
		}
		if p.memory = p.estimate(); p.memory <= bound {
			return nil
		}
		if p.rows >= before {
			return p.tooLarge(bound)
		}
		want = min(p.rows, p.total) / 2
	}
}

// tooLarge returns the error of a job whose shortest blocks need more memory than bound. If parts of an op's total are most of that, such as
// all rows of a median, the error is about the op.
func (p *plan) tooLarge(bound int) error {
	parts := map[*ir.Value]float64{}
	var most *ir.Value
	for _, pass := range p.passes {
		for i, bytes := range pass.body.partBytes(p.count) {
			v := pass.body.Owner(i)
			if parts[v] += bytes; most == nil || parts[v] > parts[most] {
				most = v
			}
		}
	}
	if most == nil || parts[most] < float64(p.memory)/2 {
		return fmt.Errorf("the job needs about %d MB with blocks of %d rows, the fewest that it can have: Job.Memory is %d MB", 1+p.memory>>20, min(p.rows, p.total), bound>>20)
	}
	instead := ""
	if most.Op == ir.OpNth || most.Op.Info().Sorts {
		instead = ", or count the elements by Histogram, whose counts need little memory"
	}
	return &ir.Error{Pos: most.Pos, Op: most.Called(), Msg: fmt.Sprintf("what it keeps of all rows until the last one needs about %d MB, and Job.Memory is %d MB: raise it%s",
		1+int(min(parts[most], 1<<62))>>20, bound>>20, instead)}
}

// limits returns the constraints on blocks from the program and from the chunks of arrays, and the memory that one
// chunk of each array takes, decoded and encoded.
func (p *plan) limits(j *Job) (blocks.Limits, error) {
	limits := p.division.Limits
	align := func(what fmt.Stringer, array any, dt graph.DType, shape []int, scale int) error {
		c, ok := array.(Chunked)
		if !ok || scale == 0 {
			return nil
		}
		n := c.ChunkRows(dt, shape)
		if n < 1 {
			return fmt.Errorf("%s: chunks of %d rows: they have 1 or more", what, n)
		}
		if err := limits.Align(n, scale); err != nil {
			return fmt.Errorf("%s: chunks of %d rows: %w", what, n, err)
		}
		p.chunks += 2 * float64(n) * float64(rowBytes(dt, shape))
		return nil
	}
	for i, in := range p.inputs {
		if err := align(in, j.Inputs[in.Name], in.DType, p.shapes[i], p.scale[i]); err != nil {
			return limits, fmt.Errorf("input %w", err)
		}
	}
	for i, out := range p.outputs {
		if scale, ok := p.division.Rows(i); ok {
			shape, _ := p.division.Result(i).Shape.Ints()
			if err := align(out, j.Outputs[out.Name], out.DType, shape, scale); err != nil {
				return limits, fmt.Errorf("output %w", err)
			}
		}
	}
	return limits, nil
}

// cut sets the number of rows of a block close to the wanted one.
func (p *plan) cut(want int, limits blocks.Limits) error {
	multiple := limits.Multiple
	most := limits.Most / multiple * multiple
	if p.total <= want && p.total <= limits.Most {
		p.rows, p.count = p.total, 1
		return nil
	}
	if most == 0 {
		return fmt.Errorf("blocks are of %d rows at most, and a multiple of %d", limits.Most, multiple)
	}
	p.rows = min(most, max(multiple, want/multiple*multiple))
	for p.rows < limits.Least {
		p.rows += multiple
	}
	p.count = (p.total-1)/p.rows + 1
	if last := p.total - (p.count-1)*p.rows; last < limits.Least && p.count > 1 {
		p.count-- // the last block takes over its rows
	}
	if p.count > maxBlocks {
		return fmt.Errorf("%d rows in blocks of %d are %d blocks, and a job has %d at most: raise Job.Rows or Job.Memory", p.total, p.rows, p.count, maxBlocks)
	}
	return nil
}

// compile makes the programs of all passes.
func (p *plan) compile() error {
	p.passes = make([]pass, p.division.Passes)
	begin, end := p.block(p.count - 1)
	for i := range p.passes {
		last, err := p.compileBlock(i, end-begin)
		if err != nil {
			return err
		}
		p.passes[i] = pass{last, last}
		if end-begin != p.rows {
			if p.passes[i].body, err = p.compileBlock(i, p.rows); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *plan) compileBlock(pass, rows int) (*blockProgram, error) {
	b, err := p.division.Block(pass, rows)
	if err != nil {
		return nil, err
	}
	program, err := graph.CompileFunc(b.Func, p.options...)
	return &blockProgram{b, program}, err
}

// rowBytes returns the size of a row of all inputs.
func (p *plan) rowBytes() int {
	n := 0
	for i, in := range p.inputs {
		if p.scale[i] > 0 {
			n += p.scale[i] * rowBytes(in.DType, p.shapes[i])
		}
	}
	return n
}

// typeBytes returns the size of a tensor, as a float64 that can't overflow.
func typeBytes(t ir.Type) float64 {
	shape, _ := t.Shape.Ints()
	n := float64(t.DType.Size())
	for _, extent := range shape {
		n *= float64(extent)
	}
	return n
}

// estimate returns the memory of the largest pass.
func (p *plan) estimate() int {
	whole, most := 0.0, 0.0
	for i, in := range p.inputs {
		if p.scale[i] == 0 {
			whole += typeBytes(ir.Type{DType: in.DType, Shape: ir.ShapeOf(p.shapes[i]...)})
		}
	}
	for _, t := range p.captured {
		whole += float64(t.Bytes())
	}
	for _, pass := range p.passes {
		n := 0.0
		for _, b := range []*blockProgram{pass.body, pass.last} {
			n = max(n, b.bytes(p.count))
		}
		most = max(most, n)
	}
	return int(min(whole+most+p.chunks, 1<<62))
}

// bytes returns the memory of a pass: two blocks of each input and output, temporaries, the parts of all blocks, which
// are concatenated at the end, and the states before and after a block.
func (b *blockProgram) bytes(blockCount int) float64 {
	n := float64(b.program.Temporaries())
	for i, in := range b.Func.Params {
		if b.Inputs[i].Kind == blocks.Rows || b.Inputs[i].Kind == blocks.Carried {
			n += 2 * typeBytes(in.Type)
		}
	}
	for _, out := range b.Func.Results {
		n += 2 * typeBytes(out.Type)
	}
	for _, bytes := range b.partBytes(blockCount) {
		n += bytes
	}
	return n
}

// partBytes returns the memory of each part, of all blocks and concatenated.
func (b *blockProgram) partBytes(blockCount int) []float64 {
	n := make([]float64, b.Parts)
	for i := range n {
		n[i] = 2 * float64(blockCount) * typeBytes(b.Func.Results[len(b.Results)+i].Type)
	}
	return n
}
