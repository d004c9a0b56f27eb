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
	bound   *runtime.Bound
	program *Program
	ins     []*Tensor
	outs    []*Tensor // of which some may share memory with ins
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
		return nil, cmp.Or(p.checkOuts(b, outs), p.atCaller(err))
	}
	return &Call{bound, p, slices.Clone(ins), slices.Clone(outs)}, nil
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
	if err := c.program.check(ctx, c.ins); err != nil {
		return err
	}
	if err := c.bound.Run(ctx); err != nil {
		return c.program.outside(ctx, c.program.atCaller(err), c.ins, overwritten(c.outs, c.ins))
	}
	return nil
}
