package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/form"
)

// A product does not read the columns that the last panel of its right matrix lacks. If the matrix is kept, it is a
// result of a plan of its own, which must write them.

// pad appends a moved step for each kept matrix whose last panel lacks columns. The step stores zeros there.
func (c *cutting) pad() {
	steps, padded := c.p.Steps, map[int]bool{}
	c.p.Steps = slices.Clip(steps)
	for i := range steps {
		for _, a := range steps[i].In {
			if a.Panel == nil || !c.kept[a.Buffer] || c.moves[i] || padded[a.Buffer] {
				continue
			}
			padded[a.Buffer] = true
			if steps[i].Axes[a.Panel.Axis].Extent%a.Panel.Size != 0 {
				c.p.Steps = append(c.p.Steps, c.zeros(&steps[i], a))
				c.moves = append(c.moves, true)
			}
		}
	}
}

// zeros returns the step that stores zeros in the columns that the last panel of an access lacks.
func (c *cutting) zeros(s *plan.Step, a plan.Access) plan.Step {
	dtype := c.p.Buffers[a.Buffer].DType
	body, err := kernel.SingleOp(ir.OpCopy, ir.Invalid, kernel.Operand{DType: dtype, Splat: true})
	if err != nil {
		panic(err)
	}
	out := plan.Access{Buffer: a.Buffer, Offset: a.Offset}
	var extents []int
	for k, axis := range s.Axes {
		n, stride := axis.Extent, a.Strides[k]
		if stride == 0 {
			continue // the product reads the same matrix for each index
		}
		if k == a.Panel.Axis {
			there := n % a.Panel.Size
			out.Offset += n/a.Panel.Size*a.Panel.Stride + there*stride
			n = a.Panel.Size - there
		}
		extents, out.Strides = append(extents, n), append(out.Strides, stride)
	}
	for len(extents) < 2 {
		extents, out.Strides = slices.Insert(extents, 0, 1), slices.Insert(out.Strides, 0, 0)
	}
	zero := plan.Access{Buffer: len(c.p.Buffers), Strides: make([]int, len(extents))}
	c.p.Buffers = append(c.p.Buffers, plan.Buffer{Kind: plan.ConstBuffer, DType: dtype})
	return plan.Step{Body: body, Axes: form.Parallel(extents), In: []plan.Access{zero}, Out: []plan.Output{{Access: out}}, Pos: s.Pos}
}
