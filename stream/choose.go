package stream

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// blockBytes is how much of the inputs a block has unless the job says otherwise. It is
// not tuned.
const blockBytes = 16 << 20

// choose finds the number of rows of a block whose memory is within the job's bound, and
// compiles the programs.
func (p *plan) choose(j *Job) error {
	bound := j.Memory
	switch {
	case bound < 0 || j.Rows < 0:
		return fmt.Errorf("%d bytes of memory, blocks of %d rows: they must not be negative", j.Memory, j.Rows)
	case bound == 0:
		bound = DefaultMemory
	}
	multiple := p.multiple(j)
	want := j.Rows
	if want == 0 {
		want = blockBytes / max(1, p.rowBytes())
	}
	for before := math.MaxInt; ; before = p.rows {
		if err := p.cut(want, multiple); err != nil {
			return err
		}
		if err := p.compile(); err != nil {
			return err
		}
		if p.memory = p.estimate(); p.memory <= bound {
			return nil
		}
		if p.rows >= before {
			return fmt.Errorf("the job needs about %d MB with blocks of %d rows, the fewest that it can have: Job.Memory is %d MB", 1+p.memory>>20, min(p.rows, p.total), bound>>20)
		}
		want = min(p.rows, p.total) / 2
	}
}

// multiple returns what the number of rows of a block is a multiple of.
func (p *plan) multiple(j *Job) int {
	m := p.division.Limits.Multiple
	join := func(chunk, scale int) {
		chunk /= gcd(chunk, scale)
		m *= chunk / gcd(m, chunk)
	}
	for i, in := range p.inputs {
		if c, ok := j.Inputs[in.Name].(Chunked); ok && p.scale[i] > 0 {
			join(c.ChunkRows(), p.scale[i])
		}
	}
	for i, out := range p.outputs {
		scale, ok := p.division.Rows(i)
		if !ok {
			continue
		}
		if c, ok := j.Outputs[out.Name].(Chunked); ok {
			join(c.ChunkRows(), scale)
		}
	}
	return m
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// cut sets the number of rows of a block, about as wanted.
func (p *plan) cut(want, multiple int) error {
	limits := p.division.Limits
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
	p.count = (p.total + p.rows - 1) / p.rows
	if last := p.total - (p.count-1)*p.rows; last < limits.Least && p.count > 1 {
		p.count-- // the block before takes its rows
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

func typeBytes(t ir.Type) int {
	n, _ := t.Shape.NumElems().Int()
	return n * t.DType.Size()
}

// estimate returns how much memory the greatest pass takes.
func (p *plan) estimate() int {
	whole := 0
	for _, t := range p.whole {
		whole += t.Bytes()
	}
	most := 0
	for _, pass := range p.passes {
		n := 0
		for _, b := range []*blockProgram{pass.body, pass.last} {
			n = max(n, b.bytes(p.count))
		}
		most = max(most, n)
	}
	return whole + most
}

// bytes returns how much memory a pass of blocks takes: two of each input and output, what
// is stored in between, the parts of all blocks, which are put together at the end, and the
// states before and after.
func (b *blockProgram) bytes(blockCount int) int {
	n := b.program.Temporaries()
	for i, in := range b.Func.Params {
		if b.Inputs[i].Kind == blocks.Rows || b.Inputs[i].Kind == blocks.Carried {
			n += 2 * typeBytes(in.Type)
		}
	}
	for i, out := range b.Func.Results {
		n += 2 * typeBytes(out.Type)
		if i >= len(b.Results) && i < len(b.Results)+b.Parts {
			n += 2 * blockCount * typeBytes(out.Type)
		}
	}
	return n
}
