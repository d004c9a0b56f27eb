package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/stridefuse/stridefuse/runtime"
)

// Call is a program with the tensors that it runs on. It is for loops that
// compute small things often: what RunInto checks and looks up each time, which
// takes as long as the rest of a small run, is done once.
type Call struct {
	bound *runtime.Bound
	trap  *Program  // of WithDebug(NonFinite) or DivisionByZero, or nil
	ins   []*Tensor // of that
}

// Bind returns the call that computes the outputs for given inputs into given
// tensors, as RunInto does. The tensors stay the same; what they hold may change
// from run to run. The call has memory of its own for what the program stores on
// the way.
func (p *Program) Bind(outs []*Tensor, ins ...*Tensor) (*Call, error) {
	b, err := p.bind(context.Background(), ins)
	if err != nil {
		return nil, err
	}
	bound, err := b.Linked.Bind(outs, ins)
	if err != nil {
		return nil, cmp.Or(p.checkOuts(b, outs), atCaller(err))
	}
	c := &Call{bound: bound}
	if p.traps != 0 {
		c.trap, c.ins = p, slices.Clone(ins)
	}
	return c, nil
}

// Run computes the outputs. It allocates nothing, but with WithDebug(NonFinite) or DivisionByZero. A Call is for one goroutine at
// a time: Run returns an error while another run is on, and computes nothing.
func (c *Call) Run(ctx context.Context) error {
	switch {
	case c == nil || c.bound == nil:
		return misuse("run", "there is no call: Bind makes one, or returns why not")
	case ctx == nil:
		return misuse("run", "the context is nil: give it context.Background()")
	}
	if c.trap != nil {
		if err := c.trap.check(ctx, c.ins); err != nil {
			return err
		}
	}
	if err := c.bound.Run(ctx); err != nil {
		return atCaller(err)
	}
	return nil
}
