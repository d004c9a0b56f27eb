package stream

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// Finding what earlier runs have completed. A block is complete if the journal has it and its outputs, parts and states
// match the checksums in the journal.

// missing returns the blocks of the run's range that must be computed, in order, and the states before the first of
// them. If blocks carry states, all blocks after an incomplete one must be computed.
func (r *run) missing(ctx context.Context, pass int) (todo []int, states []*graph.Tensor, err error) {
	first, end := r.span(r.shard)
	carries := len(r.passes[pass].last.States) > 0
	for b := first; b < end; b++ {
		if carries && len(todo) > 0 || !r.verified(ctx, pass, b) {
			todo = append(todo, b)
		}
	}
	if !carries {
		return todo, nil, ctx.Err()
	}
	begin := end
	if len(todo) > 0 {
		begin = todo[0]
	}
	if begin > first {
		if states := r.loadStates(pass, begin-1); states != nil {
			return todo, states, ctx.Err()
		}
		for b := begin - 1; b >= first; b-- { // the states are missing: start over
			todo = append([]int{b}, todo...)
		}
	}
	states, err = r.initial(pass)
	return todo, states, err
}

// verified reports whether a block is complete, and keeps its parts.
func (r *run) verified(ctx context.Context, pass, block int) bool {
	e, ok := r.done[pass][block]
	if !ok {
		return false
	}
	b := r.program(pass, block)
	begin, end := r.block(block)
	ok = len(e.Outputs) == len(b.Results)
	for i, result := range b.Results {
		scale, _ := r.division.Rows(result)
		ok = ok && r.verifiedOutput(ctx, result, begin*scale, end*scale, e.Outputs[i])
	}
	parts := tensors(b.Func.Results[len(b.Results):][:b.Parts])
	if ok = ok && r.journal.load("parts", pass, block, e.Parts, parts); ok {
		r.parts[block] = parts
	} else {
		delete(r.done[pass], block)
	}
	return ok
}

// verifiedOutput compares rows of an output with their checksum.
func (r *run) verifiedOutput(ctx context.Context, result, begin, end int, sum uint32) bool {
	s := r.sinks[result]
	shape, _ := r.division.Result(result).Shape.Ints()
	t, release, err := s.Read(ctx, begin, end, func() *graph.Tensor {
		return graph.New(r.outputs[result].DType, rows(shape, end-begin)...)
	})
	if err != nil {
		return false
	}
	same := tensorSum(t) == sum
	return release() == nil && same
}

// tensors returns new tensors of the types of values.
func tensors(vs []*ir.Value) []*graph.Tensor {
	out := make([]*graph.Tensor, len(vs))
	for i, v := range vs {
		shape, _ := v.Type.Shape.Ints()
		out[i] = graph.New(v.Type.DType, shape...)
	}
	return out
}

// loadStates returns the states after a block, or nil if they are missing.
func (r *run) loadStates(pass, block int) []*graph.Tensor {
	b := r.program(pass, block)
	states := tensors(b.Func.Results[len(b.Results)+b.Parts:])
	e, ok := r.done[pass][block]
	if ok && r.journal.load("states", pass, block, e.States, states) {
		return states
	}
	return nil
}

// initial returns the states before the first block.
func (r *run) initial(pass int) ([]*graph.Tensor, error) {
	var states []*graph.Tensor
	for _, s := range r.passes[pass].last.States {
		shape, _ := s.Type.Shape.Ints()
		t := graph.New(s.Type.DType, shape...)
		var err error
		if s.From >= 0 {
			err = graph.Copy(t, r.whole[s.From])
		} else {
			fill(binfile.Memory(t), s)
		}
		if err != nil {
			return nil, err
		}
		states = append(states, t)
	}
	return states, nil
}

// fill sets all elements of a state to their initial value.
func fill(data []byte, s blocks.State) {
	size := s.Type.DType.Size()
	for i := range data {
		k := i % size
		if binfile.BigEndian {
			k = size - 1 - k
		}
		data[i] = byte(s.Bits >> (8 * k))
	}
}

// gather loads the parts and states of blocks that this run did not compute, for finish.
func (r *run) gather(ctx context.Context, pass int) error {
	var states [][]*graph.Tensor
	for shard := range r.shards {
		first, end := r.span(shard)
		if shard == r.shard || first == end {
			continue
		}
		for b := first; b < end; b++ {
			if !r.verified(ctx, pass, b) {
				return fmt.Errorf("pass %d, block %d of range %d: %w", pass, b, shard, ErrIncomplete)
			}
		}
		if len(r.passes[pass].last.States) == 0 {
			continue
		}
		last := r.loadStates(pass, end-1)
		if last == nil {
			return fmt.Errorf("pass %d, the states of range %d: %w", pass, shard, ErrIncomplete)
		}
		states = append(states, last)
	}
	r.states = append(r.states, states...)
	return nil
}

// stateNames matches the files of State, in the order in which clear removes them. It removes no other files.
var stateNames = []*regexp.Regexp{
	regexp.MustCompile(`^journal-\d+-of-\d+$`), regexp.MustCompile(`^(parts|states)-\d+-\d+(\.part\d+)?$`), lockNames,
}

// clear removes the state of a complete job, the journals first.
func (r *run) clear() error {
	if r.job.State == "" {
		return nil
	}
	if err := r.journal.close(); err != nil {
		return err
	}
	files, err := os.ReadDir(r.job.State)
	if err != nil {
		return err
	}
	for _, kind := range stateNames {
		for _, f := range files {
			if kind.MatchString(f.Name()) {
				if err := os.Remove(filepath.Join(r.job.State, f.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
