package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// packing is how the right matrices of a product get into panels: by the loop that
// computes them, if nothing else reads them, and else by a copy.
type packing struct {
	group  *group // that computes them, or nil
	shape  []int  // of the matrices that are not repeats, as the product reads them
	kernel *kernel.Kernel
	inputs []plan.Access // over shape, pairs and columns
}

// plain returns the axes of a product's right operand along which its matrices are
// not repeats, and the layout of those.
func plain(y layout.Layout) layout.Layout {
	own := layout.Layout{Offset: y.Offset}
	last := len(y.Shape) - 2
	for k, n := range y.Shape {
		if k >= last || n > 1 && y.Strides[k] != 0 {
			own.Shape, own.Strides = append(own.Shape, n), append(own.Strides, y.Strides[k])
		}
	}
	return own
}

// packedAlone returns the values that only a product reads, and in panels.
func packedAlone(s *State) map[*ir.Value]*packing {
	if !multiplies(s.Func) {
		return nil
	}
	alone, uses := map[*ir.Value]*packing{}, s.countUses()
	for _, v := range s.Func.Body {
		if !v.Op.IsProduct() || !s.packs(v) {
			continue
		}
		a := v.Args[1]
		x, own := base(a), plain(layoutOf(a))
		whole := own.Size() == size(x.Type.Shape) && own.Equal(layout.RowMajor(own.Shape...))
		if x.Op.IsElementwise() && *uses.at(x) == 1 && *uses.at(a) == 1 && whole {
			alone[x] = &packing{shape: own.Shape}
		}
	}
	return alone
}

// postpone reports whether a group is left to the product that reads it, which has
// it compute its panels.
func (l *looper) postpone(g *group) bool {
	p := l.panels[g.outputs[0]]
	if p == nil || len(g.outputs) > 1 {
		return false
	}
	n := l.nest(g)
	var order []int
	p.kernel, order = l.bodyOf(n)
	for _, i := range order {
		a := n.in[i]
		m, ok := layout.Layout{Shape: n.extents, Strides: a.Strides, Offset: a.Offset}.Reshape(p.shape...)
		if !ok || allZero(m.Strides) != p.kernel.In[len(p.inputs)].Splat {
			return false
		}
		a.Strides = m.Strides
		p.inputs = append(p.inputs, a)
	}
	p.group = g
	return true
}

// copied returns the packing that copies what a reads.
func (l *looper) copied(a *ir.Value) *packing {
	own := plain(layoutOf(a))
	k, err := kernel.SingleOp(ir.OpCopy, ir.Invalid, kernel.Operand{DType: a.Type.DType, Splat: allZero(own.Strides)})
	if err != nil {
		panic(err)
	}
	in := plan.Access{Buffer: l.of(base(a)), Offset: own.Offset, Strides: own.Strides}
	return &packing{shape: own.Shape, kernel: k, inputs: []plan.Access{in}}
}

// packed is a buffer with the panels of a right operand.
type packed struct {
	of     layout.Layout // of the operand
	width  int           // columns of a panel
	buffer int
	shape  []int
}

// panel returns how many columns the panels of a product's right operand have. Kernels that multiply windows take narrow ones.
func (s *State) panel(v *ir.Value) int {
	if !inAxes(v.Args[0]) {
		return kernel.DotColumns(v.Type.DType)
	}
	return s.machine.Matmul.Panel(v.Type.DType)
}

// pack returns where the right matrices of a product are in panels, as the product's step reads them,
// and their layout. Matrices that never change are packed once for all products that read them, as
// those of the steps of a recurrent layer.
func (l *looper) pack(v *ir.Value) (plan.Access, layout.Layout) {
	a := v.Args[1]
	x, y, width := base(a), layoutOf(a), l.s.panel(v)
	at := slices.IndexFunc(l.packed[x], func(p packed) bool { return p.width == width && p.of.Equal(y) })
	var p packed
	if at >= 0 {
		p = l.packed[x][at]
	} else {
		p = packed{of: y, width: width}
		p.buffer, p.shape = l.packAnew(v, width)
		if l.s.frozenBelow(a) {
			if l.packed == nil {
				l.packed = map[*ir.Value][]packed{}
			}
			l.packed[x] = append(l.packed[x], p)
		}
	}
	return plan.Access{Buffer: p.buffer}, layout.Layout{Shape: y.Shape, Strides: panelStrides(y, layout.RowMajor(p.shape...), width)}
}

// packAnew appends the steps that put the right matrices of a product into panels: one
// for the whole panels, of width columns, and one for the columns that are left. It returns the buffer that they write,
// and its shape.
func (l *looper) packAnew(v *ir.Value, width int) (buffer int, shape []int) {
	a := v.Args[1]
	d := dotOf(v)
	p := l.panels[base(a)]
	if p == nil || p.group == nil {
		p = l.copied(a)
	}
	lead := p.shape[:len(p.shape)-2]
	own := layout.RowMajor(append(slices.Clone(lead), d.pairs*((d.cols-1)/width+1)*width)...)
	buffer = len(l.s.Plan.Buffers)
	if p.group != nil {
		buffer = l.of(base(a))
		l.s.Plan.Buffers[buffer].Shape = own.Shape
	} else {
		l.s.Plan.Buffers = append(l.s.Plan.Buffers, plan.Buffer{Kind: plan.TempBuffer, DType: v.Type.DType, Shape: own.Shape})
	}
	for _, part := range []struct{ first, panels, cols int }{{0, d.cols / width, width}, {d.cols / width * width, 1, d.cols % width}} {
		if part.panels*part.cols == 0 {
			continue
		}
		s := plan.Step{Body: p.kernel, Axes: parallel(append(slices.Clone(lead), part.panels, d.pairs, part.cols)), Pos: v.Pos}
		for _, in := range p.inputs {
			last := len(in.Strides) - 1
			across, down := in.Strides[last], in.Strides[last-1]
			in.Offset += part.first * across
			in.Strides = append(slices.Clone(in.Strides[:last-1]), width*across, down, across)
			s.In = append(s.In, in)
		}
		strides := append(slices.Clone(own.Strides[:len(lead)]), width*d.pairs, width, 1)
		s.Out = []plan.Output{{Access: plan.Access{Buffer: buffer, Offset: part.first * d.pairs, Strides: strides}}}
		l.s.Plan.Steps = append(l.s.Plan.Steps, s)
		l.tellPacked(v, p, s.Extents())
	}
	return buffer, own.Shape
}

// tellPacked records a step that packs at each run.
func (l *looper) tellPacked(v *ir.Value, p *packing, extents []int) {
	if l.s.frozenBelow(v.Args[1]) {
		return
	}
	if p.group == nil {
		l.s.record(plan.Copied, v, 2*size(ir.ShapeOf(extents...))*v.Type.DType.Size(), fmt.Sprintf("columns of its right operand are packed once into panels of %d, as its kernels read them", extents[len(extents)-1]))
		return
	}
	for _, u := range p.group.values {
		*l.s.step.at(u) = int32(len(l.s.Plan.Steps))
	}
}

// panelStrides returns the strides of packed matrices along the axes of y: repeats
// have 0, rows are as wide as a panel, and columns are those of one: see plan.Panel.
func panelStrides(y, own layout.Layout, width int) []int {
	last := len(y.Shape) - 2
	strides, next := make([]int, last), 0
	for k, n := range y.Shape[:last] {
		if n > 1 && y.Strides[k] != 0 {
			strides[k] = own.Strides[next]
			next++
		}
	}
	return append(strides, width, 1)
}
