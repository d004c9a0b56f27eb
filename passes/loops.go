package passes

import "github.com/stridefuse/stridefuse/ir"

// loops makes a step of each group: the kernel, the loop nest and each
// operand's strides.
//
// The axes keep the order of the outputs, which are row-major: any other order
// would scatter the stores. Axes of extent 1 go, adjacent axes become one where
// every operand allows it, and the last axis is the kernel's columns.
//
// Requires: fuse.
// Ensures: the plan's buffers and steps, each of one block, but for the places
// of temporaries; no two adjacent axes of a step can be folded; kernels are
// canonical.
func loops(s *State) error {
	l := &looper{State: s, buffer: map[*ir.Value]int{}}
	s.Plan = &ir.Plan{Name: s.Func.Name}
	l.interfaceBuffers()
	step := make(map[*ir.Value]int, len(s.Func.Body))
	for _, g := range s.groups {
		if l.group(g) {
			for _, v := range g.values {
				step[v] = len(s.Plan.Steps) - 1
			}
		}
	}
	s.Plan.Ledger = s.decisions(step)
	return nil
}

type looper struct {
	*State
	buffer map[*ir.Value]int
}

// interfaceBuffers declares the params and results.
func (l *looper) interfaceBuffers() {
	for i, p := range l.Func.Params {
		l.add(p, ir.Buffer{Kind: ir.ParamBuffer, Name: p.Name, Index: i, At: p.Attr.At})
	}
	for i, r := range l.Func.Results {
		l.add(r, ir.Buffer{Kind: ir.ResultBuffer, Index: i})
	}
}

func (l *looper) add(v *ir.Value, b ir.Buffer) int {
	b.DType, b.Shape = v.Type.DType, extents(v)
	l.Plan.Buffers = append(l.Plan.Buffers, b)
	l.buffer[v] = len(l.Plan.Buffers) - 1
	return l.buffer[v]
}

// of returns the buffer of a value, declaring constants and temporaries.
func (l *looper) of(v *ir.Value) int {
	if i, ok := l.buffer[v]; ok {
		return i
	}
	if isConst(v) {
		return l.add(v, ir.Buffer{Kind: ir.ConstBuffer, Bits: v.Attr.Bits})
	}
	return l.add(v, ir.Buffer{Kind: ir.TempBuffer})
}

// group appends the step of a group, and reports whether it needs one: without
// elements it doesn't.
func (l *looper) group(g *group) bool {
	for _, v := range g.outputs {
		l.of(v)
	}
	n := l.nest(g)
	if n == nil {
		return false
	}
	kernel, order := n.kernel(g)
	rank := len(n.extents)
	step := ir.Step{Kernel: kernel, Extents: n.extents, Pos: g.values[len(g.values)-1].Pos}
	step.Rows, step.Cols = n.extents[rank-2], n.extents[rank-1]
	step.Operands = make([]ir.Access, 0, len(n.operands))
	for _, i := range order {
		step.Operands = append(step.Operands, n.operands[i])
	}
	step.Operands = append(step.Operands, n.operands[len(g.inputs):]...)
	l.Plan.Steps = append(l.Plan.Steps, step)
	return true
}

// nest is the loop nest of a group: the operands are its inputs, then its
// outputs.
type nest struct {
	extents  []int
	operands []ir.Access
}

// nest finds the coarsest axes along which every operand has a stride.
func (l *looper) nest(g *group) *nest {
	if size(g.values[0].Type.Shape) == 0 {
		return nil
	}
	operands := append(g.inputs[:len(g.inputs):len(g.inputs)], g.outputs...)
	var layouts []ir.Layout
	for _, v := range operands {
		if !isConst(v) {
			layouts = append(layouts, layoutOf(v))
		}
	}
	layouts, ok := ir.Refine(layouts...)
	if !ok {
		panic("the operands of a group have no common loop nest")
	}
	n := &nest{extents: atLeastTwo(layouts[0].Shape, 1)}
	for i, v := range operands {
		a := ir.Access{Buffer: l.of(base(v)), Strides: make([]int, len(n.extents))}
		if !isConst(v) {
			a.Offset, a.Strides = layouts[0].Offset, atLeastTwo(layouts[0].Strides, 0)
			if len(layouts[0].Shape) == 0 && (i >= len(g.inputs) || !isSplat(v)) {
				a.Strides[1] = 1 // its class does not depend on the extents
			}
			layouts = layouts[1:]
		}
		n.operands = append(n.operands, a)
	}
	return n
}

// atLeastTwo puts fill before the numbers of an axis list shorter than two.
func atLeastTwo(axes []int, fill int) []int {
	for len(axes) < 2 {
		axes = append([]int{fill}, axes...)
	}
	return axes
}

// base returns the value whose buffer v reads.
func base(v *ir.Value) *ir.Value {
	if v.Op == ir.OpAccess {
		return v.Args[0]
	}
	return v
}

// kernel writes the group's body. Input i of the kernel is g.inputs[order[i]].
func (n *nest) kernel(g *group) (k *ir.Kernel, order []int) {
	ref := make(map[*ir.Value]ir.Ref, len(g.inputs)+len(g.values))
	operands := make([]ir.Operand, len(g.inputs))
	for i, v := range g.inputs {
		operands[i] = ir.Operand{DType: v.Type.DType, Splat: n.operands[i].Inner() == 0}
		ref[v] = ir.Ref(i)
	}
	b := ir.NewBuilder(operands...)
	for _, v := range g.values {
		args := make([]ir.Ref, len(v.Args))
		for i, a := range v.Args {
			args[i] = ref[a]
		}
		switch v.Op {
		case ir.OpCast:
			ref[v] = b.Cast(v.Type.DType, args[0])
		case ir.OpBitcast:
			ref[v] = b.Bitcast(v.Type.DType, args[0])
		default:
			ref[v] = b.Op(v.Op, args...)
		}
	}
	for _, v := range g.outputs {
		b.Store(ref[v])
	}
	return b.Kernel().Canonical()
}
