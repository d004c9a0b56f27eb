package form

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Views composes every chain of views into one access: a buffer that is read through one layout. A view of an
// elementwise value equals the same op on views of its operands, so Views pushes the view through the op, to the
// buffers that the value is computed from. If that would compute something expensive more than once, the value is
// stored and the view reads its buffer.
//
// Requires: no dead values, because uses are counted; all sizes bound.
// Ensures: stage viewed. The operands of an elementwise op are scalar constants, elementwise values of its shape, or
// accesses and params that enumerate its shape. A broadcast is an axis of stride 0. A view that no strides describe is
// an explicit copy with its reason.
func Views(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, hasViews) {
		return nil
	}
	w := &viewer{s: s, uses: s.countUses(), reads: s.CountReads(), order: rewrite.MapIn(&s.Pass.Numbers, s.Func)}
	w.keepOperands()
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		var err error
		x := v
		switch {
		case v.Op.IsView():
			x, err = w.view(v, v.Args[0])
			w.readAs(x, v)
		case v.Op.IsElementwise():
			err = w.elementwise(v)
		case v.Op == ir.OpReduceChunks:
			if x, err = w.line(v); x != v {
				w.readAs(x, v)
			}
		case rewrite.IsScan(v):
			err = w.whole(v, 0)
		case v.Op.IsProduct():
			err = w.dot(v)
		case v.Op.IsJoin() || v.Op.IsLine():
			for i := range v.Args {
				if err == nil {
					err = w.whole(v, i)
				}
			}
		}
		if x == v {
			w.append(v)
		}
		return x, err
	})
}

// hasViews reports whether v needs this pass: v is a view or another op that is not elementwise, an operand of v has
// another shape, or v has axes but only constant operands.
func hasViews(v *ir.Value) bool {
	if rewrite.IsConst(v) {
		return false
	}
	shaped := len(v.Type.Shape) == 0
	for _, a := range v.Args {
		if rewrite.IsConst(a) {
			continue
		}
		if !a.Type.Shape.Equal(v.Type.Shape) {
			return true // an operand is repeated
		}
		shaped = true
	}
	return !shaped || !v.Op.IsElementwise()
}

// viewer rewrites views to accesses.
type viewer struct {
	s     *State
	space layout.Space
	uses  rewrite.ValueMap[int32]           // number of reads of a value in the new body, including reads still to come
	reads rewrite.ValueMap[rewrite.Reading] // reads by ops that are not views
	order rewrite.ValueMap[int32]           // topological
	last  int32

	expand *ir.Value // the view op that elementwise applies to an operand, reused
}

// readAs notes that the readers of v now read x instead.
func (w *viewer) readAs(x, v *ir.Value) {
	n, r := *w.uses.At(v), *w.reads.At(v)
	*w.uses.At(x) += n
	of := w.reads.At(x)
	*of = rewrite.Reading{Times: of.Times + r.Times, Elements: of.Elements + r.Elements}
}

// readOnce notes one more read of x, with as many elements as v has.
func (w *viewer) readOnce(x, v *ir.Value) {
	*w.uses.At(x)++
	r := w.reads.At(x)
	*r = rewrite.Reading{Times: r.Times + 1, Elements: r.Elements + float64(rewrite.Size(v.Type.Shape))}
}

// append makes v the last value in topological order.
func (w *viewer) append(v *ir.Value) {
	w.last++
	*w.order.At(v) = w.last
}

// countUses returns the number of reads of each value, results included.
func (s *State) countUses() rewrite.ValueMap[int32] {
	f := s.Func
	uses := rewrite.MapIn(&s.Pass.Numbers, f)
	for _, v := range f.Body {
		for _, a := range v.Args {
			*uses.At(a)++
		}
	}
	for _, r := range f.Results {
		*uses.At(r)++
	}
	return uses
}

// view returns x seen through the view op v.
func (w *viewer) view(v, x *ir.Value) (*ir.Value, error) {
	if !w.pushable(x) {
		return w.access(v, x)
	}
	c := w.fanIn(v, x)
	if c.why == "" {
		c.why = w.copiedBelow(v, c)
	}
	if c.why != "" {
		w.s.store(x, c.why)
		return w.access(v, x)
	}
	return w.push(v, c)
}

// pushable reports whether a view of x can be pushed through to the operands of x.
func (w *viewer) pushable(x *ir.Value) bool {
	return x.Op.IsElementwise() && x.Op != ir.OpCopy && w.s.why[x] == ""
}

// store notes that x gets memory of its own, and why. The first reason is kept.
func (s *State) store(x *ir.Value, why string) {
	if s.why == nil {
		s.why = map[*ir.Value]string{}
	}
	if s.why[x] == "" {
		s.why[x] = why
	}
}

// push clones the values of a fan-in cone in the shape of v, and releases the originals that only v needed.
func (w *viewer) push(v *ir.Value, c *fanIn) (*ir.Value, error) {
	y, err := w.clone(v, c)
	w.release(v, c)
	return y, err
}

// clone appends the values of a fan-in cone, computed as v reads them, and returns the one that v views.
func (w *viewer) clone(v *ir.Value, c *fanIn) (*ir.Value, error) {
	clone := make(map[*ir.Value]*ir.Value, len(c.values))
	var y *ir.Value
	for _, u := range slices.Backward(c.values) {
		next := ir.Value{Op: u.Op, Args: slices.Clone(u.Args), Attr: u.Attr, Pos: u.Pos}
		next.Type = ir.Type{DType: u.Type.DType, Shape: v.Type.Shape}
		for i, a := range u.Args {
			var err error
			switch {
			case rewrite.IsConst(a):
			case clone[a] != nil:
				next.Args[i] = clone[a]
				w.readOnce(clone[a], v)
			default:
				if next.Args[i], err = w.access(v, a); err != nil {
					return nil, err
				}
			}
		}
		if err := w.shape(&next); err != nil {
			return nil, err
		}
		y = w.s.Func.Append(next)
		w.append(y)
		clone[u] = y
		if c.alive[u] && w.again(u, false) > 0 {
			w.s.Record(plan.Recomputed, y, 0, "to compute it again costs less than to store it and read it back")
		}
	}
	return y, nil
}

// release subtracts the uses by values that only the cone needed, because v now reads their clones.
func (w *viewer) release(v *ir.Value, c *fanIn) {
	*w.uses.At(c.values[0])--
	for _, u := range c.values {
		if c.alive[u] {
			continue
		}
		for _, a := range u.Args {
			*w.uses.At(a)--
		}
	}
}

// elementwise expands all operands of v to the shape of v.
func (w *viewer) elementwise(v *ir.Value) error {
	for i, a := range v.Args {
		if rewrite.IsConst(a) || a.Type.Shape.Equal(v.Type.Shape) {
			continue
		}
		if w.expand == nil {
			w.expand = &ir.Value{Op: ir.OpExpand, Attr: new(ir.Attr)}
		}
		w.expand.Pos, w.expand.Attr.Shape = v.Pos, v.Type.Shape
		w.expand.Type = ir.Type{DType: a.Type.DType, Shape: v.Type.Shape}
		x, err := w.view(w.expand, a)
		if err != nil {
			return err
		}
		if x != a {
			w.readOnce(x, v)
		}
		v.Args[i] = x
	}
	return w.shape(v)
}

// shape makes sure that the operands of v have one common loop nest, and that one of them has the shape of v. Where
// they do not, it copies an operand or expands a constant.
func (w *viewer) shape(v *ir.Value) error {
	refined, shaped := -1, false
	for i, a := range v.Args {
		shaped = shaped || !rewrite.IsConst(a)
		if a.Op == ir.OpAccess && !rewrite.HasExtents(a.Attr.At.Shape, a) {
			refined = i
		}
	}
	if !shaped && len(v.Type.Shape) > 0 {
		e := &ir.Value{Op: ir.OpExpand, Pos: v.Pos, Attr: &ir.Attr{Shape: v.Type.Shape}, Type: ir.Type{DType: v.Args[0].Type.DType, Shape: v.Type.Shape}}
		a, err := w.access(e, v.Args[0])
		v.Args[0] = a
		return err
	}
	if refined < 0 || w.refinable(v) {
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
func (w *viewer) refinable(v *ir.Value) bool {
	w.space.Reset()
	var space [4]layout.Layout
	ls := space[:0]
	for _, a := range v.Args {
		if !rewrite.IsConst(a) {
			ls = append(ls, rewrite.LayoutIn(&w.space, a))
		}
	}
	_, ok := w.space.Refine(ls...)
	return ok
}

// access returns an access to the buffer of x, with x seen through the view op v. x is a param, a constant, an access
// or a stored value.
func (w *viewer) access(v, x *ir.Value) (*ir.Value, error) {
	buffer, l := x, rewrite.LayoutOf(x)
	if x.Op == ir.OpAccess {
		buffer = x.Args[0]
	}
	if why := needsCopy(v, x); why != "" {
		c, err := w.copyOf(x, x.Pos, why)
		if err != nil {
			return nil, err
		}
		return w.access(v, c)
	}
	m, err := viewLayout(v, l, rewrite.Extents(x))
	if v.Op == ir.OpReshape && err != nil {
		m, err = l, nil // l enumerates the same elements; shape finds a common refinement
	}
	if err != nil {
		return nil, &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
	}
	return w.read(buffer, m, v), nil
}

// read returns an access to buffer with the layout l, or the buffer itself if l is its own layout.
func (w *viewer) read(buffer *ir.Value, l layout.Layout, v *ir.Value) *ir.Value {
	w.space.Reset()
	if own := rewrite.LayoutIn(&w.space, buffer); v.Type.Shape.Equal(buffer.Type.Shape) && l.Equal(own) && buffer.Op != ir.OpConst {
		return buffer
	}
	own := &struct { // one allocation
		attr ir.Attr
		at   layout.Layout
	}{ir.Attr{Shape: v.Type.Shape}, l}
	own.attr.At = &own.at
	return w.s.Func.Append(ir.Value{
		Op: ir.OpAccess, Args: []*ir.Value{buffer}, Pos: v.Pos, Type: ir.Type{DType: buffer.Type.DType, Shape: v.Type.Shape}, Attr: &own.attr,
	})
}

// copyOf appends a copy of x in row-major order. The ledger gives why as its reason.
func (w *viewer) copyOf(x *ir.Value, pos ir.Pos, why string) (*ir.Value, error) {
	return w.s.Func.Add(ir.OpCopy, ir.Attr{Note: why}, pos, x)
}
