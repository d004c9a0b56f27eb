package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// nest is the loop nest of a group. The operands are its inputs, then the
// accumulators of a nest that folds down its rows, then its outputs.
type nest struct {
	g        *group
	ref      *table[kernel.Ref] // of the looper
	extents  []int
	operands []plan.Access
	down     bool
	short    bool // see ir.Step.ShortRows
}

const (
	// minColumns is how many columns a nest must have to fold down the rows, unless
	// there are minRows and the executor can join them.
	minColumns, minRows = 16, 128
	// shortLine is up to how many elements a line is folded down rather than
	// along, whatever lies contiguously: it would not fill a vector.
	shortLine = 8
)

// nest finds the coarsest axes along which every operand has a stride. The last
// one is the columns.
func (l *looper) nest(g *group) *nest {
	all := slices.Concat(g.inputs, g.outputs)
	layouts := refine(g, all)
	n := &nest{g: g, ref: &l.ref, extents: layouts[0].Shape, operands: make([]plan.Access, 0, len(all))}
	for i, v := range all {
		a := plan.Access{Buffer: l.of(base(v)), Offset: layouts[i].Offset, Strides: layouts[i].Strides}
		if len(n.extents) == 0 && (i >= len(g.inputs) || !isSplat(v)) {
			a.Strides = []int{1} // its class does not depend on the extents
		}
		n.operands = append(n.operands, a)
	}
	if g.line() > 0 && n.betterDown() {
		n.turn()
	}
	n.extents = atLeastTwo(n.extents, 1)
	rank := len(n.extents)
	strides := make([]int, rank*len(n.operands))
	for i := range n.operands {
		a := &n.operands[i]
		own := strides[i*rank:][:rank:rank]
		copy(own[rank-len(a.Strides):], a.Strides)
		a.Strides = own
	}
	return n
}

// refine returns the layouts of all a group's inputs and outputs over one shape. If
// the group folds, the shape's last axis is the line, along which a folded
// output has the stride from chunk to chunk.
func refine(g *group, all []*ir.Value) []layout.Layout {
	fixed := make([]layout.Layout, 0, len(all)) // those that the loop nest follows from
	follows := func(i int, v *ir.Value) bool {
		return !isConst(v) && (i < len(g.inputs) || v.Op != ir.OpFold)
	}
	for i, v := range all {
		if follows(i, v) {
			fixed = append(fixed, layoutOf(v))
		}
	}
	ok, n := false, g.line()
	if n > 0 {
		fixed, ok = lineNest(fixed, size(domain(g.values[0])), n)
	} else {
		fixed, ok = layout.Refine(fixed...)
	}
	if !ok {
		panic("the operands of a group have no common loop nest")
	}
	shape := fixed[0].Shape
	out := make([]layout.Layout, len(all))
	zeros := make([]int, len(shape))
	for i, v := range all {
		switch {
		case follows(i, v):
			out[i], fixed = fixed[0], fixed[1:]
		case isConst(v):
			out[i] = layout.Layout{Shape: shape, Strides: zeros}
		default:
			out[i] = foldedLayout(shape)
		}
	}
	return out
}

// foldedLayout is where the results of folding the last axis go: the other axes
// row-major, chunk after chunk.
func foldedLayout(shape []int) layout.Layout {
	last := len(shape) - 1
	l := layout.RowMajor(shape[:last]...)
	lines := 1
	for _, n := range shape[:last] {
		lines *= n
	}
	if shape[last] <= ir.FoldChunk {
		lines = 0 // the only chunk
	}
	return layout.Layout{Shape: shape, Strides: append(l.Strides, lines)}
}

// betterDown reports whether a nest that folds its last axis is better walked
// with that as its rows and the axis before it as its columns: where the
// operands are contiguous along those. What is stored besides is contiguous
// along the line.
func (n *nest) betterDown() bool {
	last := len(n.extents) - 1
	if last == 0 || n.extents[last-1] < minColumns && !n.joins() {
		return false
	}
	along, across := 0, 0
	for i, v := range n.g.inputs {
		switch s := n.operands[i].Strides; {
		case s[last] == 0 || s[last-1] == 0: // one element a row or a column either way
		case s[last] == 1 || s[last] == -1:
			along += v.Type.DType.Size()
		case s[last-1] == 1 || s[last-1] == -1:
			across += v.Type.DType.Size()
		}
	}
	for _, v := range n.g.outputs {
		if v.Op != ir.OpFold || v.Attr.By.Finds() {
			return false
		}
	}
	return across > along || n.extents[last] <= shortLine
}

// joins reports whether a nest that folds down many rows may take some as one
// long row: each input lies row behind row, or is the same row each time.
func (n *nest) joins() bool {
	last := len(n.extents) - 1
	for i := range n.g.inputs {
		s := n.operands[i].Strides
		repeats, unit := s[last] == 0, s[last-1] == 1
		if !(unit && (repeats || s[last] == n.extents[last-1]) || repeats && s[last-1] == 0) {
			return false
		}
	}
	return n.extents[last] >= minRows
}

// turn makes the last axis the rows, and adds the accumulators.
func (n *nest) turn() {
	n.down = true
	last := len(n.extents) - 1
	swap := func(axes []int) []int {
		axes = slices.Clone(axes)
		axes[last], axes[last-1] = axes[last-1], axes[last]
		return axes
	}
	n.extents = swap(n.extents)
	for i := range n.operands {
		n.operands[i].Strides = swap(n.operands[i].Strides)
	}
	n.operands = append(n.operands, n.operands[len(n.g.inputs):]...)
}

// atLeastTwo puts fill before the numbers of an axis list shorter than two.
func atLeastTwo(axes []int, fill int) []int {
	switch len(axes) {
	case 0:
		return []int{fill, fill}
	case 1:
		return []int{fill, axes[0]}
	}
	return axes
}

// step makes the step, of one block.
func (n *nest) step(fast bool) plan.FlatStep {
	kernel, order := n.kernel(fast)
	rank, outputs := len(n.extents), len(n.operands)-len(n.g.outputs)
	step := plan.FlatStep{Kernel: kernel, Extents: n.extents, Down: n.down, Pos: n.g.values[len(n.g.values)-1].Pos}
	step.Rows, step.Cols = n.extents[rank-2], n.extents[rank-1]
	step.Operands = make([]plan.Access, 0, len(n.operands))
	for _, i := range order {
		step.Operands = append(step.Operands, n.operands[i])
	}
	step.Operands = append(step.Operands, n.operands[outputs:]...)
	return step
}

// isSplat reports whether operand i is one element for all columns. In short rows
// it has to be for all rows too.
func (n *nest) isSplat(i int) bool {
	a := n.operands[i]
	return a.Inner() == 0 && !(n.short && a.Strides[len(a.Strides)-2] != 0)
}

// kernel writes the group's body. Input i of the kernel is n.operands[order[i]].
func (n *nest) kernel(fast bool) (k *kernel.Kernel, order []int) {
	g := n.g
	k = &kernel.Kernel{Fast: fast, In: make([]kernel.Operand, len(n.operands)-len(g.outputs))}
	for i := range k.In {
		v := n.operand(i)
		k.In[i] = kernel.Operand{DType: v.Type.DType, Splat: n.isSplat(i)}
		if i < len(g.inputs) {
			*n.ref.at(v) = kernel.Ref(i)
		}
	}
	k.Body = make([]kernel.Inst, 0, len(g.values)+len(g.outputs))
	add := func(v *ir.Value, op ir.Op, args ...kernel.Ref) kernel.Ref {
		in := kernel.Inst{Op: op, DType: v.Type.DType}
		copy(in.Args[:], args)
		k.Body = append(k.Body, in)
		return kernel.Ref(len(k.In) + len(k.Body) - 1)
	}
	var args [3]kernel.Ref
	for _, v := range g.values {
		if v.Op == ir.OpFold {
			continue
		}
		for i, a := range v.Args {
			args[i] = *n.ref.at(a)
		}
		*n.ref.at(v) = add(v, v.Op, args[:len(v.Args)]...)
	}
	for i, v := range g.outputs {
		switch {
		case v.Op != ir.OpFold:
			k.Out = append(k.Out, *n.ref.at(v))
		case n.down:
			k.Out = append(k.Out, add(v, v.Attr.By, kernel.Ref(len(g.inputs)+i), *n.ref.at(v.Args[0])))
		default:
			if k.Fold == nil {
				k.Fold = make([]ir.Op, len(g.outputs))
			}
			k.Fold[i] = v.Attr.By
			k.Out = append(k.Out, *n.ref.at(v.Args[0]))
		}
	}
	return k.Canonical()
}

// operand returns the value that operand i is.
func (n *nest) operand(i int) *ir.Value {
	if i < len(n.g.inputs) {
		return n.g.inputs[i]
	}
	return n.g.outputs[i-len(n.g.inputs)]
}
