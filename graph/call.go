package graph

import (
	"cmp"
	"context"
	"slices"

	"github.com/stridefuse/stridefuse/runtime"
)

// Call is a program bound to the tensors that it runs on, for loops that compute small things often. It does the checks
// and lookups of RunInto once; in a small run they take as long as the rest.
type Call struct {
	bound *runtime.Bound
	trap  *Program  // the program of WithDebug(NonFinite) or DivisionByZero, or nil
	ins   []*Tensor // the inputs of that program
}

// Bind returns a Call that computes the outputs for the given inputs into the given tensors, as RunInto does. The
// tensors stay the same; their elements may change from run to run. The call has its own memory for temporaries.
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

// Run computes the outputs. It allocates nothing, except with WithDebug(NonFinite) or DivisionByZero. A Call is for one
// goroutine at a time: while another Run is in progress, Run returns an error and computes nothing.
func (c *Call) Run(ctx context.Context) error {
	switch {
	case c == nil || c.bound == nil:
		return misuse("run", "the Call is nil: check the error of Bind")
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
