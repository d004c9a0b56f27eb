package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// views folds every chain of views into one access: a buffer read through one
// layout. A view of an elementwise value is a view of its operands, so it
// sinks to the buffers below, unless that would compute something dear more
// than once: then the value is stored and the view reads its buffer.
//
// Requires: dce, because uses are counted; all sizes bound.
// Ensures: stage viewed. The operands of an elementwise op are scalar
// constants, elementwise values of its shape, or accesses and params that
// enumerate its shape; a broadcast is stride 0. Results are elementwise values,
// each once. What no stride describes is an explicit copy with its reason.
func views(s *State) error {
	f := s.Func
	w := &viewer{State: s, uses: countUses(f), stored: map[*ir.Value]bool{}}
	err := rewrite(f, func(v *ir.Value) (*ir.Value, error) {
		switch {
		case v.Op.IsView():
			x, err := w.view(v, v.Args[0])
			w.uses[x] += w.uses[v]
			return x, err
		case v.Op.IsElementwise():
			return w.elementwise(v)
		}
		return v, nil
	})
	if err != nil {
		return err
	}
	if err := cse(s); err != nil { // accesses of one layout, values recomputed twice
		return err
	}
	if err := w.results(); err != nil {
		return err
	}
	return dce(s)
}

type viewer struct {
	*State
	uses   map[*ir.Value]int
	stored map[*ir.Value]bool // values in the ledger as materialized
}

const (
	// recomputeLimit is the cost in additions up to which a value is computed
	// again rather than stored and read back: the price of store and load.
	recomputeLimit = 4
	// sinkLimit is how many ops a view sinks through. Beyond it the group would
	// be split anyway, and compile time would not be linear.
	sinkLimit = 64
)

func countUses(f *ir.Func) map[*ir.Value]int {
	uses := make(map[*ir.Value]int, len(f.Body)+len(f.Params))
	for _, v := range f.Body {
		for _, a := range v.Args {
			uses[a]++
		}
	}
	for _, r := range f.Results {
		uses[r]++
	}
	return uses
}

// view returns x seen through the view op v.
func (w *viewer) view(v, x *ir.Value) (*ir.Value, error) {
	if !x.Op.IsElementwise() || w.stored[x] || x.Attr.Note != "" {
		return w.access(v, x)
	}
	replicates := v.Op == ir.OpExpand && size(v.Type.Shape) > size(x.Type.Shape)
	ops, cost := 0, 0.0
	measure(x, &ops, &cost)
	once := w.uses[x] <= 1 && !replicates
	switch {
	case ops <= sinkLimit && (once || cost <= recomputeLimit):
		return w.sink(v, x)
	case replicates:
		w.store(x, "a broadcast reads it, and would compute it again for every repeat")
	case once:
		w.store(x, "it is read through a view, and too many ops make it to compute them there")
	default:
		w.store(x, "it is read through a view and in another way, and both would compute it")
	}
	return w.access(v, x)
}

// store notes that x gets memory of its own.
func (w *viewer) store(x *ir.Value, reason string) {
	w.stored[x] = true
	w.record(ir.Materialized, x, 2*bytes(x), reason)
}

// sink returns x's op on the operands of x seen through v.
func (w *viewer) sink(v, x *ir.Value) (*ir.Value, error) {
	args := make([]*ir.Value, len(x.Args))
	for i, a := range x.Args {
		args[i] = a
		if isConst(a) {
			continue
		}
		b, err := w.view(v, a)
		if err != nil {
			return nil, err
		}
		args[i] = b
	}
	y := &ir.Value{Op: x.Op, Args: args, Attr: x.Attr, Pos: x.Pos}
	y.Type = ir.Type{DType: x.Type.DType, Shape: v.Type.Shape}
	if err := w.shape(y); err != nil {
		return nil, err
	}
	w.Func.Body = append(w.Func.Body, y)
	return y, nil
}

// elementwise gives all operands of v its shape.
func (w *viewer) elementwise(v *ir.Value) (*ir.Value, error) {
	for i, a := range v.Args {
		if isConst(a) {
			continue
		}
		a, err := w.expand(a, v)
		if err != nil {
			return nil, err
		}
		v.Args[i] = a
	}
	return v, w.shape(v)
}

// expand returns a with the shape of v.
func (w *viewer) expand(a, v *ir.Value) (*ir.Value, error) {
	if a.Type.Shape.Equal(v.Type.Shape) {
		return a, nil
	}
	e := &ir.Value{Op: ir.OpExpand, Pos: v.Pos, Attr: ir.Attr{Shape: v.Type.Shape}}
	e.Type = ir.Type{DType: a.Type.DType, Shape: v.Type.Shape}
	return w.view(e, a)
}

// shape sees to it that the operands of v have one loop nest in which each is
// affine, and that one of them has v's shape.
func (w *viewer) shape(v *ir.Value) error {
	refined, shaped := -1, false
	for i, a := range v.Args {
		shaped = shaped || !isConst(a)
		if a.Op == ir.OpAccess && !slices.Equal(a.Attr.At.Shape, extents(a)) {
			refined = i
		}
	}
	if !shaped && len(v.Type.Shape) > 0 {
		e := &ir.Value{Op: ir.OpExpand, Pos: v.Pos, Attr: ir.Attr{Shape: v.Type.Shape}, Type: ir.Type{DType: v.Args[0].Type.DType, Shape: v.Type.Shape}}
		a, err := w.access(e, v.Args[0])
		v.Args[0] = a
		return err
	}
	if refined < 0 || refinable(v) {
		return nil
	}
	a := v.Args[refined]
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the reshape to %s is no view of %s, and another operand has no strides for its axes", a.Type.Shape, a.Attr.At))
	if err != nil {
		return err
	}
	v.Args[refined] = c
	return w.shape(v)
}

// refinable reports whether the layouts of v's operands have a common loop nest.
func refinable(v *ir.Value) bool {
	var ls []ir.Layout
	for _, a := range v.Args {
		if !isConst(a) {
			ls = append(ls, layoutOf(a))
		}
	}
	_, ok := ir.Refine(ls...)
	return ok
}

// access returns the buffer below x, which is a param, a constant, an access or
// a stored value, read as the view v of x.
func (w *viewer) access(v, x *ir.Value) (*ir.Value, error) {
	buffer, l := x, layoutOf(x)
	if x.Op == ir.OpAccess {
		buffer = x.Args[0]
	}
	shape := extents(x)
	if !slices.Equal(l.Shape, shape) && v.Op != ir.OpReshape { // a reshape that is no view on its own
		m, ok := l.Reshape(shape...)
		if !ok {
			c, err := w.copyOf(x, x.Pos, fmt.Sprintf("the reshape to %v is no view of %s, and %s needs its axes", shape, l, v.Op))
			if err != nil {
				return nil, err
			}
			return w.access(v, c)
		}
		l = m
	}
	m, err := v.Layout(l)
	if v.Op == ir.OpReshape && err != nil {
		m, err = l, nil // the enumeration stays; the shapes meet in a common refinement
	}
	if err != nil {
		return nil, &ir.Error{Pos: v.Pos, Op: v.Op, Msg: err.Error()}
	}
	return w.read(buffer, m, v), nil
}

// read returns the value that reads a buffer through a layout; the buffer
// itself if the layout is its own.
func (w *viewer) read(buffer *ir.Value, l ir.Layout, v *ir.Value) *ir.Value {
	if own := layoutOf(buffer); v.Type.Shape.Equal(buffer.Type.Shape) && l.Equal(own) && buffer.Op != ir.OpConst {
		return buffer
	}
	a := &ir.Value{Op: ir.OpAccess, Args: []*ir.Value{buffer}, Pos: v.Pos}
	a.Type = ir.Type{DType: buffer.Type.DType, Shape: v.Type.Shape}
	a.Attr = ir.Attr{At: &l, Shape: v.Type.Shape}
	w.Func.Body = append(w.Func.Body, a)
	return a
}

// copyOf stores the elements of x in their own order.
func (w *viewer) copyOf(x *ir.Value, pos ir.Pos, reason string) (*ir.Value, error) {
	c, err := w.Func.Add(ir.OpCopy, ir.Attr{Note: reason}, pos, x)
	if err == nil {
		w.record(ir.Copied, c, 2*bytes(c), reason)
	}
	return c, err
}

// results makes every result an elementwise value that no other result is.
func (w *viewer) results() error {
	seen := map[*ir.Value]bool{}
	for i, r := range w.Func.Results {
		switch {
		case r.Op.IsElementwise() && !seen[r]:
		case seen[r]:
			c, err := w.copyOf(r, r.Pos, "the value is another result too, and each has its own memory")
			if err != nil {
				return err
			}
			r = c
		default:
			c, err := w.copyOf(r, r.Pos, "a result has its own memory, and nothing computes this one")
			if err != nil {
				return err
			}
			r = c
		}
		seen[r] = true
		w.Func.Results[i] = r
	}
	return nil
}

// measure adds up the ops that compute a value from buffers and their cost in
// additions, no further than the limits.
func measure(x *ir.Value, ops *int, cost *float64) {
	if !x.Op.IsElementwise() || *ops > sinkLimit {
		return
	}
	*ops++
	*cost += x.Op.Info().Cost
	for _, a := range x.Args {
		measure(a, ops, cost)
	}
}

func isConst(v *ir.Value) bool { return v.Op == ir.OpConst }

// layoutOf returns where the elements of a value sit in its buffer.
func layoutOf(v *ir.Value) ir.Layout {
	if v.Attr.At != nil {
		return *v.Attr.At
	}
	return ir.RowMajor(extents(v)...)
}

func extents(v *ir.Value) []int {
	e, _ := v.Type.Shape.Ints()
	return e
}
