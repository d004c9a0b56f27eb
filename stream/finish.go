package stream

import (
	"context"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream/blocks"
)

// The end of a pass: totals from the parts and the states of all blocks.

// finish computes the totals of a pass.
func (r *run) finish(ctx context.Context, pass int) error {
	var block *blocks.Block
	var parts []*graph.Tensor
	var states []*graph.Tensor
	if pass >= 0 {
		block = r.passes[pass].last.Block
		parts, states = r.joined(block)
	}
	extents := make([]int, len(parts))
	for i, t := range parts {
		extents[i] = t.Extent(0)
	}
	f, err := r.division.Finish(pass, block, extents, len(r.states))
	if err != nil || f.Func == nil {
		return err
	}
	p, err := graph.CompileFunc(f.Func, r.options...)
	if err != nil {
		return err
	}
	ins := make([]*graph.Tensor, len(f.Inputs))
	for i, in := range f.Inputs {
		switch in.Kind {
		case blocks.Whole:
			ins[i] = r.whole[in.ID]
		case blocks.Parts:
			ins[i] = parts[in.ID]
		case blocks.States:
			ins[i] = states[in.ID]
		default:
			panic("stream: a finish function has an input " + in.String())
		}
	}
	outs, err := p.RunAll(ctx, ins...)
	if err != nil {
		return err
	}
	for i, id := range f.Whole {
		r.whole[id] = outs[i]
	}
	return nil
}

// joined concatenates each part of all blocks, and stacks each state of all ranges along a new first axis.
func (r *run) joined(b *blocks.Block) (parts, states []*graph.Tensor) {
	for i := range b.Parts {
		var list []*graph.Tensor
		for _, p := range r.parts {
			list = append(list, p[i])
		}
		parts = append(parts, stack(list))
	}
	for i := range b.States {
		var list []*graph.Tensor
		for _, s := range r.states {
			list = append(list, s[i].Unsqueeze(0))
		}
		states = append(states, stack(list))
	}
	return parts, states
}

// stack concatenates tensors along the first axis.
func stack(ts []*graph.Tensor) *graph.Tensor {
	shape := ts[0].Shape()
	shape[0] = 0
	for _, t := range ts {
		shape[0] += t.Extent(0)
	}
	all, at := graph.New(ts[0].DType(), shape...), 0
	for _, t := range ts {
		n := t.Extent(0)
		if err := graph.Copy(rowsOf(all, at, at+n), t); err != nil {
			panic("stream: " + err.Error()) // the tensors have the types that the block function declares
		}
		at += n
	}
	return all
}
