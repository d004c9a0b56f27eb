package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// A pass over a range of blocks is a pipeline of three goroutines: one reads, one computes and one writes.

// work is a block in the pipeline.
type work struct {
	block    int
	ins      map[int]*graph.Tensor // blocks, by number of the input
	releases []func() error
	read     int // bytes read
	outs     []*graph.Tensor
	parts    []*graph.Tensor
	states   []*graph.Tensor // the states after the block
}

// runPass computes the missing blocks of the run's range, and returns how many there were.
func (r *run) runPass(ctx context.Context, number int) (int, error) {
	r.parts, r.states = make([][]*graph.Tensor, r.count), nil
	todo, states, err := r.missing(ctx, number)
	if err != nil {
		return 0, err
	}
	if len(todo) > 0 {
		p := &pipeline{run: r, number: number, states: states}
		if err := p.do(ctx, todo); err != nil {
			return 0, err
		}
		states = p.states
	}
	if first, end := r.span(r.shard); first < end {
		r.states = append(r.states, states)
	}
	return len(todo), nil
}

// pipeline runs the blocks of a pass.
type pipeline struct {
	*run
	number  int
	states  []*graph.Tensor
	buffers map[int]*[2]*graph.Tensor // for each input, memory of the block being read and of the block being computed
	free    chan []*graph.Tensor      // memory for outputs
}

func (p *pipeline) do(ctx context.Context, todo []int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read, computed, written := make(chan *work), make(chan *work), make(chan struct{})
	p.buffers, p.free = map[int]*[2]*graph.Tensor{}, make(chan []*graph.Tensor, 2)
	for range cap(p.free) {
		p.free <- make([]*graph.Tensor, len(p.passes[p.number].last.Func.Results))
	}
	stage := func(f func(*work) error, in <-chan *work, out chan<- *work) {
		for w := range in {
			if err := f(w); err != nil {
				cancel(err)
				break
			}
			if !send(ctx, out, w) {
				break
			}
		}
		for w := range in { // drains the channel: the stage before ends by itself
			w.release()
		}
	}
	go func() {
		defer close(read)
		for i, b := range todo {
			w := &work{block: b, ins: map[int]*graph.Tensor{}}
			if err := p.read(ctx, w, i%2); err != nil {
				cancel(err)
			}
			if !send(ctx, read, w) {
				cancel(w.release())
				return
			}
		}
	}()
	go func() {
		defer close(written)
		stage(func(w *work) error { return p.write(ctx, w) }, computed, nil)
	}()
	stage(func(w *work) error { return errors.Join(p.compute(ctx, w), w.release()) }, read, computed)
	close(computed)
	<-written
	return context.Cause(ctx)
}

// send sends w unless ctx ends. A nil channel discards w.
func send(ctx context.Context, out chan<- *work, w *work) bool {
	if ctx.Err() != nil {
		return false
	}
	if out == nil {
		return true
	}
	select {
	case out <- w:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *work) release() error {
	var errs []error
	for _, f := range w.releases {
		errs = append(errs, f())
	}
	w.releases = nil
	return errors.Join(errs...)
}

// most returns the number of rows of the largest block.
func (p *plan) most() int {
	begin, end := p.block(p.count - 1)
	if p.count == 1 {
		return end - begin
	}
	return max(p.rows, end-begin)
}

// read reads the blocks of all inputs that the pass needs.
func (p *pipeline) read(ctx context.Context, w *work, buffer int) error {
	begin, end := p.block(w.block)
	for _, in := range p.program(p.number, w.block).Inputs {
		if in.Kind != blocks.Rows {
			continue
		}
		port, scale := p.inputs[in.ID], p.scale[in.ID]
		t, release, err := p.job.Inputs[port.Name].Read(ctx, begin*scale, end*scale, func() *graph.Tensor {
			if p.buffers[in.ID] == nil {
				p.buffers[in.ID] = new([2]*graph.Tensor)
			}
			own := &p.buffers[in.ID][buffer]
			if *own == nil {
				*own = graph.New(port.DType, rows(p.shapes[in.ID], p.most()*scale)...)
			}
			return rowsOf(*own, 0, (end-begin)*scale)
		})
		if err != nil {
			return fmt.Errorf("input %s, rows %d to %d: %w", port.Name, begin*scale, end*scale, err)
		}
		w.ins[in.ID], w.releases, w.read = t, append(w.releases, release), w.read+t.Bytes()
	}
	return nil
}

// compute runs the program for a block, and keeps its parts and states.
func (p *pipeline) compute(ctx context.Context, w *work) error {
	b := p.program(p.number, w.block)
	begin, _ := p.block(w.block)
	ins := make([]*graph.Tensor, len(b.Inputs))
	for i, in := range b.Inputs {
		switch in.Kind {
		case blocks.Rows:
			ins[i] = w.ins[in.ID]
		case blocks.Whole:
			ins[i] = p.whole[in.ID]
		case blocks.Offset:
			ins[i] = graph.ScalarOf(int64(begin))
		case blocks.Carried:
			ins[i] = p.states[in.ID]
		default:
			panic("stream: a block function has an input " + in.String())
		}
	}
	select {
	case w.outs = <-p.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	outs := p.outsFor(w.outs, b)
	if err := b.program.RunInto(ctx, outs, ins...); err != nil {
		return fmt.Errorf("block %d of pass %d: %w", w.block, p.number, err)
	}
	n := len(b.Results)
	w.parts, w.states = cloned(outs[n:n+b.Parts]), cloned(outs[n+b.Parts:])
	p.parts[w.block], p.states = w.parts, w.states
	return nil
}

// outsFor returns the outputs of a block, in the memory allocated for the largest block.
func (p *pipeline) outsFor(memory []*graph.Tensor, b *blockProgram) []*graph.Tensor {
	outs := make([]*graph.Tensor, len(memory))
	for i, out := range b.Func.Results {
		shape, _ := out.Type.Shape.Ints()
		if memory[i] == nil {
			most := shape
			if pass := p.passes[p.number]; len(shape) > 0 {
				extent := func(b *blockProgram) int { n, _ := b.Func.Results[i].Type.Shape[0].Int(); return n }
				most = rows(shape, max(extent(pass.body), extent(pass.last)))
			}
			memory[i] = graph.New(out.Type.DType, most...)
		}
		outs[i] = memory[i]
		if len(shape) > 0 && shape[0] != memory[i].Extent(0) {
			outs[i] = rowsOf(memory[i], 0, shape[0])
		}
	}
	return outs
}

func cloned(ts []*graph.Tensor) []*graph.Tensor {
	out := make([]*graph.Tensor, len(ts))
	for i, t := range ts {
		out[i] = t.Clone()
	}
	return out
}

// write stores the outputs of a block, and then records in the journal that it is complete.
func (p *pipeline) write(ctx context.Context, w *work) (err error) {
	b := p.program(p.number, w.block)
	e := entry{Pass: p.number, Block: w.block, Outputs: make([]uint32, len(b.Results))}
	begin, end := p.block(w.block)
	for i, result := range b.Results {
		scale, _ := p.division.Rows(result)
		t := w.outs[i]
		if n := (end - begin) * scale; n != t.Extent(0) {
			t = rowsOf(t, 0, n)
		}
		if err := p.sinks[result].Write(ctx, begin*scale, t); err != nil {
			return fmt.Errorf("output %s, rows %d to %d: %w", p.outputs[result].Name, begin*scale, end*scale, err)
		}
		if p.told.Written += t.Bytes(); p.journal.folder != "" {
			e.Outputs[i] = tensorSum(t)
		}
	}
	p.free <- w.outs
	if e.Parts, err = p.journal.save("parts", p.number, w.block, w.parts); err != nil {
		return err
	}
	if e.States, err = p.journal.save("states", p.number, w.block, w.states); err != nil {
		return err
	}
	if err := p.journal.append(e); err != nil {
		return err
	}
	if first, _ := p.span(p.shard); len(w.states) > 0 && w.block-2 >= first {
		p.journal.forget("states", p.number, w.block-2)
	}
	p.done[p.number][w.block] = e
	p.report(w, end-begin)
	return nil
}

// report reports a complete block.
func (r *pipeline) report(w *work, rows int) {
	t := &r.told
	t.Pass, t.Passes, t.Block, t.Blocks = r.number, len(r.passes), len(r.done[r.number]), r.count
	t.Rows, t.Read, t.Elapsed = t.Rows+rows, t.Read+w.read, time.Since(r.begun)
	if r.job.Progress != nil {
		r.job.Progress(*t)
	}
}
