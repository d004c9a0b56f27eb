package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// Row reductions of bodies that no kernel reduces: a tiling computes tiles of rows, and a kernel combines each output.

// combinedTiling is a tiling that computes tiles of rows, and combines them.
type combinedTiling struct {
	*tiling
	sig      string
	combines []kernel.Code // by output, nil if it is stored
}

// tiled returns a tiling of the body.
func (r *rowWriter) tiled(e *elemWriter) (*combinedTiling, string) {
	k, _ := rowKernel(e)
	casts := r.combinesCast(e)
	if casts != nil {
		e = e.withoutCast()
	}
	tiles, why := e.newTiling()
	if tiles == nil {
		return nil, why
	}
	c := &combinedTiling{tiling: tiles, sig: k.Signature()}
	for o, op := range combiners(e.step) {
		c.combines = append(c.combines, casts)
		if op == ir.OpInvalid {
			continue
		}
		if casts == nil {
			one := &kernel.Kernel{In: []kernel.Operand{{DType: e.step.Body.OutType(o)}}, Out: []kernel.Ref{0}}
			c.combines[o], _ = kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: []ir.Op{op}, Body: one})
		}
		engine, why := r.t.engine(c.combines[o])
		if why != "" {
			return nil, why
		}
		tiles.count1(engine, 1)
	}
	return c, ""
}

// combinesCast returns the kernel that combines the cast of elements of one byte, or nil. The step's only output must be such a
// cast, like a count of bools.
func (r *rowWriter) combinesCast(e *elemWriter) kernel.Code {
	body := e.step.Body
	cast := body.Inst(body.Out[0])
	if len(body.Out) > 1 || cast == nil || cast.Op != ir.OpCast || body.Inst(cast.Args[0]) == nil || body.DType(cast.Args[0]).Size() > 1 {
		return nil
	}
	one := kernel.NewBuilder(kernel.Operand{DType: body.DType(cast.Args[0])})
	one.Store(one.Cast(cast.DType, 0))
	k, _ := kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: combiners(e.step), Body: one.Kernel()})
	if r.t.lacks(k) != "" {
		return nil
	}
	return k
}

// withoutCast returns the writer of a step whose only output is the operand of the cast.
func (e *elemWriter) withoutCast() *elemWriter {
	out, step, body := *e, *e.step, e.step.Body
	step.Body = body.Storing(body.Inst(body.Out[0]).Args[0])
	out.step = &step
	return &out
}

// write returns the calls that compute tiles in local memory and combine their rows.
func (c *combinedTiling) write(e *elemWriter, rows, tile *walk) (perRow, perTile []nest.Item) {
	var after []nest.Item
	for o, k := range c.combines {
		if k == nil {
			continue
		}
		to := &e.at[len(e.step.In)+o]
		out := *to
		*to = tile.local(e.draft.scratch(k.Args()[0].DType, e.tileRows*e.tileCols), e.row, e.tileCols, e.col, 1)
		after = append(after, call(k, tile.size[e.row], tile.size[e.col], tile.args(e.row, *to, out)))
	}
	c.e.tileRows, c.e.tileCols = e.tileRows, e.tileCols // see withoutCast
	perRow, perTile = c.tiling.write(e, rows, tile)
	return perRow, append(perTile, after...)
}

func (c *combinedTiling) describe(choice *nest.Choice) {
	c.tiling.describe(choice)
	choice.Kernel, choice.Kernels = c.sig, max(2, choice.Kernels) // one of them combines
}
