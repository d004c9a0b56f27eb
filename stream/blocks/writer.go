package blocks

import (
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// writer builds a function of a pass from values of the divided graph.
type writer struct {
	d      *Division
	f      *ir.Func
	rows   int // rows of a block function; 0 in a finish function
	level  int // in a finish function: the number of passes after which its values are known
	memo   map[*ir.Value]*ir.Value
	inputs []Input
	offset *ir.Value
	states []State
	next   []*ir.Value               // the states after the block
	parts  map[*ir.Value][]*ir.Value // in a finish function: the parts of the totals
}

func (d *Division) writer(name string) *writer {
	return &writer{d: d, f: &ir.Func{Name: name, Fast: d.f.Fast}, memo: map[*ir.Value]*ir.Value{}}
}

// failure is what add panics with.
type failure struct{ error }

// catch recovers a failure; callers of add defer it.
func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case failure:
		*err = p.error
	default:
		panic(p)
	}
}

// add appends an op.
func (w *writer) add(op ir.Op, a ir.Attr, at *ir.Value, args ...*ir.Value) *ir.Value {
	v, err := w.f.Add(op, a, at.Pos, args...)
	if err != nil {
		panic(failure{err})
	}
	return v
}

// param appends a parameter.
func (w *writer) param(in Input, t ir.Type) *ir.Value {
	w.inputs = append(w.inputs, in)
	return w.f.Param(in.String(), t, nil)
}

// value returns the value in this function that stands for a value of the divided graph.
func (w *writer) value(v *ir.Value) *ir.Value {
	if x := w.memo[v]; x != nil {
		return x
	}
	x := w.write(v)
	w.memo[v] = x
	return x
}

func (w *writer) write(v *ir.Value) *ir.Value {
	p := w.d.places[v]
	switch {
	case !p.whole() && v.Op == ir.OpParam:
		return w.param(Input{Kind: Rows, ID: v.ID}, w.typeOf(v))
	case !p.whole() && v.Op == ir.OpIota:
		return w.iota(v, p)
	case !p.whole() && v.Op.Info().Kind == ir.Scan && v.Attr.Axis == p.axis:
		return w.scan(v, p)
	case !p.whole() || isSource(v):
		return w.op(v)
	case w.rows > 0 || p.after < w.level || v.Op == ir.OpParam:
		return w.param(Input{Kind: Whole, ID: w.d.f.Index(v)}, w.d.total(v))
	}
	if r, ok := w.d.totals[v]; ok {
		return r.finish(w, v, w.parts[v])
	}
	return w.op(v)
}

// isSource reports whether a whole value is computed again where it is needed: constants and their views.
func isSource(v *ir.Value) bool {
	for v.Op.IsView() {
		v = v.Args[0]
	}
	return v.Op.Info().Kind == ir.Source && v.Op != ir.OpParam
}

// op appends the op of v with the sizes of this function.
func (w *writer) op(v *ir.Value) *ir.Value {
	args := make([]*ir.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = w.value(a)
	}
	attr, sizes := *v.Attr, w.sizes(v)
	number := func(n ir.Dim) ir.Dim {
		k, err := n.Bind(sizes)
		if err != nil {
			panic(failure{err})
		}
		return ir.Fixed(k)
	}
	attr.Begin, attr.Len = number(attr.Begin), number(attr.Len)
	attr.Shape = slices.Clone(attr.Shape)
	for i, n := range attr.Shape {
		attr.Shape[i] = number(n)
	}
	return w.add(v.Op, attr, v, args...)
}

// sizes returns the numbers of the named sizes for a value: those of a block if it has rows.
func (w *writer) sizes(v *ir.Value) map[string]int {
	if w.d.places[v].whole() {
		return w.d.sizes
	}
	sizes := maps.Clone(w.d.sizes)
	sizes[w.d.size] = w.rows
	return sizes
}

// typeOf returns the type of a value in this function.
func (w *writer) typeOf(v *ir.Value) ir.Type {
	shape, err := v.Type.Shape.Bind(w.sizes(v))
	if err != nil {
		panic(failure{err})
	}
	return ir.Type{DType: v.Type.DType, Shape: shape}
}

// first returns as an Int64 the number of elements along an axis before the block.
func (w *writer) first(at *ir.Value, scale int) *ir.Value {
	if w.offset == nil {
		w.offset = w.param(Input{Kind: Offset}, ir.Type{DType: ir.Int64, Shape: ir.Shape{}})
	}
	return w.add(ir.OpMul, ir.Attr{}, at, w.offset, w.constant(at, ir.Int64, uint64(scale)))
}

func (w *writer) iota(v *ir.Value, p place) *ir.Value {
	x := w.add(ir.OpIota, ir.Attr{DType: ir.Int64, Shape: w.typeOf(v).Shape}, v)
	return w.cast(w.add(ir.OpAdd, ir.Attr{}, v, x, w.first(v, p.scale)), v.Type.DType)
}

// state declares a state. step makes the state after the block from the state before it.
func (w *writer) state(s State, step func(before *ir.Value) *ir.Value) {
	id := len(w.states)
	w.states, w.next = append(w.states, s), append(w.next, nil)
	w.next[id] = step(w.param(Input{Kind: Carried, ID: id}, s.Type))
}
