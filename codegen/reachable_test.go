package codegen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/passes"
)

// plannedOp is an instruction of a plan: the op, the type of its last operand and that of
// its result.
type plannedOp struct {
	op      ir.Op
	in, out ir.DType
}

// TestBuiltinsAreReachable lowers a graph of every op on every type, and requires each
// instruction of each built-in kernel to be one that those plans have, or that tilings have
// for it: no kernel is built in that no compiled graph can call. And it requires a kernel of
// each instruction that tilings have.
func TestBuiltinsAreReachable(t *testing.T) {
	planned, tiled := map[plannedOp]bool{}, map[plannedOp]bool{}
	for _, op := range ir.Ops() {
		if op.IsElementwise() {
			for _, d := range (op.Info().Domain & ir.Running).List() {
				for _, to := range ir.Running.List() {
					for _, k := range bodiesOf(t, op, d, to) {
						addOps(k, planned)
						addOps(elementary.Widen(k, elementary.KeepNone), tiled)
					}
				}
			}
		}
	}
	single := map[plannedOp]bool{}
	for _, c := range codegen.Builtins() {
		k, ok := c.(*kernel.Kernel)
		if !ok {
			continue
		}
		has := map[plannedOp]bool{}
		addOps(k, has)
		for p := range has {
			single[p] = single[p] || len(k.Body) == 1
			require.True(t, planned[p] || tiled[p], "%s: no plan has %s of %s to %s", c.Signature(), p.op, p.in, p.out)
		}
	}
	for p := range tiled {
		require.True(t, single[p], "there is no kernel of %s alone, of %s to %s", p.op, p.in, p.out)
	}
}

// addOps adds the instructions of a body.
func addOps(k *kernel.Kernel, to map[plannedOp]bool) {
	for _, in := range k.Body {
		if in.Op != ir.OpConst {
			to[plannedOp{in.Op, k.DType(in.Args[in.Arity()-1]), in.DType}] = true
		}
	}
}

// bodiesOf returns the bodies of the plan of one op.
func bodiesOf(t *testing.T, op ir.Op, d, to ir.DType) (bodies []*kernel.Kernel) {
	f := &ir.Func{Name: "one"}
	shape := ir.ShapeOf(7)
	var args []*ir.Value
	for i := range op.Info().Arity {
		typ := d
		if i == 0 && op.Info().Mask {
			typ = ir.Bool
		}
		args = append(args, f.Param(string(rune('a'+i)), ir.Type{DType: typ, Shape: shape}, nil))
	}
	v, err := f.Add(op, ir.Attr{DType: to}, ir.Pos{}, args...)
	if err != nil {
		return nil // no such result
	}
	f.Results = []*ir.Value{v}
	p, err := passes.Lower(f, passes.Options{})
	require.NoError(t, err)
	for i := range p.Steps {
		bodies = append(bodies, p.Steps[i].Body)
	}
	return bodies
}
