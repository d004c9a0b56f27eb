package stream

import (
	"context"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir"
)

// Tasks is a job in the form for engines that distribute tasks to machines, such as Apache Beam. Each pass has a task
// for each block, which may run anywhere, in any order and more than once, and then Finish. Bytes go between machines;
// arrays are read and written where tasks run. Only one method may run at a time.
type Tasks struct {
	run *run
	job *Job
}

// Tasks plans the job, and reads the inputs without rows. It ignores Job.State and Job.Progress. A program whose blocks
// depend on each other, such as a scan, is an error that names the op.
func (j *Job) Tasks(ctx context.Context) (*Tasks, error) {
	own := *j
	own.State, own.Progress = "", nil
	t := &Tasks{job: &own}
	p, err := own.prepare()
	if err == nil {
		err = p.checkRanges()
	}
	if err == nil {
		t.run, err = newRun(ctx, &own, p, -1, 1)
	}
	if err != nil {
		own.close()
		return nil, fmt.Errorf("stream: %w", err)
	}
	return t, nil
}

// Close closes the job's files. Outputs keep what was written.
func (t *Tasks) Close() error {
	t.job.close()
	return t.run.close()
}

// Passes returns the number of passes over the rows.
func (t *Tasks) Passes() int { return len(t.run.passes) }

// Blocks returns the number of blocks.
func (t *Tasks) Blocks() int { return t.run.count }

// Block computes a block of a pass. totals is the result of Finish for the previous pass, or nil in the first pass.
// Block writes the block of each output that the pass computes, and returns the data that Finish needs.
func (t *Tasks) Block(ctx context.Context, pass, block int, totals []byte) (part []byte, err error) {
	if block < 0 || block >= t.run.count {
		return nil, fmt.Errorf("stream: block %d of pass %d: there are %d blocks", block, pass, t.run.count)
	}
	if err := t.checkPass(pass); err != nil {
		return nil, err
	}
	if err := t.setTotals(pass, totals); err != nil {
		return nil, err
	}
	states, err := t.run.initial(pass)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	t.run.parts = make([][]*graph.Tensor, t.run.count)
	p := &pipeline{run: t.run, number: pass, states: states}
	if err := p.do(ctx, []int{block}); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return packed(slices.Concat(t.run.parts[block], p.states)), nil
}

// Finish computes the totals of a pass from the results of Block for all blocks, in order. They include the totals of
// earlier passes.
func (t *Tasks) Finish(ctx context.Context, pass int, parts [][]byte, totals []byte) ([]byte, error) {
	if err := t.checkPass(pass); err != nil {
		return nil, err
	}
	if len(parts) != t.run.count {
		return nil, fmt.Errorf("stream: %d parts of %d blocks", len(parts), t.run.count)
	}
	if err := t.setTotals(pass, totals); err != nil {
		return nil, err
	}
	t.run.parts, t.run.states = nil, nil
	for i, data := range parts {
		b := t.run.program(pass, i)
		ts := tensors(b.Func.Results[len(b.Results):])
		if err := unpack(data, ts); err != nil {
			return nil, fmt.Errorf("stream: the part of block %d of pass %d: %w", i, pass, err)
		}
		t.run.parts = append(t.run.parts, ts[:b.Parts])
		t.run.states = append(t.run.states, ts[b.Parts:])
	}
	if err := t.run.finish(ctx, pass); err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return t.totals(pass), nil
}

func (t *Tasks) checkPass(pass int) error {
	if pass < 0 || pass >= t.Passes() {
		return fmt.Errorf("stream: pass %d: there are %d passes", pass, t.Passes())
	}
	return nil
}

// Results returns the outputs without rows, and completes all outputs. totals is the result of Finish for the last
// pass.
func (t *Tasks) Results(ctx context.Context, totals []byte) (map[string]*graph.Tensor, error) {
	if err := t.setTotals(t.Passes(), totals); err != nil {
		return nil, err
	}
	out, err := t.run.results(ctx)
	if err != nil {
		return nil, fmt.Errorf("stream: %w", err)
	}
	return out, nil
}

// known returns the types of the whole values that finish functions up to a pass compute.
func (t *Tasks) known(pass int) (ids []int, types []ir.Type) {
	for q := range pass {
		ids = append(ids, t.run.division.Totals(q)...)
	}
	for _, id := range ids {
		types = append(types, t.run.division.Type(id))
	}
	return ids, types
}

// totals packs the values known after a pass.
func (t *Tasks) totals(pass int) []byte {
	ids, _ := t.known(pass + 1)
	var ts []*graph.Tensor
	for _, id := range ids {
		ts = append(ts, t.run.whole[id])
	}
	return packed(ts)
}

// setTotals sets the totals of the passes before a pass.
func (t *Tasks) setTotals(pass int, totals []byte) error {
	ids, types := t.known(pass)
	ts := make([]*graph.Tensor, len(ids))
	for i, typ := range types {
		shape, _ := typ.Shape.Ints()
		ts[i] = graph.New(typ.DType, shape...)
	}
	if err := unpack(totals, ts); err != nil {
		return fmt.Errorf("stream: the totals before pass %d: %w", pass, err)
	}
	for i, id := range ids {
		t.run.whole[id] = ts[i]
	}
	return nil
}

// packed returns the concatenated elements of tensors, in little-endian order.
func packed(ts []*graph.Tensor) []byte {
	var data []byte
	for _, t := range ts {
		at := len(data)
		data = append(data, binfile.Memory(t)...)
		if binfile.BigEndian {
			binfile.Swap(data[at:], t.DType().Size())
		}
	}
	return data
}

// unpack reads tensors of the same types from the bytes that packed returned.
func unpack(data []byte, ts []*graph.Tensor) error {
	want := 0
	for _, t := range ts {
		want += t.Bytes()
	}
	if len(data) != want {
		return fmt.Errorf("%d bytes in place of %d", len(data), want)
	}
	for _, t := range ts {
		n := copy(binfile.Memory(t), data)
		data = data[n:]
		if binfile.BigEndian {
			binfile.Swap(binfile.Memory(t), t.DType().Size())
		}
	}
	return nil
}
