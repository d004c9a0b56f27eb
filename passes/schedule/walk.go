package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// A walk is the loops around a place in a nest, the outermost first. Each loop takes some indices of an axis of a step at a
// time. A walk is a value: cut returns a new one, and the old one still describes the place outside the new loop.
type walk struct {
	loops []nest.Loop
	axis  []int       // by loop
	size  []nest.Size // by axis: how many of its indices one iteration has
	most  []int       // by axis: the greatest value of its size
}

// newWalk returns the place outside all loops, where a step has all indices of its axes.
func newWalk(axes []plan.Axis) *walk {
	w := &walk{size: make([]nest.Size, 0, len(axes)), most: make([]int, 0, len(axes))}
	for _, a := range axes {
		w.size = append(w.size, nest.Fixed(a.Extent))
		w.most = append(w.most, a.Extent)
	}
	return w
}

// cut returns the place inside one more loop, which takes n indices of an axis at a time: w itself if they are no more than
// that.
func (w *walk) cut(axis, n int) *walk {
	if w.most[axis] <= n {
		return w
	}
	in := &walk{
		loops: append(slices.Clone(w.loops), nest.Loop{Extent: w.size[axis], Tile: n}),
		axis:  append(slices.Clone(w.axis), axis),
		size:  slices.Clone(w.size), most: slices.Clone(w.most),
	}
	in.size[axis] = nest.Of(w.depth())
	if w.size[axis].Loop < 0 && w.most[axis]%n == 0 {
		in.size[axis] = nest.Fixed(n)
	}
	in.most[axis] = n
	return in
}

// having returns the same place where an axis has n indices.
func (w *walk) having(axis, n int) *walk {
	in := *w
	in.size, in.most = slices.Clone(w.size), slices.Clone(w.most)
	in.size[axis], in.most[axis] = nest.Fixed(n), n
	return &in
}

// cutAll returns the place inside loops over single indices of all axes but some.
func (w *walk) cutAll(but ...int) *walk {
	for axis := range w.size {
		if !slices.Contains(but, axis) {
			w = w.cut(axis, 1)
		}
	}
	return w
}

// depth returns the number of loops.
func (w *walk) depth() int { return len(w.loops) }

// wrap returns the items inside the loops that w has and outer, which it was cut from, has not: as one nest, or as they are
// without such a loop.
func (w *walk) wrap(outer *walk, items []nest.Item) []nest.Item {
	if w.depth() == outer.depth() || len(items) == 0 {
		return items
	}
	return []nest.Item{inner(w.loops[outer.depth():], items...)}
}

// part returns the items as a part of a task, whose loops are all parallel.
func (w *walk) part(items []nest.Item) nest.Nest { return nest.Nest{Loops: w.loops, Items: items} }

// view is the memory of an operand of calls: the place of the element of each index of a step's axes. The loops before number
// from do not move it, as each of their iterations writes it again.
type view struct {
	slot    int
	offset  int
	strides []int // by axis of the step
	from    int
}

// viewOf returns an operand where the plan has it.
func viewOf(slot int, a *plan.Access) view {
	return view{slot: slot, offset: a.Offset, strides: a.Strides}
}

// local returns a slot of local memory as a view that each iteration of the loops of w writes again. along lists axes, each
// followed by its stride; along all others it has one element.
func (w *walk) local(slot int, along ...int) view {
	v := view{slot: slot, strides: make([]int, len(w.size)), from: w.depth()}
	for i := 0; i < len(along); i += 2 {
		v.strides[along[i]] = along[i+1]
	}
	return v
}

// move returns the view from index n of an axis on.
func (v view) move(axis, n int) view {
	v.offset += n * v.strides[axis]
	return v
}

// inside returns the view as local memory that each iteration of the loops of w writes again.
func (v view) inside(w *walk) view {
	v.from = w.depth()
	return v
}

// across returns the bytes from one index of an axis to the next, for elements of a type.
func (v *view) across(axis int, d ir.DType) nest.Size { return nest.Fixed(v.strides[axis] * d.Size()) }

// arg returns a view as an argument of a call whose lines follow one another along an axis.
func (w *walk) arg(v *view, line int) nest.Arg {
	strides := make([]int, w.depth())
	for l := v.from; l < len(strides); l++ {
		strides[l] = v.strides[w.axis[l]] * w.loops[l].Tile
	}
	return nest.Arg{Slot: v.slot, Offset: v.offset, Strides: strides, Step: v.strides[line]}
}

// args returns views as the arguments of such a call.
func (w *walk) args(line int, views ...view) []nest.Arg {
	args := make([]nest.Arg, len(views))
	for i := range views {
		args[i] = w.arg(&views[i], line)
	}
	return args
}

// ordered returns the inputs of a kernel, of which input i is ins[order[i]], and its outputs.
func ordered(order []int, ins []view, outs ...view) []view {
	args := make([]view, 0, len(order)+len(outs))
	for _, from := range order {
		args = append(args, ins[from])
	}
	return append(args, outs...)
}

// times returns n times a size.
func times(s nest.Size, n int) nest.Size { return nest.Size{Loop: s.Loop, N: s.N * n} }
